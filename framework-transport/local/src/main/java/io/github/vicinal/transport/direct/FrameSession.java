package io.github.vicinal.transport.direct;

import java.util.Arrays;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.jvm.Neighbour;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.ServerBinding;
import io.github.vicinal.transport.wire.ServerCalls;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import org.jspecify.annotations.Nullable;

/**
 * Answers the frames of a neighbour with other classes than ours. The first one binds a
 * contract. Thread-safe.
 */
final class FrameSession implements Neighbour.Session {

	/** Maximum frame, the size of an array, since the neighbour's memory is also ours. */
	static final WireLimits LIMITS = new WireLimits(1 << 30, 1 << 12, 1 << 20);

	private static final long NO_CORRELATION = 0;

	private final ServerCalls calls;

	private final @Nullable ClassLoader loader;

	private final BufferPool buffers;

	private volatile @Nullable ServerBinding binding;

	FrameSession(ServiceRegistry services, @Nullable ClassLoader loader, BufferPool buffers) {
		this.calls = new ServerCalls(services, LIMITS, (refusal, text) -> {
		});
		this.loader = loader;
		this.buffers = buffers;
	}

	@Override
	public byte[] answer(byte[] frame, int length) {
		EncodeBuffer out = this.buffers.take();
		ClassLoader before = ContextLoader.enter(this.loader);
		try {
			answer(frame, length, out);
			return Arrays.copyOf(out.array(), out.size());
		}
		finally {
			ContextLoader.leave(before, this.loader);
			this.buffers.giveBack(out);
		}
	}

	private void answer(byte[] frame, int length, EncodeBuffer out) {
		try {
			FrameHeader header = new FrameHeader();
			FrameDescriptor.read(frame, length, header, LIMITS);
			ServerBinding bound = this.binding;
			if (header.type == FrameType.CALL && bound != null) {
				call(bound, header, frame, out);
			}
			else if (header.type == FrameType.BIND && bound == null) {
				this.binding = this.calls.bind(out, Payload.Bind.read(header.payload(frame)), NO_CORRELATION,
						header.binding);
			}
			else {
				throw new WireException(Refusal.MALFORMED,
						"a frame of type %s has no place here".formatted(header.type));
			}
		}
		catch (WireException ex) {
			out.size(0);
			this.calls.refusal(out, FrameDescriptor.begin(out), ex.refusal(), 0, ex.text(), NO_CORRELATION);
		}
	}

	private void call(ServerBinding bound, FrameHeader header, byte[] frame, EncodeBuffer out) throws WireException {
		CallFrame call = this.calls.decode(bound, header, frame);
		Reply reply = this.calls.invokeForCaller(bound, call, FrameSession::waits);
		this.calls.reply(out, reply, bound, call, NO_CORRELATION, header.binding, LIMITS.maxFrameBytes());
	}

	/** The caller waits for the outcome anyway. */
	private static void waits() {
	}

}
