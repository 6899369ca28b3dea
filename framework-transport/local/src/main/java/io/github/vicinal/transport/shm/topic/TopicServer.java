package io.github.vicinal.transport.shm.topic;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

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
 * Lets subscribers of this host take part in topics. A subscriber that comes before its
 * topic waits for it at its connection. Thread-safe.
 */
final class TopicServer {

	private static final Logger logger = LoggerFactory.getLogger(TopicServer.class);

	private static final long BELLS_NANOS = TimeUnit.SECONDS.toNanos(5);

	/** Time that connections have to delete their files when the server is closed. */
	private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(2);

	private final RepeatedWarnings warnings = new RepeatedWarnings(logger);

	private final ShmTopics topics;

	private final Catalogue catalogue;

	/** Guarded by this. */
	private final List<Connection> waiting = new ArrayList<>();

	/** Guarded by this. */
	private final List<Connection> open = new ArrayList<>();

	/** Guarded by this. */
	private boolean closed;

	TopicServer(ShmTopics topics, Catalogue catalogue) {
		this.topics = topics;
		this.catalogue = catalogue;
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

	/** Notifies the subscribers that wait for a topic that it exists. */
	void created(String topic) {
		List<Connection> found = new ArrayList<>();
		synchronized (this) {
			for (Iterator<Connection> all = this.waiting.iterator(); all.hasNext();) {
				Connection connection = all.next();
				if (connection.waitsFor(topic)) {
					all.remove();
					connection.found();
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

	/** Returns the log that a connection asks for, or has it wait. */
	private @Nullable ServedLog find(Connection connection, Handshake.Request asked) throws IOException, WireException {
		ServedLog found = this.catalogue.find(asked);
		if (found != null) {
			return found;
		}
		synchronized (this) {
			// It may have come meanwhile.
			ServedLog late = this.catalogue.find(asked);
			if (late == null) {
				this.waiting.add(connection);
				connection.waits(this.catalogue.awaits(asked));
			}
			return late;
		}
	}

	private synchronized void forget(Connection connection) {
		if (this.waiting.remove(connection)) {
			connection.found();
		}
	}

	private synchronized void ended(Connection connection) {
		this.open.remove(connection);
		notifyAll();
	}

	/** One subscriber. */
	private final class Connection {

		private final SocketChannel channel;

		private Handshake.@Nullable Request request;

		/** Guarded by the server. */
		private AwaitedStreams.@Nullable Waiting waiting;

		private volatile @Nullable ServedLog topic;

		/** The log that the subscriber maps. */
		private volatile @Nullable TopicLog log;

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

		/** Called with the lock of the server, as {@link #found()}. */
		void waits(AwaitedStreams.Waiting began) {
			this.waiting = began;
		}

		/** The topic is there, or the connection has ended. */
		void found() {
			AwaitedStreams.Waiting began = this.waiting;
			this.waiting = null;
			if (began != null) {
				began.close();
			}
		}

		void run() {
			try {
				TopicServer.this.topics.peerCheck().check(this.channel);
				Handshake.Request asked = Handshake.Request.receive(this.channel);
				this.request = asked;
				ServedLog found = find(this, asked);
				if (found != null && !grantOrRefuse(found, asked)) {
					return;
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
				TopicServer.this.warnings.warn("A subscriber was refused: " + WireException.printable(ex.text()));
				refuse(ex.text());
			}
			catch (IOException ex) {
				logger.debug("The connection with a subscriber ended: {}", ex.toString());
			}
			catch (RuntimeException | OutOfMemoryError ex) {
				TopicServer.this.warnings.warn("A subscriber could not be attached: " + ex);
				refuse(String.valueOf(ex.getMessage()));
			}
			finally {
				end();
			}
		}

		/** By the thread that has created the topic. */
		void grant() {
			Handshake.Request asked = this.request;
			if (asked == null) {
				return;
			}
			try {
				ServedLog found = TopicServer.this.catalogue.find(asked);
				if (found != null && !grantOrRefuse(found, asked)) {
					close();
				}
			}
			catch (WireException ex) {
				TopicServer.this.warnings.warn("A subscriber was refused: " + WireException.printable(ex.text()));
				refuse(ex.text());
				close();
			}
			catch (IOException | RuntimeException | OutOfMemoryError ex) {
				cannotBeAttached(asked, ex);
				close();
			}
		}

		/**
		 * Lets a subscriber take part. What this side lacks for it, such as memory, is a
		 * reason that the subscriber gets.
		 */
		private boolean grantOrRefuse(ServedLog found, Handshake.Request asked) throws WireException {
			try {
				grant(found, asked);
				return true;
			}
			catch (IOException | RuntimeException | OutOfMemoryError ex) {
				cannotBeAttached(asked, ex);
				return false;
			}
		}

		private void cannotBeAttached(Handshake.Request asked, Throwable why) {
			if (!this.channel.isOpen() || this.subscriber != null) {
				logger.debug("A subscriber left before it was attached: {}", why.toString());
				return;
			}
			TopicServer.this.warnings.warn("A subscriber of topic '%s' could not be attached: %s"
				.formatted(WireException.printable(asked.topic()), why));
			refuse(String.valueOf(why.getMessage()));
		}

		private synchronized void grant(ServedLog found, Handshake.Request asked) throws IOException, WireException {
			if (this.ended) {
				return;
			}
			Path directory = TopicServer.this.topics.directory();
			TopicLog log = found.require();
			String name = Segment.newName();
			this.pairFile = directory.resolve(name);
			PairMemory pair = PairMemory.create(TopicServer.this.topics.files(), name, asked.threads(), asked.batch());
			Bells made = bells(asked, pair, directory);
			this.bells = made;
			this.topic = found;
			this.log = log;
			this.subscriber = new AttachedSubscriber(WireException.printable(asked.subscriber()),
					WireException.printable(asked.application()), pair, made, this::close);
			new Handshake.Grant(found.fileName(), log.capacity(), found.epoch(), name, made.kind(),
					(made instanceof SocketBells sockets) ? sockets.socketName() : "", found.drops(),
					TopicServer.this.catalogue.application())
				.send(this.channel);
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
			ServedLog found = this.topic;
			AttachedSubscriber attached = this.subscriber;
			Handshake.Request asked = this.request;
			if (found == null || attached == null || asked == null) {
				throw new WireException(Refusal.MALFORMED, "ready for a topic that was not granted");
			}
			if (this.bells instanceof SocketBells sockets && !sockets.awaitClient(BELLS_NANOS)) {
				throw new WireException(Refusal.STALLED, "the subscriber did not connect to the socket of the bells");
			}
			found.attach(attached, asked.resume());
			if (found.require() != this.log) {
				throw new IOException("the log was made again while the subscriber came");
			}
			new Handshake.Start(attached.startPosition(), attached.startSequence()).send(this.channel);
		}

		private void refuse(String reason) {
			try {
				Handshake.refuse(this.channel, WireException.printable(reason));
			}
			catch (IOException ex) {
				logger.debug("A subscriber could not be notified: {}", ex.toString());
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
			ServedLog found = this.topic;
			AttachedSubscriber attached = this.subscriber;
			if (found != null && attached != null) {
				found.detach(attached);
				TopicServer.this.topics.files().ended(attached.pair().bytes());
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
				// The next process that starts deletes it.
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

	/** Topics that subscribers can ask for. Thread-safe. */
	interface Catalogue {

		/**
		 * Returns the log of a topic. May block if there is one.
		 * @return the log, {@code null} if the subscriber has to wait for it
		 * @throws WireException if the subscriber may not take part
		 * @throws IOException if the log cannot be had at present
		 */
		@Nullable ServedLog find(Handshake.Request request) throws IOException, WireException;

		/** Notes that a subscriber waits for a topic. Returns at once. */
		default AwaitedStreams.Waiting awaits(Handshake.Request request) {
			return () -> {
			};
		}

		/** Returns the name of the publishing application. */
		String application();

	}

}
