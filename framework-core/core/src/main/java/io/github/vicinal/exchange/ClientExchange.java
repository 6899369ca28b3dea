package io.github.vicinal.exchange;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.exchange.ExchangeMessage.Abort;
import io.github.vicinal.exchange.ExchangeMessage.Answer;
import io.github.vicinal.exchange.ExchangeMessage.Begin;
import io.github.vicinal.exchange.ExchangeMessage.End;
import io.github.vicinal.exchange.ExchangeMessage.Pull;
import io.github.vicinal.exchange.ExchangeMessage.Push;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.Reply;
import org.jspecify.annotations.Nullable;

/**
 * An exchange as its client sees it. Failures are the exceptions that a socket raises.
 * Used by one thread at a time; {@link #close()} may be called by any.
 *
 * @since 0.1.0
 */
public final class ClientExchange implements Closeable {

	/** Says that reads wait for as long as it takes. */
	public static final long NO_TIMEOUT = Long.MAX_VALUE;

	private static final ContractMethod PUSH = HttpExchanges.Contracts.method("push");

	private static final ContractMethod PULL = HttpExchanges.Contracts.method("pull");

	private static final ContractMethod ABORT = HttpExchanges.Contracts.method("abort");

	private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

	/** Initial and maximum pause before a client asks again. */
	private static final long FIRST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

	private static final long LAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	/** Time before its deadline at which a call may be treated as late. */
	private static final long DEADLINE_SLACK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	/** Answers that come so soon did not wait for anything. */
	private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private static final long ABORT_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** Bytes of a response that may come before the whole request is sent. */
	private static final int MAX_EARLY_BYTES = 16 * 1024 * 1024;

	private final ExchangeClient.Route route;

	private long timeoutNanos;

	private volatile long number;

	private @Nullable ResponseHead head;

	private ByteBuffer body = NOTHING;

	/** Parts of the response that came while the request was sent. */
	private final ArrayDeque<ByteBuffer> early = new ArrayDeque<>();

	private int earlyBytes;

	private End end = End.OPEN;

	private long pauseNanos;

	private volatile boolean closed;

	private ClientExchange(ExchangeClient.Route route, long timeoutNanos) {
		this.route = route;
		this.timeoutNanos = timeoutNanos;
	}

	/**
	 * Begins an exchange.
	 * @param route its way
	 * @param head the head of the request
	 * @param first the first part of the body, at most {@link ExchangeMessage#PART_BYTES}
	 * bytes; not to be changed any more
	 * @param last whether that is all
	 * @param timeoutNanos how long to wait for the response, and for each further part of
	 * it, or {@link #NO_TIMEOUT}
	 * @return the exchange
	 * @throws PathException if the peer has not answered: the exception says whether it
	 * may have executed the request
	 */
	public static ClientExchange begin(ExchangeClient.Route route, RequestHead head, ByteBuffer first, boolean last,
			long timeoutNanos) throws PathException {
		ClientExchange exchange = new ClientExchange(route, timeoutNanos);
		CallFrame frame = exchange.frame(route.method(), new Begin(head, first, last), exchange.deadline());
		Answer answer = answer(route.peer().calls().call(route.path(), frame));
		if (answer.exchange() == 0 && answer.end() == End.OPEN && frame.remainingNanos() < DEADLINE_SLACK_NANOS) {
			throw new PathException(PathException.Reason.TIMEOUT, true, "the deadline has passed at the server", null);
		}
		exchange.take(answer);
		return exchange;
	}

	private long deadline() {
		return (this.timeoutNanos == NO_TIMEOUT) ? CallFrame.NO_DEADLINE : System.nanoTime() + this.timeoutNanos;
	}

	private CallFrame frame(ContractMethod method, ExchangeMessage message, long deadline) {
		return new CallFrame(HttpExchanges.contract(), method, new Object[] { message }, deadline,
				this.route.headers());
	}

	private static Answer answer(Reply reply) throws PathException {
		if (reply instanceof Reply.Value value && value.body() instanceof Answer answer) {
			return answer;
		}
		throw new PathException(PathException.Reason.PROTOCOL, true,
				"the reply to an exchange has the unexpected status " + reply.status(), null);
	}

	private void take(Answer answer) {
		this.number = answer.exchange();
		if (answer.head() != null) {
			this.head = answer.head();
		}
		this.end = answer.end();
		if (!this.body.hasRemaining() && this.early.isEmpty()) {
			this.body = answer.body();
		}
		else if (answer.body().hasRemaining()) {
			this.early.add(answer.body());
			this.earlyBytes += answer.body().remaining();
		}
	}

	/**
	 * Sends a further part of the body.
	 * @param part at most {@link ExchangeMessage#PART_BYTES} bytes; not to be changed any
	 * more
	 * @param last whether that is all
	 * @return whether the server wants more; {@code false} if it has responded, so that
	 * nothing more need be sent
	 * @throws IOException if the exchange has failed
	 */
	public boolean push(ByteBuffer part, boolean last) throws IOException {
		while (this.end == End.FULL) {
			if (this.earlyBytes > MAX_EARLY_BYTES) {
				throw new IOException("The server has sent %d bytes of its response and reads no more of the request"
					.formatted(this.earlyBytes));
			}
			call(PUSH, new Push(this.number, NOTHING, false), CallFrame.NO_DEADLINE);
		}
		if (this.end == End.COMPLETE || this.end == End.CUT_OFF) {
			return false;
		}
		if (this.end == End.UNKNOWN) {
			throw reset();
		}
		call(PUSH, new Push(this.number, part, last), CallFrame.NO_DEADLINE);
		return this.end == End.OPEN || this.end == End.FULL;
	}

	/**
	 * Waits for the response.
	 * @return its head
	 * @throws IOException if there is none
	 */
	public ResponseHead response() throws IOException {
		long deadline = deadline();
		ResponseHead known = this.head;
		while (known == null) {
			if (this.end != End.OPEN && this.end != End.FULL) {
				throw reset();
			}
			pull(deadline);
			known = this.head;
		}
		return known;
	}

	/**
	 * Reads from the response's body; waits for at least one byte.
	 * @param target receives the bytes
	 * @param offset where
	 * @param length maximum number, at least 1
	 * @return a count, -1 at the end
	 * @throws IOException if the response was cut off, or nothing comes for too long
	 */
	public int read(byte[] target, int offset, int length) throws IOException {
		if (!this.body.hasRemaining()) {
			long deadline = 0;
			while (!this.body.hasRemaining()) {
				ByteBuffer next = this.early.poll();
				if (next != null) {
					this.body = next;
					continue;
				}
				if (this.closed) {
					throw new SocketException("Socket closed");
				}
				if (this.end == End.COMPLETE) {
					return -1;
				}
				if (this.end != End.OPEN && this.end != End.FULL) {
					throw reset();
				}
				deadline = (deadline == 0) ? deadline() : deadline;
				pull(deadline);
			}
		}
		int count = Math.min(length, this.body.remaining());
		this.body.get(target, offset, count);
		return count;
	}

	/**
	 * Sets how long later reads wait.
	 * @param nanos the time, or {@link #NO_TIMEOUT}
	 */
	public void readTimeout(long nanos) {
		this.timeoutNanos = nanos;
	}

	/**
	 * Returns whether the response is complete, and all of it that has not been read is
	 * {@linkplain #available() available}.
	 * @return whether the server has nothing more to say
	 */
	public boolean isComplete() {
		return this.end == End.COMPLETE && this.early.isEmpty();
	}

	/**
	 * Returns the number of bytes that can be read without asking the server.
	 * @return a count
	 */
	public int available() {
		return this.body.remaining();
	}

	private void pull(long deadline) throws IOException {
		long start = System.nanoTime();
		if (deadline != CallFrame.NO_DEADLINE && deadline - start <= 0) {
			close();
			throw new SocketTimeoutException("Read timed out");
		}
		call(PULL, new Pull(this.number), deadline);
		if (this.body.hasRemaining() || (this.head != null && this.end != End.OPEN)) {
			this.pauseNanos = 0;
		}
		else if (this.end == End.OPEN && System.nanoTime() - start < SOON_NANOS) {
			// The server has no thread to spare that could wait.
			this.pauseNanos = Math.min(LAST_PAUSE_NANOS, Math.max(FIRST_PAUSE_NANOS, this.pauseNanos * 2));
			LockSupport.parkNanos(this, this.pauseNanos);
		}
	}

	private void call(ContractMethod method, ExchangeMessage message, long deadline) throws IOException {
		try {
			take(answer(this.route.path().call(frame(method, message, deadline))));
		}
		catch (PathException ex) {
			this.end = End.UNKNOWN;
			throw failure(ex);
		}
	}

	private static SocketException reset() {
		return new SocketException("Connection reset: the peer has aborted the exchange");
	}

	/**
	 * Returns what a socket would have raised.
	 * @param failure why a call failed
	 * @return the exception for the caller of an HTTP client
	 */
	public static IOException failure(PathException failure) {
		IOException raised = switch (failure.reason()) {
			case TIMEOUT -> new SocketTimeoutException("Read timed out");
			case INTERRUPTED -> new InterruptedIOException(failure.getMessage());
			default -> new SocketException("Connection reset: " + failure.getMessage());
		};
		raised.initCause(failure);
		return raised;
	}

	/** Aborts the exchange if it has not ended. Never throws. */
	@Override
	public void close() {
		if (this.closed) {
			return;
		}
		this.closed = true;
		long known = this.number;
		if (known == 0) {
			return;
		}
		this.number = 0;
		boolean interrupted = Thread.interrupted();
		try {
			this.route.path().call(frame(ABORT, new Abort(known), System.nanoTime() + ABORT_NANOS));
		}
		catch (PathException | RuntimeException ex) {
			// The server notices that nobody asks any more.
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
