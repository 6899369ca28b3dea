package io.github.vicinal.transport.shm.topic;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.remote.RemoteTopics;
import io.github.vicinal.topic.remote.TopicCarrier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds publishing processes of other hosts, at the addresses that are configured.
 */
final class RemoteDiscovery implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(RemoteDiscovery.class);

	private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final String SCHEME = "://";

	private final ShmTopics topics;

	private final RemoteTopics remote;

	private final List<ShmSubscription<?>> subscriptions;

	private final Map<RemoteAddress, RemotePublisher> publishers = new ConcurrentHashMap<>();

	/** Topics that are copied, by where from. */
	private volatile Map<RemoteAddress, Set<String>> copied = Map.of();

	/** Hosts that configured addresses stood for the last time. Used by the thread. */
	private final Map<String, List<RemoteAddress>> resolved = new HashMap<>();

	/** Addresses that could not be resolved, and why. */
	private final Map<String, String> unresolved = new ConcurrentHashMap<>();

	/** Guarded by this. */
	private @Nullable Thread thread;

	private volatile boolean closed;

	RemoteDiscovery(ShmTopics topics, RemoteTopics remote, List<ShmSubscription<?>> subscriptions) {
		this.topics = topics;
		this.remote = remote;
		this.subscriptions = subscriptions;
	}

	/** Looks now, and from now on. */
	synchronized void start() {
		Thread looking = this.thread;
		if (looking == null && !this.closed) {
			looking = this.topics.thread("remote-discovery", this);
			this.thread = looking;
			looking.start();
		}
		LockSupport.unpark(looking);
	}

	@Override
	public void run() {
		while (!this.closed) {
			try {
				look();
			}
			catch (RuntimeException | OutOfMemoryError ex) {
				logger.warn("Publishers of other hosts could not be looked for", ex);
			}
			LockSupport.parkNanos(this, LOOK_NANOS);
		}
	}

	private void look() {
		Map<RemoteAddress, Set<String>> found = new HashMap<>();
		for (ShmSubscription<?> subscription : this.subscriptions) {
			Set<RemoteAddress> addresses = new HashSet<>();
			this.remote.publishers(subscription.topic()).forEach((address) -> addresses.addAll(resolve(address)));
			if (subscription.model() == TopicModel.STREAM) {
				compete(subscription, addresses);
			}
			else {
				addresses.forEach((address) -> found.computeIfAbsent(address, (key) -> new HashSet<>())
					.add(subscription.topic()));
			}
		}
		this.copied = found;
		found.keySet().forEach((address) -> this.publishers.computeIfAbsent(address, this::publisher));
		for (RemoteAddress known : List.copyOf(this.publishers.keySet())) {
			RemotePublisher publisher = this.publishers.get(known);
			if (publisher != null && !found.containsKey(known) && !publisher.isConnected()) {
				this.publishers.remove(known);
				publisher.close();
			}
		}
	}

	private RemotePublisher publisher(RemoteAddress address) {
		RemotePublisher made = new RemotePublisher(this.topics, address);
		made.start();
		return made;
	}

	private <T> void compete(ShmSubscription<T> subscription, Set<RemoteAddress> addresses) {
		for (RemoteAddress address : addresses) {
			if (!subscription.remotes().containsKey(address.toString())) {
				RemoteStream<T> made = new RemoteStream<>(subscription, address, this.topics);
				subscription.remotes().put(address.toString(), made);
				made.start();
				if (subscription.isClosed()) {
					made.close();
				}
			}
		}
		for (RemoteStream<T> known : List.copyOf(subscription.remotes().values())) {
			if (!addresses.contains(known.address()) && !known.isAttached()) {
				subscription.remotes().remove(known.address().toString());
				known.close();
			}
		}
	}

	private List<RemoteAddress> resolve(String configured) {
		try {
			int scheme = configured.indexOf(SCHEME);
			String kind = (scheme < 0) ? "" : configured.substring(0, scheme);
			String rest = (scheme < 0) ? configured : configured.substring(scheme + SCHEME.length());
			TopicCarrier carrier = carrier(kind);
			List<RemoteAddress> all = new ArrayList<>();
			carrier.resolve(rest).forEach((address) -> all.add(new RemoteAddress(carrier, address)));
			this.resolved.put(configured, all);
			this.unresolved.remove(configured);
			return all;
		}
		catch (IOException | RuntimeException ex) {
			String reason = String.valueOf(ex.getMessage());
			if (!reason.equals(this.unresolved.put(configured, reason))) {
				logger.warn("Publishers of topics at {} are not found: {}", configured, reason);
			}
			return this.resolved.getOrDefault(configured, List.of());
		}
	}

	private TopicCarrier carrier(String kind) throws IOException {
		return this.remote.carriers()
			.stream()
			.filter((carrier) -> kind.isEmpty() || carrier.kind().equals(kind))
			.findFirst()
			.orElseThrow(() -> new IOException(kind.equals("rdma")
					? "nothing carries topics over rdma: add vicinal-transport-rdma, and set vicinal.rdma.topic-ssl-bundle"
					: "nothing carries topics to other hosts%s: add vicinal-transport-tcp, and set vicinal.tcp.enabled=true and vicinal.tcp.ssl.bundle"
						.formatted(kind.isEmpty() ? "" : " over " + kind)));
	}

	/** Returns how the publishers of a topic are, by address. */
	Map<String, String> states(String topic) {
		Map<String, String> states = new TreeMap<>();
		this.copied.forEach((address, names) -> {
			RemotePublisher publisher = this.publishers.get(address);
			if (publisher != null && names.contains(topic)) {
				states.put(address.toString(), publisher.state());
			}
		});
		for (String configured : this.remote.publishers(topic)) {
			String reason = this.unresolved.get(configured);
			if (reason != null) {
				states.put(configured, "not found: " + reason);
			}
		}
		return states;
	}

	/** Ends, and lets other processes of this host take over. */
	void close() {
		this.closed = true;
		Thread looking;
		synchronized (this) {
			looking = this.thread;
		}
		if (looking != null) {
			LockSupport.unpark(looking);
			LogSender.joinFully(looking);
		}
		this.publishers.values().forEach(RemotePublisher::close);
	}

}
