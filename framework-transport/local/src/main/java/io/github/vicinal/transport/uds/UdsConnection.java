package io.github.vicinal.transport.uds;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.Reply;
import io.github.vicinal.transport.wire.CallTimer;
import io.github.vicinal.transport.wire.ClientBinding;
import io.github.vicinal.transport.wire.FrameChannel;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.HeapBudget;
import io.github.vicinal.transport.wire.OutBuffer;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.PayloadReader;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.Watchdog;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;

/**
 * The client's end of one connection. Used by the thread that took it from the pool.
 */
final class UdsConnection {

	private static final int SMALL_BYTES = 256;

	/** Time to wait for the reason of a refused write, which has been sent before. */
	private static final long EXPLANATION_NANOS = 1_000_000_000L;

	/** Time that a large answer waits for heap at most, if its caller has no deadline. */
	private static final long HEAP_NANOS = TimeUnit.SECONDS.toNanos(60);

	private final UdsPeer peer;

	private final SocketChannel channel;

	private final WireLimits limits;

	private final CallTimer timer;

	private final FrameChannel frames;

	private final OutBuffer out = new OutBuffer();

	private final HeapBudget.Lease received;

	private final Map<Integer, CodecChoice> bound = new HashMap<>();

	private int maxRequestBytes;

	private long correlation;

	/** Deadline of the present use, in the watchdog's time. */
	private long deadline = Watchdog.NEVER;

	private boolean broken;

	private boolean used;

	private long bytesOfLastCall;

	/** Guarded by the pool's lock. */
	long idleSince;

	private UdsConnection(UdsPeer peer, SocketChannel channel) {
		this.peer = peer;
		this.channel = channel;
		this.limits = peer.options().limits();
		this.timer = new CallTimer(peer.watchdog(), channel);
		this.out.heap(peer.heap().sent());
		this.received = peer.heap().received().lease();
		this.frames = new FrameChannel(channel, this.limits, () -> {
		}, this::coverReceived);
	}

	/**
	 * Connects and shakes hands.
	 * @param deadline in the watchdog's time
	 */
	static UdsConnection open(UdsPeer peer, long deadline) throws UdsException {
		UdsConnection connection;
		try {
			connection = new UdsConnection(peer, SocketChannel.open(StandardProtocolFamily.UNIX));
		}
		catch (IOException | UnsupportedOperationException ex) {
			throw UdsException.of(Reason.IO, false, "no socket can be opened: " + ex.getMessage(), ex);
		}
		boolean opened = false;
		try {
			connection.timer.begin();
			connection.connect(deadline);
			opened = true;
			return connection;
		}
		finally {
			if (!opened) {
				connection.close();
			}
		}
	}

	private void connect(long deadline) throws UdsException {
		// Connecting blocks, too, when the server is too busy to accept.
		this.timer.arm(deadline);
		this.deadline = deadline;
		try {
			this.channel.connect(UnixDomainSocketAddress.of(this.peer.socket()));
			this.peer.peerCheck().check(this.channel);
		}
		catch (WireException ex) {
			// Somebody else has taken its name.
			throw this.peer.gone(ex.text(), ex);
		}
		catch (ConnectException ex) {
			throw this.peer.gone("no process listens on its socket any more", ex);
		}
		catch (IOException ex) {
			if (!(ex instanceof ClosedChannelException) && !Files.exists(this.peer.socket())) {
				throw this.peer.gone("its socket is gone", ex);
			}
			throw failed(ex, false, "connect to");
		}
		hello();
		if (!this.timer.disarm()) {
			throw timeout(false);
		}
	}

	private void hello() throws UdsException {
		EncodeBuffer request = new EncodeBuffer(SMALL_BYTES);
		int start = FrameDescriptor.begin(request);
		try {
			new Payload.Hello(this.peer.self(), this.peer.expected(), this.limits.maxFrameBytes()).write(request);
			FrameDescriptor.end(request, start, FrameType.HELLO);
			FrameHeader answer = exchange(request, 0, false);
			answer.require(FrameType.WELCOME);
			Payload.Welcome welcome = Payload.Welcome.read(this.frames.payload());
			if (!welcome.self().equals(this.peer.expected()) || welcome.maxFrameBytes() < 0) {
				throw new WireException(Refusal.MALFORMED, "a welcome of another instance");
			}
			this.maxRequestBytes = Math.min(welcome.maxFrameBytes(), this.limits.maxFrameBytes());
		}
		catch (WireException ex) {
			throw protocol(ex, false);
		}
	}

	/**
	 * Makes sure that a contract is bound on this connection.
	 * @return the codec for it
	 */
	CodecChoice bind(ClientBinding binding) throws UdsException {
		CodecChoice known = this.bound.get(binding.number());
		if (known != null) {
			return known;
		}
		EncodeBuffer request = new EncodeBuffer(SMALL_BYTES);
		int start = FrameDescriptor.begin(request);
		try {
			binding.request().write(request);
			long id = ++this.correlation;
			FrameDescriptor.correlation(request, start, id);
			FrameDescriptor.binding(request, start, binding.number());
			FrameDescriptor.end(request, start, FrameType.BIND);
			FrameHeader answer = exchange(request, id, false);
			answer.require(FrameType.BOUND);
			if (answer.binding != binding.number()) {
				throw new WireException(Refusal.MALFORMED, "another contract was bound");
			}
			CodecChoice choice = binding.choose(Payload.Bound.read(this.frames.payload()));
			this.bound.put(binding.number(), choice);
			return choice;
		}
		catch (WireException ex) {
			throw protocol(ex, false);
		}
	}

	/** Binds with a limit of time. */
	CodecChoice bind(ClientBinding binding, long deadline) throws UdsException {
		this.timer.arm(deadline);
		this.deadline = deadline;
		CodecChoice choice = bind(binding);
		if (!this.timer.disarm()) {
			throw timeout(false);
		}
		return choice;
	}

	/**
	 * Makes a call.
	 * @param deadline in the watchdog's time
	 */
	Reply call(ClientBinding binding, CallFrame frame, long deadline) throws UdsException {
		try {
			return callAndWait(binding, frame, deadline);
		}
		catch (RuntimeException | Error ex) {
			// The next call must not meet this one's answer, nor its deadline.
			this.broken = true;
			throw ex;
		}
		finally {
			this.out.clear();
			this.frames.shrink();
			this.received.reduce(0);
		}
	}

	/** Called before the array for a large answer is made, which waits in the socket. */
	private void coverReceived(long bytes) throws IOException {
		boolean limited = this.deadline != Watchdog.NEVER;
		long patience = limited ? this.deadline - this.peer.watchdog().now() : HEAP_NANOS;
		if (!this.received.cover(bytes, patience)) {
			if (limited) {
				throw new SocketTimeoutException("no heap was available for the answer before the deadline");
			}
			this.received.force(bytes);
		}
	}

	private Reply callAndWait(ClientBinding binding, CallFrame frame, long deadline) throws UdsException {
		if (deadline != Watchdog.NEVER) {
			this.timer.arm(deadline);
		}
		this.deadline = deadline;
		CodecChoice choice = bind(binding);
		long id = ++this.correlation;
		encode(binding, choice, frame, id, deadline);
		long sent = this.out.bytes().size();
		FrameHeader answer = exchange(this.out.bytes(), id, true);
		if (!this.timer.disarm()) {
			this.broken = true;
		}
		this.bytesOfLastCall = sent + FrameDescriptor.HEADER_BYTES + answer.length;
		return decode(choice, frame, answer, binding);
	}

	private void encode(ClientBinding binding, CodecChoice choice, CallFrame frame, long id, long deadline)
			throws UdsException {
		EncodeBuffer request = this.out.begin(this.maxRequestBytes, patience(deadline));
		int start = FrameDescriptor.begin(request);
		try {
			int headerBytes = ClientBinding.encode(request, start, choice, frame, this.limits, this.maxRequestBytes);
			long remaining = Long.MAX_VALUE;
			if (deadline != Watchdog.NEVER) {
				remaining = deadline - this.peer.watchdog().now();
				if (remaining <= 0) {
					throw unsent(timeout(false));
				}
			}
			FrameDescriptor.headerBlockLength(request, start, headerBytes);
			FrameDescriptor.correlation(request, start, id);
			FrameDescriptor.binding(request, start, binding.number());
			FrameDescriptor.code(request, start, frame.method().index());
			FrameDescriptor.remaining(request, start, remaining);
			FrameDescriptor.end(request, start, FrameType.CALL);
		}
		catch (WireException ex) {
			throw unsent(UdsException.refused(ex.refusal(), false, ex.text()));
		}
		catch (RuntimeException | LinkageError | AssertionError | StackOverflowError ex) {
			WireException refusal = this.out.refusal();
			if (refusal != null) {
				throw unsent(UdsException.refused(refusal.refusal(), false, refusal.text()));
			}
			Object why = (ex instanceof RuntimeException) ? ex.getMessage() : ex;
			throw unsent(UdsException.of(Reason.CODEC, false, "the arguments cannot be encoded: " + why, ex));
		}
	}

	/** A call that waits for heap for too long has not been sent and goes another way. */
	private long patience(long deadline) {
		long most = this.peer.options().handshakeTimeout().toNanos();
		return (deadline != Watchdog.NEVER) ? Math.min(most, deadline - this.peer.watchdog().now()) : most;
	}

	/** Nothing was sent, so the connection remains usable. */
	private UdsException unsent(UdsException ex) {
		if (!this.timer.disarm()) {
			this.broken = true;
		}
		return ex;
	}

	/**
	 * Sends a frame and reads the answer to it.
	 * @param executable whether the other side may execute something
	 */
	private FrameHeader exchange(EncodeBuffer request, long id, boolean executable) throws UdsException {
		if (this.frames.hasUnread()) {
			// Only a GOODBYE can have come after the last answer.
			this.broken = true;
			throw UdsException.stale(Reason.REFUSED, this.peer.describe("has ended the connection"), null);
		}
		boolean first = !this.used;
		this.used = true;
		try {
			this.frames.write(request);
		}
		catch (ClosedChannelException ex) {
			throw failed(ex, executable && this.frames.lastPieceOffered(), "send to");
		}
		catch (IOException ex) {
			throw writeRefused(ex, first);
		}
		if (executable) {
			// The buffer is not held while the server works.
			this.out.clear();
		}
		try {
			FrameHeader answer = this.frames.read();
			if (answer == null) {
				this.broken = true;
				throw UdsException.of(Reason.PEER_GONE, executable, this.peer.describe("closed the connection"), null);
			}
			check(answer, id);
			return answer;
		}
		catch (IOException ex) {
			throw failed(ex, executable, "receive from");
		}
		catch (WireException ex) {
			throw protocol(ex, executable);
		}
	}

	/**
	 * The kernel did not take the frame as a whole, so the other side cannot have
	 * executed it. It may have said why before it closed the connection.
	 */
	private UdsException writeRefused(IOException cause, boolean first) {
		this.broken = true;
		this.timer.arm(this.peer.watchdog().now() + EXPLANATION_NANOS);
		try {
			FrameHeader answer = this.frames.read();
			if (answer != null) {
				check(answer, this.correlation);
			}
		}
		catch (UdsException ex) {
			return ex;
		}
		catch (IOException | WireException ex) {
			cause.addSuppressed(ex);
		}
		String message = this.peer.describe("closed the connection before the call was sent");
		return first ? UdsException.of(Reason.PEER_GONE, false, message, cause)
				: UdsException.stale(Reason.PEER_GONE, message, cause);
	}

	/** Turns the two answers that may come to anything into exceptions. */
	private void check(FrameHeader answer, long id) throws UdsException, WireException {
		if (answer.type == FrameType.GOODBYE) {
			this.broken = true;
			this.peer.ended();
			throw UdsException.stale(Reason.REFUSED, this.peer.describe("is shutting down"), null);
		}
		if (answer.type == FrameType.REFUSED) {
			boolean closing = answer.has(FrameDescriptor.FLAG_CLOSING);
			PayloadReader payload = this.frames.payload();
			String text = payload.readString();
			this.broken |= closing || answer.correlation != id || !this.timer.disarm();
			Refusal refusal = Refusal.of(answer.code);
			if (refusal == Refusal.WRONG_INSTANCE) {
				this.peer.ended();
			}
			throw UdsException.refused(refusal, answer.has(FrameDescriptor.FLAG_EXECUTED),
					this.peer.describe("refused (%s): %s".formatted(refusal.id(), printable(text))));
		}
		if (answer.correlation != id) {
			throw new WireException(Refusal.MALFORMED, "the answer belongs to another call");
		}
	}

	private Reply decode(CodecChoice choice, CallFrame frame, FrameHeader answer, ClientBinding binding)
			throws UdsException {
		try {
			return binding.decode(choice, frame, answer, this.frames.body(), this.limits);
		}
		catch (WireException ex) {
			throw protocol(ex, true);
		}
		catch (RuntimeException | StackOverflowError ex) {
			this.broken = true;
			throw UdsException.of(Reason.CODEC, true, "the result cannot be decoded: " + ex.getMessage(), ex);
		}
	}

	private UdsException protocol(WireException ex, boolean maybeExecuted) {
		this.broken = true;
		return UdsException.refused(ex.refusal(), maybeExecuted,
				this.peer.describe("sent an unacceptable answer: " + ex.text()));
	}

	private UdsException failed(IOException ex, boolean maybeExecuted, String action) {
		this.broken = true;
		if (this.timer.expired() || ex instanceof SocketTimeoutException) {
			return timeout(maybeExecuted);
		}
		if (ex instanceof ClosedByInterruptException) {
			return UdsException.of(Reason.INTERRUPTED, maybeExecuted, "the calling thread was interrupted", ex);
		}
		if (ex instanceof ClosedChannelException) {
			return UdsException.of(Reason.PEER_GONE, maybeExecuted, "the path was closed during the call", ex);
		}
		boolean connected = this.channel.isConnected();
		return UdsException.of(connected ? Reason.PEER_GONE : Reason.IO, maybeExecuted,
				"cannot %s %s: %s".formatted(action, this.peer, ex.getMessage()), ex);
	}

	private UdsException timeout(boolean maybeExecuted) {
		return UdsException.of(Reason.TIMEOUT, maybeExecuted,
				"the deadline passed before %s answered".formatted(this.peer), null);
	}

	private static String printable(String text) {
		return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", "?");
	}

	/** Returns whether calls were made on this connection before. */
	boolean usable() {
		return !this.broken && this.channel.isOpen();
	}

	long bytesOfLastCall() {
		return this.bytesOfLastCall;
	}

	void close() {
		this.timer.end();
		try {
			this.channel.close();
		}
		catch (IOException ex) {
			// Closed all the same.
		}
	}

}
