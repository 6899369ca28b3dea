package io.github.vicinal.chronicle.path;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.transport.multiplex.CallThreads;
import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.multiplex.ServerConversation;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Frames;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's side of a pair. A thread of its own makes the handshake and receives
 * frames; calls run on threads of the server and send their answers whenever they are
 * done.
 */
final class ServerPair implements Runnable, QueuePair.Receiver {

	private static final Logger logger = LoggerFactory.getLogger(ServerPair.class);

	private static final long FULL_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final ChroniclePathServer server;

	private final ControlSocket socket;

	private final ServerConversation conversation;

	/** Bytes of calls that are not answered yet, and of answers that are not sent yet. */
	private final AtomicLong outstanding = new AtomicLong();

	/** {@code null} before the handshake. */
	private volatile @Nullable QueuePair queues;

	private volatile String client = "";

	private volatile boolean closed;

	private volatile @Nullable Thread thread;

	ServerPair(ChroniclePathServer server, ControlSocket socket) {
		this.server = server;
		this.socket = socket;
		this.conversation = new ServerConversation(server.calls(), server.metrics(), server.options().limits());
	}

	/** Sets the thread that will run this. Called before it starts. */
	void runsOn(Thread own) {
		this.thread = own;
	}

	@Nullable Thread thread() {
		return this.thread;
	}

	@Override
	public void run() {
		QueuePair opened = null;
		try {
			opened = handshake();
			opened.receive(this);
		}
		catch (WireException ex) {
			refuse(opened, ex);
		}
		catch (EOFException ex) {
			// Nobody wanted anything.
		}
		catch (IOException ex) {
			logger.debug("A pair of queues broke: {}", ex.getMessage());
		}
		catch (RuntimeException ex) {
			logger.error("A bug in the transport ended a pair of queues", ex);
		}
		finally {
			if (opened != null) {
				opened.end();
			}
			else {
				this.socket.close();
			}
			this.server.ended(this);
		}
	}

	private QueuePair handshake() throws IOException, WireException {
		this.server.peerCheck().check(this.socket.channel());
		Handshake handshake = new Handshake(this.socket, this.server.options());
		Handshake.Client known = handshake.welcome(this.server.instanceId());
		this.client = known.instanceId();
		this.conversation.agreed(known.agreement(), Integer.MAX_VALUE);
		Path rendezvous = this.server.directory();
		Volume volume = this.server.volume();
		String noRoom = volume.noRoom(2L * this.server.options().fileBytes());
		if (noRoom != null) {
			throw new WireException(Refusal.CONNECTIONS, noRoom);
		}
		PairDirectory directory = PairDirectory.create(rendezvous, this.server.instanceId());
		QueuePair opened = null;
		boolean attached = false;
		try {
			opened = QueuePair.open(directory, this.socket, PairQueue.REPLIES, volume, this.server.options());
			this.queues = opened;
			handshake.attach(directory.name());
			attached = true;
		}
		finally {
			if (!attached) {
				if (opened != null) {
					opened.abandon();
				}
				directory.delete();
			}
		}
		if (this.server.draining()) {
			sayGoodbye();
		}
		if (this.closed) {
			opened.close();
		}
		return opened;
	}

	/** Tells the client why its pair ends, if it can be told. */
	private void refuse(@Nullable QueuePair opened, WireException cause) {
		try {
			if (opened == null) {
				this.server.refused(cause.refusal(), cause.text());
				this.socket.write(Frames.refused(cause.refusal(), cause.text()));
			}
			else {
				opened.send(this.conversation.closing(cause.refusal(), cause.text()));
			}
		}
		catch (IOException ex) {
			logger.debug("A refusal could not be sent: {}", ex.getMessage());
		}
	}

	@Override
	public boolean hasRoom() {
		return this.outstanding.get() <= this.server.options().maxOutstandingBytes();
	}

	@Override
	public void received(ReceivedFrame frame) throws WireException {
		FrameType type = frame.header().type;
		switch (type) {
			case BIND, CALL -> accept(frame);
			case GOODBYE -> close();
			default ->
				throw new WireException(Refusal.MALFORMED, "a frame of type %s has no place here".formatted(type));
		}
	}

	/** Hands a frame to a thread of the server. */
	private void accept(ReceivedFrame frame) {
		int bytes = frame.size();
		this.outstanding.addAndGet(bytes);
		// Counted first: a drain either sees this frame, or the frame sees the drain.
		CallThreads threads = this.server.threads();
		threads.began();
		if (this.server.draining()) {
			answer(this.conversation.refusal(Refusal.SHUTTING_DOWN, "the server is shutting down", frame), bytes);
		}
		else if (!threads.execute(() -> answer(this.conversation.answer(frame), bytes))) {
			answer(this.conversation.refusal(Refusal.CONNECTIONS, threads.exhausted(), frame), bytes);
		}
	}

	/** Sends an answer, and gives back what the call took. */
	private void answer(EncodeBuffer out, int requestBytes) {
		this.outstanding.addAndGet(out.size());
		this.server.metrics().bytes().add(requestBytes + out.size());
		try {
			send(out);
		}
		catch (IOException ex) {
			logger.debug("An answer could not be sent: {}", ex.getMessage());
			close();
		}
		finally {
			this.server.threads().ended();
			this.outstanding.addAndGet(-requestBytes - out.size());
			QueuePair open = this.queues;
			if (open != null) {
				open.hasRoom();
			}
		}
	}

	private void send(EncodeBuffer out) throws IOException {
		QueuePair open = this.queues;
		if (open == null) {
			throw new IOException("the pair is not open");
		}
		long deadline = System.nanoTime() + this.server.options().frameTimeout().toNanos();
		String noRoom = open.send(out);
		while (noRoom != null) {
			if (this.closed || this.thread == Thread.currentThread()) {
				throw new IOException(noRoom);
			}
			if (System.nanoTime() - deadline >= 0) {
				this.server.refused(Refusal.STALLED, "the client %s does not read: %s".formatted(this.client, noRoom));
				throw new IOException(noRoom);
			}
			LockSupport.parkNanos(this, FULL_PAUSE_NANOS);
			noRoom = open.send(out);
		}
	}

	/** Says that no further call is executed. */
	void sayGoodbye() {
		QueuePair open = this.queues;
		EncodeBuffer out = new EncodeBuffer(FrameDescriptor.HEADER_BYTES);
		Frames.appendGoodbye(out);
		try {
			if (open != null) {
				open.send(out);
			}
		}
		catch (IOException ex) {
			logger.debug("GOODBYE could not be sent: {}", ex.getMessage());
		}
	}

	/** Describes the client, for people. */
	Map<String, Object> details() {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("instance", this.client);
		details.put("outstandingBytes", this.outstanding.get());
		details.put("queueBytes", queueBytes());
		return details;
	}

	/** Returns the bytes of answers that the client has not read. */
	long queueBytes() {
		QueuePair open = this.queues;
		return (open != null) ? open.unreadBytes() : 0;
	}

	void close() {
		this.closed = true;
		QueuePair open = this.queues;
		if (open != null) {
			open.close();
		}
		else {
			this.socket.close();
		}
	}

}
