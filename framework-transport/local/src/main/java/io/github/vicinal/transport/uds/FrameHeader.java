package io.github.vicinal.transport.uds;

/**
 * The fields of a frame's fixed part, see {@link FrameDescriptor}. One per connection,
 * overwritten by each frame.
 */
final class FrameHeader {

	FrameType type = FrameType.GOODBYE;

	short flags;

	int length;

	int headerBlockLength;

	long correlation;

	int binding;

	int code;

	long remaining;

	boolean has(short flag) {
		return (this.flags & flag) != 0;
	}

	int payloadLength() {
		return this.length - this.headerBlockLength;
	}

}
