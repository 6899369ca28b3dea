package io.github.vicinal.transport.tcp;

import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.PayloadReader;

/**
 * A frame as it was received. Belongs to its receiver.
 *
 * @param header its fixed part
 * @param body the bytes that follow it
 */
@SuppressWarnings("ArrayRecordComponent")
record Frame(FrameHeader header, byte[] body) {

	PayloadReader payload() {
		return this.header.payload(this.body);
	}

}
