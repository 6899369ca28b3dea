package io.github.vicinal.exchange;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * The bytes of a body on their way from one writer to one reader, as in a socket's
 * buffer: a writer waits while {@value #LIMIT_BYTES} bytes are unread, and either side
 * can be notified instead of waiting. Thread-safe.
 */
final class BodyPipe {

	/** Bytes from which on a writer waits. */
	static final int LIMIT_BYTES = ExchangeMessage.PART_BYTES;

	private static final int FIRST_BYTES = 2048;

	/** Time for which bytes that were sent wait for others. */
	private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

	private static final byte[] NONE = {};

	private final ReentrantLock lock;

	/** Something about this pipe has changed, or about the one beside it. */
	private final Condition changed;

	private byte[] bytes;

	private int from;

	private int to;

	/** Bytes from which on writers wait. */
	private int limit = LIMIT_BYTES;

	/** Whether the reader is given the bytes that are there, although they are few. */
	private boolean flushed;

	/** Whether the same holds a little later. */
	private boolean sent;

	/** Since when. */
	private long sentNanos;

	private boolean ended;

	/** Whether the reader has gone. */
	private boolean unread;

	private @Nullable IOException failure;

	private @Nullable Runnable onReadable;

	private @Nullable Runnable onWritable;

	BodyPipe() {
		this.bytes = NONE;
		this.lock = new ReentrantLock();
		this.changed = this.lock.newCondition();
	}

	private BodyPipe(BodyPipe other) {
		this.bytes = NONE;
		this.lock = other.lock;
		this.changed = other.changed;
	}

	/** Creates a pipe for which threads can wait together with another one. */
	static BodyPipe beside(BodyPipe other) {
		return new BodyPipe(other);
	}

	/** Creates a pipe that has ended after a content. */
	static BodyPipe of(ByteBuffer content) {
		BodyPipe pipe = new BodyPipe();
		pipe.bytes = content.array();
		pipe.from = content.arrayOffset() + content.position();
		pipe.to = pipe.from + content.remaining();
		pipe.ended = true;
		return pipe;
	}

	/**
	 * Sets from how many bytes on writers wait: more while the writer is the thread that
	 * will hand them on.
	 */
	void limit(int newLimit) {
		this.lock.lock();
		try {
			this.limit = newLimit;
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Writes, and waits while there is no room.
	 * @param source its remaining bytes are taken
	 * @param timeoutNanos how long to wait for room each time
	 */
	void write(ByteBuffer source, long timeoutNanos) throws IOException {
		Runnable wake;
		this.lock.lock();
		try {
			while (source.hasRemaining()) {
				awaitRoom(timeoutNanos);
				int count = Math.min(source.remaining(), this.limit - (this.to - this.from));
				reserve(count);
				source.get(this.bytes, this.to, count);
				this.to += count;
			}
			this.changed.signalAll();
			wake = takeOnReadable();
		}
		finally {
			this.lock.unlock();
		}
		run(wake);
	}

	private void awaitRoom(long timeoutNanos) throws IOException {
		long left = timeoutNanos;
		while (this.to - this.from >= this.limit && !this.unread) {
			this.flushed = true;
			this.changed.signalAll();
			if (left <= 0) {
				throw new SocketTimeoutException(
						"the body was not read for %d ms".formatted(TimeUnit.NANOSECONDS.toMillis(timeoutNanos)));
			}
			left = await(left);
		}
		if (this.unread) {
			throw new IOException("Broken pipe: the reader of the body has gone");
		}
	}

	/** Waits for a change; all callers look again, in loops. */
	@SuppressWarnings("WaitNotInLoop")
	private long await(long nanos) throws InterruptedIOException {
		try {
			return this.changed.awaitNanos(nanos);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new InterruptedIOException("the thread was interrupted");
		}
	}

	private void reserve(int count) {
		if (this.to + count <= this.bytes.length) {
			return;
		}
		int size = this.to - this.from;
		byte[] target = (size + count <= this.bytes.length) ? this.bytes
				: new byte[Math.max(size + count, Math.max(FIRST_BYTES, this.bytes.length * 2))];
		System.arraycopy(this.bytes, this.from, target, 0, size);
		this.bytes = target;
		this.from = 0;
		this.to = size;
	}

	/**
	 * Adds a part without waiting; it may exceed the limit once.
	 * @return whether there was room; if not, nothing was added
	 */
	boolean put(ByteBuffer part) {
		return put(part, null);
	}

	/**
	 * Adds a part without waiting; it may exceed the limit once.
	 * @param part its bytes are copied
	 * @param whenWritable runs once when there is room again, if there was none
	 * @return whether there was room; if not, nothing was added
	 */
	boolean put(ByteBuffer part, @Nullable Runnable whenWritable) {
		Runnable wake;
		this.lock.lock();
		try {
			if (this.unread) {
				return true;
			}
			if (this.ended) {
				return false;
			}
			if (this.to - this.from >= this.limit) {
				if (whenWritable != null) {
					this.flushed = true;
					this.changed.signalAll();
					this.onWritable = whenWritable;
				}
				return false;
			}
			int count = part.remaining();
			reserve(count);
			part.get(part.position(), this.bytes, this.to, count);
			this.to += count;
			this.changed.signalAll();
			wake = (count > 0) ? takeOnReadable() : null;
		}
		finally {
			this.lock.unlock();
		}
		run(wake);
		return true;
	}

	/** Lets the reader see what is there. */
	void flush() {
		this.lock.lock();
		try {
			this.flushed = true;
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Says that a socket would have sent what is there, as its buffer was full: the
	 * reader gets it soon, together with what follows at once.
	 */
	void sent() {
		this.lock.lock();
		try {
			if (!this.sent) {
				this.sent = true;
				this.sentNanos = System.nanoTime();
				this.changed.signalAll();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Ends the body.
	 * @param problem the reader's error at the end, or {@code null}
	 */
	void end(@Nullable IOException problem) {
		Runnable wake;
		this.lock.lock();
		try {
			if (!this.ended) {
				this.ended = true;
				this.failure = problem;
				this.changed.signalAll();
			}
			wake = takeOnReadable();
		}
		finally {
			this.lock.unlock();
		}
		run(wake);
	}

	/** Says that nobody reads any more: what is there is dropped, and writers fail. */
	void stopReading() {
		Runnable wake;
		this.lock.lock();
		try {
			this.unread = true;
			this.bytes = NONE;
			this.from = 0;
			this.to = 0;
			this.changed.signalAll();
			wake = this.onWritable;
			this.onWritable = null;
		}
		finally {
			this.lock.unlock();
		}
		run(wake);
	}

	/** Reads like a stream: waits for at least one byte, returns -1 at the end. */
	int read(byte[] target, int offset, int length, long timeoutNanos) throws IOException {
		Runnable wake;
		int count;
		this.lock.lock();
		try {
			long left = timeoutNanos;
			while (this.from == this.to && !this.ended && !this.unread) {
				if (left <= 0) {
					throw new SocketTimeoutException("no part of the body has arrived for %d ms"
						.formatted(TimeUnit.NANOSECONDS.toMillis(timeoutNanos)));
				}
				left = await(left);
			}
			if (this.from == this.to) {
				if (this.failure != null) {
					throw this.failure;
				}
				return -1;
			}
			count = Math.min(length, this.to - this.from);
			System.arraycopy(this.bytes, this.from, target, offset, count);
			wake = taken(count);
		}
		finally {
			this.lock.unlock();
		}
		run(wake);
		return count;
	}

	/** Notes that bytes were read, and returns the waiter for that. */
	private @Nullable Runnable taken(int count) {
		this.from += count;
		this.changed.signalAll();
		if (this.to - this.from >= this.limit) {
			return null;
		}
		Runnable wake = this.onWritable;
		this.onWritable = null;
		return wake;
	}

	/**
	 * Takes all that is there, up to a part. The bytes belong to the caller.
	 * @return the part, maybe empty
	 */
	ByteBuffer take() {
		Runnable wake;
		ByteBuffer part;
		this.lock.lock();
		try {
			int count = Math.min(this.to - this.from, ExchangeMessage.PART_BYTES);
			if (this.ended && count == this.to - this.from) {
				// The writer has ended, so the array can be given away.
				part = ByteBuffer.wrap(this.bytes, this.from, count);
				this.bytes = NONE;
				this.from = 0;
				this.to = 0;
				return part;
			}
			byte[] copy = new byte[count];
			System.arraycopy(this.bytes, this.from, copy, 0, count);
			part = ByteBuffer.wrap(copy);
			wake = taken(count);
			this.flushed = this.to > this.from;
			this.sent = false;
		}
		finally {
			this.lock.unlock();
		}
		run(wake);
		return part;
	}

	/**
	 * Waits until a reader should look: after a flush, with a full part, or at the end.
	 * @return whether it should
	 */
	boolean awaitPart(long nanos) throws InterruptedIOException {
		this.lock.lock();
		try {
			long left = nanos;
			while (!hasPart() && left > 0) {
				long patience = (this.sent && this.to > this.from) ? Math.min(left, lingers()) : left;
				left -= patience - await(patience);
			}
			return hasPart();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Returns how long bytes that were sent still wait, 0 or less if no longer. */
	private long lingers() {
		return this.sentNanos + LINGER_NANOS - System.nanoTime();
	}

	/**
	 * Waits until there is room for a part, or nobody reads any more, or the pipe beside
	 * this one has a part. The reader of this pipe may be waiting for that part to be
	 * taken.
	 */
	void awaitHasRoom(BodyPipe beside, long nanos) throws InterruptedIOException {
		this.lock.lock();
		try {
			long left = nanos;
			while (!roomy() && !beside.hasPart() && left > 0) {
				left = await(left);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Returns whether a part would be taken, if only to be dropped. */
	boolean hasRoom() {
		this.lock.lock();
		try {
			return roomy();
		}
		finally {
			this.lock.unlock();
		}
	}

	private boolean roomy() {
		return this.to - this.from < this.limit || this.unread;
	}

	private boolean hasPart() {
		return this.flushed || this.ended || this.to - this.from >= this.limit
				|| (this.sent && this.to > this.from && lingers() <= 0);
	}

	/** Returns whether nothing follows what is there, which may be nothing. */
	boolean isEnded() {
		this.lock.lock();
		try {
			return this.ended;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Returns whether all was read. */
	boolean isDrained() {
		this.lock.lock();
		try {
			return this.ended && this.from == this.to;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Nullable IOException failure() {
		this.lock.lock();
		try {
			return this.failure;
		}
		finally {
			this.lock.unlock();
		}
	}

	int available() {
		this.lock.lock();
		try {
			return this.to - this.from;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Runs a task as soon as a read would not wait. */
	void whenReadable(Runnable task) {
		this.lock.lock();
		try {
			if (this.from == this.to && !this.ended && !this.unread) {
				this.onReadable = task;
				return;
			}
		}
		finally {
			this.lock.unlock();
		}
		task.run();
	}

	/** Returns whether a write would not wait; if it would, the task runs when not. */
	boolean isWritable(Runnable task) {
		this.lock.lock();
		try {
			if (this.to - this.from < this.limit || this.unread) {
				return true;
			}
			this.flushed = true;
			this.changed.signalAll();
			this.onWritable = task;
			return false;
		}
		finally {
			this.lock.unlock();
		}
	}

	private @Nullable Runnable takeOnReadable() {
		Runnable task = this.onReadable;
		this.onReadable = null;
		return task;
	}

	private static void run(@Nullable Runnable task) {
		if (task != null) {
			task.run();
		}
	}

}
