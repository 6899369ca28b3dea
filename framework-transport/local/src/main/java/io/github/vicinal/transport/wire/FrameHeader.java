package io.github.vicinal.transport.wire;

/**
 * The fields of a frame's fixed part, see {@link FrameDescriptor}. One per connection,
 * overwritten by each frame.
 */
public final class FrameHeader {

	/** The fixed part as it was received. */
	final byte[] fixed = new byte[FrameDescriptor.HEADER_BYTES];

	/** Offset of the header block in the array that follows the fixed part. */
	public int bodyOffset;

	public FrameType type = FrameType.GOODBYE;

	public short flags;

	public int length;

	public int headerBlockLength;

	public long correlation;

	public int binding;

	public int code;

	public long remaining;

	public boolean has(short flag) {
		return (this.flags & flag) != 0;
	}

	public void require(FrameType expected) throws WireException {
		if (this.type != expected) {
			throw new WireException(Refusal.MALFORMED, "%s instead of %s".formatted(this.type, expected));
		}
	}

	/** Returns where the payload begins. */
	public int payloadOffset() {
		return this.bodyOffset + this.headerBlockLength;
	}

	/** Returns a reader of the payload. */
	public PayloadReader payload(byte[] body) {
		return new PayloadReader(body, payloadOffset(), payloadLength());
	}

	public int payloadLength() {
		return this.length - this.headerBlockLength;
	}

}
