package io.github.vicinal.transport.shm.topic;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.vicinal.path.PathKind;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.topic.MessageCodec;
import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.SubscriptionReport;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.TopicReport;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.TopicWatcher;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.topic.TopicsUnavailableException;
import io.github.vicinal.topic.observation.TopicObservations;
import io.github.vicinal.topic.remote.RemoteTopics;
import io.github.vicinal.topic.remote.TopicCarrier;
import io.github.vicinal.transport.shm.MemoryDirectory;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.shm.bell.SocketBells;
import io.github.vicinal.transport.shm.lane.MemoryFiles;
import io.github.vicinal.transport.shm.lane.Segment;
import io.github.vicinal.transport.wire.LocalListener;
import io.github.vicinal.transport.wire.PeerCheck;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.SocketFile;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Topics between the processes of one user on one host, over shared memory, and between
 * hosts where that is configured. Costs nothing before the first topic or subscription.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class ShmTopics implements Topics {

	private static final Logger logger = LoggerFactory.getLogger(ShmTopics.class);

	private static final SecureRandom RANDOM = new SecureRandom();

	private static final PathKind KIND = new PathKind("topic", 0, PathKind.Reach.SAME_HOST);

	private static final Pattern LOG = Pattern.compile("([0-9a-f]{32})-[0-9a-f]{16}\\.log");

	private static final Pattern PUBLISHER = Pattern.compile("([0-9a-f]{32})\\.pub");

	/** Interval between two looks for publishers; one look is one system call mostly. */
	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	/** Interval between two looks whether what others find in the directory is there. */
	private static final long KEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** The time of a directory's change may be that much older than the change. */
	private static final long COARSE_MILLIS = 100;

	/**
	 * Time for which another host whose connection broke keeps its place in a topic; as
	 * long as a publisher waits for room by default.
	 */
	private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(5);

	/** Interval between attempts to attach to a publisher that has refused. */
	private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(2);

	private final PeerIdentity identity;

	private final String application;

	private final Rendezvous rendezvous;

	private final JsonMapper mapper;

	private final TopicObservations observations;

	private final List<TopicWatcher> watchers;

	private final TopicGrants grants;

	private final BellSupport bells;

	private final Set<String> bellKinds;

	private final Map<String, LogTopic<?>> published = new ConcurrentHashMap<>();

	private final List<ShmSubscription<?>> subscriptions = new CopyOnWriteArrayList<>();

	private final OwnTopics own;

	private final TopicServer server;

	private final RemoteTopics remote;

	private final RemoteServer remoteServer;

	private final RemoteDiscovery remoteDiscovery;

	private final LocalListener listener;

	private final MemoryFiles files;

	private final @Nullable PeerCheck peerCheck;

	private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

	/** Guarded by this. */
	private @Nullable Thread discovery;

	/** Whether there is a subscription that has not looked for publishers yet. */
	private final AtomicBoolean added = new AtomicBoolean();

	/** Whether other hosts can connect. Guarded by this. */
	private boolean servesOthers;

	private volatile boolean closed;

	/**
	 * Creates the topics of an application.
	 * @param identity this instance
	 * @param application its name, for people
	 * @param rendezvous where processes find each other
	 * @param mapper writes and reads payloads that are neither bytes nor text
	 */
	public ShmTopics(PeerIdentity identity, String application, Rendezvous rendezvous, JsonMapper mapper) {
		this(identity, application, rendezvous, mapper, TopicObservations.none(), List.of());
	}

	/**
	 * Creates the topics of an application.
	 * @param identity this instance
	 * @param application its name, for people
	 * @param rendezvous where processes find each other
	 * @param mapper writes and reads payloads that are neither bytes nor text
	 * @param observations observes what is published and handled
	 * @param watchers notified of topics and subscriptions
	 */
	public ShmTopics(PeerIdentity identity, String application, Rendezvous rendezvous, JsonMapper mapper,
			TopicObservations observations, List<TopicWatcher> watchers) {
		this(identity, application, rendezvous, mapper, observations, watchers, TopicGrants.all());
	}

	/**
	 * Creates the topics of an application.
	 * @param identity this instance
	 * @param application its name, by which it has grants
	 * @param rendezvous where processes find each other
	 * @param mapper writes and reads payloads that are neither bytes nor text
	 * @param observations observes what is published and handled
	 * @param watchers notified of topics and subscriptions
	 * @param grants permissions to publish and subscribe
	 */
	public ShmTopics(PeerIdentity identity, String application, Rendezvous rendezvous, JsonMapper mapper,
			TopicObservations observations, List<TopicWatcher> watchers, TopicGrants grants) {
		this(identity, application, rendezvous, mapper, observations, watchers, grants, RemoteTopics.none());
	}

	/**
	 * Creates the topics of an application, some of which reach other hosts.
	 * @param identity this instance
	 * @param application its name, by which it has grants
	 * @param rendezvous where processes find each other
	 * @param mapper writes and reads payloads that are neither bytes nor text
	 * @param observations observes what is published and handled
	 * @param watchers notified of topics and subscriptions
	 * @param grants permissions to publish and subscribe
	 * @param remote which topics other hosts take part in
	 */
	public ShmTopics(PeerIdentity identity, String application, Rendezvous rendezvous, JsonMapper mapper,
			TopicObservations observations, List<TopicWatcher> watchers, TopicGrants grants, RemoteTopics remote) {
		this(identity, application, rendezvous, mapper, observations, watchers, grants, remote, LINGER_NANOS,
				BellSupport.detect());
	}

	ShmTopics(PeerIdentity identity, String application, Rendezvous rendezvous, JsonMapper mapper,
			TopicObservations observations, List<TopicWatcher> watchers, TopicGrants grants, RemoteTopics remote,
			long lingerNanos, BellSupport bells) {
		this.identity = identity;
		this.application = application;
		this.rendezvous = rendezvous;
		this.mapper = mapper;
		this.observations = observations;
		this.watchers = List.copyOf(watchers);
		this.grants = grants;
		this.bells = bells;
		this.remote = remote;
		this.own = new OwnTopics(this.published, grants, application);
		this.server = new TopicServer(this, this.own);
		this.remoteServer = new RemoteServer(this, this.own, remote, lingerNanos);
		this.remoteDiscovery = new RemoteDiscovery(this, remote, this.subscriptions);
		this.bellKinds = bells.kinds().contains(BellSupport.FUTEX) ? Set.of(BellSupport.FUTEX, SocketBells.KIND)
				: Set.of(SocketBells.KIND);
		this.files = new MemoryFiles(rendezvous.directory().orElse(Path.of("")), rendezvous::look);
		this.peerCheck = rendezvous.directory().isPresent() ? PeerCheck.sameUser(rendezvous) : null;
		this.listener = new LocalListener(KIND, identity, SocketFile.TOPICS, rendezvous, new Publishers(),
				LocalListener.plainThreads(), this.peerCheck, logger);
	}

	@Override
	@SuppressWarnings("unchecked") // equal settings have equal types
	public synchronized <T> Topic<T> topic(TopicSettings<T> settings) {
		requireUsable();
		this.grants.requirePublisher(settings.name(), this.application);
		LogTopic<?> known = this.published.get(settings.name());
		if (known != null) {
			if (!known.settings().equals(settings)) {
				throw new TopicException(
						"This application publishes topic '%s' with other settings: %s, not %s: let all use the same"
							.formatted(settings.name(), known.settings(), settings));
			}
			return (Topic<T>) known;
		}
		this.listener.start();
		this.listener.unavailable().ifPresent((reason) -> {
			throw new TopicsUnavailableException("Topics cannot be used: " + reason);
		});
		serveOthers(settings.name());
		String file = "%s-%s.log".formatted(this.identity.instanceId(), HexFormat.of().toHexDigits(RANDOM.nextLong()));
		LogTopic<T> made = new LogTopic<>(settings, MessageCodec.of(settings.type(), this.mapper), this.files, file,
				this.observations, this::closed);
		this.published.put(settings.name(), made);
		this.watchers.forEach((watcher) -> watcher.opened(made));
		startDiscovery();
		this.server.created(settings.name());
		this.remoteServer.created();
		return made;
	}

	/** Called with the lock of this. */
	private void serveOthers(String topic) {
		if (this.servesOthers || !this.remote.isOffered(topic)) {
			return;
		}
		if (this.remote.carriers().isEmpty()) {
			throw new TopicsUnavailableException(
					"Topic \'%s\' is for other hosts by its properties, but nothing carries topics there: add vicinal-transport-tcp, and set vicinal.tcp.enabled=true and vicinal.tcp.ssl.bundle"
						.formatted(topic));
		}
		List<IOException> failures = new ArrayList<>();
		for (TopicCarrier carrier : this.remote.carriers()) {
			try {
				carrier.serve(this.remoteServer::accepted);
			}
			catch (IOException ex) {
				failures.add(ex);
			}
		}
		String reasons = failures.stream().map(Throwable::getMessage).collect(Collectors.joining("; "));
		if (failures.size() == this.remote.carriers().size()) {
			throw new TopicsUnavailableException(
					"Topic \'%s\' is for other hosts by its properties, but %s".formatted(topic, reasons),
					failures.get(0));
		}
		if (!failures.isEmpty()) {
			logger.warn("Topics do not reach other hosts in every way: {}", reasons);
		}
		this.servesOthers = true;
	}

	@Override
	public synchronized <T> Subscription subscribe(TopicSettings<T> settings, SubscriberSettings subscriber,
			MessageHandler<T> handler) {
		requireUsable();
		this.grants.requireSubscriber(settings.name(), this.application);
		ShmSubscription<T> made = new ShmSubscription<>(settings, subscriber,
				this.observations.observe(subscriber.name(), handler), MessageCodec.of(settings.type(), this.mapper),
				this.subscriptions::remove, this::ended, this::thread);
		this.watchers.forEach((watcher) -> watcher.opened(made));
		this.subscriptions.add(made);
		this.added.set(true);
		LockSupport.unpark(startDiscovery());
		if (!this.remote.publishers(settings.name()).isEmpty()) {
			this.remoteDiscovery.start();
		}
		return made;
	}

	/** Called with the lock of this. */
	private Thread startDiscovery() {
		Thread looking = this.discovery;
		if (looking == null) {
			looking = thread("discovery", this::discover);
			this.discovery = looking;
			looking.start();
		}
		return looking;
	}

	private void closed(LogTopic<?> topic) {
		this.published.remove(topic.settings().name(), topic);
		this.watchers.forEach((watcher) -> watcher.closed(topic));
	}

	private void ended(ShmSubscription<?> subscription) {
		this.watchers.forEach((watcher) -> watcher.closed(subscription));
	}

	private void requireUsable() {
		if (this.closed) {
			throw new IllegalStateException("The topics of this application are closed");
		}
		Path directory = this.rendezvous.directory().orElse(null);
		Optional<String> problem = (directory == null) ? this.rendezvous.unavailable()
				: this.rendezvous.look().or(() -> MemoryDirectory.unsuitable(directory));
		problem.ifPresent((reason) -> {
			throw new TopicsUnavailableException("Topics cannot be used: " + reason);
		});
	}

	@Override
	public List<TopicReport> topics() {
		return this.published.values().stream().map(LogTopic::report).toList();
	}

	@Override
	public List<SubscriptionReport> subscriptions() {
		return this.subscriptions.stream().map(this::report).toList();
	}

	private SubscriptionReport report(ShmSubscription<?> subscription) {
		SubscriptionReport report = subscription.report();
		Map<String, String> states = this.remoteDiscovery.states(report.topic());
		if (states.isEmpty()) {
			return report;
		}
		states.putAll(report.publishers());
		return new SubscriptionReport(report.topic(), report.subscriber(), report.handled(), report.failed(),
				report.redelivered(), report.dropped(), report.attached(), states);
	}

	@Override
	public Set<String> awaitedStreams() {
		return this.own.awaited();
	}

	private void discover() {
		long seen = 0;
		long kept = System.nanoTime();
		while (!this.closed) {
			if (System.nanoTime() - kept >= KEEP_NANOS) {
				keep();
				kept = System.nanoTime();
			}
			boolean lost = false;
			for (LogTopic<?> topic : this.published.values()) {
				lost |= topic.redeliverLost();
			}
			if (this.subscriptions.isEmpty()) {
				LockSupport.parkNanos(this, lost ? LOOK_NANOS : KEEP_NANOS);
				continue;
			}
			try {
				long changed = Files.getLastModifiedTime(directory(), LinkOption.NOFOLLOW_LINKS).toMillis();
				boolean settled = System.currentTimeMillis() - changed > COARSE_MILLIS;
				if (this.added.getAndSet(false) || changed != seen || anyOver()) {
					look();
					seen = settled ? changed : 0;
				}
			}
			catch (IOException | RuntimeException | OutOfMemoryError ex) {
				seen = 0;
				logger.debug("Publishers could not be looked for: {}", ex.toString());
			}
			LockSupport.parkNanos(this, LOOK_NANOS);
		}
	}

	/** Makes anew what was deleted with the directory. */
	private void keep() {
		if (!this.listener.isStarted() || this.listener.unavailable().isPresent()) {
			return;
		}
		for (LogTopic<?> topic : this.published.values()) {
			try {
				topic.keep(LOOK_NANOS);
			}
			catch (InterruptedException ex) {
				return;
			}
			catch (IOException | RuntimeException | OutOfMemoryError | InternalError ex) {
				logger.debug("The file of topic '{}' cannot be made again: {}", topic.settings().name(), ex.toString());
			}
		}
	}

	private boolean anyOver() {
		return this.subscriptions.stream()
			.anyMatch((subscription) -> subscription.links().values().stream().anyMatch(PublisherLink::isOver));
	}

	private void look() throws IOException {
		try (DirectoryStream<Path> sockets = Files.newDirectoryStream(directory(), "*" + SocketFile.TOPICS)) {
			for (Path socket : sockets) {
				Matcher matcher = PUBLISHER.matcher(String.valueOf(socket.getFileName()));
				if (matcher.matches()) {
					this.subscriptions.forEach((subscription) -> link(subscription, matcher.group(1)));
				}
			}
		}
		this.subscriptions.forEach((subscription) -> subscription.links()
			.values()
			.removeIf((link) -> link.isOver() && !Files
				.exists(SocketFile.of(directory(), link.publisher(), SocketFile.TOPICS), LinkOption.NOFOLLOW_LINKS)));
	}

	/**
	 * Links a subscription with a publisher, unless it is linked. Closing it may overlap:
	 * it closes the links that it finds, and here none is started that it has not found.
	 */
	<T> void link(ShmSubscription<T> subscription, String instance) {
		PublisherLink<T> known = subscription.links().get(instance);
		if (known != null && (!known.isOver() || !known.mayRetry(RETRY_NANOS))) {
			return;
		}
		PublisherLink<T> made = new PublisherLink<>(subscription, instance, this);
		subscription.links().put(instance, made);
		if (subscription.isClosed()) {
			subscription.links().remove(instance, made);
			return;
		}
		made.start();
	}

	/** Returns the file of a log, which must be one of the publisher's. */
	static Path logFile(Path directory, String instance, String name) throws WireException {
		Matcher matcher = LOG.matcher(name);
		if (!matcher.matches() || !matcher.group(1).equals(instance)) {
			throw new WireException(Refusal.MALFORMED, "that is not the name of a log of this publisher");
		}
		return directory.resolve(name);
	}

	String application() {
		return this.application;
	}

	/** Returns the instance id of this process. */
	String instance() {
		return this.identity.instanceId();
	}

	/** Returns the id of this host. */
	String host() {
		return this.rendezvous.hostId();
	}

	/** Returns whether a topic may have publishers on other hosts. */
	boolean takesOthers(String topic) {
		return !this.remote.publishers(topic).isEmpty();
	}

	/** Fails unless messages of an application may be taken. */
	void requirePublisher(String topic, String publisher) throws WireException {
		if (!this.grants.mayPublish(topic, publisher)) {
			throw new WireException(Refusal.SERVICE_REFUSES,
					"application '%s' may not publish to topic '%s': name it in vicinal.topics.named.%s.publishers of '%s'"
						.formatted(WireException.printable(publisher), topic, topic, this.application));
		}
	}

	BellSupport bells() {
		return this.bells;
	}

	Set<String> bellKinds() {
		return this.bellKinds;
	}

	MemoryFiles files() {
		return this.files;
	}

	Path directory() {
		return this.files.directory();
	}

	PeerCheck peerCheck() {
		PeerCheck check = this.peerCheck;
		if (check == null) {
			throw new IllegalStateException("there is no rendezvous directory");
		}
		return check;
	}

	Thread thread(String name, Runnable task) {
		Thread thread = new Thread(null, task, "vicinal-topic-" + name, 0, false);
		thread.setDaemon(true);
		thread.setContextClassLoader(this.loader);
		return thread;
	}

	@Override
	public void close() {
		this.closed = true;
		Thread looking;
		synchronized (this) {
			looking = this.discovery;
		}
		LockSupport.unpark(looking);
		this.subscriptions.forEach(ShmSubscription::close);
		this.remoteDiscovery.close();
		this.listener.stop();
		this.published.values().forEach(LogTopic::close);
		this.remoteServer.close();
		this.server.close();
		this.listener.awaitSweep();
		this.listener.remove();
	}

	/** Accepts connections to the socket of this process. */
	private final class Publishers implements LocalListener.Acceptor {

		@Override
		public Optional<String> unsuitable(Path directory) {
			return MemoryDirectory.unsuitable(directory);
		}

		@Override
		public int sweep(Path directory) throws IOException {
			int deleted = SocketFile.deleteStale(directory) + Segment.deleteOrphans(directory);
			Set<String> listening = SocketFile.listening();
			try (DirectoryStream<Path> logs = Files.newDirectoryStream(directory, "*.log")) {
				for (Path log : logs) {
					Matcher matcher = LOG.matcher(String.valueOf(log.getFileName()));
					if (matcher.matches() && SocketFile
						.isDead(SocketFile.of(directory, matcher.group(1), SocketFile.TOPICS), listening)) {
						Files.deleteIfExists(log);
						deleted++;
					}
				}
			}
			return deleted;
		}

		@Override
		public void accepted(SocketChannel channel) throws IOException {
			ShmTopics.this.server.accepted(channel);
		}

	}

}
