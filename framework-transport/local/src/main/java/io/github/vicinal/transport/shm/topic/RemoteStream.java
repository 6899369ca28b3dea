package io.github.vicinal.transport.shm.topic;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Link between one subscription of a stream and one publisher of another host: a thread
 * that receives messages, and threads that handle them. Each message goes to one
 * subscriber, so a host gets one copy without any help.
 */
final class RemoteStream<T> implements SubscriptionLink {

	private static final Logger logger = LoggerFactory.getLogger(RemoteStream.class);

	/**
	 * Number of messages that are on their way for each thread that handles some, one of
	 * which it handles.
	 */
	private static final int AHEAD = 16;

	private final ShmSubscription<T> subscription;

	private final ShmTopics topics;

	private final RemoteAddress address;

	private final int slots;

	private final Thread thread;

	private final List<Thread> handlers = new ArrayList<>();

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	/** Messages that nobody has begun. Guarded by the lock. */
	private final Deque<Received<T>> waiting = new ArrayDeque<>();

	private volatile String publisher;

	private volatile String state = "connecting";

	private volatile boolean attached;

	private volatile boolean closed;

	private volatile @Nullable TopicConnection connection;

	RemoteStream(ShmSubscription<T> subscription, RemoteAddress address, ShmTopics topics) {
		this.subscription = subscription;
		this.address = address;
		this.topics = topics;
		this.publisher = address.toString();
		this.slots = Math.min((AHEAD + subscription.maxBatch() - 1) * subscription.threads(), RemoteRequest.MAX_SLOTS);
		this.thread = topics.thread("remote-" + subscription.topic(), this::run);
		for (int i = 0; i < subscription.threads(); i++) {
			this.handlers.add(topics.thread(subscription.topic() + "-remote-" + i, this::handle));
		}
	}

	void start() {
		this.thread.start();
		this.handlers.forEach(Thread::start);
	}

	RemoteAddress address() {
		return this.address;
	}

	@Override
	public String publisher() {
		return this.publisher;
	}

	@Override
	public String state() {
		return this.state;
	}

	@Override
	public boolean isAttached() {
		return this.attached;
	}

	@Override
	public boolean isOwnThread() {
		return this.handlers.contains(Thread.currentThread());
	}

	private void run() {
		RemoteBackOff backOff = new RemoteBackOff();
		while (!this.closed) {
			try (TopicConnection opened = this.address.connect()) {
				this.connection = opened;
				if (this.closed) {
					return;
				}
				receive(opened, backOff);
			}
			catch (Handshake.RefusedException ex) {
				failed("refused: " + ex.getMessage());
			}
			catch (WireException ex) {
				failed("left: " + ex.text());
			}
			catch (IOException ex) {
				this.state = "gone: " + ex.getMessage();
			}
			catch (RuntimeException | OutOfMemoryError ex) {
				failed("gone: " + ex);
			}
			this.attached = false;
			forgetWaiting();
			backOff.pause(this, this.closed);
		}
	}

	private void failed(String reason) {
		if (!this.closed) {
			this.subscription.warnings()
				.warn("Subscriber '%s' of topic '%s' at %s: %s".formatted(this.subscription.name(),
						this.subscription.topic(), this.address, WireException.printable(reason)));
		}
		this.state = WireException.printable(reason);
	}

	private void receive(TopicConnection opened, RemoteBackOff backOff)
			throws IOException, WireException, Handshake.RefusedException {
		RemoteGrant who = RemoteProtocol.ask(opened, request(RemoteRequest.Purpose.WHO), RemoteProtocol.PATIENCE_NANOS);
		this.publisher = who.instance();
		if (who.host().equals(this.topics.host())) {
			this.state = "on this host, where it is found without an address";
			opened.receive(Long.MAX_VALUE);
			throw new WireException(Refusal.MALFORMED, "the publisher said more than it may");
		}
		// Before it competes: messages that it has to give back would have lost their
		// order.
		this.topics.requirePublisher(this.subscription.topic(), who.application());
		this.state = "waits for the publisher to publish this topic";
		RemoteGrant grant = RemoteProtocol.ask(opened, request(RemoteRequest.Purpose.COMPETE), Long.MAX_VALUE);
		this.topics.requirePublisher(this.subscription.topic(), grant.application());
		backOff.reset();
		this.state = "attached (%s, %s)".formatted(WireException.printable(grant.application()), opened.peer());
		this.attached = true;
		BitSet held = new BitSet();
		boolean ends = false;
		while (!ends) {
			ByteBuffer piece = opened.receive(Long.MAX_VALUE);
			ends = piece != null && take(opened, piece, grant.instance(), held);
		}
		// All messages were done before the publisher has said so.
		this.state = "gone";
	}

	private RemoteRequest request(RemoteRequest.Purpose purpose) {
		return new RemoteRequest(purpose, this.subscription.topic(), TopicModel.STREAM,
				this.subscription.codec().format(), this.subscription.name(), this.topics.application(),
				this.topics.instance(), this.topics.host(), this.slots, Resume.NONE, 0);
	}

	/** Returns whether the publisher has closed the topic. */
	private boolean take(TopicConnection from, ByteBuffer piece, String instance, BitSet held) throws WireException {
		byte kind = RemoteProtocol.kind(piece);
		if (kind == RemoteProtocol.END) {
			return true;
		}
		if (kind != RemoteProtocol.MESSAGE || piece.remaining() < RemoteProtocol.MESSAGE_BYTES - 1) {
			throw new WireException(Refusal.MALFORMED,
					"a piece of kind %d with %d bytes".formatted(kind, piece.remaining()));
		}
		int slot = piece.getInt();
		boolean redelivered = piece.get() != 0;
		long sequence = piece.getLong();
		int headerBytes = piece.getInt();
		if (headerBytes < 0 || headerBytes > piece.remaining()) {
			throw new WireException(Refusal.MALFORMED,
					"headers of %d bytes where %d are left".formatted(headerBytes, piece.remaining()));
		}
		byte[] headers = new byte[headerBytes];
		piece.get(headers);
		byte[] payload = new byte[piece.remaining()];
		piece.get(payload);
		this.lock.lock();
		try {
			if (slot < 0 || slot >= this.slots || held.get(slot)) {
				throw new WireException(Refusal.MALFORMED, "a message in slot %d, which is not free".formatted(slot));
			}
			held.set(slot);
			this.waiting.add(new Received<>(this.subscription, from, held, slot, instance, sequence,
					HeaderBytes.read(headers), payload, redelivered));
			this.changed.signal();
		}
		finally {
			this.lock.unlock();
		}
		return false;
	}

	/** Hands messages that nobody has begun to other subscribers. */
	private void forgetWaiting() {
		this.lock.lock();
		try {
			this.waiting.clear();
		}
		finally {
			this.lock.unlock();
		}
	}

	private void handle() {
		List<Received<T>> next = next();
		while (!next.isEmpty()) {
			if (!handle(next)) {
				// Given back by the end of the connection.
				return;
			}
			next = next();
		}
	}

	/** Returns whether the messages are done. */
	private boolean handle(List<Received<T>> messages) {
		if (this.subscription.maxBatch() > 1) {
			Deque<Received<T>> open = new ArrayDeque<>(messages);
			return this.subscription.handleAll(messages.stream().map(Received::message).toList(), (count) -> {
				while (messages.size() - open.size() < count) {
					done(open.remove());
				}
			});
		}
		Received<T> message = messages.get(0);
		if (!this.subscription.handle(message.message())) {
			return false;
		}
		done(message);
		return true;
	}

	/** Returns what is there, as far as it may be in a batch; nothing at the end. */
	private List<Received<T>> next() {
		List<Received<T>> next = new ArrayList<>();
		this.lock.lock();
		try {
			while (this.waiting.isEmpty() && !this.closed) {
				this.changed.awaitUninterruptibly();
			}
			while (!this.closed && !this.waiting.isEmpty() && next.size() < this.subscription.maxBatch()) {
				next.add(this.waiting.remove());
			}
			return next;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void done(Received<T> message) {
		this.lock.lock();
		try {
			message.held.clear(message.slot);
			// One thread at a time sends.
			message.from.send(RemoteProtocol.done(message.slot));
		}
		catch (IOException ex) {
			logger.debug("Message {} is done, but its publisher is gone: {}", message.sequence, ex.toString());
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void close() {
		this.closed = true;
		this.lock.lock();
		try {
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
		// Last: the publisher takes the end of the connection for the end of all threads.
		for (Thread handler : this.handlers) {
			if (handler != Thread.currentThread()) {
				LogSender.joinFully(handler);
			}
		}
		TopicConnection open = this.connection;
		if (open != null) {
			leave(open);
			open.close();
		}
		LockSupport.unpark(this.thread);
	}

	/**
	 * Lets the publisher end the connection, after it has read which messages are done. A
	 * side that closes a connection while there is something to read may take from the
	 * other what that has not read yet.
	 */
	private void leave(TopicConnection open) {
		if (!this.attached) {
			return;
		}
		this.lock.lock();
		try {
			open.send(RemoteProtocol.word(RemoteProtocol.LEAVE));
		}
		catch (IOException ex) {
			logger.debug("The publisher {} is gone: {}", this.publisher, ex.toString());
			return;
		}
		finally {
			this.lock.unlock();
		}
		LogSender.join(this.thread, RemoteProtocol.LEAVE_NANOS);
	}

	@Override
	public void awaitEnd() {
		if (this.thread.getState() != Thread.State.NEW && !isOwnThread()) {
			LogSender.joinFully(this.thread);
		}
	}

	/** A message that nobody has handled. */
	private static final class Received<T> {

		private final ShmSubscription<T> subscription;

		private final TopicConnection from;

		private final BitSet held;

		private final int slot;

		private final String publisher;

		private final long sequence;

		private final Map<String, String> headers;

		private final byte[] payload;

		private final boolean redelivered;

		private final long nanos = System.nanoTime();

		Received(ShmSubscription<T> subscription, TopicConnection from, BitSet held, int slot, String publisher,
				long sequence, Map<String, String> headers, byte[] payload, boolean redelivered) {
			this.subscription = subscription;
			this.from = from;
			this.held = held;
			this.slot = slot;
			this.publisher = publisher;
			this.sequence = sequence;
			this.headers = headers;
			this.payload = payload;
			this.redelivered = redelivered;
		}

		Message<byte[]> message() {
			return new Message<>(this.subscription.topic(), this.payload, this.headers, this.publisher, this.sequence,
					this.nanos, this.redelivered);
		}

	}

}
