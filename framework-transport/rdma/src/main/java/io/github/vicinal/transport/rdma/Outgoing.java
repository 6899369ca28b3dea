package io.github.vicinal.transport.rdma;

import io.github.vicinal.codec.EncodeBuffer;
import org.jspecify.annotations.Nullable;

/** A frame that is sent. Guarded by the lock of its connection, but for what is noted. */
class Outgoing {

	private final byte[] bytes;

	private final int size;

	private int sent;

	/** What is sent when this is whole. Under the lock of the connection. */
	private @Nullable Outgoing behind;

	/** Whether the peer may have seen a part of the frame. Read by any thread. */
	private volatile boolean begun;

	/**
	 * Creates a frame.
	 * @param out holds the frame and nothing else, and is not changed any more
	 */
	Outgoing(EncodeBuffer out) {
		this.bytes = out.array();
		this.size = out.size();
	}

	final int size() {
		return this.size;
	}

	/** Whether the peer may have seen a part of the frame. Called by any thread. */
	final boolean isBegun() {
		return this.begun;
	}

	final void sendBehind(Outgoing next) {
		this.behind = next;
	}

	final @Nullable Outgoing behind() {
		return this.behind;
	}

	final boolean isWhole() {
		return this.sent == this.size;
	}

	/** Appends the next piece to the ring, and returns whether there was room. */
	final boolean append(OutboundRing ring, int stream) {
		int length = Math.min(this.size - this.sent, ring.maxLength());
		byte kind = (length == this.size) ? RingRecord.WHOLE : (this.sent == 0) ? RingRecord.FIRST : RingRecord.MORE;
		int total = (kind == RingRecord.MORE) ? 0 : this.size;
		if (!ring.append(kind, stream, total, this.bytes, this.sent, length)) {
			return false;
		}
		this.begun = true;
		this.sent += length;
		if (isWhole()) {
			left();
		}
		return true;
	}

	/** All of the frame is in the ring, or never will be. Must not block. */
	void left() {
	}

}
