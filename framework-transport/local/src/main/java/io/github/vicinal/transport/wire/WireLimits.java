package io.github.vicinal.transport.wire;

/**
 * Limits of one side for frames of the other.
 *
 * @param maxFrameBytes the longest frame, without its fixed part
 * @param maxHeaders the largest number of headers in a frame
 * @param maxHeaderBytes the longest header block
 */
public record WireLimits(int maxFrameBytes, int maxHeaders, int maxHeaderBytes) {

	private static final int MIN_STATUS = 100;

	/** HTTP carries three digits, whether they mean anything or not. */
	private static final int MAX_STATUS = 999;

	private static final int MAX_HEADERS = 1024;

	private static final int MAX_HEADER_BYTES = 64 << 10;

	private static final int SMALLEST_FRAME_LIMIT = 1024;

	private static final int LARGEST_FRAME_LIMIT = 1 << 30;

	/**
	 * Returns the limits of calls and replies. Those of headers are the same on all
	 * paths, so that a reply does not arrive on one path and fail on another.
	 * @param maxFrameBytes the longest frame, without its fixed part
	 * @return limits of 1,024 headers and 64 KiB of them
	 */
	public static WireLimits ofCalls(int maxFrameBytes) {
		return new WireLimits(maxFrameBytes, MAX_HEADERS, Math.min(MAX_HEADER_BYTES, maxFrameBytes));
	}

	/**
	 * Checks the option {@code maxFrameBytes} of a path.
	 * @param bytes the longest frame
	 * @throws InvalidOptionException if it breaks the rule
	 */
	public static void checkMaxFrameBytes(int bytes) {
		InvalidOptionException.check(bytes >= SMALLEST_FRAME_LIMIT && bytes <= LARGEST_FRAME_LIMIT, "maxFrameBytes",
				"from 1KB to 1GB", bytes);
	}

	static void requireStatus(int status, Refusal refusal) throws WireException {
		if (status < MIN_STATUS || status > MAX_STATUS) {
			throw new WireException(refusal, "there is no status %d".formatted(status));
		}
	}

}
