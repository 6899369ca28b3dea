package io.github.vicinal.transport.rdma;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.transport.multiplex.ArrivedFrame;
import io.github.vicinal.transport.multiplex.CallThreads;
import io.github.vicinal.transport.multiplex.Introduction;
import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.multiplex.ServerConversation;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Refusal;
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

	private static final int FIRST_FRAME_BYTES = 4096;

	private final RdmaPathServer server;

	private final RdmaConnection connection;

	private final InetSocketAddress remote;

	private final InetSocketAddress local;

	private final ServerConversation conversation;

	/** Bytes of calls that are not answered yet, and of answers that are not sent yet. */
	private final AtomicLong outstanding = new AtomicLong();

	private final long helloDeadline;

	/** Completes when the memory of the connection is free. */
	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private volatile boolean welcomed;

	/** Topics that the connection carries instead of calls. */
	private volatile @Nullable TopicSession topics;

	/** Whether the connection was refused and ends. */
	private final AtomicBoolean closing = new AtomicBoolean();

	ServerSession(RdmaPathServer server, QueuePair queuePair) {
		this.server = server;
		this.remote = queuePair.remote();
		this.local = queuePair.local();
		this.helloDeadline = System.nanoTime() + server.options().handshakeTimeout().toNanos();
		this.conversation = new ServerConversation(server.calls(), server.metrics(), server.options().limits());
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
		TopicSession known = this.topics;
		if (known != null) {
			return !this.closing.get() && known.reads();
		}
		return !this.closing.get() && this.outstanding.get() <= this.server.options().maxOutstandingBytes();
	}

	@Override
	public void received(ReceivedFrame frame) throws WireException {
		if (this.closing.get()) {
			return;
		}
		FrameType type = frame.header().type;
		try {
			TopicSession known = this.topics;
			if (known != null) {
				topic(known, frame);
				return;
			}
			if (!this.welcomed) {
				if (type == FrameType.TOPIC) {
					topic(carryTopic(), frame);
				}
				else {
					hello(frame);
				}
				return;
			}
			switch (type) {
				case BIND, CALL -> accept(frame);
				case CANCEL -> this.conversation.cancel(frame, this.server.threads()::run);
				case GOODBYE -> this.connection.stop("has left");
				default ->
					throw new WireException(Refusal.MALFORMED, "a frame of type %s has no place here".formatted(type));
			}
		}
		catch (WireException ex) {
			refuseAndClose(ex.refusal(), ex.text());
		}
	}

	private void topic(TopicSession known, ReceivedFrame frame) throws WireException {
		switch (frame.header().type) {
			case TOPIC -> known.received(frame);
			case GOODBYE -> this.connection.stop("has left");
			default -> throw new WireException(Refusal.MALFORMED, "a connection carries calls or a topic, not both");
		}
	}

	/** Hands the connection to the topics of this process, if any are for other hosts. */
	private TopicSession carryTopic() throws WireException {
		RdmaPathServer.Topics offered = this.server.topics();
		if (offered == null || this.server.draining()) {
			throw new WireException(Refusal.SERVICE_REFUSES,
					"no topic of this application is for other hosts: set vicinal.topics.named.<topic>.other-hosts=true there");
		}
		try {
			TopicSession made = new TopicSession(this.connection, this.server.options(), this.remote,
					offered.tls().accepting(), (secured) -> {
						this.welcomed = true;
						offered.acceptor().accept(secured);
					});
			this.topics = made;
			return made;
		}
		catch (IOException ex) {
			throw new WireException(Refusal.SERVICE_REFUSES, String.valueOf(ex.getMessage()));
		}
	}

	private void hello(ReceivedFrame frame) throws WireException {
		Introduction.Welcome welcome = Introduction.answer(frame, this.server.identity().instanceId(),
				this.server.announced(this.local), this.server.options().maxFrameBytes(), false);
		this.conversation.agreed(welcome.agreement(), Integer.MAX_VALUE);
		this.connection.accept(this.server.options().limits());
		this.welcomed = true;
		this.connection.send(new Outgoing(welcome.frame()));
	}

	/** Hands a frame to a thread of the server. */
	private void accept(ReceivedFrame frame) {
		this.outstanding.addAndGet(frame.size());
		// Counted first: a server that drains either sees this frame, or the frame sees
		// the drain.
		CallThreads threads = this.server.threads();
		threads.began();
		ArrivedFrame arrived = this.conversation.arrived(frame);
		// Looked at last: what is not named by the last frame must not be executed.
		if (this.server.draining() || this.closing.get()) {
			answer(arrived, this.conversation.refusal(Refusal.SHUTTING_DOWN, "the server is shutting down", frame));
		}
		else if (!threads.execute(() -> answer(arrived, this.conversation.answer(arrived)))) {
			answer(arrived, this.conversation.refusal(Refusal.CONNECTIONS, threads.exhausted(), frame));
		}
	}

	/**
	 * Sends an answer, and gives back what the call took once it is in the ring.
	 * @param out the answer, {@code null} if nobody waits for it
	 */
	private void answer(ArrivedFrame arrived, @Nullable EncodeBuffer out) {
		int requestBytes = arrived.frame().size();
		int size = (out != null) ? out.size() : 0;
		this.outstanding.addAndGet(size);
		this.server.metrics().bytes().add(requestBytes + size);
		if (out == null) {
			this.conversation.ended(arrived);
			done(requestBytes);
			return;
		}
		Answer answer = new Answer(out, arrived, requestBytes + size);
		if (!this.connection.send(answer)) {
			answer.left();
		}
	}

	private void done(int held) {
		long most = this.server.options().maxOutstandingBytes();
		long after = this.outstanding.addAndGet(-held);
		this.server.threads().ended();
		if (after <= most && after + held > most) {
			this.connection.wake();
		}
	}

	/** Refuses the client, and ends the connection once it has left. */
	void refuseAndClose(Refusal refusal, String text) {
		if (this.closing.compareAndSet(false, true)) {
			this.connection.stopAfter(new Outgoing(this.conversation.closing(refusal, text)));
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
		TopicSession known = this.topics;
		if (known != null) {
			known.gone(why);
		}
		this.server.left(this);
		this.gone.complete(null);
		this.conversation.clientGone(this.server.threads()::run);
	}

	/** Returns the memory that the connection locks. */
	long lockedBytes() {
		return this.connection.lockedBytes();
	}

	private String client() {
		return this.remote.getAddress().getHostAddress() + ":" + this.remote.getPort();
	}

	/** Describes the client, for people. */
	Map<String, Object> details() {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("address", client());
		details.put("outstandingBytes", this.outstanding.get());
		details.put("rendezvousPieces", this.connection.offeredPieces());
		return details;
	}

	/**
	 * Ends the connection, and lets the client know which calls may have been executed.
	 * @return completes when the client has left, or a second later
	 */
	CompletableFuture<Void> close() {
		TopicSession known = this.topics;
		if (known != null && this.welcomed) {
			known.close();
			return this.gone;
		}
		EncodeBuffer last = (this.welcomed && this.closing.compareAndSet(false, true)) ? this.conversation.last()
				: null;
		if (last != null) {
			this.connection.stopAfter(new Outgoing(last));
		}
		else {
			stop();
		}
		return this.gone;
	}

	/** Ends the connection. */
	void stop() {
		this.connection.stop("was closed");
	}

	/** An answer to a call. */
	private final class Answer extends Outgoing {

		private final ArrivedFrame arrived;

		private final int held;

		/** A connection that ends may find an answer that just left. */
		private final AtomicBoolean done = new AtomicBoolean();

		Answer(EncodeBuffer out, ArrivedFrame arrived, int held) {
			super(out);
			this.arrived = arrived;
			this.held = held;
		}

		@Override
		void left() {
			if (!this.done.compareAndSet(false, true)) {
				return;
			}
			if (isWhole()) {
				// Otherwise the client is gone, which the handler of an exchange must
				// learn.
				ServerSession.this.conversation.ended(this.arrived);
			}
			ServerSession.this.done(this.held);
		}

	}

}
