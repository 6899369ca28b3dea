package io.github.vicinal.transport.wire;

/**
 * The fields of a frame's fixed part, see {@link FrameDescriptor}. One per connection,
 * overwritten by each frame.
 */
public final class FrameHeader {

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

	public int payloadLength() {
		return this.length - this.headerBlockLength;
	}

}
