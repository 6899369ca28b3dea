package io.github.vicinal.chronicle.path;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.transport.multiplex.ClientEnd;
import io.github.vicinal.transport.multiplex.ConnectionException;
import io.github.vicinal.transport.multiplex.PendingCall;
import io.github.vicinal.transport.multiplex.PendingCalls;
import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.wire.DaemonThread;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.PeerCheck;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.SocketFile;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import org.jspecify.annotations.Nullable;

/** The client's side of a pair, which any number of calls share. Thread-safe. */
final class ClientPair implements ClientEnd, QueuePair.Receiver {

	/** Reason of an end that this side has chosen. */
	private static final String LEFT = "was left";

	private final String self;

	private final String expected;

	private final ChroniclePathOptions options;

	private final ScheduledExecutorService timer;

	private final Consumer<ClientPair> whenEnded;

	private final PendingCalls pending = new PendingCalls(this);

	private final AtomicInteger bindings = new AtomicInteger();

	/** Why there are no further calls; {@code null} while there can be some. */
	private volatile @Nullable String ended;

	/** Whether the pair ends once no call is in flight. */
	private volatile boolean draining;

	private volatile @Nullable QueuePair queues;

	private volatile @Nullable Thread receiver;

	private int maxRequestBytes;

	/**
	 * Creates a side that is not connected.
	 * @param self instance id of this client
	 * @param expected instance id of the server
	 * @param options limits
	 * @param timer ends calls whose deadline has passed
	 * @param whenEnded called once the connection has ended, also if none was opened
	 */
	ClientPair(String self, String expected, ChroniclePathOptions options, ScheduledExecutorService timer,
			Consumer<ClientPair> whenEnded) {
		this.self = self;
		this.expected = expected;
		this.options = options;
		this.timer = timer;
		this.whenEnded = whenEnded;
	}

	/**
	 * Connects to the server. Blocks for the handshake timeout at most, and while the
	 * queues are opened.
	 * @param rendezvous where the server's socket and the pair are
	 * @param check checks the server
	 * @param volume of the rendezvous directory
	 */
	void open(Path rendezvous, PeerCheck check, Volume volume) throws ConnectionException {
		ControlSocket socket = null;
		PairDirectory directory = null;
		boolean opened = false;
		try {
			socket = ControlSocket.connect(SocketFile.of(rendezvous, this.expected, SocketFile.QUEUES));
			check.check(socket.channel());
			Handshake handshake = new Handshake(socket, this.options);
			this.maxRequestBytes = handshake.introduce(this.self, this.expected).maxFrameBytes();
			directory = PairDirectory.find(rendezvous, this.expected, handshake.attached());
			QueuePair made = QueuePair.open(directory, socket, PairQueue.REQUESTS, volume, this.options);
			this.queues = made;
			Thread thread = DaemonThread.create("vicinal-chronicle-client", () -> receive(made));
			this.receiver = thread;
			thread.start();
			opened = true;
		}
		catch (WireException ex) {
			throw ConnectionException.refused(ex.refusal(), false, "%s: %s".formatted(this, ex.text()));
		}
		catch (IOException | RuntimeException ex) {
			throw ConnectionException.of(Reason.PEER_GONE, false, "cannot connect to %s: %s".formatted(this, ex), ex);
		}
		finally {
			if (!opened) {
				this.whenEnded.accept(this);
				if (socket != null) {
					socket.close();
				}
				if (directory != null) {
					directory.delete();
				}
			}
		}
	}

	private void receive(QueuePair opened) {
		String why = "closed the connection";
		try {
			opened.receive(this);
		}
		catch (WireException ex) {
			String text = "%s sent an unacceptable answer: %s".formatted(this, ex.text());
			endWith("sent an unacceptable answer");
			this.pending.failAll(ex.refusal(), text);
		}
		catch (IOException | RuntimeException ex) {
			why = "broke off: " + ex;
		}
		finally {
			end(why);
			opened.end();
			this.whenEnded.accept(this);
		}
	}

	@Override
	public void received(ReceivedFrame frame) throws WireException {
		if (frame.header().type == FrameType.GOODBYE) {
			drain();
			return;
		}
		PendingCalls.Closing closing = this.pending.answered(frame);
		if (closing != null) {
			endWith("closed the connection: " + closing.text());
			this.pending.failAll(closing.refusal(), closing.text());
			close();
		}
		else if (this.draining && this.pending.isEmpty()) {
			close();
		}
	}

	@Override
	public boolean hasRoom() {
		return true;
	}

	/** Takes no further call, and ends once those in flight have ended. */
	@SuppressWarnings("FutureReturnValueIgnored") // Closing does not throw.
	private void drain() {
		endWith("is shutting down");
		this.draining = true;
		if (this.pending.isEmpty()) {
			close();
			return;
		}
		try {
			this.timer.schedule(this::close, this.options.drainTimeout().toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			// The provider is being closed, and ends this pair, too.
			close();
		}
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
		PendingCall call = this.pending.add(() -> executable);
		FrameDescriptor.correlation(out, 0, call.correlation());
		String why = this.ended;
		QueuePair open = this.queues;
		if (why != null || open == null) {
			this.pending.remove(call);
			throw ConnectionException.of(Reason.PEER_GONE, false, "%s %s".formatted(this, why), null);
		}
		try {
			String noRoom = open.send(out);
			if (noRoom != null) {
				this.pending.remove(call);
				throw ConnectionException.of(Reason.EXHAUSTED, false,
						"there is no room for a call to %s: %s".formatted(this, noRoom), null);
			}
			return call;
		}
		catch (ClosedChannelException ex) {
			this.pending.remove(call);
			throw ConnectionException.of(Reason.PEER_GONE, false, "%s %s".formatted(this, this.ended), ex);
		}
		catch (IOException ex) {
			this.pending.remove(call);
			end("cannot be called: " + ex.getMessage());
			open.close();
			throw ConnectionException.of(Reason.PEER_GONE, executable,
					"%s cannot be called: %s".formatted(this, ex.getMessage()), ex);
		}
	}

	@Override
	public ReceivedFrame await(PendingCall call, long deadlineNanos) throws ConnectionException {
		return this.pending.await(call, deadlineNanos);
	}

	@Override
	@SuppressWarnings("FutureReturnValueIgnored") // Cancelling does not throw.
	public void expire(PendingCall call, long deadlineNanos) {
		if (deadlineNanos == CallFrame.NO_DEADLINE) {
			return;
		}
		try {
			var expiry = this.timer.schedule(() -> this.pending.expire(call), deadlineNanos - System.nanoTime(),
					TimeUnit.NANOSECONDS);
			call.answer().whenComplete((answer, failure) -> expiry.cancel(false));
		}
		catch (RejectedExecutionException ex) {
			// The provider is being closed, and ends the calls in flight.
			end(LEFT);
		}
	}

	/** Its server is not told, and finds nobody who reads the answer. */
	@Override
	public void abandon(PendingCall call) {
		this.pending.abandon(call);
	}

	private void endWith(String why) {
		if (this.ended == null) {
			this.ended = why;
		}
	}

	private void end(String why) {
		endWith(why);
		this.pending.peerGone(why);
	}

	@Override
	public boolean isOpen() {
		return this.ended == null;
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
		details.put("queueBytes", queueBytes());
		return details;
	}

	/** Returns the bytes of requests that the server has not read. */
	long queueBytes() {
		QueuePair open = this.queues;
		return (open != null) ? open.unreadBytes() : 0;
	}

	@Override
	public void leave() {
		endWith(LEFT);
		if (!this.draining) {
			this.draining = true;
			this.pending.closeOnceIdle(this.timer, this::close);
		}
	}

	@Override
	public void close() {
		end(LEFT);
		QueuePair open = this.queues;
		if (open != null) {
			open.close();
		}
	}

	/** Returns the thread that deletes the files at its end, {@code null} without one. */
	@Nullable Thread receiver() {
		return this.receiver;
	}

	@Override
	public String toString() {
		return "the peer " + this.expected;
	}

}
