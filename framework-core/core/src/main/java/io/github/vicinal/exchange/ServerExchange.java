package io.github.vicinal.exchange;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.vicinal.exchange.ExchangeMessage.Answer;
import io.github.vicinal.exchange.ExchangeMessage.End;
import org.jspecify.annotations.Nullable;

/**
 * An exchange as the web server sees it: what a connection is otherwise. Thread-safe; one
 * thread at a time reads the request's body, one writes the response.
 *
 * @since 0.1.0
 */
public final class ServerExchange {

	/**
	 * Time for which a handler or filter may work on after its response has left, before
	 * it counts as one that does so.
	 */
	private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

	private final RequestHead head;

	private final String ticket;

	private final BodyPipe request;

	private final BodyPipe response;

	private final long ioNanos;

	private volatile @Nullable ResponseHead responseHead;

	private volatile boolean headSent;

	private volatile boolean flushed;

	private volatile boolean interrupted;

	private volatile Making making = Making.UNKNOWN;

	private volatile @Nullable Runnable onMadeInParts;

	/** Whether the handler has said that nothing follows. */
	private volatile boolean finished;

	/**
	 * Time at which a socket would have sent the last byte of the response, never 0; 0
	 * before that.
	 */
	private volatile long leftNanos;

	private volatile boolean lingered;

	private volatile boolean over;

	private volatile @Nullable Runnable onOver;

	private volatile boolean abandoned;

	private volatile @Nullable Runnable onAbandoned;

	/** Last time at which the client had a word in this. */
	private volatile long heardNanos = System.nanoTime();

	private long written;

	/** Bytes of the body that were sent to the client, which asks in one thread. */
	private volatile long sent;

	private volatile long announced = -1;

	ServerExchange(RequestHead head, String ticket, BodyPipe request, Duration ioTimeout) {
		this.head = head;
		this.ticket = ticket;
		this.request = request;
		this.response = BodyPipe.beside(request);
		this.ioNanos = ioTimeout.toNanos();
	}

	/**
	 * Returns the head of the request.
	 * @return the head
	 */
	public RequestHead head() {
		return this.head;
	}

	/**
	 * Returns the ticket of the client's connection.
	 * @return the ticket, empty if the client has none
	 */
	public String ticket() {
		return this.ticket;
	}

	/**
	 * Reads from the request's body; waits for at least one byte.
	 * @param target receives the bytes
	 * @param offset where
	 * @param length maximum number
	 * @return a count, -1 at the end
	 * @throws IOException if the client has gone or sends nothing for too long
	 */
	public int read(byte[] target, int offset, int length) throws IOException {
		return this.request.read(target, offset, length, this.ioNanos);
	}

	/**
	 * Returns how much of the request's body could be read without waiting.
	 * @return bytes
	 */
	public int available() {
		return this.request.available();
	}

	/**
	 * Returns whether the request's body has been read.
	 * @return whether a read would return -1 at once
	 */
	public boolean isFullyRead() {
		return this.request.isDrained();
	}

	/**
	 * Runs a task as soon as a read would not wait.
	 * @param task runs once, on any thread
	 */
	public void whenReadable(Runnable task) {
		this.request.whenReadable(task);
	}

	/** Says that nobody reads the request's body any more. */
	public void stopReading() {
		this.request.stopReading();
	}

	/**
	 * Sets the part that precedes the response's body. Must be called before anything is
	 * written.
	 * @param newHead the head
	 */
	public void commit(ResponseHead newHead) {
		this.responseHead = newHead;
	}

	/**
	 * Writes to the response's body; waits while the client does not read.
	 * @param part its remaining bytes are taken
	 * @throws IOException if the client has gone or reads nothing for too long
	 */
	public void write(ByteBuffer part) throws IOException {
		int count = part.remaining();
		this.response.write(part, this.ioNanos);
		this.written += count;
	}

	/**
	 * Returns how much was written.
	 * @return bytes
	 */
	public long written() {
		return this.written;
	}

	/**
	 * Returns whether a write would not wait.
	 * @param task runs once when that is so again, on any thread; not called if it is
	 * @return whether there is room
	 */
	public boolean isWritable(Runnable task) {
		return this.response.isWritable(task);
	}

	/**
	 * Writes to the response's body without waiting.
	 * @param part its remaining bytes are taken, all or none
	 * @param whenWritable runs once when there is room again, on any thread; only if
	 * there was none
	 * @return whether there was room
	 * @throws IOException if the client has gone
	 */
	public boolean offer(ByteBuffer part, Runnable whenWritable) throws IOException {
		if (this.abandoned) {
			throw new IOException("Broken pipe: the client has gone");
		}
		int count = part.remaining();
		if (!this.response.put(part, whenWritable)) {
			return false;
		}
		part.position(part.limit());
		this.written += count;
		return true;
	}

	/**
	 * Runs a task when the client has gone, at once if it has.
	 * @param task runs at most once, on any thread
	 */
	public void whenAbandoned(Runnable task) {
		Runnable once = new Once(task);
		this.onAbandoned = once;
		if (this.abandoned) {
			once.run();
		}
	}

	/** A task that runs once. */
	private static final class Once extends AtomicBoolean implements Runnable {

		private static final long serialVersionUID = 1;

		private final transient Runnable task;

		Once(Runnable task) {
			this.task = task;
		}

		@Override
		public void run() {
			if (!getAndSet(true)) {
				this.task.run();
			}
		}

	}

	/** Lets the client see what was written. */
	public void flush() {
		this.flushed = true;
		this.response.flush();
		noteLeft();
	}

	/**
	 * Says that what was written would have left for the client, although nobody has
	 * flushed it: the buffer of a socket is full.
	 */
	public void sent() {
		this.flushed = true;
		this.response.sent();
		noteLeft();
	}

	/** Notes when all that was announced has left. */
	private void noteLeft() {
		ResponseHead known = this.responseHead;
		if (this.leftNanos == 0 && known != null && announced(known) == this.written) {
			this.leftNanos = System.nanoTime() | 1;
		}
	}

	/**
	 * Takes the response back if nothing of it was flushed: it lay in a buffer when the
	 * connection was lost. {@link #end} must follow.
	 */
	public void lose() {
		if (!this.flushed) {
			this.responseHead = null;
		}
	}

	/**
	 * Says that nothing follows in the response, although its handler may go on: by a
	 * socket, the client would have the end of the body. {@link #end} must follow.
	 */
	public void finish() {
		if (this.responseHead != null) {
			this.finished = true;
			if (this.leftNanos == 0) {
				this.leftNanos = System.nanoTime() | 1;
			}
			endIfFinished();
		}
	}

	/** A client that has the response sends no more of its request. */
	private void endIfFinished() {
		if (this.finished && this.request.isEnded()) {
			this.response.end(null);
		}
	}

	/** Says that the request has come as a whole. */
	void requestEnded() {
		this.request.end(null);
		endIfFinished();
	}

	/**
	 * Runs a task when the handler has ended, at once if it has.
	 * @param task runs once, on any thread; replaces the one before, which may have run
	 */
	void whenOver(Runnable task) {
		Runnable once = new Once(task);
		this.onOver = once;
		if (this.over) {
			once.run();
		}
	}

	/** Returns whether the handler has ended. */
	boolean isOver() {
		return this.over;
	}

	/**
	 * Returns whether something worked on after the response had left, which its client
	 * must not wait for. Known once the handler {@linkplain #isOver() has ended}.
	 */
	boolean hasLingered() {
		return this.lingered;
	}

	/**
	 * Ends the exchange.
	 * @param problem why the response is not complete, {@code null} if it is; with a
	 * problem the client sees a lost connection
	 */
	public void end(@Nullable IOException problem) {
		this.request.stopReading();
		long left = this.leftNanos;
		this.lingered = left != 0 && System.nanoTime() - left > LINGER_NANOS;
		// First, so that a client whose response has ended finds the handler ended.
		this.over = true;
		this.response.end((this.responseHead != null) ? problem
				: (problem != null) ? problem : new IOException("The server did not respond"));
		Runnable task = this.onOver;
		if (task != null) {
			task.run();
		}
	}

	/** How a handler makes its response. */
	enum Making {

		/** Nobody has said it. */
		UNKNOWN,

		/** See {@link ServerExchange#madeWhole()}. */
		WHOLE,

		/** See {@link ServerExchange#madeInParts()}. */
		IN_PARTS

	}

	/**
	 * Says that the handler returns its response as a value, so that there is nothing of
	 * it for the client before the handler has returned. Of several handlers, as after a
	 * forward, {@link #madeInParts()} counts.
	 */
	public void madeWhole() {
		if (this.making == Making.UNKNOWN) {
			this.making = Making.WHOLE;
		}
	}

	/**
	 * Says that a handler may write the response bit by bit, and that the client may be
	 * waiting for each part.
	 */
	public void madeInParts() {
		this.making = Making.IN_PARTS;
		Runnable task = this.onMadeInParts;
		if (task != null) {
			task.run();
		}
	}

	/** Runs a task when a handler says that it may respond bit by bit. */
	void whenMadeInParts(Runnable task) {
		this.onMadeInParts = task;
	}

	Making making() {
		return this.making;
	}

	/** Says that the thread that executed the request is interrupted now. */
	public void interrupted() {
		this.interrupted = true;
	}

	boolean isInterrupted() {
		return this.interrupted;
	}

	/** The thread that executes the request hands the response on itself. */
	void inline(boolean inline) {
		this.response.limit(inline ? Integer.MAX_VALUE / 2 : BodyPipe.LIMIT_BYTES);
	}

	BodyPipe request() {
		return this.request;
	}

	boolean isEnded() {
		return this.response.isEnded();
	}

	/** Waits until there is something to be said to the client. */
	boolean awaitPart(long nanos) throws InterruptedIOException {
		return this.response.awaitPart(nanos);
	}

	/**
	 * Waits until a part of the request can be taken, or there is something to be said.
	 */
	void awaitRoomOrPart(long nanos) throws InterruptedIOException {
		this.request.awaitHasRoom(this.response, nanos);
	}

	/** Says that the client has gone. */
	void abandon() {
		this.abandoned = true;
		this.request.end(new IOException("Connection reset: the client has gone"));
		this.response.stopReading();
		Runnable task = this.onAbandoned;
		if (task != null) {
			task.run();
		}
	}

	/**
	 * Returns whether all that the client waits for is here, fits into one answer, and
	 * nothing of it was sent yet.
	 */
	boolean isCompleteAtOnce() {
		ResponseHead known = this.responseHead;
		int there = this.response.available();
		return known != null && !this.headSent && there <= ExchangeMessage.PART_BYTES && this.request.isEnded()
				&& announced(known) == there;
	}

	/** Returns how many bytes the client waits for, -1 if it waits for the end. */
	private long announced(ResponseHead response) {
		int status = response.status();
		if (this.head.method().equals("HEAD") || status == 204 || status == 304) {
			return 0;
		}
		String length = response.fields().first("Content-Length");
		try {
			return (length != null) ? Long.parseLong(length) : -1;
		}
		catch (NumberFormatException ex) {
			return -1;
		}
	}

	void heard() {
		this.heardNanos = System.nanoTime();
	}

	long silentNanos(long now) {
		return now - this.heardNanos;
	}

	/**
	 * Sends the client the messages that are due.
	 * @param number the number of the exchange
	 */
	Answer answer(long number) {
		boolean ended = this.response.isEnded();
		ByteBuffer body = this.response.take();
		long taken = this.sent + body.remaining();
		this.sent = taken;
		ResponseHead known = this.headSent ? null : this.responseHead;
		if (known != null) {
			this.headSent = true;
			this.announced = announced(known);
		}
		if (this.headSent && taken == this.announced && this.request.isEnded()) {
			// The handler may go on, as nothing follows for the client.
			return new Answer(0, known, body, End.COMPLETE);
		}
		boolean done = ended && this.response.isDrained();
		if (!done) {
			return new Answer(number, known, body, End.OPEN);
		}
		return new Answer(0, known, body, (this.response.failure() != null) ? End.CUT_OFF : End.COMPLETE);
	}

}
