package io.github.vicinal.transport.multiplex;

import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.PayloadReader;

/**
 * A frame as it was received. Belongs to its receiver.
 *
 * @param header its fixed part
 * @param bytes the rest of it, from the header's offset of the body on
 */
@SuppressWarnings("ArrayRecordComponent")
public record ReceivedFrame(FrameHeader header, byte[] bytes) {

	/**
	 * Returns a reader of the payload.
	 * @return a new reader
	 */
	public PayloadReader payload() {
		return this.header.payload(this.bytes);
	}

	/**
	 * Returns the length of the frame with its fixed part.
	 * @return bytes
	 */
	public int size() {
		return FrameDescriptor.HEADER_BYTES + this.header.length;
	}

}
