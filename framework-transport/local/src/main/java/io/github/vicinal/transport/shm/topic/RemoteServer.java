package io.github.vicinal.transport.shm.topic;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.topic.remote.RemoteTopics;
import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.shm.lane.Segment;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets processes of other hosts take part in the topics of this process. A host whose
 * connection breaks keeps its place for a while, so that a process that connects in its
 * stead misses nothing. Thread-safe.
 */
final class RemoteServer {

	private static final Logger logger = LoggerFactory.getLogger(RemoteServer.class);

	/** Interval between looks whether a connection that waits is still there. */
	private static final long LOOK_MILLIS = 1000;

	/** Time that senders have to send what was published when this is closed. */
	private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(2);

	private final RepeatedWarnings warnings = new RepeatedWarnings(logger);

	private final ShmTopics topics;

	private final OwnTopics own;

	private final RemoteTopics remote;

	private final long lingerNanos;

	/** Guarded by this. */
	private final List<TopicConnection> open = new ArrayList<>();

	/** Guarded by this. */
	private final List<CopyingHost> hosts = new ArrayList<>();

	/** Number of connections over which messages are sent. Guarded by this. */
	private int sending;

	/** Guarded by this. */
	private boolean closed;

	/**
	 * Creates a server.
	 * @param topics of this process
	 * @param own what it publishes
	 * @param remote what is offered
	 * @param lingerNanos time for which a host whose connection broke keeps its place
	 */
	RemoteServer(ShmTopics topics, OwnTopics own, RemoteTopics remote, long lingerNanos) {
		this.topics = topics;
		this.own = own;
		this.remote = remote;
		this.lingerNanos = lingerNanos;
	}

	/** Takes over a connection. */
	void accepted(TopicConnection connection) {
		synchronized (this) {
			if (this.closed) {
				connection.close();
				return;
			}
			this.open.add(connection);
		}
		this.topics.thread("remote", () -> run(connection)).start();
	}

	/** Notifies connections that wait for a topic. */
	synchronized void created() {
		notifyAll();
	}

	private void run(TopicConnection connection) {
		try {
			ByteBuffer first = connection.receive(RemoteProtocol.PATIENCE_NANOS);
			if (first != null) {
				serve(connection, RemoteRequest.parse(first));
			}
		}
		catch (WireException ex) {
			String reason = WireException.printable(ex.text());
			// Each attempt comes from another port.
			this.warnings.warn("A subscriber of another host, %s, was refused: %s".formatted(connection.peer(), reason),
					reason);
			refuse(connection, ex.text());
		}
		catch (IOException ex) {
			logger.debug("The connection with {} ended: {}", connection.peer(), ex.toString());
		}
		catch (RuntimeException | OutOfMemoryError ex) {
			this.warnings.warn(
					"A subscriber of another host, %s, could not be attached: %s".formatted(connection.peer(), ex),
					ex.toString());
			refuse(connection, String.valueOf(ex.getMessage()));
		}
		finally {
			connection.close();
			synchronized (this) {
				this.open.remove(connection);
				notifyAll();
			}
		}
	}

	private static void refuse(TopicConnection connection, String reason) {
		try {
			connection.send(RemoteProtocol.refused(WireException.printable(reason)));
		}
		catch (IOException ex) {
			logger.debug("{} could not be notified: {}", connection.peer(), ex.toString());
		}
	}

	private void serve(TopicConnection connection, RemoteRequest first) throws IOException, WireException {
		RemoteRequest request = first;
		if (first.purpose() == RemoteRequest.Purpose.WHO) {
			connection.send(grant(0, 0, false, new Handshake.Start(0, 0)));
			ByteBuffer next = connection.receive(Long.MAX_VALUE);
			if (next == null) {
				return;
			}
			request = RemoteRequest.parse(next);
		}
		switch (request.purpose()) {
			case WHO -> throw new WireException(Refusal.MALFORMED, "the subscriber asks twice who this is");
			case CHECK -> {
				LogTopic<?> topic = await(connection, request);
				if (topic != null) {
					connection.send(grant(topic.settings().capacityBytes(), topic.epoch(), topic.drops(),
							new Handshake.Start(0, 0)));
					awaitEnd(connection);
				}
			}
			case COPY, COMPETE -> {
				LogTopic<?> topic = await(connection, request);
				if (topic != null) {
					send(connection, request, topic);
				}
			}
		}
	}

	private ByteBuffer grant(int capacity, long epoch, boolean drops, Handshake.Start start) {
		return new RemoteGrant(this.topics.instance(), this.topics.host(), this.topics.application(), capacity, epoch,
				drops, start)
			.bytes();
	}

	private static void awaitEnd(TopicConnection connection) throws IOException, WireException {
		if (connection.receive(Long.MAX_VALUE) != null) {
			throw new WireException(Refusal.MALFORMED, "the subscriber said more than it may");
		}
	}

	/** Waits until a topic is there; {@code null} if the other side has left. */
	private @Nullable LogTopic<?> await(TopicConnection connection, RemoteRequest request)
			throws IOException, WireException {
		LogTopic<?> found = find(request);
		if (found == null) {
			found = awaitCreated(connection, request);
		}
		if (found != null) {
			requireOffered(connection, found);
		}
		return found;
	}

	private @Nullable LogTopic<?> awaitCreated(TopicConnection connection, RemoteRequest request)
			throws IOException, WireException {
		AwaitedStreams.Waiting waiting = waits(request);
		try {
			synchronized (this) {
				LogTopic<?> found = find(request);
				while (found == null && !this.closed && connection.isOpen()) {
					pause(LOOK_MILLIS);
					found = find(request);
				}
				return found;
			}
		}
		finally {
			waiting.close();
		}
	}

	private AwaitedStreams.Waiting waits(RemoteRequest request) {
		return this.remote.isOffered(request.topic())
				? this.own.awaits(request.topic(), request.model(), request.application()) : () -> {
				};
	}

	private @Nullable LogTopic<?> find(RemoteRequest request) throws WireException {
		return this.own.find(request.topic(), request.model(), request.format(), request.subscriber(),
				request.application());
	}

	private void pause(long millis) throws IOException {
		try {
			TimeUnit.MILLISECONDS.timedWait(this, millis);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("interrupted", ex);
		}
	}

	private void requireOffered(TopicConnection connection, LogTopic<?> topic) throws WireException {
		String name = topic.settings().name();
		if (!this.remote.isOffered(name)) {
			throw new WireException(Refusal.SERVICE_REFUSES,
					"topic '%s' of '%s' is not for other hosts: set vicinal.topics.named.%s.other-hosts=true there"
						.formatted(name, this.topics.application(), name));
		}
		int longest = topic.settings().capacityBytes() / 2 + RemoteProtocol.MESSAGE_BYTES;
		if (longest > connection.maxBytes()) {
			throw new WireException(Refusal.TOO_LARGE,
					"a message of topic '%s' may have %d bytes, and the connection carries %d: set a smaller capacity of the topic, or a larger vicinal.tcp.max-frame-size on both sides"
						.formatted(name, longest, connection.maxBytes()));
		}
	}

	private void send(TopicConnection connection, RemoteRequest request, LogTopic<?> topic)
			throws IOException, WireException {
		synchronized (this) {
			this.sending++;
		}
		try {
			if (request.purpose() == RemoteRequest.Purpose.COPY) {
				copy(connection, request, topic);
			}
			else {
				compete(connection, request, topic);
			}
		}
		finally {
			synchronized (this) {
				this.sending--;
				notifyAll();
			}
		}
	}

	private void copy(TopicConnection connection, RemoteRequest request, LogTopic<?> topic)
			throws IOException, WireException {
		String name = name(connection, request);
		LogSender sender = new LogSender(connection, topic.require(), topic.drops(), pair(1), this.topics,
				new RemoteLink(name));
		CopyingHost host = new CopyingHost(topic, sender, request, connection);
		AttachedSubscriber subscriber = sender.subscriber(name, WireException.printable(request.application()));
		try {
			topic.attach(subscriber, request.resume());
			replaceWith(host);
			connection.send(grant(topic.settings().capacityBytes(), topic.epoch(), topic.drops(),
					new Handshake.Start(subscriber.startPosition(), subscriber.startSequence())));
			boolean resumed = request.resume().isFor(topic.epoch())
					&& request.resume().position() == subscriber.startPosition();
			if (!sender.serve(resumed ? request.from() : subscriber.startPosition())) {
				linger(host);
			}
		}
		finally {
			synchronized (this) {
				this.hosts.remove(host);
			}
			topic.detach(subscriber);
			this.topics.files().ended(subscriber.pair().bytes());
		}
	}

	private static String name(TopicConnection connection, RemoteRequest request) {
		return "%s at %s".formatted(WireException.printable(request.subscriber()), connection.peer());
	}

	/** A page of which no other process knows. */
	private PairMemory pair(int threads) throws IOException {
		String name = Segment.newName();
		PairMemory pair = PairMemory.create(this.topics.files(), name, threads, 1);
		Files.deleteIfExists(this.topics.directory().resolve(name));
		return pair;
	}

	/** A host has one place: that of a connection that broke is taken over. */
	private void replaceWith(CopyingHost host) {
		List<CopyingHost> replaced = new ArrayList<>();
		synchronized (this) {
			for (CopyingHost other : this.hosts) {
				if (other.isReplacedBy(host)) {
					other.replaced = true;
					replaced.add(other);
				}
			}
			this.hosts.add(host);
			notifyAll();
		}
		replaced.forEach((other) -> other.connection.close());
	}

	private synchronized void linger(CopyingHost host) throws IOException {
		host.lingers = true;
		long deadline = System.nanoTime() + this.lingerNanos;
		long left = this.lingerNanos;
		while (!host.replaced && !this.closed && !host.sender.isEnded() && left > 0) {
			pause(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
			left = deadline - System.nanoTime();
		}
	}

	private void compete(TopicConnection connection, RemoteRequest request, LogTopic<?> topic)
			throws IOException, WireException {
		String name = name(connection, request);
		StreamSender sender = new StreamSender(connection, topic.require(), topic.drops(), pair(request.slots()),
				this.topics, new RemoteLink(name), topic::overwritten);
		AttachedSubscriber subscriber = sender.subscriber(name, WireException.printable(request.application()));
		try {
			topic.attach(subscriber, Resume.NONE);
			connection.send(grant(topic.settings().capacityBytes(), topic.epoch(), topic.drops(),
					new Handshake.Start(subscriber.startPosition(), subscriber.startSequence())));
			sender.serve();
		}
		finally {
			topic.detach(subscriber);
			this.topics.files().ended(subscriber.pair().bytes());
		}
	}

	/** Ends all connections, once what was published is sent. The topics are closed. */
	void close() {
		List<TopicConnection> rest;
		synchronized (this) {
			this.closed = true;
			notifyAll();
			awaitSent();
			rest = List.copyOf(this.open);
		}
		rest.forEach(TopicConnection::close);
	}

	private void awaitSent() {
		long deadline = System.nanoTime() + CLOSE_NANOS;
		try {
			long left = CLOSE_NANOS;
			while (this.sending > 0 && left > 0) {
				TimeUnit.NANOSECONDS.timedWait(this, left);
				left = deadline - System.nanoTime();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** A host that has a copy of a log. */
	private static final class CopyingHost {

		private final LogTopic<?> topic;

		private final LogSender sender;

		private final String host;

		private final String instance;

		private final TopicConnection connection;

		/** The connection broke. Guarded by the server, as what follows. */
		private boolean lingers;

		private boolean replaced;

		CopyingHost(LogTopic<?> topic, LogSender sender, RemoteRequest request, TopicConnection connection) {
			this.topic = topic;
			this.sender = sender;
			this.host = request.host();
			this.instance = request.instance();
			this.connection = connection;
		}

		/** A process that connects again may know before this side that it has to. */
		boolean isReplacedBy(CopyingHost other) {
			return this.topic == other.topic && this.host.equals(other.host)
					&& (this.lingers || this.instance.equals(other.instance));
		}

	}

}
