package io.github.vicinal.chronicle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.topic.DurableTopics;
import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.MessageCodec;
import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.ReplayFrom;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.SubscriptionReport;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicReport;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.TopicWatcher;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.topic.TopicsUnavailableException;
import io.github.vicinal.topic.WhenFull;
import io.github.vicinal.topic.observation.TopicObservations;
import io.github.vicinal.transport.wire.DaemonThread;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Durable topics on Chronicle Queue, between the processes of one user on one host.
 * Publishers append a message and then ring the bell of subscribers that may be asleep,
 * which is an ephemeral topic. Costs nothing before the first topic or subscription.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class ChronicleTopics implements DurableTopics {

	/** Ending of the name of the topic in memory that wakes subscribers. */
	private static final String BELL = ".bell";

	private static final Logger logger = LoggerFactory.getLogger(ChronicleTopics.class);

	private static final int BELL_BYTES = 64 << 10;

	private static final byte[] RING = {};

	private static final long MAINTENANCE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final PeerIdentity identity;

	private final String application;

	private final Path root;

	private final JsonMapper mapper;

	private final Topics bells;

	private final ChronicleOptions options;

	private final TopicObservations observations;

	private final List<TopicWatcher> watchers;

	private final TopicGrants grants;

	private final Map<String, OpenTopic> open = new ConcurrentHashMap<>();

	/** Class loader of the application, whose thread creates its topics. */
	private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

	private final Map<String, ChronicleTopic<?>> published = new ConcurrentHashMap<>();

	private final List<ChronicleSubscription<?>> subscriptions = new CopyOnWriteArrayList<>();

	/** Guarded by this. */
	private @Nullable Alive alive;

	/** Guarded by this. */
	private @Nullable Thread maintenance;

	private volatile boolean closed;

	/**
	 * Creates the durable topics of an application.
	 * @param identity this instance
	 * @param application its name, for people
	 * @param directory where the topics are, on a local volume
	 * @param mapper writes and reads payloads that are neither bytes nor text
	 * @param bells ephemeral topics, which wake subscribers; not closed here
	 * @param options how topics are kept
	 * @throws MissingJvmFlagsException if Chronicle Queue cannot start in this JVM
	 */
	public ChronicleTopics(PeerIdentity identity, String application, Path directory, JsonMapper mapper, Topics bells,
			ChronicleOptions options) {
		this(identity, application, directory, mapper, bells, options, TopicObservations.none(), List.of(),
				TopicGrants.all());
	}

	/**
	 * Creates the durable topics of an application.
	 * @param identity this instance
	 * @param application its name, for people
	 * @param directory where the topics are, on a local volume
	 * @param mapper writes and reads payloads that are neither bytes nor text
	 * @param bells ephemeral topics, which wake subscribers; not closed here
	 * @param options how topics are kept
	 * @param observations observes what is published and handled
	 * @param watchers notified of topics and subscriptions
	 * @param grants permissions to publish and subscribe
	 * @throws MissingJvmFlagsException if Chronicle Queue cannot start in this JVM
	 */
	public ChronicleTopics(PeerIdentity identity, String application, Path directory, JsonMapper mapper, Topics bells,
			ChronicleOptions options, TopicObservations observations, List<TopicWatcher> watchers, TopicGrants grants) {
		JvmFlags.require(JvmFlags.Use.TOPICS);
		this.identity = identity;
		this.application = application;
		this.root = directory.toAbsolutePath();
		this.mapper = mapper;
		this.bells = bells;
		this.options = options;
		this.observations = observations;
		this.watchers = List.copyOf(watchers);
		this.grants = grants;
	}

	@Override
	@SuppressWarnings("unchecked") // equal settings have equal types
	public synchronized <T> Topic<T> topic(TopicSettings<T> settings) {
		this.grants.requirePublisher(settings.name(), this.application);
		ChronicleTopic<?> known = this.published.get(settings.name());
		if (known != null) {
			if (!known.settings().equals(settings)) {
				throw new TopicException(
						"This application publishes topic '%s' with other settings: %s, not %s: let all use the same"
							.formatted(settings.name(), known.settings(), settings));
			}
			return (Topic<T>) known;
		}
		OpenTopic opened = open(settings, codec(settings).format());
		opened.log().requireReadable();
		ChronicleTopic.Bell bell = ringing(settings);
		ChronicleTopic<T> made = new ChronicleTopic<>(settings, codec(settings), opened,
				String.valueOf(this.identity.instanceId()), this.options, this.observations, bell, this::closed);
		this.published.put(settings.name(), made);
		this.watchers.forEach((watcher) -> watcher.opened(made));
		return made;
	}

	private ChronicleTopic.Bell ringing(TopicSettings<?> settings) {
		try {
			return new TopicBell(this.bells.topic(bell(settings)));
		}
		catch (TopicsUnavailableException | IllegalStateException ex) {
			logger.warn(
					"Subscribers of the durable topic '{}' look for messages ten times a second, as there are no bells: {}",
					settings.name(), ex.getMessage());
			return ChronicleTopic.Bell.NONE;
		}
	}

	private void closed(ChronicleTopic<?> topic) {
		this.published.remove(topic.settings().name(), topic);
		this.watchers.forEach((watcher) -> watcher.closed(topic));
	}

	@Override
	public <T> Subscription subscribe(TopicSettings<T> settings, SubscriberSettings subscriber,
			MessageHandler<T> handler) {
		this.grants.requireSubscriber(settings.name(), this.application);
		OpenTopic opened = open(settings);
		boolean stream = settings.model() == TopicModel.STREAM;
		Alive living = alive();
		return start(settings, opened, subscriber, handler, stream ? subscriber.concurrency() : 1,
				() -> stream ? Source.stream(opened) : Source.consumer(opened, subscriber.name(), living));
	}

	@Override
	public <T> Subscription replay(TopicSettings<T> settings, SubscriberSettings subscriber, ReplayFrom from,
			MessageHandler<T> handler) {
		this.grants.requireSubscriber(settings.name(), this.application);
		OpenTopic opened = open(settings);
		return start(settings, opened, subscriber, handler, 1, () -> Source.replay(opened, opened.before(from)));
	}

	private synchronized <T> Subscription start(TopicSettings<T> settings, OpenTopic opened,
			SubscriberSettings subscriber, MessageHandler<T> handler, int threads, Supplier<Source> sources) {
		requireOpen();
		ChronicleSubscription<T> made = new ChronicleSubscription<>(settings, subscriber,
				this.observations.observe(subscriber.name(), handler), codec(settings),
				this.root.resolve(settings.name()), opened, threads, sources, this::ended);
		this.subscriptions.add(made);
		this.watchers.forEach((watcher) -> watcher.opened(made));
		made.start((bell) -> bell(settings, subscriber.name(), bell),
				(task) -> thread(settings.name() + "-durable", task));
		return made;
	}

	private <T> @Nullable Subscription bell(TopicSettings<T> settings, String name, Runnable bell) {
		try {
			return this.bells.subscribe(bell(settings), SubscriberSettings.of(name), new Rung(bell));
		}
		catch (TopicsUnavailableException | IllegalStateException ex) {
			logger.warn(
					"Subscriber '{}' of the durable topic '{}' looks for messages ten times a second, as there are no bells: {}",
					name, settings.name(), ex.getMessage());
			return null;
		}
	}

	private static TopicSettings<byte[]> bell(TopicSettings<?> settings) {
		return TopicSettings.of(settings.name() + BELL, TopicModel.PUB_SUB, byte[].class)
			.withCapacity(BELL_BYTES)
			.whenFull(WhenFull.DROP_OLDEST, Duration.ZERO);
	}

	@Override
	public boolean isBell(String topic) {
		return topic.endsWith(BELL) && this.open.containsKey(topic.substring(0, topic.length() - BELL.length()));
	}

	private void ended(ChronicleSubscription<?> subscription) {
		this.subscriptions.remove(subscription);
		this.watchers.forEach((watcher) -> watcher.closed(subscription));
	}

	private <T> MessageCodec<T> codec(TopicSettings<T> settings) {
		return MessageCodec.of(settings.type(), this.mapper);
	}

	/** Called with the lock of this. */
	private void requireOpen() {
		if (this.closed) {
			throw new IllegalStateException("The durable topics of this application are closed");
		}
	}

	/** Opens a topic to read from it. Bytes can be read whatever the payload is. */
	private OpenTopic open(TopicSettings<?> settings) {
		return open(settings, (settings.type() == byte[].class) ? null : codec(settings).format());
	}

	private synchronized OpenTopic open(TopicSettings<?> settings, @Nullable String payload) {
		requireOpen();
		Alive living = alive();
		OpenTopic before = this.open.get(settings.name());
		if (before != null) {
			// A directory that was deleted would be made anew, without what is open.
			before.requireInPlace();
		}
		TopicDirectory directory = TopicDirectory.open(this.root, settings.name(), new TopicDirectory.Declaration(
				this.application, settings.model().name(), payload, this.options.roll().name()), living.user());
		OpenTopic known = this.open.computeIfAbsent(settings.name(),
				(name) -> new OpenTopic(name, settings.model(), directory, this.options, living));
		if (this.maintenance == null) {
			this.maintenance = thread("maintenance", this::maintain);
			this.maintenance.start();
		}
		return known;
	}

	private synchronized Alive alive() {
		Alive living = this.alive;
		if (living == null) {
			Path directory = this.root.resolve(".alive");
			try {
				OwnDirectory.make(directory);
				living = Alive.open(directory);
			}
			catch (IOException ex) {
				throw new TopicException(
						"Durable topics cannot be used in %s, which must be a directory that this process may write to: %s"
							.formatted(this.root, ex),
						ex);
			}
			this.alive = living;
		}
		return living;
	}

	private void maintain() {
		Map<String, String> failures = new HashMap<>();
		while (!this.closed) {
			LockSupport.parkNanos(this, MAINTENANCE_NANOS);
			for (ChronicleTopic<?> topic : this.published.values()) {
				OpenTopic opened = this.open.get(topic.settings().name());
				try {
					if (opened != null && !this.closed) {
						opened.maintain();
						failures.remove(topic.settings().name());
					}
				}
				catch (IOException | RuntimeException ex) {
					if (!ex.toString().equals(failures.put(topic.settings().name(), ex.toString()))) {
						logger.warn("The durable topic '{}' cannot be maintained: {}", topic.settings().name(),
								ex.toString());
					}
				}
			}
		}
	}

	@Override
	public void seek(TopicSettings<?> settings, String consumer, ReplayFrom from) {
		open(settings).seek(consumer, from);
	}

	@Override
	public void keepFor(TopicSettings<?> settings, String consumer) {
		open(settings).keepFor(consumer);
	}

	@Override
	public void forget(TopicSettings<?> settings, String consumer) {
		open(settings).forget(consumer);
	}

	@Override
	public void forget(String topic, String consumer) {
		OpenTopic opened = this.open.get(topic);
		if (opened == null) {
			throw new TopicException("This application uses no durable topic '%s', only %s".formatted(topic,
					new TreeSet<>(this.open.keySet())));
		}
		opened.requireKnown(consumer);
		opened.forget(consumer);
	}

	@Override
	public List<StoredPosition> positions(TopicSettings<?> settings) {
		try {
			return open(settings).positions();
		}
		catch (IOException ex) {
			throw new TopicException(
					"The positions of the durable topic '%s' cannot be read: %s".formatted(settings.name(), ex), ex);
		}
	}

	@Override
	public Map<String, List<StoredPosition>> positions() {
		Map<String, List<StoredPosition>> positions = new TreeMap<>();
		this.open.forEach((name, opened) -> {
			try {
				positions.put(name, opened.positions());
			}
			catch (IOException | RuntimeException ex) {
				logger.warn("The positions of the durable topic '{}' cannot be read: {}", name, ex.toString());
			}
		});
		return positions;
	}

	@Override
	public List<TopicReport> topics() {
		return this.published.values().stream().map(ChronicleTopic::report).toList();
	}

	@Override
	public List<SubscriptionReport> subscriptions() {
		return this.subscriptions.stream().map(ChronicleSubscription::report).toList();
	}

	private Thread thread(String name, Runnable task) {
		Thread thread = DaemonThread.create("vicinal-topic-" + name, task);
		// Handlers run here.
		thread.setContextClassLoader(this.loader);
		return thread;
	}

	@Override
	public void close() {
		Thread maintaining;
		Alive living;
		synchronized (this) {
			this.closed = true;
			maintaining = this.maintenance;
			living = this.alive;
		}
		this.subscriptions.forEach(ChronicleSubscription::close);
		this.published.values().forEach(ChronicleTopic::close);
		LockSupport.unpark(maintaining);
		join(maintaining);
		this.open.values().forEach(OpenTopic::close);
		if (living != null) {
			living.close();
		}
	}

	private static void join(@Nullable Thread thread) {
		try {
			if (thread != null) {
				thread.join();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Rings by an ephemeral topic. */
	private record TopicBell(Topic<byte[]> topic) implements ChronicleTopic.Bell {

		@Override
		public boolean isHeard() {
			return !this.topic.report().subscribers().isEmpty();
		}

		/** Subscribers that are not woken look by themselves a little later. */
		@Override
		public void ring() {
			try {
				this.topic.publish(RING);
			}
			catch (RuntimeException ex) {
				logger.debug("The bell of a durable topic cannot be rung: {}", ex.toString());
			}
		}

	}

	/** Called for each ring. */
	private record Rung(Runnable bell) implements MessageHandler<byte[]> {

		@Override
		public void handle(Message<byte[]> message) {
			this.bell.run();
		}

		@Override
		public boolean isObserved() {
			return false;
		}

	}

}
