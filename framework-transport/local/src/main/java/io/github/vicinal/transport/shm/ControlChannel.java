package io.github.vicinal.transport.shm;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.transport.shm.lane.MemoryFiles;
import io.github.vicinal.transport.shm.lane.PeerArenas;
import io.github.vicinal.transport.wire.FrameChannel;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.PayloadReader;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import org.jspecify.annotations.Nullable;

/**
 * The socket beside a segment. Over it the sides introduce themselves and announce memory
 * and contracts; its end notifies each side of the other's death. One thread at a time
 * reads; any thread writes. The socket blocks until both sides are introduced, and is
 * watched by a {@link ControlLoop} from then on.
 */
final class ControlChannel implements AutoCloseable {

	/** The fixed part of each frame, in bytes. */
	static final int FIXED_BYTES = FrameDescriptor.HEADER_BYTES;

	private static final int MAX_FRAME_BYTES = 256 * 1024;

	private static final int CHUNK_BYTES = 4 * 1024;

	private static final WireLimits LIMITS = new WireLimits(MAX_FRAME_BYTES, 0, 0);

	private static final Duration LIMIT = Duration.ofSeconds(10);

	private final SocketChannel channel;

	private final long limitNanos;

	private final FrameChannel writer;

	private final FrameHeader header = new FrameHeader();

	/** Holds what was received, from {@link #begin} to {@link #end}. */
	private byte[] received = new byte[CHUNK_BYTES / 8];

	private int begin;

	private int end;

	private boolean atEnd;

	private volatile ControlLoop.@Nullable Registration registration;

	private final ReentrantLock writing = new ReentrantLock();

	private final Object arenas = new Object();

	/** Number of arenas that this side has announced. Guarded by {@link #arenas}. */
	private int announced;

	/** Number of them that the other side has mapped. Guarded by {@link #arenas}. */
	private int mapped;

	/** Whether the other side cannot map the last one. Guarded by {@link #arenas}. */
	private boolean unmappable;

	/** Guarded by {@link #arenas}. */
	private boolean closed;

	ControlChannel(SocketChannel channel) {
		this(channel, LIMIT);
	}

	/**
	 * Creates a channel.
	 * @param channel a socket
	 * @param limit maximum time in which the other side reads nothing of a frame
	 */
	ControlChannel(SocketChannel channel, Duration limit) {
		this.channel = channel;
		this.limitNanos = limit.toNanos();
		Runnable nothing = () -> {
		};
		this.writer = new FrameChannel(channel, LIMITS, nothing, CHUNK_BYTES);
	}

	SocketChannel channel() {
		return this.channel;
	}

	/**
	 * Registers with a loop, which calls a listener when there is something to read, once
	 * after each {@link #resume()}. Frames that have been received already are read
	 * before that.
	 */
	void watch(ControlLoop loop, Runnable listener) throws IOException {
		ControlLoop.Registration added = loop.add(this.channel, listener);
		this.registration = added;
		if (!this.channel.isOpen()) {
			// Closed meanwhile, by a thread that did not know the loop.
			added.close();
		}
	}

	/** The listener is called when there is something to read. */
	void resume() {
		ControlLoop.Registration watched = this.registration;
		if (watched != null) {
			watched.resume();
		}
	}

	/**
	 * Reads one frame.
	 * @return the frame, or {@code null} at the end of the stream, or if the socket does
	 * not block and the frame is not there as a whole; see {@link #isAtEnd()}
	 */
	@Nullable FrameHeader read() throws IOException, WireException {
		forgetRead();
		while (!isComplete()) {
			if (this.end == this.received.length) {
				makeRoom();
			}
			int count = this.channel.read(ByteBuffer.wrap(this.received, this.end, this.received.length - this.end));
			if (count < 0 && this.end > this.begin) {
				throw new EOFException("the stream ends within a frame");
			}
			if (count <= 0) {
				this.atEnd = count < 0;
				return null;
			}
			this.end += count;
		}
		this.header.bodyOffset = this.begin + FIXED_BYTES;
		this.begin += FIXED_BYTES + this.header.length;
		return this.header;
	}

	/** Returns whether the other side will say nothing more. */
	boolean isAtEnd() {
		return this.atEnd;
	}

	private void forgetRead() {
		if (this.begin == this.end) {
			this.begin = 0;
			this.end = 0;
			if (this.received.length > CHUNK_BYTES) {
				this.received = new byte[CHUNK_BYTES / 8];
			}
		}
	}

	private boolean isComplete() throws WireException {
		int count = this.end - this.begin;
		if (count < FIXED_BYTES) {
			return false;
		}
		FrameDescriptor.read(ByteBuffer.wrap(this.received, this.begin, count), this.header, LIMITS);
		return count - FIXED_BYTES >= this.header.length;
	}

	/** The array grows with what has arrived, not with what was promised. */
	private void makeRoom() {
		int count = this.end - this.begin;
		byte[] room = (this.begin > 0) ? this.received : new byte[2 * this.received.length];
		System.arraycopy(this.received, this.begin, room, 0, count);
		this.received = room;
		this.begin = 0;
		this.end = count;
	}

	PayloadReader payload() {
		return this.header.payload(this.received);
	}

	/**
	 * Writes frames that are complete. Ends when the other side reads nothing for too
	 * long, as a process that is stopped: nobody must wait for that.
	 * @throws UnreadException if nothing was written for this reason; the pair may go on
	 */
	void write(EncodeBuffer frames) throws IOException {
		lockWriting();
		try {
			this.writer.write(frames, this.limitNanos);
		}
		catch (SocketTimeoutException ex) {
			if (!this.writer.begun()) {
				throw new UnreadException();
			}
			// The bytes that follow could not be parsed.
			this.channel.close();
			throw ex;
		}
		finally {
			this.writing.unlock();
		}
	}

	/** An interrupt does not end that, as it would close the connection later on. */
	private void lockWriting() throws IOException {
		long end = System.nanoTime() + this.limitNanos;
		boolean interrupted = false;
		try {
			while (true) {
				try {
					if (!this.writing.tryLock(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
						throw new UnreadException();
					}
					return;
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/** Writes one frame. */
	void write(FrameType type, long correlation, int binding, Fields fields) throws IOException, WireException {
		EncodeBuffer out = new EncodeBuffer(CHUNK_BYTES / 8);
		int start = FrameDescriptor.begin(out);
		fields.write(out);
		FrameDescriptor.correlation(out, start, correlation);
		FrameDescriptor.binding(out, start, binding);
		FrameDescriptor.end(out, start, type);
		write(out);
	}

	/**
	 * Announces memory, and waits until the other side has mapped it. Payloads are put
	 * there only then, so that their reader never waits for memory.
	 * @throws UnmappableException if the other side cannot map it
	 * @throws IOException if the pair has ended before
	 */
	void announce(int number, String file, int bytes) throws IOException {
		synchronized (this.arenas) {
			this.announced = number + 1;
			this.unmappable = false;
		}
		try {
			write(FrameType.ARENA, 0, 0, (out) -> new Payload.Arena(number, bytes, file).write(out));
			awaitMapped(number);
		}
		catch (WireException ex) {
			throw new IOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("interrupted while the other side mapped memory", ex);
		}
	}

	private void awaitMapped(int number) throws IOException, InterruptedException {
		synchronized (this.arenas) {
			while (this.mapped <= number) {
				if (this.closed) {
					throw new IOException("the pair has ended");
				}
				if (this.unmappable) {
					this.announced = number;
					throw new UnmappableException();
				}
				this.arenas.wait();
			}
		}
	}

	/**
	 * Maps what the other side has announced, and says so, or that it cannot be mapped:
	 * no file descriptor may be left, or the directory may be somebody else's by now,
	 * which must not end the pair.
	 */
	void sayMapped(MemoryFiles files, PeerArenas arenas, Payload.Arena arena) throws IOException, WireException {
		int answer = arena.number();
		try {
			files.requireUsable();
			arenas.add(arena.number(), arena.file(), arena.bytes());
		}
		catch (IOException ex) {
			answer = -1 - arena.number();
		}
		sayMapped(answer);
	}

	/** Says that this side has mapped what the other has announced. */
	void sayMapped(int number) throws IOException, WireException {
		write(FrameType.MAPPED, 0, 0, (out) -> new Payload.Mapped(number).write(out));
	}

	/** Has the other side wake the threads that sleep at a bell there. */
	void ring(int bell) throws IOException {
		try {
			write(FrameType.RING, 0, 0, (out) -> new Payload.Ring(bell).write(out));
		}
		catch (WireException ex) {
			throw new IOException(ex);
		}
	}

	/** Asks about a call, unless the other side is slow to read. Never waits. */
	void check(int lane, long sequence) throws IOException {
		EncodeBuffer out = new EncodeBuffer(CHUNK_BYTES / 8);
		int start = FrameDescriptor.begin(out);
		new Payload.Check(lane, sequence).write(out);
		FrameDescriptor.end(out, start, FrameType.CHECK);
		if (!this.writing.tryLock()) {
			return;
		}
		try {
			int written = this.channel.write(ByteBuffer.wrap(out.array(), 0, out.size()));
			if (written != 0 && written != out.size()) {
				throw new IOException("the other side accepted only a part of a frame");
			}
		}
		finally {
			this.writing.unlock();
		}
	}

	/** Notes that the other side has mapped what this one has announced. */
	void mapped(Payload.Mapped arena) throws WireException {
		synchronized (this.arenas) {
			boolean refused = arena.number() < 0;
			int number = refused ? -1 - arena.number() : arena.number();
			if (number != this.mapped || this.mapped >= this.announced || this.unmappable) {
				throw new WireException(Refusal.MALFORMED,
						"arena %d was mapped, of %d that were announced".formatted(arena.number(), this.announced));
			}
			this.unmappable = refused;
			this.mapped += refused ? 0 : 1;
			this.arenas.notifyAll();
		}
	}

	void refuse(Refusal refusal, String text) throws IOException {
		EncodeBuffer out = new EncodeBuffer(CHUNK_BYTES / 8);
		int start = FrameDescriptor.begin(out);
		Payload.writeReason(out, text);
		FrameDescriptor.flags(out, start, FrameDescriptor.FLAG_CLOSING);
		FrameDescriptor.code(out, start, refusal.number());
		FrameDescriptor.end(out, start, FrameType.REFUSED);
		write(out);
	}

	@Override
	public void close() {
		ControlLoop.Registration watched = this.registration;
		try {
			this.channel.close();
		}
		catch (IOException ex) {
			// Closed all the same.
		}
		if (watched != null) {
			watched.close();
		}
		synchronized (this.arenas) {
			this.closed = true;
			this.arenas.notifyAll();
		}
	}

	/** The other side cannot map what was announced. The pair goes on without it. */
	@SuppressWarnings("serial")
	static final class UnmappableException extends IOException {

		UnmappableException() {
			super("the other side cannot map more memory");
		}

	}

	/** The other side does not read. Nothing was written. */
	@SuppressWarnings("serial")
	static final class UnreadException extends IOException {

		UnreadException() {
			super("the other side does not read its socket");
		}

	}

	/** Content of a frame. */
	@FunctionalInterface
	interface Fields {

		void write(EncodeBuffer out) throws WireException;

	}

}
