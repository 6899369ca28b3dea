package io.github.vicinal.transport.rdma;

import java.nio.ByteBuffer;

import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;

/**
 * This side's copy of the ring that the peer reads. Records are appended here and
 * published by a write with an immediate number.
 * <p>
 * Two things bound what is under way: room in the ring, and messages, because each takes
 * a receive that the peer has posted. Room is used again once the peer has consumed it
 * <em>and</em> the writes from it have completed here: until then the device may read it
 * to send it again. Guarded by the lock of the connection.
 */
final class OutboundRing {

	/** Work requests that are kept for credits, pings and their answers. */
	static final int RESERVED_SENDS = 8;

	/** A write is signalled after this part of the ring or of the send queue. */
	private static final int SIGNAL_SHARE = 8;

	private static final int MAX_WRITES = 2;

	private final QueuePair queuePair;

	private final ByteBuffer memory;

	private final int base;

	private final int bytes;

	private final long remoteAddress;

	private final int remoteKey;

	private final int sends;

	private final int inlineBytes;

	/** Ends of the messages that the peer has not consumed. */
	private final LongFifo messages;

	/** For each signalled work request, where the ring can be used again after it. */
	private final LongFifo signalledEnds;

	/** For each signalled work request, how many it completes, itself included. */
	private final LongFifo signalledSends;

	private long tail;

	private long published;

	private long consumed;

	private long completed;

	/** End of what is written before the ring begins again, if {@link #wraps}. */
	private long wrapEnd;

	private boolean wraps;

	/** Posted work requests that have not completed. */
	private int posted;

	/** Those of them that follow the last signalled one. */
	private int unsignalled;

	private long signalledTo;

	/**
	 * Creates an empty ring.
	 * @param queuePair writes it
	 * @param base where this side's copy begins in the outbound memory
	 * @param bytes size of the ring
	 * @param peer where the peer's ring is, and how many messages it takes
	 * @param sends capacity of the send queue
	 */
	OutboundRing(QueuePair queuePair, int base, int bytes, Setup peer, int sends) {
		this.queuePair = queuePair;
		this.memory = queuePair.outbound();
		this.base = base;
		this.bytes = bytes;
		this.remoteAddress = peer.address();
		this.remoteKey = peer.key();
		this.sends = sends;
		this.inlineBytes = queuePair.inlineBytes();
		this.messages = new LongFifo(peer.messages());
		this.signalledEnds = new LongFifo(sends);
		this.signalledSends = new LongFifo(sends);
	}

	/** Returns the longest piece of a frame that one record carries. */
	int maxLength() {
		return RingRecord.maxLength(this.bytes);
	}

	/** Returns whether a message can be posted. */
	boolean canPublish() {
		return !this.messages.isFull() && this.posted + MAX_WRITES + RESERVED_SENDS <= this.sends;
	}

	/** Returns the bytes that are appended and not published. */
	long unpublished() {
		return this.tail - this.published;
	}

	/** Returns whether everything that was published has been consumed. */
	boolean isEmpty() {
		return this.tail == this.consumed;
	}

	/**
	 * Appends a record.
	 * @return whether there was room for it
	 */
	boolean append(byte kind, int stream, int total, byte[] source, int from, int length) {
		int size = RingRecord.size(length);
		int offset = (int) (this.tail & (this.bytes - 1));
		int contiguous = this.bytes - offset;
		int padding = (size > contiguous) ? contiguous : 0;
		long free = this.bytes - (this.tail - Math.min(this.consumed, this.completed));
		if (padding + size > free) {
			return false;
		}
		if (padding > 0) {
			header(offset, padding - RingRecord.HEADER_BYTES, RingRecord.PADDING, 0, 0);
			this.wrapEnd = this.tail + RingRecord.HEADER_BYTES;
			this.wraps = true;
			this.tail += padding;
			offset = 0;
		}
		header(offset, length, kind, stream, total);
		this.memory.put(this.base + offset + RingRecord.HEADER_BYTES, source, from, length);
		this.tail += size;
		if (offset + size == this.bytes) {
			// What follows begins again, and needs a write of its own.
			this.wrapEnd = this.tail;
			this.wraps = true;
		}
		return true;
	}

	private void header(int offset, int length, byte kind, int stream, int total) {
		int at = this.base + offset;
		this.memory.putInt(at + RingRecord.LENGTH, length);
		this.memory.put(at + RingRecord.KIND, kind);
		this.memory.put(at + RingRecord.STREAM, (byte) stream);
		this.memory.putShort(at + RingRecord.STREAM + 1, (short) 0);
		this.memory.putInt(at + RingRecord.TOTAL, total);
		this.memory.putInt(at + RingRecord.POSITION, RingRecord.position(this.tail));
	}

	/** Publishes what was appended. {@link #canPublish} must hold. */
	void publish() throws VerbsException {
		if (this.tail == this.published) {
			return;
		}
		long from = this.published;
		if (this.wraps) {
			this.wraps = false;
			long end = this.wrapEnd;
			long next = (from & -this.bytes) + this.bytes;
			if (next < this.tail) {
				write(from, (int) (end - from), end, 0, 0);
				from = next;
			}
			else if (end < this.tail) {
				throw new IllegalStateException("padding without a record after it");
			}
		}
		this.published = this.tail;
		this.messages.add(this.tail);
		write(from, (int) (this.tail - from), this.tail, QueuePair.IMMEDIATE, Immediate.of(Immediate.DATA, this.tail));
	}

	/** Returns whether a write without a payload can be posted. */
	boolean canNotify() {
		return this.posted < this.sends;
	}

	/** Writes nothing but a number. {@link #canNotify} must hold. */
	void notifyPeer(int immediate) throws VerbsException {
		write(0, 0, this.published, QueuePair.IMMEDIATE, immediate);
	}

	/**
	 * Returns whether a read can be posted. Work requests stay for credits and others.
	 */
	boolean canRead() {
		return this.posted + RESERVED_SENDS < this.sends;
	}

	/** Notes that a read was posted. {@link #canRead} must hold. */
	void readPosted() {
		this.posted++;
	}

	/** Notes that a read has completed. */
	void readCompleted() {
		this.posted--;
	}

	private void write(long from, int length, long end, int flags, int immediate) throws VerbsException {
		int offset = (int) (from & (this.bytes - 1));
		this.posted++;
		this.unsignalled++;
		boolean signalled = this.unsignalled >= this.sends / SIGNAL_SHARE
				|| this.published - this.signalledTo >= this.bytes / SIGNAL_SHARE;
		int all = flags;
		if (signalled) {
			all |= QueuePair.SIGNALLED;
			this.signalledEnds.add(end);
			this.signalledSends.add(this.unsignalled);
			this.signalledTo = this.published;
			this.unsignalled = 0;
		}
		if (length <= this.inlineBytes) {
			all |= QueuePair.INLINE;
		}
		this.queuePair.write(this.base + offset, length, this.remoteAddress + offset, this.remoteKey, all, immediate);
	}

	/** Notes that the oldest signalled work request has completed. */
	void completed() throws WireException {
		if (this.signalledEnds.size() == 0) {
			throw new WireException(Refusal.MALFORMED, "a work request completed that was not signalled");
		}
		this.completed = Math.max(this.completed, this.signalledEnds.remove());
		this.posted -= (int) this.signalledSends.remove();
	}

	/** Notes that the peer has consumed records. */
	void consumed(int immediate) throws WireException {
		long more = Immediate.distance(immediate, this.consumed);
		if (more > this.published - this.consumed) {
			throw new WireException(Refusal.MALFORMED, "%d bytes were returned, but only %d are with the peer"
				.formatted(more, this.published - this.consumed));
		}
		this.consumed += more;
		while (this.messages.size() > 0 && this.messages.peek() <= this.consumed) {
			this.messages.remove();
		}
	}

}
