package io.github.vicinal.transport.rdma;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.InstanceProof;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.ServerBinding;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's end of a connection. The thread of the connection reads frames; calls run
 * on threads of the server and send their answers whenever they are done. Thread-safe.
 */
final class ServerSession implements RdmaConnection.Listener {

	private static final Logger logger = LoggerFactory.getLogger(ServerSession.class);

	private static final int FIRST_BYTES = 1024;

	private static final int FIRST_FRAME_BYTES = 4096;

	private static final int MAX_BINDINGS = 1024;

	private final RdmaPathServer server;

	private final RdmaConnection connection;

	private final InetSocketAddress remote;

	private final InetSocketAddress local;

	private final Map<Integer, ServerBinding> bindings = new ConcurrentHashMap<>();

	/** Bytes of calls that are not answered yet, and of answers that are not sent yet. */
	private final AtomicLong outstanding = new AtomicLong();

	private final long helloDeadline;

	/** Written by the thread of the connection before the first call. */
	private int maxReplyBytes;

	private volatile boolean welcomed;

	/** Whether the connection was refused and ends. */
	private final AtomicBoolean closing = new AtomicBoolean();

	ServerSession(RdmaPathServer server, QueuePair queuePair) {
		this.server = server;
		this.remote = queuePair.remote();
		this.local = queuePair.local();
		this.helloDeadline = System.nanoTime() + server.options().handshakeTimeout().toNanos();
		this.connection = new RdmaConnection(queuePair, server.options(), true, FIRST_FRAME_BYTES, this);
	}

	void start() {
		this.connection.start("vicinal-rdma-server");
	}

	/** Refuses a client that has not said who it is in time. */
	void checkHello(long now) {
		if (!this.welcomed && !this.closing.get() && now - this.helloDeadline >= 0) {
			refuseAndClose(Refusal.STALLED,
					"no HELLO arrived within %d ms".formatted(this.server.options().handshakeTimeout().toMillis()));
		}
	}

	@Override
	public boolean reads(long assemblingBytes) {
		return !this.closing.get() && this.outstanding.get() <= this.server.options().maxOutstandingBytes();
	}

	@Override
	public void received(Frame frame) throws WireException {
		if (this.closing.get()) {
			return;
		}
		FrameType type = frame.header().type;
		try {
			if (!this.welcomed) {
				hello(frame);
				return;
			}
			switch (type) {
				case BIND, CALL -> accept(frame);
				case GOODBYE -> this.connection.stop("has left");
				default ->
					throw new WireException(Refusal.MALFORMED, "a frame of type %s has no place here".formatted(type));
			}
		}
		catch (WireException ex) {
			refuseAndClose(ex.refusal(), ex.text());
		}
	}

	private void hello(Frame frame) throws WireException {
		if (frame.header().type != FrameType.HELLO) {
			throw new WireException(Refusal.MALFORMED,
					"a connection starts with HELLO, not with %s".formatted(frame.header().type));
		}
		Payload.Hello hello = Payload.Hello.read(frame.payload());
		String self = this.server.identity().instanceId();
		InetSocketAddress here = this.server.announced(this.local);
		if (!InstanceProof.matches(InstanceProof.ofClient(self, hello.self(), here), hello.expected())) {
			throw new WireException(Refusal.WRONG_INSTANCE, "this is not the instance that the client expects");
		}
		if (hello.maxFrameBytes() < 0) {
			throw new WireException(Refusal.MALFORMED, "a negative frame limit");
		}
		this.maxReplyBytes = Math.min(hello.maxFrameBytes(), this.server.options().maxFrameBytes());
		this.connection.accept(this.server.options().limits());
		this.welcomed = true;
		EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
		int start = FrameDescriptor.begin(out);
		new Payload.Welcome(InstanceProof.ofServer(self, hello.self(), here), this.server.options().maxFrameBytes())
			.write(out);
		FrameDescriptor.correlation(out, start, frame.header().correlation);
		FrameDescriptor.end(out, start, FrameType.WELCOME);
		this.connection.send(new Outgoing(out));
	}

	/** Hands a frame to a thread of the server. */
	private void accept(Frame frame) {
		int bytes = frame.bytes().length;
		this.outstanding.addAndGet(bytes);
		// Counted first: a server that drains either sees this frame, or the frame sees
		// the drain.
		this.server.began();
		if (this.server.draining()) {
			answer(refusal(Refusal.SHUTTING_DOWN, "the server is shutting down", frame), bytes);
			return;
		}
		try {
			this.server.threads().execute(() -> answer(execute(frame), bytes));
		}
		catch (RejectedExecutionException ex) {
			answer(refusal(Refusal.CONNECTIONS,
					"all %d threads of the server are in use".formatted(this.server.options().maxThreads()), frame),
					bytes);
		}
	}

	/** Sends an answer, and gives back what the call took once it is in the ring. */
	private void answer(EncodeBuffer out, int requestBytes) {
		int held = requestBytes + out.size();
		this.outstanding.addAndGet(out.size());
		this.server.metrics().bytes().add(held);
		Answer answer = new Answer(out, held);
		if (!this.connection.send(answer)) {
			answer.left();
		}
	}

	/** On a thread of the server. Returns the answer, whatever happens. */
	private EncodeBuffer execute(Frame frame) {
		try {
			return (frame.header().type == FrameType.BIND) ? bind(frame) : call(frame);
		}
		catch (WireException ex) {
			return refusal(ex.refusal(), ex.text(), frame);
		}
		catch (RuntimeException | Error ex) {
			logger.error("A call ended by a bug in the transport", ex);
			return refusal(Refusal.FAILED, "the call ended by a bug in the transport", frame);
		}
	}

	private EncodeBuffer bind(Frame frame) throws WireException {
		Payload.Bind bind = Payload.Bind.read(frame.payload());
		if (this.bindings.size() >= MAX_BINDINGS) {
			throw new WireException(Refusal.MALFORMED, "more than %d bindings".formatted(MAX_BINDINGS));
		}
		EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
		FrameHeader header = frame.header();
		ServerBinding binding = this.server.calls().bind(out, bind, header.correlation, header.binding);
		if (binding != null) {
			this.bindings.put(header.binding, binding);
		}
		return out;
	}

	private EncodeBuffer call(Frame frame) throws WireException {
		FrameHeader header = frame.header();
		ServerBinding binding = this.bindings.get(header.binding);
		if (binding == null) {
			throw new WireException(Refusal.MALFORMED,
					"a call for binding %d, which is not bound".formatted(header.binding));
		}
		CallFrame call = this.server.calls().decode(binding, header, frame.bytes());
		Reply reply = this.server.calls().invoke(binding, call, ServerSession::waits);
		this.server.metrics().calls().increment();
		EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
		this.server.calls().reply(out, reply, binding, call, header.correlation, header.binding, this.maxReplyBytes);
		return out;
	}

	/** No connection waits, only a thread of the server. */
	private static void waits() {
	}

	private EncodeBuffer refusal(Refusal refusal, String text, @Nullable Frame frame) {
		EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
		this.server.calls()
			.refusal(out, FrameDescriptor.begin(out), refusal, (frame != null) ? 0 : FrameDescriptor.FLAG_CLOSING, text,
					(frame != null) ? frame.header().correlation : 0);
		return out;
	}

	/** Refuses the client, and ends the connection once it has left. */
	void refuseAndClose(Refusal refusal, String text) {
		if (this.closing.compareAndSet(false, true)) {
			this.connection.stopAfter(new Outgoing(refusal(refusal, text, null)));
		}
	}

	/** Says that no further call is executed. */
	void sayGoodbye() {
		EncodeBuffer out = new EncodeBuffer(FrameDescriptor.HEADER_BYTES);
		int start = FrameDescriptor.begin(out);
		FrameDescriptor.code(out, start, Refusal.SHUTTING_DOWN.number());
		FrameDescriptor.end(out, start, FrameType.GOODBYE);
		this.connection.send(new Outgoing(out));
	}

	@Override
	public void ended(String why, @Nullable WireException refused) {
		if (refused != null && this.closing.compareAndSet(false, true)) {
			this.server.metrics().refused(refused.refusal(), "the client %s: %s".formatted(client(), why));
		}
		else {
			logger.debug("The client {} {}", client(), why);
		}
		this.server.left(this);
	}

	private String client() {
		return this.remote.getAddress().getHostAddress() + ":" + this.remote.getPort();
	}

	/** Describes the client, for people. */
	Map<String, Object> details() {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("address", client());
		details.put("outstandingBytes", this.outstanding.get());
		return details;
	}

	void close() {
		this.connection.stop("was closed");
	}

	/** An answer to a call. */
	private final class Answer extends Outgoing {

		private final int held;

		/** A connection that ends may find an answer that just left. */
		private final AtomicBoolean done = new AtomicBoolean();

		Answer(EncodeBuffer out, int held) {
			super(out);
			this.held = held;
		}

		@Override
		void left() {
			if (this.done.compareAndSet(false, true)) {
				ServerSession server = ServerSession.this;
				long most = server.server.options().maxOutstandingBytes();
				long after = server.outstanding.addAndGet(-this.held);
				server.server.ended();
				if (after <= most && after + this.held > most) {
					server.connection.wake();
				}
			}
		}

	}

}
