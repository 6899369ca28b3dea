package io.github.vicinal.transport.rdma;

import io.github.vicinal.codec.EncodeBuffer;
import org.jspecify.annotations.Nullable;

/** A frame that is sent. Guarded by the lock of its connection, but for what is noted. */
class Outgoing {

	private final byte[] bytes;

	private final int size;

	private int sent;

	/** Whether the peer reads the frame; otherwise it travels through the ring. */
	private boolean read;

	/** Bytes that the peer has read. */
	private int taken;

	/** The frame to send after this one. Guarded by the lock of the connection. */
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

	/** Whether all of the frame is in the ring, or was read by the peer. */
	final boolean isWhole() {
		return (this.read ? this.taken : this.sent) == this.size;
	}

	/**
	 * Appends the next piece of a large frame to the ring, or announces it. A frame that
	 * finds all memory for announced pieces in use travels through the ring.
	 * @return whether there was room in the ring
	 */
	final boolean append(OutboundRing ring, RendezvousSender rendezvous, int stream) {
		if (this.sent == 0) {
			this.read = rendezvous.takes(this.size) && rendezvous.isFree();
		}
		return this.read ? announce(ring, rendezvous, stream) : append(ring, stream);
	}

	private boolean announce(OutboundRing ring, RendezvousSender rendezvous, int stream) {
		if (this.sent == this.size || !rendezvous.isFree()) {
			// It waits for the peer, and takes no room.
			return true;
		}
		int length = Math.min(this.size - this.sent, RendezvousSender.PIECE_BYTES);
		byte kind = (this.sent == 0) ? RingRecord.READ_FIRST : RingRecord.READ_MORE;
		int total = (this.sent == 0) ? this.size : 0;
		if (!rendezvous.announce(ring, this, kind, stream, total, this.bytes, this.sent, length)) {
			return false;
		}
		this.begun = true;
		this.sent += length;
		return true;
	}

	/** The peer has read a piece. */
	final void taken(int length) {
		this.taken += length;
		if (isWhole()) {
			left();
		}
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

	/**
	 * All of the frame is in the ring or was read by the peer, or never will be. Must not
	 * block.
	 */
	void left() {
	}

}
