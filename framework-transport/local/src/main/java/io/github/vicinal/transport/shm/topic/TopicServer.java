package io.github.vicinal.transport.shm.topic;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.topic.WhenFull;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.shm.bell.Bells;
import io.github.vicinal.transport.shm.bell.SocketBells;
import io.github.vicinal.transport.shm.lane.Segment;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets subscribers take part in the topics of this process. A subscriber that comes
 * before its topic waits for it at its connection. Thread-safe.
 */
final class TopicServer {

	private static final Logger logger = LoggerFactory.getLogger(TopicServer.class);

	private static final long BELLS_NANOS = TimeUnit.SECONDS.toNanos(5);

	/** Time that connections have to delete their files when the server is closed. */
	private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(2);

	private final ShmTopics topics;

	/** Guarded by this. */
	private final List<Connection> waiting = new ArrayList<>();

	/** Guarded by this. */
	private final List<Connection> open = new ArrayList<>();

	/** Guarded by this. */
	private boolean closed;

	TopicServer(ShmTopics topics) {
		this.topics = topics;
	}

	/** Takes over a connection. */
	void accepted(SocketChannel channel) throws IOException {
		Connection connection = new Connection(channel);
		synchronized (this) {
			if (this.closed) {
				channel.close();
				return;
			}
			this.open.add(connection);
		}
		this.topics.thread("subscriber", connection::run).start();
	}

	/** Tells those who wait for a topic that it is there. */
	void created(String topic) {
		List<Connection> found = new ArrayList<>();
		synchronized (this) {
			for (Iterator<Connection> all = this.waiting.iterator(); all.hasNext();) {
				Connection connection = all.next();
				if (connection.waitsFor(topic)) {
					all.remove();
					found.add(connection);
				}
			}
		}
		found.forEach(Connection::grant);
	}

	/** Ends all connections, and waits until their files are deleted. */
	void close() {
		List<Connection> all;
		synchronized (this) {
			this.closed = true;
			all = List.copyOf(this.open);
		}
		all.forEach(Connection::close);
		awaitEnd();
	}

	private synchronized void awaitEnd() {
		long deadline = System.nanoTime() + CLOSE_NANOS;
		try {
			long left = CLOSE_NANOS;
			while (!this.open.isEmpty() && left > 0) {
				TimeUnit.NANOSECONDS.timedWait(this, left);
				left = deadline - System.nanoTime();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Returns the topic that a connection asks for, or has it wait. */
	private synchronized @Nullable LogTopic<?> find(Map<String, LogTopic<?>> known, Connection connection,
			String topic) {
		LogTopic<?> found = known.get(topic);
		if (found == null) {
			this.waiting.add(connection);
		}
		return found;
	}

	private synchronized void forget(Connection connection) {
		this.waiting.remove(connection);
	}

	private synchronized void ended(Connection connection) {
		this.open.remove(connection);
		notifyAll();
	}

	/** One subscriber. */
	private final class Connection {

		private final SocketChannel channel;

		private Handshake.@Nullable Request request;

		private volatile @Nullable LogTopic<?> topic;

		private volatile @Nullable AttachedSubscriber subscriber;

		private volatile @Nullable Bells bells;

		/** The file of the pair, until the subscriber has taken it. */
		private @Nullable Path pairFile;

		/** Guarded by this: one thread may grant while another sees the end. */
		private boolean ended;

		Connection(SocketChannel channel) {
			this.channel = channel;
		}

		boolean waitsFor(String name) {
			return this.request != null && this.request.topic().equals(name);
		}

		void run() {
			try {
				TopicServer.this.topics.peerCheck().check(this.channel);
				Handshake.Request asked = Handshake.Request.receive(this.channel);
				this.request = asked;
				LogTopic<?> found = find(TopicServer.this.topics.published(), this, asked.topic());
				if (found != null) {
					grant(found, asked);
				}
				if (Handshake.receive(this.channel) == null) {
					return;
				}
				ready();
				if (Handshake.receive(this.channel) != null) {
					throw new WireException(Refusal.MALFORMED, "the subscriber said more than it may");
				}
			}
			catch (WireException ex) {
				logger.warn("A subscriber was refused: {}", WireException.printable(ex.text()));
				refuse(ex.text());
			}
			catch (IOException ex) {
				logger.debug("The connection with a subscriber ended: {}", ex.toString());
			}
			catch (RuntimeException | OutOfMemoryError ex) {
				logger.warn("A subscriber could not be attached: {}", ex.toString());
				refuse(String.valueOf(ex.getMessage()));
			}
			finally {
				end();
			}
		}

		/** By the thread that has created the topic. */
		void grant() {
			LogTopic<?> found = (this.request != null) ? TopicServer.this.topics.published().get(this.request.topic())
					: null;
			try {
				if (found != null && this.request != null) {
					grant(found, this.request);
				}
			}
			catch (WireException ex) {
				logger.warn("A subscriber was refused: {}", WireException.printable(ex.text()));
				refuse(ex.text());
				close();
			}
			catch (IOException | RuntimeException | OutOfMemoryError ex) {
				logger.warn("A subscriber of topic '{}' could not be attached: {}", found, ex.toString());
				refuse(String.valueOf(ex.getMessage()));
				close();
			}
		}

		private synchronized void grant(LogTopic<?> found, Handshake.Request asked) throws IOException, WireException {
			if (this.ended) {
				return;
			}
			requireFit(found, asked);
			Path directory = TopicServer.this.topics.directory();
			TopicLog log = found.require();
			String name = Segment.newName();
			this.pairFile = directory.resolve(name);
			PairMemory pair = PairMemory.create(TopicServer.this.topics.files(), name, asked.threads());
			Bells made = bells(asked, pair, directory);
			this.bells = made;
			this.topic = found;
			this.subscriber = new AttachedSubscriber(WireException.printable(asked.subscriber()),
					WireException.printable(asked.application()), pair, made, this::close);
			new Handshake.Grant(found.fileName(), log.capacity(), found.epoch(), name, made.kind(),
					(made instanceof SocketBells sockets) ? sockets.socketName() : "",
					found.settings().whenFull() == WhenFull.DROP_OLDEST, TopicServer.this.topics.application())
				.send(this.channel);
		}

		private void requireFit(LogTopic<?> found, Handshake.Request asked) throws WireException {
			if (!TopicServer.this.topics.grants().maySubscribe(asked.topic(), asked.application())) {
				throw new WireException(Refusal.SERVICE_REFUSES,
						"application '%s' may not subscribe to topic '%s' of '%s': name it in vicinal.topics.named.%s.subscribers there"
							.formatted(asked.application(), asked.topic(), TopicServer.this.topics.application(),
									asked.topic()));
			}
			if (asked.model() != found.settings().model()) {
				throw new WireException(Refusal.SERVICE_REFUSES,
						"topic '%s' has the model %s at its publisher '%s', but %s at subscriber '%s' of '%s': let both name one model"
							.formatted(asked.topic(), found.settings().model(), TopicServer.this.topics.application(),
									asked.model(), asked.subscriber(), asked.application()));
			}
			if (!asked.format().equals(found.format())) {
				throw new WireException(Refusal.SERVICE_REFUSES,
						"messages of topic '%s' are %s at its publisher '%s', but %s at subscriber '%s' of '%s': let both name one type of payload"
							.formatted(asked.topic(), found.format(), TopicServer.this.topics.application(),
									asked.format(), asked.subscriber(), asked.application()));
			}
		}

		private Bells bells(Handshake.Request asked, PairMemory pair, Path directory)
				throws IOException, WireException {
			Set<String> kinds = TopicServer.this.topics.bellKinds();
			if (kinds.contains(BellSupport.FUTEX) && asked.bells().contains(BellSupport.FUTEX)) {
				return TopicServer.this.topics.bells().futex(pair.words());
			}
			if (!asked.bells().contains(SocketBells.KIND)) {
				throw new WireException(Refusal.MALFORMED, "there is no kind of bell that both sides can use");
			}
			return TopicServer.this.topics.bells()
				.listen(directory, pair.threads(), BELLS_NANOS, TopicServer.this.topics.peerCheck(),
						(cause) -> close());
		}

		private void ready() throws IOException, WireException {
			LogTopic<?> found = this.topic;
			AttachedSubscriber attached = this.subscriber;
			if (found == null || attached == null) {
				throw new WireException(Refusal.MALFORMED, "ready for a topic that was not granted");
			}
			if (this.bells instanceof SocketBells sockets && !sockets.awaitClient(BELLS_NANOS)) {
				throw new WireException(Refusal.STALLED, "the subscriber did not connect to the socket of the bells");
			}
			found.attach(attached);
			new Handshake.Start(attached.startPosition(), attached.startSequence()).send(this.channel);
		}

		private void refuse(String reason) {
			try {
				Handshake.refuse(this.channel, WireException.printable(reason));
			}
			catch (IOException ex) {
				logger.debug("A subscriber could not be told: {}", ex.toString());
			}
		}

		private void end() {
			try {
				forget(this);
				release();
			}
			finally {
				ended(this);
			}
		}

		private void release() {
			close();
			synchronized (this) {
				this.ended = true;
				delete(this.pairFile);
			}
			LogTopic<?> found = this.topic;
			AttachedSubscriber attached = this.subscriber;
			if (found != null && attached != null) {
				found.detach(attached);
				TopicServer.this.topics.files().ended(PairMemory.bytes(attached.pair().threads()));
			}
			Bells made = this.bells;
			if (made != null) {
				made.close();
			}
		}

		/** A subscriber that takes its page takes away the name. */
		private static void delete(@Nullable Path file) {
			try {
				if (file != null) {
					Files.deleteIfExists(file);
				}
			}
			catch (IOException ex) {
				// Whoever starts next deletes it.
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

	}

}
