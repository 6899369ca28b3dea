package io.github.vicinal.transport.multiplex;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.transport.wire.ClientBinding;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;

/** The client's side of BIND and BOUND, which precede the first call of a contract. */
final class BindExchange {

	private static final int FIRST_BYTES = 1024;

	private BindExchange() {
	}

	/** Returns the frame that binds a contract, without a correlation. */
	static EncodeBuffer request(ClientBinding binding) throws WireException {
		EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
		int start = FrameDescriptor.begin(out);
		binding.request().write(out);
		FrameDescriptor.binding(out, start, binding.number());
		FrameDescriptor.end(out, start, FrameType.BIND);
		return out;
	}

	/**
	 * Checks the answer.
	 * @return the codec that both sides have chosen
	 * @throws WireException if another contract was bound, or none
	 */
	static CodecChoice bound(ClientBinding binding, ReceivedFrame answer) throws WireException {
		answer.header().require(FrameType.BOUND);
		if (answer.header().binding != binding.number()) {
			throw new WireException(Refusal.MALFORMED, "another contract was bound");
		}
		return binding.choose(Payload.Bound.read(answer.payload()));
	}

}
