package io.github.vicinal.transport.multiplex;

import io.github.vicinal.transport.wire.FrameCompression;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.PayloadReader;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;

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
	 * Returns whether the frame is compressed.
	 * @return {@code true} if it must be {@linkplain #expanded expanded}
	 */
	boolean isCompressed() {
		return this.header.has(FrameDescriptor.FLAG_COMPRESSED);
	}

	/**
	 * Checks that the frame carries nothing.
	 * @throws WireException if it does
	 */
	public void requireEmpty() throws WireException {
		if (this.header.length != 0) {
			throw new WireException(Refusal.MALFORMED, "a frame of type %s carries nothing, but this one %d bytes"
				.formatted(this.header.type, this.header.length));
		}
	}

	/**
	 * Returns the frame as it was before it was compressed.
	 * @param allowed whether both sides have agreed on compression
	 * @param limits what this side accepts
	 * @return another frame, or this one if it is not compressed
	 * @throws WireException if it must not be compressed, or is not what it says
	 */
	ReceivedFrame expanded(boolean allowed, WireLimits limits) throws WireException {
		if (!isCompressed()) {
			return this;
		}
		if (!allowed) {
			throw new WireException(Refusal.MALFORMED, "a compressed frame, on which the two sides have not agreed");
		}
		byte[] expanded = FrameCompression.expand(this.header, this.bytes, limits);
		return new ReceivedFrame(this.header, expanded);
	}

	/**
	 * Returns how much memory the frame may take until it is answered.
	 * @return its length, and what it says that it expands to
	 */
	public long heldBytes() {
		return isCompressed() ? size() + (long) FrameCompression.announcedBytes(this.header, this.bytes) : size();
	}

	/**
	 * Returns the length of the frame with its fixed part.
	 * @return bytes
	 */
	public int size() {
		return FrameDescriptor.HEADER_BYTES + this.header.length;
	}

}
