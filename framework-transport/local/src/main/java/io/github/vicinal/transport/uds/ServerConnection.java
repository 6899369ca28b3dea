package io.github.vicinal.transport.uds;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;
import io.github.vicinal.transport.wire.CallTimer;
import io.github.vicinal.transport.wire.FrameChannel;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Frames;
import io.github.vicinal.transport.wire.HeapBudget;
import io.github.vicinal.transport.wire.OutBuffer;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.ServerBinding;
import io.github.vicinal.transport.wire.ServerMetrics;
import io.github.vicinal.transport.wire.SocketHeap;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's end of one connection; runs on a thread of its own, from the handshake to
 * the end, and executes its calls there.
 */
final class ServerConnection implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(ServerConnection.class);

	/** No call is being executed, and the next one may be. */
	private static final int IDLE = 0;

	/** A call is being executed. */
	private static final int BUSY = 1;

	/** No further call is executed. */
	private static final int ENDING = 2;

	private static final int MAX_BINDINGS = 1024;

	/** Half of what the kernel buffers at least: such an answer never blocks. */
	private static final int LARGE_BYTES = 64 * 1024;

	private final UdsPathServer server;

	private final SocketChannel channel;

	private final WireLimits limits;

	private final CallTimer timer;

	private final FrameChannel frames;

	private final OutBuffer outBuffer = new OutBuffer();

	private final EncodeBuffer out = this.outBuffer.bytes();

	/** The client whose heap budget large frames use; {@code null} before its hello. */
	private @Nullable String client;

	private HeapBudget.@Nullable Lease received;

	private final Map<Integer, ServerBinding> bindings = new HashMap<>();

	private final AtomicInteger state = new AtomicInteger(IDLE);

	private volatile boolean goodbyeSaid;

	/** Thread that executes the calls of this connection, and nothing else. */
	private volatile @Nullable Thread thread;

	private int maxReplyBytes;

	ServerConnection(UdsPathServer server, SocketChannel channel) {
		this.server = server;
		this.channel = channel;
		this.limits = server.options().limits();
		this.timer = new CallTimer(server.watchdog(), channel);
		this.frames = new FrameChannel(channel, this.limits, this::armStalled, this::coverReceived);
		this.maxReplyBytes = this.limits.maxFrameBytes();
	}

	/** Sets the thread that will run this. Called before it starts. */
	void runsOn(Thread own) {
		this.thread = own;
	}

	@Override
	public void run() {
		this.timer.begin();
		try {
			serve();
		}
		catch (WireException ex) {
			refuseAndClose(ex);
		}
		catch (IOException ex) {
			ended(ex);
		}
		catch (RuntimeException ex) {
			logger.error("A bug in the transport ended a connection", ex);
		}
		finally {
			this.timer.end();
			if (this.state.get() == ENDING && !this.goodbyeSaid) {
				// The thread that decided to end may not have said so yet; once the
				// channel is closed it could not.
				sayGoodbye();
			}
			close();
			giveHeapBack();
			this.server.ended(this);
		}
	}

	private void giveHeapBack() {
		this.outBuffer.clear();
		receivedIsDone();
		String known = this.client;
		if (known != null) {
			this.server.heaps().release(known);
		}
	}

	private void receivedIsDone() {
		this.frames.shrink();
		HeapBudget.Lease lease = this.received;
		if (lease != null) {
			lease.reduce(0);
		}
	}

	/**
	 * Called before the array for a large frame is made. The client cannot send the rest
	 * of it meanwhile, and is not to blame for that.
	 */
	private void coverReceived(long bytes) throws IOException, WireException {
		HeapBudget.Lease lease = this.received;
		if (lease == null) {
			throw new WireException(Refusal.TOO_LARGE, "a frame of this size before HELLO");
		}
		disarm();
		if (!lease.cover(bytes, heapPatience())) {
			throw new WireException(Refusal.CONNECTIONS, OutBuffer.HEAP_IN_USE);
		}
	}

	private long heapPatience() {
		return this.server.options().handshakeTimeout().toNanos();
	}

	private void ended(IOException ex) {
		if (this.timer.expired()) {
			this.server.refused(Refusal.STALLED, "the rest of a frame did not arrive within "
					+ this.server.options().handshakeTimeout().toMillis() + " ms");
		}
		else if (!(ex instanceof ClosedChannelException)) {
			logger.debug("A connection broke: {}", ex.getMessage());
		}
	}

	private void serve() throws IOException, WireException {
		this.server.peerCheck().check(this.channel);
		if (!handshake()) {
			return;
		}
		boolean open = true;
		while (open) {
			FrameHeader frame = this.frames.read();
			if (frame == null) {
				return;
			}
			disarm();
			if (frame.type != FrameType.GOODBYE) {
				requireTurn();
			}
			switch (frame.type) {
				case CALL -> open = call(frame);
				case BIND -> bind(frame);
				case GOODBYE -> open = false;
				default -> throw new WireException(Refusal.MALFORMED,
						"a frame of type %s has no place here".formatted(frame.type));
			}
			receivedIsDone();
		}
	}

	/** Returns whether the client said hello rather than nothing at all. */
	private boolean handshake() throws IOException, WireException {
		armStalled();
		FrameHeader frame = this.frames.read();
		if (frame == null) {
			return false;
		}
		disarm();
		if (frame.type != FrameType.HELLO) {
			throw new WireException(Refusal.MALFORMED,
					"a connection starts with HELLO, not with %s".formatted(frame.type));
		}
		requireTurn();
		Payload.Hello hello = Payload.Hello.read(this.frames.payload());
		String self = this.server.identity().instanceId();
		if (!hello.expected().equals(self)) {
			throw new WireException(Refusal.WRONG_INSTANCE,
					"this is instance %s, not '%s'".formatted(self, WireException.printable(hello.expected())));
		}
		if (hello.maxFrameBytes() < 0) {
			throw new WireException(Refusal.MALFORMED, "a negative frame limit");
		}
		this.maxReplyBytes = Math.min(hello.maxFrameBytes(), this.maxReplyBytes);
		SocketHeap heap = this.server.heaps().acquire(hello.self());
		this.client = hello.self();
		this.received = heap.received().lease();
		this.outBuffer.heap(heap.sent());
		int start = begin();
		new Payload.Welcome(self, this.limits.maxFrameBytes()).write(this.out);
		send(start, FrameType.WELCOME, 0, 0, frame.correlation, 0, 0);
		return true;
	}

	/**
	 * The sides alternate, which lets them use one buffer for both directions.
	 */
	private void requireTurn() throws WireException {
		if (this.frames.hasUnread()) {
			throw new WireException(Refusal.MALFORMED, "more bytes before the answer to a frame");
		}
	}

	private void bind(FrameHeader frame) throws IOException, WireException {
		Payload.Bind bind = Payload.Bind.read(this.frames.payload());
		if (this.bindings.size() >= MAX_BINDINGS) {
			throw new WireException(Refusal.MALFORMED, "more than %d bindings".formatted(MAX_BINDINGS));
		}
		this.out.size(0);
		ServerBinding binding = this.server.calls().bind(this.out, bind, frame.correlation, frame.binding);
		if (binding != null) {
			this.bindings.put(frame.binding, binding);
		}
		write();
	}

	/** Returns whether the connection goes on. */
	private boolean call(FrameHeader frame) throws IOException, WireException {
		long correlation = frame.correlation;
		int bindingNumber = frame.binding;
		ServerBinding binding = this.bindings.get(bindingNumber);
		if (binding == null) {
			throw new WireException(Refusal.MALFORMED,
					"a call for binding %d, which is not bound".formatted(bindingNumber));
		}
		CallFrame call;
		try {
			call = this.server.calls().decode(binding, frame, this.frames.body());
		}
		catch (WireException ex) {
			if (ex.refusal() != Refusal.DEADLINE) {
				throw ex;
			}
			refuse(Refusal.DEADLINE, 0, ex.text(), correlation);
			return true;
		}
		int requestBytes = FrameDescriptor.HEADER_BYTES + frame.length;
		receivedIsDone();
		if (!this.state.compareAndSet(IDLE, BUSY)) {
			// The server ends: this call is not executed.
			return false;
		}
		ServerMetrics metrics = this.server.metrics();
		metrics.inFlight().increment();
		try {
			boolean last = execute(binding, call, correlation, bindingNumber);
			metrics.bytes().add(requestBytes + this.out.size());
			this.outBuffer.clear();
			if (last) {
				return false;
			}
		}
		finally {
			metrics.inFlight().decrement();
		}
		this.state.set(IDLE);
		if (this.server.draining()) {
			end();
			return false;
		}
		return true;
	}

	/** Returns whether this was the last call. */
	private boolean execute(ServerBinding binding, CallFrame call, long correlation, int bindingNumber)
			throws IOException {
		Reply reply;
		try {
			reply = this.server.calls().invoke(binding, call, ServerConnection::waits);
		}
		catch (WireException ex) {
			refuse(ex.refusal(), 0, ex.text(), correlation);
			return false;
		}
		this.server.metrics().calls().increment();
		boolean last = this.server.draining();
		reply(reply, binding, call, correlation, bindingNumber, last);
		return last;
	}

	/** A connection has a thread of its own, which nothing else depends on. */
	private static void waits() {
	}

	private void reply(@Nullable Reply reply, ServerBinding binding, CallFrame call, long correlation,
			int bindingNumber, boolean last) throws IOException {
		this.outBuffer.begin(this.maxReplyBytes, heapPatience());
		this.server.calls().reply(this.out, reply, binding, call, correlation, bindingNumber, this.maxReplyBytes);
		WireException refusal = this.outBuffer.refusal();
		if (refusal != null) {
			// The codec's own exception says less.
			this.server.calls()
				.refusal(this.out, begin(), refusal.refusal(), FrameDescriptor.FLAG_EXECUTED, refusal.text(),
						correlation);
		}
		if (last) {
			this.state.set(ENDING);
			Frames.appendGoodbye(this.out);
		}
		write();
		if (last) {
			this.goodbyeSaid = true;
		}
	}

	private int begin() {
		this.out.size(0);
		return FrameDescriptor.begin(this.out);
	}

	private void send(int start, FrameType type, int flags, int headerBytes, long correlation, int binding, int code)
			throws IOException {
		FrameDescriptor.flags(this.out, start, flags);
		FrameDescriptor.headerBlockLength(this.out, start, headerBytes);
		FrameDescriptor.correlation(this.out, start, correlation);
		FrameDescriptor.binding(this.out, start, binding);
		FrameDescriptor.code(this.out, start, code);
		FrameDescriptor.end(this.out, start, type);
		write();
	}

	private void write() throws IOException {
		if (this.out.size() <= LARGE_BYTES) {
			this.frames.write(this.out);
			return;
		}
		// A client that does not read must not hold the thread forever.
		armStalled();
		this.frames.write(this.out);
		disarm();
	}

	private void refuse(Refusal refusal, int flags, String text, long correlation) throws IOException {
		this.server.calls().refusal(this.out, begin(), refusal, flags, text, correlation);
		write();
	}

	private void refuseAndClose(WireException cause) {
		try {
			armStalled();
			refuse(cause.refusal(), FrameDescriptor.FLAG_CLOSING, cause.text(), 0);
		}
		catch (IOException ex) {
			logger.debug("A refusal could not be sent: {}", ex.getMessage());
		}
	}

	/**
	 * Notifies the client that no further call is executed on this connection, unless one
	 * is being executed; then that call's answer says so. Called by any thread.
	 */
	void end() {
		if (this.state.compareAndSet(IDLE, ENDING)) {
			sayGoodbye();
			close();
		}
	}

	/** Returns whether a call is being executed. */
	boolean executes() {
		return this.state.get() == BUSY;
	}

	private void sayGoodbye() {
		try {
			this.channel.write(Frames.goodbye());
			this.goodbyeSaid = true;
		}
		catch (IOException ex) {
			logger.debug("GOODBYE could not be sent: {}", ex.getMessage());
		}
	}

	/** Closes the connection, and interrupts the handler of a call in flight. */
	void cutOff() {
		close();
		Thread executing = this.thread;
		if (executing != null) {
			executing.interrupt();
		}
	}

	void close() {
		try {
			this.channel.close();
		}
		catch (IOException ex) {
			// Closed all the same.
		}
	}

	private void armStalled() {
		this.timer.arm(this.server.watchdog().now() + this.server.options().handshakeTimeout().toNanos());
	}

	private void disarm() throws IOException {
		if (!this.timer.disarm()) {
			throw new ClosedChannelException();
		}
	}

}
