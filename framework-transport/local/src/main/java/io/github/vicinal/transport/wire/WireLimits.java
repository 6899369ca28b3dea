package io.github.vicinal.transport.wire;

/**
 * What one side accepts from the other.
 *
 * @param maxFrameBytes the longest frame, without its fixed part
 * @param maxHeaders the largest number of headers in a frame
 * @param maxHeaderBytes the longest header block
 */
public record WireLimits(int maxFrameBytes, int maxHeaders, int maxHeaderBytes) {

	private static final int MIN_STATUS = 100;

	/** HTTP carries three digits, whether they mean anything or not. */
	private static final int MAX_STATUS = 999;

	static void requireStatus(int status, Refusal refusal) throws WireException {
		if (status < MIN_STATUS || status > MAX_STATUS) {
			throw new WireException(refusal, "there is no status %d".formatted(status));
		}
	}

}
