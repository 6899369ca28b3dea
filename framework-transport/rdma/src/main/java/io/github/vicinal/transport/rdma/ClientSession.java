package io.github.vicinal.transport.rdma;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.transport.multiplex.ClientEnd;
import io.github.vicinal.transport.multiplex.ConnectionException;
import io.github.vicinal.transport.multiplex.Introduction;
import io.github.vicinal.transport.multiplex.PendingCall;
import io.github.vicinal.transport.multiplex.PendingCalls;
import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import org.jspecify.annotations.Nullable;

/**
 * The client's end of a connection, which any number of calls share. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Tasks handle their own failures.
final class ClientSession implements ClientEnd, RdmaConnection.Listener {

	private static final int FIRST_FRAME_BYTES = 4096;

	/** Reason of an end that the server has not explained. */
	private static final String CLOSED = "closed the connection";

	/** Reason of an end that this side has chosen. */
	private static final String LEFT = "was left";

	private final String expected;

	private final RdmaOptions options;

	private final ScheduledThreadPoolExecutor timer;

	private final PendingCalls pending = new PendingCalls(this);

	private final AtomicInteger bindings = new AtomicInteger();

	/** Bytes that are not in the ring yet. */
	private final AtomicLong unsent = new AtomicLong();

	/** Why there are no further calls; {@code null} while there can be some. */
	private volatile @Nullable String ended;

	private volatile @Nullable RdmaConnection connection;

	private volatile boolean draining;

	private volatile String reasonToRenew = "";

	private int maxRequestBytes;

	/** Whether the server understands CANCEL. */
	private boolean cancels;

	private final String verbsName;

	private final Consumer<ClientSession> whenEnded;

	/**
	 * Creates a session that is not open.
	 * @param expected the instance id of the server
	 * @param options limits
	 * @param timer runs deadlines of calls that hold no thread
	 * @param verbsName what the devices are used by
	 * @param whenEnded called once the connection has ended, also if none was opened
	 */
	ClientSession(String expected, RdmaOptions options, ScheduledThreadPoolExecutor timer, String verbsName,
			Consumer<ClientSession> whenEnded) {
		this.expected = expected;
		this.options = options;
		this.timer = timer;
		this.verbsName = verbsName;
		this.whenEnded = whenEnded;
	}

	/**
	 * Connects, and lets the other side prove which instance it is. Blocks for the
	 * handshake timeout at most.
	 */
	void open(Verbs verbs, InetSocketAddress address) throws ConnectionException {
		long deadline = System.nanoTime() + this.options.handshakeTimeout().toNanos();
		String where = "%s at %s:%d".formatted(this, address.getAddress().getHostAddress(), address.getPort());
		RdmaConnection opened;
		try {
			QueuePair queuePair = verbs.connect(address, RdmaConnection.resources(this.options),
					this.options.handshakeTimeout());
			opened = new RdmaConnection(queuePair, this.options, false, FIRST_FRAME_BYTES, this);
		}
		catch (VerbsException ex) {
			throw ConnectionException.of(Reason.PEER_GONE, false,
					"cannot connect to %s: %s".formatted(where, ex.text()), ex);
		}
		this.connection = opened;
		opened.start("vicinal-rdma-client");
		try {
			opened.ready().get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
			hello(address, deadline);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof WireException refused) {
				throw ConnectionException.refused(refused.refusal(), false, "%s: %s".formatted(where, refused.text()));
			}
			throw ConnectionException.of(Reason.PEER_GONE, false, "%s %s".formatted(where, message(ex.getCause())), ex);
		}
		catch (WireException ex) {
			throw ConnectionException.refused(ex.refusal(), false, "%s: %s".formatted(where, ex.text()));
		}
		catch (TimeoutException ex) {
			throw ConnectionException.of(Reason.TIMEOUT, false, "%s did not answer the first message within %d ms"
				.formatted(where, this.options.handshakeTimeout().toMillis()), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw ConnectionException.of(Reason.INTERRUPTED, false, "the connecting thread was interrupted", ex);
		}
	}

	private static String message(@Nullable Throwable cause) {
		return (cause != null) ? String.valueOf(cause.getMessage()) : "is gone";
	}

	private void hello(InetSocketAddress address, long deadline) throws ConnectionException, WireException {
		Introduction introduction = Introduction.to(this.expected, address, this.options.maxFrameBytes(), false);
		Introduction.Agreement agreement = introduction.welcomed(await(send(introduction.hello(), false), deadline));
		this.maxRequestBytes = agreement.maxFrameBytes();
		this.cancels = agreement.cancels();
	}

	@Override
	public int nextBinding() {
		return this.bindings.getAndIncrement();
	}

	@Override
	public ReceivedFrame ask(EncodeBuffer out) throws ConnectionException {
		return await(send(out, false), System.nanoTime() + this.options.handshakeTimeout().toNanos());
	}

	@Override
	public PendingCall send(EncodeBuffer out, boolean executable) throws ConnectionException {
		int size = out.size();
		long before = this.unsent.getAndAdd(size);
		if (before > 0 && before + size > this.options.maxOutstandingBytes()) {
			this.unsent.addAndGet(-size);
			throw ConnectionException.of(Reason.EXHAUSTED, false,
					"%d bytes of calls to %s wait to be sent already".formatted(before, this), null);
		}
		Request request = new Request(out);
		// A call that was not even partly sent was certainly not executed.
		PendingCall call = executable
				? this.pending.add(request::isBegun, (unwanted) -> cancel(request, unwanted.correlation()))
				: this.pending.add(() -> false);
		FrameDescriptor.correlation(out, 0, call.correlation());
		RdmaConnection open = this.connection;
		String why = this.ended;
		if (why != null || open == null || !open.send(request)) {
			this.pending.remove(call);
			this.unsent.addAndGet(-size);
			throw ConnectionException.of(Reason.PEER_GONE, false,
					"%s %s".formatted(this, (this.ended != null) ? this.ended : "is gone"), null);
		}
		return call;
	}

	/** A call that waits for room is taken back. The server is told of any other. */
	private void cancel(Request request, long correlation) {
		RdmaConnection open = this.connection;
		if (open == null) {
			return;
		}
		if (open.withdraw(request)) {
			request.left();
		}
		else if (this.cancels) {
			EncodeBuffer out = new EncodeBuffer(FrameDescriptor.HEADER_BYTES);
			int start = FrameDescriptor.begin(out);
			FrameDescriptor.correlation(out, start, correlation);
			FrameDescriptor.end(out, start, FrameType.CANCEL);
			open.sendBehind(request, new Outgoing(out));
		}
		endIfDrained();
	}

	@Override
	public void abandon(PendingCall call) {
		this.pending.abandon(call);
	}

	@Override
	public ReceivedFrame await(PendingCall call, long deadlineNanos) throws ConnectionException {
		return this.pending.await(call, deadlineNanos);
	}

	@Override
	public void expire(PendingCall call, long deadlineNanos) {
		if (deadlineNanos == CallFrame.NO_DEADLINE) {
			return;
		}
		try {
			ScheduledFuture<?> expiry = this.timer.schedule(() -> this.pending.expire(call),
					deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
			call.answer().whenComplete((answer, failure) -> expiry.cancel(false));
		}
		catch (RejectedExecutionException ex) {
			// This side closes.
			close();
			this.pending.peerGone(LEFT);
		}
	}

	/** Answers are small or were asked for: a client always receives. */
	@Override
	public boolean reads(long assemblingBytes) {
		return true;
	}

	@Override
	public void received(ReceivedFrame frame) throws WireException {
		FrameType type = frame.header().type;
		if (type == FrameType.GOODBYE && frame.header().has(FrameDescriptor.FLAG_CLOSING)) {
			if (this.ended == null) {
				this.ended = CLOSED;
			}
			this.pending.closed(frame, CLOSED);
			stop(CLOSED);
			return;
		}
		if (type == FrameType.GOODBYE) {
			if (frame.header().code == Refusal.SHUTTING_DOWN.number()) {
				drain("is shutting down");
			}
			else {
				this.reasonToRenew = (this.ended == null) ? "the peer asks for a new connection" : "";
				drain("is left for a new connection");
			}
			return;
		}
		if (type == FrameType.WELCOME) {
			// Before the next frame, which may be long.
			RdmaConnection open = this.connection;
			if (open != null) {
				open.accept(this.options.limits());
			}
		}
		PendingCalls.Closing closing = this.pending.answered(frame);
		if (closing != null) {
			String why = "closed the connection: " + closing.text();
			this.ended = why;
			this.pending.failAll(closing.refusal(), closing.text());
			stop(why);
		}
		endIfDrained();
	}

	@Override
	public void ended(String why, @Nullable WireException refused) {
		this.whenEnded.accept(this);
		if (refused == null) {
			if (this.ended == null) {
				this.ended = why;
			}
			this.pending.peerGone(why);
			return;
		}
		this.ended = "sent an unacceptable answer";
		String text = "%s sent an unacceptable answer: %s".formatted(this, why);
		this.pending.failAll(refused.refusal(), text);
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
		if (this.draining && this.pending.isEmpty()) {
			stop(LEFT);
		}
	}

	@Override
	public void leave() {
		if (this.ended == null) {
			this.ended = LEFT;
		}
		if (!this.draining) {
			this.draining = true;
			this.pending.closeOnceIdle(this.timer, this::close);
		}
		else {
			endIfDrained();
		}
	}

	@Override
	public boolean isOpen() {
		return this.ended == null;
	}

	@Override
	public String reasonToRenew() {
		return this.reasonToRenew;
	}

	@Override
	public int maxRequestBytes() {
		return this.maxRequestBytes;
	}

	@Override
	public WireLimits limits() {
		return this.options.limits();
	}

	@Override
	public Map<String, Object> details() {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("inFlight", this.pending.size());
		details.put("provider", this.verbsName);
		RdmaConnection open = this.connection;
		if (open != null) {
			details.put("rendezvousPieces", open.offeredPieces());
		}
		return details;
	}

	private void stop(String why) {
		RdmaConnection open = this.connection;
		if (open != null) {
			open.stop(why);
		}
	}

	/** Returns the memory that the connection locks. */
	long lockedBytes() {
		RdmaConnection open = this.connection;
		return (open != null) ? open.lockedBytes() : 0;
	}

	@Override
	public void close() {
		if (this.ended == null) {
			this.ended = LEFT;
		}
		stop(LEFT);
		if (this.connection == null) {
			this.whenEnded.accept(this);
		}
	}

	@Override
	public String toString() {
		return "the peer " + this.expected;
	}

	/** A frame that is sent to the server. */
	private final class Request extends Outgoing {

		Request(EncodeBuffer out) {
			super(out);
		}

		@Override
		void left() {
			ClientSession.this.unsent.addAndGet(-size());
		}

	}

}
