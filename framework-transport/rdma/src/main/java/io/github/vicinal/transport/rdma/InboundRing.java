package io.github.vicinal.transport.rdma;

import java.nio.ByteBuffer;
import java.util.Arrays;

import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;

/**
 * The ring that the peer writes. Each number in it is read once: the peer can change it
 * at any time. Used by one thread.
 */
final class InboundRing {

	private static final int GROWTH = 2;

	private static final String LONGER = "a frame is longer than it said";

	/** Room that is returned at once, as a part of the ring or of the messages. */
	private static final int CREDIT_SHARE = 4;

	private final ByteBuffer memory;

	private final int bytes;

	private final int messages;

	private final RendezvousReceiver rendezvous;

	private final @Nullable Assembly[] streams = new Assembly[RingRecord.STREAMS];

	/** Ends of messages that are not consumed as a whole. */
	private final LongFifo ends;

	private int maxFrameBytes;

	/** Positions consumed, published, and returned to the peer. */
	private long head;

	private long published;

	private long returned;

	private int consumedMessages;

	private long assembling;

	/**
	 * Creates an empty ring.
	 * @param memory begins with the ring
	 * @param bytes size of the ring
	 * @param messages maximum number of messages that are not consumed
	 * @param maxFrameBytes longest frame, without its fixed part
	 * @param rendezvous reads what records announce
	 */
	InboundRing(ByteBuffer memory, int bytes, int messages, int maxFrameBytes, RendezvousReceiver rendezvous) {
		this.memory = memory;
		this.bytes = bytes;
		this.messages = messages;
		this.maxFrameBytes = maxFrameBytes;
		this.rendezvous = rendezvous;
		this.ends = new LongFifo(messages);
	}

	/** Sets the longest frame that is accepted from now on. */
	void maxFrameBytes(int newBytes) {
		this.maxFrameBytes = newBytes;
	}

	/** Notes that the peer has published records. */
	void published(int immediate) throws WireException {
		long more = Immediate.distance(immediate, this.published);
		if (more == 0 || this.published + more - this.head > this.bytes) {
			throw new WireException(Refusal.MALFORMED,
					"%d bytes were published in a ring of %d bytes of which %d are in use".formatted(more, this.bytes,
							this.published - this.head));
		}
		if (this.ends.isFull()) {
			throw new WireException(Refusal.MALFORMED,
					"more than %d messages that are not consumed".formatted(this.messages));
		}
		this.published += more;
		this.ends.add(this.published);
	}

	/** Returns whether there are records that are not consumed. */
	boolean hasRecords() {
		return this.head != this.published;
	}

	/** Returns the bytes of frames that have arrived in part. */
	long assemblingBytes() {
		return this.assembling;
	}

	/**
	 * Returns when the oldest frame began that is not complete; {@code false} if none.
	 */
	boolean isStalled(long now, long timeoutNanos) {
		for (Assembly stream : this.streams) {
			if (stream != null && now - stream.since >= timeoutNanos) {
				return true;
			}
		}
		return false;
	}

	/** Grants frames that are not complete their whole time: they were not read. */
	void restart(long now) {
		for (Assembly stream : this.streams) {
			if (stream != null) {
				stream.since = now;
			}
		}
	}

	/**
	 * Consumes one record. There must be one.
	 * @param now the time, in nanoseconds
	 * @return a whole frame, {@code null} if it is not complete yet
	 * @throws WireException if a rule is broken; the connection must end
	 */
	byte @Nullable [] next(long now) throws WireException {
		int offset = (int) (this.head & (this.bytes - 1));
		int contiguous = this.bytes - offset;
		long available = Math.min(this.published - this.head, contiguous);
		int length = this.memory.getInt(offset + RingRecord.LENGTH);
		byte kind = this.memory.get(offset + RingRecord.KIND);
		int position = this.memory.getInt(offset + RingRecord.POSITION);
		if (position != RingRecord.position(this.head)) {
			throw new WireException(Refusal.MALFORMED, "a record says that it is at %08x, but is at %08x"
				.formatted(position, RingRecord.position(this.head)));
		}
		if (length < 0 || length > available - RingRecord.HEADER_BYTES) {
			throw new WireException(Refusal.MALFORMED, "a record of %d bytes in %d bytes".formatted(length, available));
		}
		if (kind == RingRecord.PADDING) {
			if (length != contiguous - RingRecord.HEADER_BYTES) {
				throw new WireException(Refusal.MALFORMED, "padding that does not end with the ring");
			}
			advance(contiguous);
			return null;
		}
		int total = this.memory.getInt(offset + RingRecord.TOTAL);
		int stream = this.memory.get(offset + RingRecord.STREAM);
		byte[] frame = switch (kind) {
			case RingRecord.WHOLE -> whole(offset, length, total);
			case RingRecord.FIRST -> first(offset, length, total, stream, now);
			case RingRecord.MORE -> more(offset, length, stream);
			case RingRecord.READ_FIRST -> announcedFirst(offset, length, total, stream, now);
			case RingRecord.READ_MORE -> announced(offset, length, stream);
			default -> throw new WireException(Refusal.MALFORMED, "there is no record of kind %d".formatted(kind));
		};
		advance(RingRecord.size(length));
		return frame;
	}

	private void advance(int size) {
		this.head += size;
		while (this.ends.size() > 0 && this.ends.peek() <= this.head) {
			this.ends.remove();
			this.consumedMessages++;
		}
	}

	private void checkTotal(int total) throws WireException {
		int most = this.maxFrameBytes + FrameDescriptor.HEADER_BYTES;
		if (total < FrameDescriptor.HEADER_BYTES || total > most) {
			throw new WireException(Refusal.TOO_LARGE, "a frame of %d bytes is not from %d to %d bytes long"
				.formatted(Integer.toUnsignedLong(total), FrameDescriptor.HEADER_BYTES, most));
		}
	}

	private byte[] whole(int offset, int length, int total) throws WireException {
		checkTotal(total);
		if (total != length) {
			throw new WireException(Refusal.MALFORMED,
					"a frame of %d bytes in a record of %d bytes".formatted(total, length));
		}
		byte[] frame = new byte[length];
		this.memory.get(offset + RingRecord.HEADER_BYTES, frame);
		return frame;
	}

	private byte @Nullable [] first(int offset, int length, int total, int stream, long now) throws WireException {
		checkTotal(total);
		if (stream < 0 || stream >= RingRecord.STREAMS || this.streams[stream] != null || length == 0
				|| length >= total) {
			throw new WireException(Refusal.MALFORMED,
					"the first %d of %d bytes in stream %d, which cannot begin".formatted(length, total, stream));
		}
		this.streams[stream] = new Assembly(total, false, now);
		return append(stream, this.memory, offset + RingRecord.HEADER_BYTES, length);
	}

	private byte @Nullable [] more(int offset, int length, int stream) throws WireException {
		begun(stream, false, length);
		return append(stream, this.memory, offset + RingRecord.HEADER_BYTES, length);
	}

	/** The first piece of a frame that this side reads, or has to. */
	private byte @Nullable [] announcedFirst(int offset, int length, int total, int stream, long now)
			throws WireException {
		checkTotal(total);
		if (stream < 0 || stream >= RingRecord.STREAMS || this.streams[stream] != null
				|| total < RendezvousSender.MIN_FRAME_BYTES) {
			throw new WireException(Refusal.MALFORMED,
					"the first piece to read of %d bytes in stream %d, which cannot begin".formatted(total, stream));
		}
		this.streams[stream] = new Assembly(total, true, now);
		return announced(offset, length, stream);
	}

	private byte @Nullable [] announced(int offset, int length, int stream) throws WireException {
		if (length != RendezvousSender.ANNOUNCEMENT_BYTES) {
			throw new WireException(Refusal.MALFORMED, "a piece to read is announced in %d bytes, not in %d"
				.formatted(RendezvousSender.ANNOUNCEMENT_BYTES, length));
		}
		Assembly assembly = begun(stream, true, length);
		int announced = this.rendezvous.announced(this.memory, offset + RingRecord.HEADER_BYTES, stream);
		if (announced > assembly.total - assembly.announced) {
			throw new WireException(Refusal.MALFORMED, LONGER);
		}
		assembly.announced += announced;
		return null;
	}

	/** Returns the frame that a further piece belongs to. */
	private Assembly begun(int stream, boolean read, int length) throws WireException {
		Assembly assembly = (stream >= 0 && stream < RingRecord.STREAMS) ? this.streams[stream] : null;
		if (assembly == null || assembly.read != read || length == 0) {
			throw new WireException(Refusal.MALFORMED,
					"%d further bytes in stream %d, which has not begun".formatted(length, stream));
		}
		return assembly;
	}

	/**
	 * Appends a piece to a frame.
	 * @param stream the stream of the frame
	 * @param from memory with the piece
	 * @param offset where the piece begins
	 * @param length its bytes
	 * @return the frame if it is complete
	 */
	byte @Nullable [] append(int stream, ByteBuffer from, int offset, int length) throws WireException {
		Assembly assembly = this.streams[stream];
		if (assembly == null || length > assembly.total - assembly.size) {
			throw new WireException(Refusal.MALFORMED, LONGER);
		}
		byte[] bytes = assembly.room(length);
		from.get(offset, bytes, assembly.size, length);
		assembly.size += length;
		this.assembling += length;
		if (assembly.size < assembly.total) {
			return null;
		}
		this.streams[stream] = null;
		this.assembling -= assembly.total;
		return bytes;
	}

	/**
	 * Returns whether so much was consumed that the peer should hear of it. Less than
	 * that never keeps it from going on.
	 */
	boolean owesCredit() {
		return this.head - this.returned >= this.bytes / CREDIT_SHARE
				|| this.consumedMessages >= this.messages / CREDIT_SHARE;
	}

	/** Returns the message that room is free, and notes that the peer gets it. */
	int credit() {
		this.returned = this.head;
		this.consumedMessages = 0;
		return Immediate.of(Immediate.CREDIT, this.head);
	}

	/** A frame of which a part has arrived. Its memory grows with what has arrived. */
	private static final class Assembly {

		final int total;

		/** Whether this side reads it; otherwise it travels through the ring. */
		final boolean read;

		long since;

		int size;

		/** Bytes of pieces that were announced, if they are read. */
		int announced;

		private byte[] bytes = new byte[0];

		Assembly(int total, boolean read, long since) {
			this.total = total;
			this.read = read;
			this.since = since;
		}

		byte[] room(int more) {
			int needed = this.size + more;
			if (needed > this.bytes.length) {
				this.bytes = Arrays.copyOf(this.bytes, (int) Math.min(this.total, (long) GROWTH * needed));
			}
			return this.bytes;
		}

	}

}
