package io.github.vicinal.transport.multiplex;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Pieces of a topic's messages between the connection on which they arrive and the thread
 * that asks for them, and the threads that wait until the connection takes more. The
 * connection stops reading when too many bytes wait. Thread-safe.
 *
 * @since 0.1.0
 */
public final class TopicPieces {

	/** Bytes that wait to be received, beyond which a connection does not read. */
	private static final long MAX_BYTES = 1 << 20;

	private final Runnable resume;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition arrived = this.lock.newCondition();

	private final Condition room = this.lock.newCondition();

	/** Guarded by the lock, as all that follows. */
	private final Deque<byte[]> waiting = new ArrayDeque<>();

	private long bytes;

	private boolean full;

	private @Nullable String ended;

	/**
	 * Creates a connection's pieces, of which there are none.
	 * @param resume called by a thread that received one when the connection is to read
	 * again
	 */
	public TopicPieces(Runnable resume) {
		this.resume = resume;
	}

	/**
	 * Adds a piece that has arrived.
	 * @param piece the piece, which belongs to its receiver from now on
	 * @return whether the connection is to read no more, since this piece was added
	 */
	public boolean add(byte[] piece) {
		this.lock.lock();
		try {
			this.waiting.add(piece);
			this.bytes += piece.length;
			this.arrived.signal();
			boolean before = this.full;
			this.full |= this.bytes > MAX_BYTES;
			return this.full && !before;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Returns whether the connection is to read no more for now.
	 * @return {@code false} once half of what may wait was received
	 */
	public boolean isFull() {
		this.lock.lock();
		try {
			return this.full;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Receives the next piece.
	 * @param nanos how long to wait for one, in nanoseconds
	 * @param peer the other side, for errors
	 * @return the piece, {@code null} if none came
	 * @throws IOException if the connection has ended and all pieces were received, or
	 * this thread was interrupted
	 */
	public @Nullable ByteBuffer receive(long nanos, String peer) throws IOException {
		byte[] next;
		boolean again;
		this.lock.lock();
		try {
			long left = nanos;
			while (this.waiting.isEmpty()) {
				requireOpen(peer);
				if (left <= 0) {
					return null;
				}
				left = this.arrived.awaitNanos(left);
			}
			next = this.waiting.remove();
			this.bytes -= next.length;
			again = this.full && this.bytes <= MAX_BYTES / 2;
			this.full &= !again;
		}
		catch (InterruptedException ex) {
			throw interrupted(ex);
		}
		finally {
			this.lock.unlock();
		}
		if (again) {
			this.resume.run();
		}
		return ByteBuffer.wrap(next);
	}

	/**
	 * Waits until the connection takes more.
	 * @param takes whether it does, asked again after each {@link #roomChanged}; must not
	 * block
	 * @param peer the other side, for errors
	 * @throws IOException if the connection has ended, or this thread was interrupted
	 */
	public void awaitRoom(BooleanSupplier takes, String peer) throws IOException {
		this.lock.lock();
		try {
			while (this.ended == null && !takes.getAsBoolean()) {
				this.room.await();
			}
			requireOpen(peer);
		}
		catch (InterruptedException ex) {
			throw interrupted(ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void requireOpen(String peer) throws EOFException {
		if (this.ended != null) {
			throw new EOFException("%s %s".formatted(peer, this.ended));
		}
	}

	private static IOException interrupted(InterruptedException ex) {
		Thread.currentThread().interrupt();
		return new IOException("interrupted", ex);
	}

	/** Says that the connection may take more. */
	public void roomChanged() {
		this.lock.lock();
		try {
			this.room.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Says that nothing more arrives. What has arrived may still be received.
	 * @param why what became of the other side, for errors that begin with its name; the
	 * first reason counts
	 */
	public void end(String why) {
		this.lock.lock();
		try {
			if (this.ended == null) {
				this.ended = why;
			}
			this.arrived.signalAll();
			this.room.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Returns whether more may arrive.
	 * @return {@code false} after {@link #end}
	 */
	public boolean isOpen() {
		this.lock.lock();
		try {
			return this.ended == null;
		}
		finally {
			this.lock.unlock();
		}
	}

}
