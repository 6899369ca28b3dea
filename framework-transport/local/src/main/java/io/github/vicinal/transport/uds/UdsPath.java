package io.github.vicinal.transport.uds;

import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.Reply;
import io.github.vicinal.transport.wire.ClientBinding;
import io.github.vicinal.transport.wire.Watchdog;

/** The path of one contract to one peer. */
final class UdsPath implements CallPath {

	private final UdsPathProvider provider;

	private final UdsPeer peer;

	private final ClientBinding binding;

	private final CodecChoice codec;

	private final LongAdder bytes = new LongAdder();

	private final AtomicBoolean closed = new AtomicBoolean();

	UdsPath(UdsPathProvider provider, UdsPeer peer, ClientBinding binding, CodecChoice codec) {
		this.provider = provider;
		this.peer = peer;
		this.binding = binding;
		this.codec = codec;
	}

	@Override
	public PathKind kind() {
		return UdsPathProvider.KIND;
	}

	@Override
	public CodecChoice codec() {
		return this.codec;
	}

	@Override
	public Reply call(CallFrame frame) throws PathException {
		if (this.closed.get()) {
			throw new PathException(Reason.PEER_GONE, false, "the path is closed", null);
		}
		long deadline = (frame.deadlineNanos() == CallFrame.NO_DEADLINE) ? Watchdog.NEVER
				: this.peer.watchdog().at(frame.deadlineNanos());
		return this.peer.with(deadline, (connection) -> {
			Reply reply = connection.call(this.binding, frame, deadline);
			this.bytes.add(connection.bytesOfLastCall());
			frame.carried(connection.bytesOfLastCall());
			return reply;
		});
	}

	@Override
	public boolean isOpen() {
		return !this.closed.get() && !this.peer.hasEnded();
	}

	@Override
	public long bytesCarried() {
		return this.bytes.sum();
	}

	@Override
	public Map<String, Object> details() {
		return Map.of("heapBytes", this.peer.heap().bytes());
	}

	/** Calls in flight end normally. */
	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			this.provider.release(this.peer);
		}
	}

}
