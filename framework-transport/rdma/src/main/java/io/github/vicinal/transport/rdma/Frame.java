package io.github.vicinal.transport.rdma;

import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.PayloadReader;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;

/**
 * A frame as it was received. Belongs to its receiver.
 *
 * @param header its fixed part
 * @param bytes all of it
 */
@SuppressWarnings("ArrayRecordComponent")
record Frame(FrameHeader header, byte[] bytes) {

	static Frame read(byte[] bytes, WireLimits limits) throws WireException {
		FrameHeader header = new FrameHeader();
		FrameDescriptor.read(bytes, bytes.length, header, limits);
		return new Frame(header, bytes);
	}

	PayloadReader payload() {
		return this.header.payload(this.bytes);
	}

}
