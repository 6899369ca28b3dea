package io.github.vicinal.transport.shm.topic;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.shm.bell.Bells;
import io.github.vicinal.transport.wire.PeerCheck;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.SocketFile;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Link between one subscription and one publisher: a thread that waits at their
 * connection for its end, and the threads that take messages. When the publisher ends,
 * these handle what it has published.
 */
final class PublisherLink<T> implements SubscriptionLink {

	private static final Logger logger = LoggerFactory.getLogger(PublisherLink.class);

	private final ShmSubscription<T> subscription;

	private final String instance;

	/** Position at which the subscription left off at this publisher. */
	private final Resume resume;

	private final ShmTopics topics;

	private final List<Thread> threads = new ArrayList<>();

	/** Guarded by this. */
	private final List<LogConsumer<T>> consumers = new ArrayList<>();

	private volatile @Nullable SocketChannel channel;

	private volatile @Nullable Bells bells;

	/** Used by the thread of the link. */
	private @Nullable Path logFile;

	private volatile String state = "connecting";

	/** Why this side left; whatever the connection says at its end is a consequence. */
	private volatile @Nullable String left;

	/** There are threads that take messages of the publisher. */
	private volatile boolean attached;

	private volatile boolean refused;

	/** Written before {@link #refused}. */
	private volatile long refusedAt;

	private volatile boolean closed;

	private final Thread thread;

	PublisherLink(ShmSubscription<T> subscription, String instance, ShmTopics topics) {
		this.subscription = subscription;
		this.instance = instance;
		this.resume = subscription.resume(instance);
		this.topics = topics;
		this.thread = topics.thread("link-" + subscription.topic(), this::run);
	}

	void start() {
		this.thread.start();
	}

	@Override
	public String state() {
		String reason = this.left;
		return (reason != null) ? "left: " + reason : this.state;
	}

	@Override
	public boolean isAttached() {
		return this.attached;
	}

	/** Returns whether the publisher is gone or does not want this subscriber. */
	boolean isOver() {
		return !this.thread.isAlive();
	}

	@Override
	public synchronized boolean isOwnThread() {
		return this.threads.contains(Thread.currentThread());
	}

	@Override
	public String publisher() {
		return this.instance;
	}

	/** Returns whether it is time to try again; at once if nothing was refused. */
	boolean mayRetry(long pauseNanos) {
		return !this.refused || System.nanoTime() - this.refusedAt > pauseNanos;
	}

	private void run() {
		Path directory = this.topics.directory();
		try (SocketChannel opened = SocketChannel.open(StandardProtocolFamily.UNIX)) {
			this.channel = opened;
			if (this.closed) {
				// The thread that closed the link may have seen no channel.
				return;
			}
			opened.connect(UnixDomainSocketAddress.of(SocketFile.of(directory, this.instance, SocketFile.TOPICS)));
			this.topics.peerCheck().check(opened);
			this.state = "waits for the publisher to publish this topic";
			request().send(opened);
			take(opened, directory);
		}
		catch (Handshake.RefusedException ex) {
			refused();
			this.state = "refused: " + ex.getMessage();
			this.subscription.warnings()
				.warn("Subscriber '%s' of topic '%s' was refused by publisher %s: %s"
					.formatted(this.subscription.name(), this.subscription.topic(), this.instance, ex.getMessage()));
		}
		catch (WireException ex) {
			refused();
			this.left = ex.text();
			this.subscription.warnings()
				.warn("Subscriber '%s' of topic '%s' leaves publisher %s: %s".formatted(this.subscription.name(),
						this.subscription.topic(), this.instance, ex.text()));
		}
		catch (ConnectException | NoSuchFileException ex) {
			// Killed, and nobody has deleted its socket yet.
			refused();
			this.state = "gone";
		}
		catch (EOFException ex) {
			this.state = "gone";
		}
		catch (IOException | RuntimeException | OutOfMemoryError ex) {
			this.state = "gone: " + ex;
			if (!this.closed) {
				logger.debug("The connection with publisher {} ended: {}", this.instance, ex.toString());
			}
		}
		finally {
			finish();
		}
	}

	private void refused() {
		this.refusedAt = System.nanoTime();
		this.refused = true;
	}

	private Handshake.Request request() {
		return new Handshake.Request(this.subscription.topic(), this.subscription.model(),
				this.subscription.codec().format(), this.subscription.name(), this.topics.application(),
				this.subscription.threads(), this.subscription.held(), this.topics.bellKinds(),
				this.topics.takesOthers(this.subscription.topic()), this.resume);
	}

	private void take(SocketChannel opened, Path directory)
			throws IOException, WireException, Handshake.RefusedException {
		Handshake.Grant grant = Handshake.Grant.parse(require(Handshake.receive(opened)));
		this.topics.requirePublisher(this.subscription.topic(), grant.application());
		boolean stream = this.subscription.model() == TopicModel.STREAM;
		Path file = ShmTopics.logFile(directory, this.instance, grant.log());
		this.logFile = file;
		TopicLog log = TopicLog.map(file, grant.capacity(), grant.epoch(), !stream);
		PairMemory pair = PairMemory.adopt(directory, grant.pair(), this.subscription.threads(),
				this.subscription.held());
		Bells made = bells(grant, pair, directory);
		this.bells = made;
		Handshake.sendReady(opened);
		Handshake.Start start = Handshake.Start.parse(require(Handshake.receive(opened)));
		startConsumers(log, pair, made, resumed(grant, start), stream, grant);
		this.attached = true;
		this.state = "attached (%s, bells: %s)".formatted(WireException.printable(grant.application()), grant.bells());
		if (Handshake.receive(opened) != null) {
			throw new WireException(Refusal.MALFORMED, "the publisher said more than it may");
		}
	}

	/** Goes on where the subscription left off, or counts what it has missed. */
	private Handshake.Start resumed(Handshake.Grant grant, Handshake.Start start) {
		if (!this.resume.isFor(grant.epoch())) {
			return start;
		}
		if (start.position() == this.resume.position()) {
			return new Handshake.Start(start.position(), this.resume.sequence());
		}
		if (start.sequence() > this.resume.sequence()) {
			this.subscription.dropped(start.sequence() - this.resume.sequence());
		}
		return start;
	}

	private static byte[] require(byte @Nullable [] message) throws EOFException {
		if (message == null) {
			throw new EOFException("the publisher has closed");
		}
		return message;
	}

	private Bells bells(Handshake.Grant grant, PairMemory pair, Path directory) throws IOException, WireException {
		if (!this.topics.bellKinds().contains(grant.bells())) {
			throw new WireException(Refusal.MALFORMED, "bells of a kind that was not offered");
		}
		PeerCheck check = this.topics.peerCheck();
		BellSupport support = this.topics.bells();
		if (grant.bells().equals(BellSupport.FUTEX)) {
			return support.futex(pair.words());
		}
		Consumer<Throwable> onFailure = (cause) -> disconnect("its bells failed: " + cause);
		return (pair.threads() == 1) ? support.connectSleeper(directory, grant.place(), check, onFailure)
				: support.connect(directory, grant.place(), pair.threads(), check, onFailure);
	}

	private synchronized void startConsumers(TopicLog log, PairMemory pair, Bells made, Handshake.Start start,
			boolean stream, Handshake.Grant grant) {
		if (this.closed) {
			return;
		}
		for (int i = 0; i < pair.threads(); i++) {
			LogConsumer<T> consumer = new LogConsumer<>(this.subscription, this.instance, log, pair, made, i, stream,
					grant, start);
			this.consumers.add(consumer);
			Thread running = this.topics.thread(this.subscription.topic() + "-" + i, consumer);
			this.threads.add(running);
			running.start();
		}
	}

	/** The publisher is gone, or this side leaves it. */
	private void finish() {
		List<Thread> running;
		synchronized (this) {
			this.consumers.forEach((consumer) -> {
				if (this.closed) {
					consumer.close();
				}
				else {
					consumer.end();
				}
			});
			running = List.copyOf(this.threads);
		}
		boolean interrupted = false;
		for (Thread each : running) {
			interrupted |= joinFully(each);
		}
		this.attached = false;
		Bells made = this.bells;
		if (made != null) {
			made.close();
		}
		deleteLog();
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/** A publisher that was killed has left its file. */
	private void deleteLog() {
		Path file = this.logFile;
		Path socket = SocketFile.of(this.topics.directory(), this.instance, SocketFile.TOPICS);
		try {
			if (file != null && SocketFile.isDead(socket, Set.of())) {
				Files.deleteIfExists(file);
				Files.deleteIfExists(socket);
			}
		}
		catch (IOException ex) {
			// The next process that starts deletes it.
		}
	}

	private static boolean joinFully(Thread each) {
		boolean interrupted = false;
		while (each.isAlive()) {
			try {
				each.join();
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		return interrupted;
	}

	/** Leaves a publisher that is not to be trusted; it is tried again after a pause. */
	void leave(String reason) {
		refused();
		disconnect(reason);
	}

	/** Ends the connection; what was published is handled. */
	private void disconnect(String reason) {
		this.left = reason;
		closeChannel();
	}

	@Override
	public void close() {
		this.closed = true;
		synchronized (this) {
			this.consumers.forEach(LogConsumer::close);
		}
		// Last: the publisher takes the end of the connection for the end of all threads.
		if (Thread.currentThread() != this.thread) {
			awaitConsumers();
		}
		closeChannel();
	}

	private void awaitConsumers() {
		List<Thread> running;
		synchronized (this) {
			running = List.copyOf(this.threads);
		}
		for (Thread each : running) {
			// A handler may close its own subscription.
			if (each != Thread.currentThread() && joinFully(each)) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public void awaitEnd() {
		if (this.thread.getState() != Thread.State.NEW && !this.threads.contains(Thread.currentThread())
				&& joinFully(this.thread)) {
			Thread.currentThread().interrupt();
		}
	}

	private void closeChannel() {
		SocketChannel open = this.channel;
		try {
			if (open != null) {
				open.close();
			}
		}
		catch (IOException ex) {
			// Closed all the same.
		}
	}

}
