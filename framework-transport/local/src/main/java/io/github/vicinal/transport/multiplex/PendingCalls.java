package io.github.vicinal.transport.multiplex;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.PayloadReader;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;

/** The calls of one connection that wait for their answers. Thread-safe. */
public final class PendingCalls {

	/** Interval between looks whether calls that nobody answered were given up. */
	private static final long IDLE_LOOK_MILLIS = 1000;

	private final Object peer;

	private final Map<Long, PendingCall> calls = new ConcurrentHashMap<>();

	private final AtomicLong correlations = new AtomicLong();

	/**
	 * Creates an empty set.
	 * @param peer names the other side in messages by its {@code toString()}
	 */
	public PendingCalls(Object peer) {
		this.peer = peer;
	}

	/**
	 * Adds a call, before it is sent. The caller must look afterwards whether the
	 * connection has ended, and remove the call if so: {@link #failAll} may have run.
	 * @param maybeExecuted whether the other side may have executed something, asked when
	 * the call fails
	 * @return the call
	 */
	public PendingCall add(BooleanSupplier maybeExecuted) {
		return add(maybeExecuted, PendingCalls::nobodyAsks);
	}

	private static void nobodyAsks(PendingCall call) {
	}

	/**
	 * Adds a call as {@link #add(BooleanSupplier)} does.
	 * @param maybeExecuted whether the other side may have executed something, asked when
	 * the call fails
	 * @param givenUp called at most once, by any thread, when the call has neither been
	 * answered nor failed, and nobody waits for it any more
	 * @return the call
	 */
	public PendingCall add(BooleanSupplier maybeExecuted, Consumer<PendingCall> givenUp) {
		PendingCall call = new PendingCall(this.correlations.incrementAndGet(), maybeExecuted, givenUp);
		this.calls.put(call.correlation(), call);
		return call;
	}

	/**
	 * Removes a call: an answer to it will be ignored.
	 * @param call the call
	 */
	public void remove(PendingCall call) {
		this.calls.remove(call.correlation());
	}

	/**
	 * Waits for an answer on this thread.
	 * @param call the call
	 * @param deadlineNanos the {@link System#nanoTime()} until which to wait, or
	 * {@link CallFrame#NO_DEADLINE}
	 * @return the answer
	 * @throws ConnectionException if there is none in time, or the thread is interrupted
	 */
	public ReceivedFrame await(PendingCall call, long deadlineNanos) throws ConnectionException {
		try {
			if (deadlineNanos == CallFrame.NO_DEADLINE) {
				return call.answer().get();
			}
			return call.answer().get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof ConnectionException known) ? known
					: ConnectionException.of(Reason.IO, call.maybeExecuted(), String.valueOf(ex.getCause()), ex);
		}
		catch (TimeoutException ex) {
			throw timedOut(call);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw giveUp(call, Reason.INTERRUPTED, "the calling thread was interrupted", ex);
		}
	}

	/**
	 * Lets a call fail whose deadline has passed.
	 * @param call the call
	 */
	public void expire(PendingCall call) {
		call.answer().completeExceptionally(timedOut(call));
	}

	private ConnectionException timedOut(PendingCall call) {
		return giveUp(call, Reason.TIMEOUT, "the deadline passed before %s answered".formatted(this.peer), null);
	}

	/**
	 * Lets a call fail because its caller does not wait any more.
	 * @param call the call
	 */
	public void abandon(PendingCall call) {
		if (!call.answer().isDone()) {
			call.answer()
				.completeExceptionally(giveUp(call, Reason.INTERRUPTED, "the caller has given the call up", null));
		}
	}

	private ConnectionException giveUp(PendingCall call, Reason reason, String text, @Nullable Throwable cause) {
		if (this.calls.remove(call.correlation(), call)) {
			call.giveUp();
		}
		// Asked last: a call that is withdrawn before it has begun never begins.
		return ConnectionException.of(reason, call.maybeExecuted(), text, cause);
	}

	/**
	 * Gives an answer to the call that waits for it, if it still does.
	 * @param frame an answer of any type
	 * @return why the connection must end, which the other side has said; {@code null} if
	 * it goes on
	 * @throws WireException if there was no such call, or the answer is none
	 */
	public @Nullable Closing answered(ReceivedFrame frame) throws WireException {
		if (frame.header().type == FrameType.REFUSED) {
			return refused(frame);
		}
		long correlation = frame.header().correlation;
		PendingCall call = this.calls.remove(correlation);
		if (call != null) {
			call.answer().complete(frame);
		}
		else if (correlation <= 0 || correlation > this.correlations.get()) {
			throw new WireException(Refusal.MALFORMED,
					"an answer to call %d, which there is not".formatted(correlation));
		}
		return null;
	}

	private @Nullable Closing refused(ReceivedFrame frame) throws WireException {
		Refusal refusal = Refusal.of(frame.header().code);
		String text = "%s refused (%s): %s".formatted(this.peer, refusal.id(),
				WireException.printable(frame.payload().readString()));
		// Not before: a call whose refusal cannot be read fails with the connection.
		PendingCall call = this.calls.remove(frame.header().correlation);
		if (call != null) {
			boolean executed = frame.header().has(FrameDescriptor.FLAG_EXECUTED);
			call.answer().completeExceptionally(ConnectionException.refused(refusal, executed, text));
		}
		return frame.header().has(FrameDescriptor.FLAG_CLOSING) ? new Closing(refusal, text) : null;
	}

	/**
	 * Closes a connection that takes no further call, once it has none in flight: at
	 * once, or a second after the last one at the latest. Their own time limits apply,
	 * and no other.
	 * @param timer looks again
	 * @param close closes the connection; called also if the timer ends before
	 */
	@SuppressWarnings("FutureReturnValueIgnored") // Closing does not throw.
	public void closeOnceIdle(ScheduledExecutorService timer, Runnable close) {
		if (isEmpty()) {
			close.run();
			return;
		}
		try {
			timer.schedule(() -> closeOnceIdle(timer, close), IDLE_LOOK_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			close.run();
		}
	}

	/**
	 * Lets all calls fail. The connection must be known to have ended before.
	 * @param failure the failure of each call
	 */
	public void failAll(Function<PendingCall, ConnectionException> failure) {
		for (PendingCall call : List.copyOf(this.calls.values())) {
			if (this.calls.remove(call.correlation(), call)) {
				call.answer().completeExceptionally(failure.apply(call));
			}
		}
	}

	/**
	 * Lets all calls fail because one side has refused the other.
	 * @param refusal why
	 * @param text why, for people
	 */
	public void failAll(Refusal refusal, String text) {
		failAll((call) -> ConnectionException.refused(refusal, call.maybeExecuted(), text));
	}

	/**
	 * Lets all calls fail because the other side is gone.
	 * @param why what it did
	 */
	public void peerGone(String why) {
		failAll((call) -> ConnectionException.of(Reason.PEER_GONE, call.maybeExecuted(),
				"%s %s".formatted(this.peer, why), null));
	}

	/**
	 * Lets all calls fail because the other side has closed the connection. The
	 * connection must be known to have ended before.
	 * @param last the last frame, which names the calls that may have been executed
	 * @param why what the other side did
	 * @throws WireException if it is no such frame
	 */
	public void closed(ReceivedFrame last, String why) throws WireException {
		PayloadReader in = last.payload();
		Set<Long> maybeExecuted = new HashSet<>();
		while (in.remaining() > 0) {
			long named = in.readLong();
			if (this.calls.containsKey(named)) {
				maybeExecuted.add(named);
			}
		}
		failAll((call) -> ConnectionException.of(Reason.PEER_GONE,
				call.maybeExecuted() && maybeExecuted.contains(call.correlation()), "%s %s".formatted(this.peer, why),
				null));
	}

	/**
	 * Returns the number of calls that wait.
	 * @return a count
	 */
	public int size() {
		return this.calls.size();
	}

	/**
	 * Returns whether no call waits.
	 * @return {@code true} if so
	 */
	public boolean isEmpty() {
		return this.calls.isEmpty();
	}

	/**
	 * The other side ends the connection.
	 *
	 * @param refusal why
	 * @param text why, for people
	 */
	public record Closing(Refusal refusal, String text) {
	}

}
