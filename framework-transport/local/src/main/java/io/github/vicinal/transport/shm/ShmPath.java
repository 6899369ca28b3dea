package io.github.vicinal.transport.shm;

import java.util.LinkedHashMap;
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
import io.github.vicinal.transport.shm.lane.LaneClient;
import io.github.vicinal.transport.shm.lane.WaitCounts;
import io.github.vicinal.transport.wire.ClientBinding;

/** The path of one contract to one peer. */
final class ShmPath implements CallPath {

	private final ShmPathProvider provider;

	private final ShmPeer peer;

	private final ClientBinding binding;

	private final CodecChoice codec;

	private final LongAdder bytes = new LongAdder();

	private final AtomicBoolean closed = new AtomicBoolean();

	ShmPath(ShmPathProvider provider, ShmPeer peer, ClientBinding binding, CodecChoice codec) {
		this.provider = provider;
		this.peer = peer;
		this.binding = binding;
		this.codec = codec;
	}

	@Override
	public PathKind kind() {
		return ShmPathProvider.KIND;
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
		return this.peer.call(this.binding, this.codec, frame, this.bytes);
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
		LaneClient lanes = this.peer.lanes();
		WaitCounts waits = lanes.waits();
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("waiting", lanes.waiting());
		details.put("waitsAwake", waits.awake());
		details.put("waitsAsleep", waits.asleep());
		details.put("yieldBans", waits.bans());
		details.put("waitDecisions", lanes.waitDecisions());
		details.put("lastWaitDecision", lanes.lastWaitDecision());
		details.put("bells", lanes.bellKind());
		if (!this.peer.bellReason().isEmpty()) {
			details.put("bellsReason", this.peer.bellReason());
		}
		details.putAll(this.peer.lanesInUse());
		return details;
	}

	LaneClient lanes() {
		return this.peer.lanes();
	}

	/** Calls in flight end normally. */
	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			this.provider.release(this.peer);
		}
	}

}
