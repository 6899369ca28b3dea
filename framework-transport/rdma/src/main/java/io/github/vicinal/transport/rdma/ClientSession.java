package io.github.vicinal.transport.rdma;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.InstanceProof;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import org.jspecify.annotations.Nullable;

/**
 * The client's end of a connection, which any number of calls share. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Tasks handle their own failures.
final class ClientSession implements RdmaConnection.Listener {

	private static final int SMALL_BYTES = 256;

	private static final int FIRST_FRAME_BYTES = 4096;

	private final String expected;

	private final RdmaOptions options;

	private final ScheduledThreadPoolExecutor timer;

	private final Map<Long, Waiting> waiting = new ConcurrentHashMap<>();

	private final AtomicLong correlations = new AtomicLong();

	private final AtomicInteger bindings = new AtomicInteger();

	/** Bytes that are not in the ring yet. */
	private final AtomicLong unsent = new AtomicLong();

	/** Why there are no further calls; {@code null} while there can be some. */
	private volatile @Nullable String ended;

	private volatile @Nullable RdmaConnection connection;

	private volatile boolean draining;

	private int maxRequestBytes;

	/** How many paths use the session. Guarded by the provider's lock. */
	int users;

	/**
	 * Creates a session that is not open.
	 * @param expected the instance id of the server
	 * @param options limits
	 * @param timer runs deadlines of calls that hold no thread
	 */
	ClientSession(String expected, RdmaOptions options, ScheduledThreadPoolExecutor timer) {
		this.expected = expected;
		this.options = options;
		this.timer = timer;
	}

	/**
	 * Connects, and lets the other side prove which instance it is. Blocks for the
	 * handshake timeout at most.
	 */
	void open(Verbs verbs, InetSocketAddress address) throws RdmaException {
		long deadline = System.nanoTime() + this.options.handshakeTimeout().toNanos();
		String where = "%s at %s:%d".formatted(this, address.getAddress().getHostAddress(), address.getPort());
		RdmaConnection opened;
		try {
			QueuePair queuePair = verbs.connect(address, RdmaConnection.resources(this.options),
					this.options.handshakeTimeout());
			opened = new RdmaConnection(queuePair, this.options, false, FIRST_FRAME_BYTES, this);
		}
		catch (VerbsException ex) {
			throw RdmaException.of(Reason.PEER_GONE, false, "cannot connect to %s: %s".formatted(where, ex.text()), ex);
		}
		this.connection = opened;
		opened.start("vicinal-rdma-client");
		try {
			opened.ready().get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
			hello(address, deadline);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof WireException refused) {
				throw RdmaException.refused(refused.refusal(), false, "%s: %s".formatted(where, refused.text()));
			}
			throw RdmaException.of(Reason.PEER_GONE, false, "%s %s".formatted(where, message(ex.getCause())), ex);
		}
		catch (WireException ex) {
			throw RdmaException.refused(ex.refusal(), false, "%s: %s".formatted(where, ex.text()));
		}
		catch (TimeoutException ex) {
			throw RdmaException.of(Reason.TIMEOUT, false, "%s did not answer the first message within %d ms"
				.formatted(where, this.options.handshakeTimeout().toMillis()), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw RdmaException.of(Reason.INTERRUPTED, false, "the connecting thread was interrupted", ex);
		}
	}

	private static String message(@Nullable Throwable cause) {
		return (cause != null) ? String.valueOf(cause.getMessage()) : "is gone";
	}

	private void hello(InetSocketAddress address, long deadline) throws RdmaException, WireException {
		EncodeBuffer out = new EncodeBuffer(SMALL_BYTES);
		int start = FrameDescriptor.begin(out);
		String nonce = InstanceProof.nonce();
		new Payload.Hello(nonce, InstanceProof.ofClient(this.expected, nonce, address), this.options.maxFrameBytes())
			.write(out);
		FrameDescriptor.end(out, start, FrameType.HELLO);
		Frame answer = await(send(out, false), deadline);
		answer.header().require(FrameType.WELCOME);
		Payload.Welcome welcome = Payload.Welcome.read(answer.payload());
		if (!InstanceProof.matches(InstanceProof.ofServer(this.expected, nonce, address), welcome.self())
				|| welcome.maxFrameBytes() < 0) {
			throw new WireException(Refusal.WRONG_INSTANCE, "another instance answers at the address");
		}
		this.maxRequestBytes = Math.min(welcome.maxFrameBytes(), this.options.maxFrameBytes());
	}

	/** Gives a contract a number of its own on this connection. */
	int nextBinding() {
		return this.bindings.getAndIncrement();
	}

	/** Sends a frame that executes nothing, and waits for the answer. */
	Frame ask(EncodeBuffer out) throws RdmaException {
		return await(send(out, false), System.nanoTime() + this.options.handshakeTimeout().toNanos());
	}

	/**
	 * Sends a frame.
	 * @param out holds the frame, and belongs to the connection from now on
	 * @param executable whether the other side may execute something
	 * @return what waits for the answer
	 */
	Waiting send(EncodeBuffer out, boolean executable) throws RdmaException {
		int size = out.size();
		long before = this.unsent.getAndAdd(size);
		if (before > 0 && before + size > this.options.maxOutstandingBytes()) {
			this.unsent.addAndGet(-size);
			throw RdmaException.of(Reason.EXHAUSTED, false,
					"%d bytes of calls to %s wait to be sent already".formatted(before, this), null);
		}
		Waiting call = new Waiting(out, this.correlations.incrementAndGet(), executable);
		FrameDescriptor.correlation(out, 0, call.correlation);
		this.waiting.put(call.correlation, call);
		RdmaConnection open = this.connection;
		String why = this.ended;
		if (why != null || open == null || !open.send(call)) {
			this.waiting.remove(call.correlation);
			this.unsent.addAndGet(-size);
			throw RdmaException.of(Reason.PEER_GONE, false,
					"%s %s".formatted(this, (this.ended != null) ? this.ended : "is gone"), null);
		}
		return call;
	}

	/** Waits for an answer on this thread. */
	Frame await(Waiting call, long deadlineNanos) throws RdmaException {
		try {
			if (deadlineNanos == CallFrame.NO_DEADLINE) {
				return call.answer.get();
			}
			return call.answer.get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof RdmaException known) ? known
					: RdmaException.of(Reason.IO, call.maybeExecuted(), String.valueOf(ex.getCause()), ex);
		}
		catch (TimeoutException ex) {
			throw timedOut(call);
		}
		catch (InterruptedException ex) {
			this.waiting.remove(call.correlation);
			Thread.currentThread().interrupt();
			throw RdmaException.of(Reason.INTERRUPTED, call.maybeExecuted(), "the calling thread was interrupted", ex);
		}
	}

	/** Lets a call fail at its deadline without a thread that waits. */
	void expire(Waiting call, long deadlineNanos) {
		if (deadlineNanos != CallFrame.NO_DEADLINE) {
			ScheduledFuture<?> expiry = this.timer.schedule(() -> call.answer.completeExceptionally(timedOut(call)),
					deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
			call.answer.whenComplete((answer, failure) -> expiry.cancel(false));
		}
	}

	private RdmaException timedOut(Waiting call) {
		this.waiting.remove(call.correlation);
		return RdmaException.of(Reason.TIMEOUT, call.maybeExecuted(),
				"the deadline passed before %s answered".formatted(this), null);
	}

	/** Answers are small or were asked for: a client always receives. */
	@Override
	public boolean reads(long assemblingBytes) {
		return true;
	}

	@Override
	public void received(Frame frame) throws WireException {
		FrameType type = frame.header().type;
		if (type == FrameType.GOODBYE) {
			drain((frame.header().code == Refusal.SHUTTING_DOWN.number()) ? "is shutting down"
					: "asks for a new connection");
			return;
		}
		if (type == FrameType.WELCOME) {
			// Before the next frame, which may be long.
			RdmaConnection open = this.connection;
			if (open != null) {
				open.accept(this.options.limits());
			}
		}
		long correlation = frame.header().correlation;
		Waiting call = this.waiting.remove(correlation);
		if (type == FrameType.REFUSED) {
			refused(frame, call);
		}
		else if (call != null) {
			call.answer.complete(frame);
		}
		else if (correlation <= 0 || correlation > this.correlations.get()) {
			throw new WireException(Refusal.MALFORMED,
					"an answer to call %d, which there is not".formatted(correlation));
		}
		endIfDrained();
	}

	private void refused(Frame frame, @Nullable Waiting call) throws WireException {
		Refusal refusal = Refusal.of(frame.header().code);
		String text = "%s refused (%s): %s".formatted(this, refusal.id(),
				WireException.printable(frame.payload().readString()));
		if (call != null) {
			boolean executed = frame.header().has(FrameDescriptor.FLAG_EXECUTED);
			call.answer.completeExceptionally(RdmaException.refused(refusal, executed, text));
		}
		if (frame.header().has(FrameDescriptor.FLAG_CLOSING)) {
			this.ended = "closed the connection: " + text;
			failAll((other) -> RdmaException.refused(refusal, other.maybeExecuted(), text));
			stop("closed the connection: " + text);
		}
	}

	@Override
	public void ended(String why, @Nullable WireException refused) {
		if (refused == null) {
			if (this.ended == null) {
				this.ended = why;
			}
			failAll((call) -> RdmaException.of(Reason.PEER_GONE, call.maybeExecuted(), "%s %s".formatted(this, why),
					null));
			return;
		}
		this.ended = "sent an unacceptable answer";
		String text = "%s sent an unacceptable answer: %s".formatted(this, why);
		failAll((call) -> RdmaException.refused(refused.refusal(), call.maybeExecuted(), text));
	}

	/** After the end is known: what is added later sees it. */
	private void failAll(Function<Waiting, RdmaException> failure) {
		for (Waiting call : List.copyOf(this.waiting.values())) {
			if (this.waiting.remove(call.correlation, call)) {
				call.answer.completeExceptionally(failure.apply(call));
			}
		}
	}

	/** Takes no further call, and ends once those in flight have ended. */
	private void drain(String why) {
		if (this.ended == null) {
			this.ended = why;
		}
		this.draining = true;
		Duration time = this.options.drainTimeout();
		try {
			this.timer.schedule(() -> stop(why), time.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			// This side closes, too.
			stop(why);
		}
	}

	private void endIfDrained() {
		if (this.draining && this.waiting.isEmpty()) {
			stop("was left");
		}
	}

	/** The last path has left. Calls in flight end first if the server shuts down. */
	void leave() {
		if (!this.draining) {
			close();
			return;
		}
		endIfDrained();
	}

	boolean isOpen() {
		return this.ended == null;
	}

	int inFlight() {
		return this.waiting.size();
	}

	int maxRequestBytes() {
		return this.maxRequestBytes;
	}

	WireLimits limits() {
		return this.options.limits();
	}

	private void stop(String why) {
		RdmaConnection open = this.connection;
		if (open != null) {
			open.stop(why);
		}
	}

	/** Calls in flight fail. */
	void close() {
		if (this.ended == null) {
			this.ended = "was left";
		}
		stop("was left");
	}

	@Override
	public String toString() {
		return "the peer " + this.expected;
	}

	/** A frame that waits for its answer. */
	final class Waiting extends Outgoing {

		final CompletableFuture<Frame> answer = new CompletableFuture<>();

		private final long correlation;

		private final boolean executable;

		Waiting(EncodeBuffer out, long correlation, boolean executable) {
			super(out);
			this.correlation = correlation;
			this.executable = executable;
		}

		/** A call that was not even partly sent was certainly not executed. */
		boolean maybeExecuted() {
			return this.executable && isBegun();
		}

		@Override
		void left() {
			ClientSession.this.unsent.addAndGet(-size());
		}

	}

}
