package io.github.vicinal.channel;

import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.report.ChannelReport.MethodByHttp;
import io.github.vicinal.selection.PathSelector;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's use of one contract of one service. Thread-safe.
 * <p>
 * The first call to a peer goes over HTTP. Its answer announces the peer's paths, which
 * are then connected in the background; calls move over when the best of them is open,
 * and go on by the one that costs them least: see {@link PathSelector}. A path that fails
 * is left at once for the next best, and HTTP is always there. A peer is known by its
 * HTTP address, as a load balancer or a base URL names it.
 *
 * @since 0.1.0
 */
public final class Channel implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Channel.class);

	private static final int MAX_REASONS = 100;

	/** Minimum interval between sweeps over all peers. */
	private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** Number of sweeps without a use of its address after which a peer is forgotten. */
	private static final int MAX_IDLE_LOOKS = 300;

	/** The same where there are more than {@value #MANY_PEERS} peers. */
	private static final int MAX_IDLE_LOOKS_OF_MANY = 10;

	private static final int MANY_PEERS = 256;

	/** Maximum number of peers that are expected at a time. */
	private static final int MAX_EXPECTED = 1024;

	private final ChannelSettings settings;

	private final PathOrder order;

	private final Contract contract;

	private final Map<PathKind, PathProvider> providers = new TreeMap<>();

	private final Executor connector;

	private final Clock clock;

	private final Map<String, Peer> peers = new ConcurrentHashMap<>();

	/** Addresses of peers that are expected, and not known yet. */
	private final Set<String> expected = ConcurrentHashMap.newKeySet();

	private final Map<String, LongAdder> leftToHttp = new ConcurrentHashMap<>();

	private final LongAdder ignoredAnnouncements = new LongAdder();

	/** The same methods by structure, for peers that do not have the interface. */
	private volatile @Nullable Contract structural;

	/** Additions of the client to each call; never changed, only replaced. */
	private volatile Map<String, String> clientHeaders = Map.of();

	private volatile @Nullable Peer latest;

	private final AtomicLong nextLook = new AtomicLong(System.nanoTime() + LOOK_NANOS);

	/**
	 * Creates a channel.
	 * @param settings what is configured
	 * @param contract the contract
	 * @param providers the kinds of path that this application has
	 * @param connector runs attempts to connect
	 * @param clock dates the decisions that are reported
	 */
	public Channel(ChannelSettings settings, Contract contract, List<PathProvider> providers, Executor connector,
			Clock clock) {
		this.settings = settings;
		this.order = new PathOrder(settings.paths());
		this.contract = contract;
		for (PathProvider provider : providers) {
			this.providers.put(provider.kind(), provider);
		}
		this.connector = connector;
		this.clock = clock;
	}

	/**
	 * Returns what is configured.
	 * @return the settings
	 */
	public ChannelSettings settings() {
		return this.settings;
	}

	/**
	 * Returns the contract.
	 * @return the contract
	 */
	public Contract contract() {
		return this.contract;
	}

	/**
	 * Sets what stands for the contract at peers that do not have its interface.
	 * @param sameMethods a structural contract of the same methods, by the same indexes
	 */
	public void structural(Contract sameMethods) {
		this.structural = sameMethods;
	}

	/**
	 * Returns the contract of a hash.
	 * @param hash what a peer announced
	 * @return the contract itself or the one by structure, or {@code null} if the peer
	 * has another one
	 */
	@Nullable Contract agreed(String hash) {
		Contract byStructure = this.structural;
		if (this.contract.hash().equals(hash)) {
			return this.contract;
		}
		return (byStructure != null && byStructure.hash().equals(hash)) ? byStructure : null;
	}

	PathOrder order() {
		return this.order;
	}

	Executor connector() {
		return this.connector;
	}

	@Nullable PathProvider provider(PathKind kind) {
		return this.providers.get(kind);
	}

	/** Returns all kinds that are configured or provided, nearest first. */
	Collection<PathKind> kinds() {
		Collection<PathKind> kinds = new TreeSet<>(this.settings.paths());
		kinds.addAll(this.providers.keySet());
		return kinds;
	}

	Instant now() {
		return this.clock.instant().truncatedTo(ChronoUnit.MILLIS);
	}

	/**
	 * Sets what the client adds to each call.
	 * @param headers values by lower-case names; several values are separated by line
	 * feeds
	 */
	public void clientHeaders(Map<String, String> headers) {
		this.clientHeaders = Map.copyOf(headers);
		this.peers.values().forEach(Peer::renewFrameHeaders);
	}

	Map<String, String> clientHeaders() {
		return this.clientHeaders;
	}

	/**
	 * Notes that a call went over HTTP although a better path was open, because that path
	 * cannot carry it with the same effect.
	 * @param reason why
	 */
	public void leftToHttp(String reason) {
		LongAdder count = this.leftToHttp.get(reason);
		if (count == null) {
			if (this.leftToHttp.size() >= MAX_REASONS) {
				return;
			}
			count = this.leftToHttp.computeIfAbsent(reason, (key) -> new LongAdder());
		}
		count.increment();
	}

	/**
	 * Notes that a call went through an HTTP client that shows neither its requests nor
	 * its responses, so that no peer can announce itself.
	 */
	public void unseenOverHttp() {
		if (this.peers.isEmpty()) {
			leftToHttp(
					"the HTTP client's request factory does not come from Spring Boot's builder, so that its answers "
							+ "are not seen; customize that builder instead of replacing it");
		}
	}

	/** Notes that a peer has answered over HTTP. */
	void answered(Peer peer) {
		this.latest = peer;
	}

	/** Notes that a peer has answered over HTTP with an announcement of no use. */
	void ignoredAnnouncement(Peer peer) {
		this.ignoredAnnouncements.increment();
		answered(peer);
	}

	/**
	 * Returns the number of announcements that could not be used.
	 * @return a count
	 */
	public long ignoredAnnouncements() {
		return this.ignoredAnnouncements.sum();
	}

	/**
	 * Returns a peer that has answered or was called. Mostly the peer that answered last
	 * is meant, and then nothing is looked up.
	 * @param address the peer's HTTP address, or {@code null} for the one that answered
	 * last, where there is only one
	 * @return the peer, or {@code null} if there is none
	 */
	public @Nullable Peer known(@Nullable String address) {
		Peer last = this.latest;
		if (address == null) {
			return last;
		}
		Peer peer = (last != null && address.equals(last.address())) ? last : this.peers.get(address);
		if (peer != null) {
			peer.named();
		}
		return peer;
	}

	/**
	 * Returns the peer at an address, which becomes known if it was not.
	 * @param address the peer's HTTP address
	 * @return the peer
	 */
	public Peer peer(String address) {
		Peer peer = this.peers.computeIfAbsent(address, (key) -> {
			this.expected.remove(key);
			return new Peer(this, key);
		});
		peer.named();
		return peer;
	}

	/**
	 * Lets paths prepare for a peer that is not known yet, by what its registration in a
	 * service registry says. No call takes a path because of that: a path is opened only
	 * when the peer has announced it over HTTP.
	 * @param address the peer's HTTP address, to which a request is about to be sent
	 * @param metadata the metadata of the registration, which anybody may have written:
	 * values by {@link PeerAnnouncement#METADATA_PREFIX} and the ids of paths
	 */
	public void expect(String address, Map<String, String> metadata) {
		if (!this.settings.mayLeaveHttp() || this.peers.containsKey(address) || this.expected.size() >= MAX_EXPECTED) {
			return;
		}
		Map<PathProvider, String> preparing = new LinkedHashMap<>();
		for (PathKind kind : this.settings.paths()) {
			PathProvider provider = this.providers.get(kind);
			String said = metadata.get(PeerAnnouncement.METADATA_PREFIX + kind.id());
			if (provider != null && said != null) {
				preparing.put(provider, said);
			}
		}
		if (preparing.isEmpty() || !this.expected.add(address)) {
			return;
		}
		String host = address.substring(0, address.lastIndexOf(':'));
		try {
			this.connector.execute(() -> preparing.forEach((provider, said) -> prepare(provider, host, said)));
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			// The application is shutting down, or no thread can be had; the call goes
			// on.
		}
	}

	private void prepare(PathProvider provider, String host, String said) {
		try {
			provider.prepare(host, said);
		}
		catch (RuntimeException ex) {
			logger.debug("Channel '{}': preparing {} to {} failed", this.settings.name(), provider.kind().id(), host,
					ex);
		}
	}

	/**
	 * Leaves paths to peers that are gone, and forgets peers whose addresses neither
	 * calls nor lists of replicas name any more, such as those of instances that were
	 * replaced. Looks are counted instead of minutes, as a channel may be idle.
	 * @param now the time
	 */
	void look(long now) {
		long due = this.nextLook.get();
		if (now - due < 0 || !this.nextLook.compareAndSet(due, now + LOOK_NANOS)) {
			return;
		}
		int most = (this.peers.size() > MANY_PEERS) ? MAX_IDLE_LOOKS_OF_MANY : MAX_IDLE_LOOKS;
		Peer last = this.latest;
		for (Peer peer : List.copyOf(this.peers.values())) {
			if (peer.look() > most && peer != last && this.peers.remove(peer.address(), peer)) {
				peer.close("no call has used it for a while");
			}
		}
	}

	/**
	 * Describes the channel.
	 * @return a snapshot
	 */
	public ChannelReport report() {
		look(System.nanoTime());
		List<MethodByHttp> methodsByHttp = new ArrayList<>();
		this.contract.methods().forEach((method) -> {
			String reason = method.httpOnlyReason();
			if (reason != null) {
				methodsByHttp.add(new MethodByHttp(method.signature(), reason));
			}
		});
		Map<String, Long> leftToHttp = new TreeMap<>();
		this.leftToHttp.forEach((reason, count) -> leftToHttp.put(reason, count.sum()));
		return new ChannelReport(this.settings.name(), this.contract.name(), this.contract.hash(),
				(this.settings.timeout() != null) ? this.settings.timeout().toMillis() : null, methodsByHttp,
				leftToHttp, List.of(),
				this.peers.values().stream().sorted(Comparator.comparing(Peer::address)).map(Peer::report).toList(),
				List.of());
	}

	/** Closes all paths. */
	@Override
	public void close() {
		this.peers.values().forEach((peer) -> peer.close("the application is shutting down"));
	}

}
