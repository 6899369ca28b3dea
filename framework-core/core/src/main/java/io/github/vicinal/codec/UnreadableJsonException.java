package io.github.vicinal.codec;

/**
 * A result arrived as JSON that cannot be read as the contract's type. It holds the JSON,
 * so that an HTTP client can be shown what it would have received.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public final class UnreadableJsonException extends CodecException {

	private final byte[] json;

	UnreadableJsonException(CodecException failure, byte[] json) {
		super(String.valueOf(failure.getMessage()), failure.getCause());
		this.json = json;
	}

	/**
	 * Returns the JSON as it arrived.
	 * @return the bytes; the caller may keep them and must not change them
	 */
	public byte[] json() {
		return this.json;
	}

}
