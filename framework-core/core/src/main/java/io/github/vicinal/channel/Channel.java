package io.github.vicinal.channel;

import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.selection.PathSelector;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.path.Reply;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.report.ChannelReport.MethodByHttp;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.path.PathKind;

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

	private static final int MAX_REASONS = 100;

	/** Minimum interval between sweeps over all peers. */
	private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** A peer is forgotten if nobody has named its address for so many looks. */
	private static final int MAX_IDLE_LOOKS = 300;

	/** The same where there are more than {@value #MANY_PEERS} peers. */
	private static final int MAX_IDLE_LOOKS_OF_MANY = 10;

	private static final int MANY_PEERS = 256;

	private final ChannelSettings settings;

	private final PathOrder order;

	private final Contract contract;

	private final Map<PathKind, PathProvider> providers = new TreeMap<>();

	private final Executor connector;

	private final Clock clock;

	private final Map<String, Peer> peers = new ConcurrentHashMap<>();

	private final Map<String, LongAdder> leftToHttp = new ConcurrentHashMap<>();

	private final LongAdder ignoredAnnouncements = new LongAdder();

	/** What the client adds to each call; never changed, only replaced. */
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
	 * Returns the path that the next call takes.
	 * @param address the peer's HTTP address, or {@code null} for the one that answered
	 * last, where there is only one
	 * @param method the method that is called
	 * @param arguments its arguments, which tell how large the call is
	 * @return an open path, or {@code null} for HTTP
	 */
	public @Nullable CallPath path(@Nullable String address, ContractMethod method, @Nullable Object[] arguments) {
		Peer peer = known(address);
		return (peer != null) ? peer.path(method, arguments) : null;
	}

	/**
	 * Returns what a cautious caller expects a call to a peer to take, over whichever
	 * path: a mean that rises to a peak at once and decays in some ten seconds.
	 * @param address the peer's HTTP address
	 * @return nanoseconds, {@code NaN} if nothing is known of the peer
	 */
	public double expectedNanos(String address) {
		Peer peer = known(address);
		return (peer != null) ? peer.expectedNanos() : Double.NaN;
	}

	/**
	 * Returns how many calls to a peer are in flight that may take any path between
	 * processes, HTTP included.
	 * @param address the peer's HTTP address
	 * @return a count
	 */
	public long inFlight(String address) {
		Peer peer = known(address);
		return (peer != null) ? peer.inFlight() : 0;
	}

	/**
	 * Returns why a method can only be called by HTTP although a path is open.
	 * @param address the address that the path was asked for
	 * @param method the method
	 * @return the reason, or {@code null}
	 */
	public @Nullable String httpOnlyReason(@Nullable String address, ContractMethod method) {
		Peer peer = known(address);
		return (peer != null) ? peer.httpOnlyReason(method) : method.httpOnlyReason();
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
	 * Returns the headers of each call to a peer: what the client adds, and the peer's
	 * ticket.
	 * @param address the address that the path was asked for
	 * @return values by lower-case names; not to be changed
	 */
	public Map<String, String> frameHeaders(@Nullable String address) {
		Peer peer = known(address);
		return (peer != null) ? peer.frameHeaders() : this.clientHeaders;
	}

	/**
	 * Returns why {@link #path} named no path.
	 * @param address the address that the path was asked for
	 * @return the reason
	 */
	public String reasonForHttp(@Nullable String address) {
		Peer peer = known(address);
		return (peer != null) ? peer.reasonForHttp() : "no answer over HTTP yet, which would name the peer's paths";
	}

	/**
	 * Returns the HTTP address of the peer that {@link #path} is about.
	 * @param address the peer's HTTP address, or {@code null} for the one that answered
	 * last
	 * @return the address, or {@code null} if no peer has answered yet
	 */
	public @Nullable String address(@Nullable String address) {
		if (address != null) {
			return address;
		}
		Peer peer = this.latest;
		return (peer != null) ? peer.address() : null;
	}

	/**
	 * Makes a call over a path and keeps its statistics. A path that can no longer carry
	 * calls is left.
	 * @param address the address that the path was asked for
	 * @param path what {@link #path} returned
	 * @param frame the call
	 * @return the reply
	 * @throws PathException if there is no answer
	 */
	public Reply call(@Nullable String address, CallPath path, CallFrame frame) throws PathException {
		Peer peer = known(address);
		return (peer != null) ? peer.call(path, frame) : path.call(frame);
	}

	/**
	 * Notes that a call is sent over HTTP. It is in flight until the returned object is
	 * told otherwise.
	 * @param address the peer's HTTP address
	 * @param method the method that is called
	 * @param arguments its arguments
	 * @param comparable whether the call could have taken another path as well, so that
	 * it is a part of the load that paths are compared for
	 * @return the call, which must be ended
	 */
	public CallOverHttp callingOverHttp(String address, ContractMethod method, @Nullable Object[] arguments,
			boolean comparable) {
		return peer(address).callingOverHttp(method, arguments, comparable);
	}

	/**
	 * Returns whether a request that is about to be sent over HTTP confirms that the
	 * address still leads to the peer that paths lead to. Its connection must not be used
	 * again: others may lead elsewhere. That is so for few requests only.
	 * @param address the peer's HTTP address
	 * @return whether the request has to say so
	 */
	public boolean confirms(String address) {
		Peer peer = known(address);
		return peer != null && peer.confirms();
	}

	/**
	 * Returns whether a path other than HTTP is open.
	 * @param address the peer's HTTP address, or {@code null} for the one that answered
	 * last
	 * @return whether {@link #path} could name one
	 */
	public boolean hasPath(@Nullable String address) {
		Peer peer = known(address);
		return peer != null && peer.hasPath();
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

	/**
	 * Notes what a peer announced in an answer over HTTP.
	 * @param address the peer's HTTP address
	 * @param announcement the announcement
	 */
	public void announced(String address, PeerAnnouncement announcement) {
		announced(address, announcement, System.nanoTime());
	}

	/**
	 * Notes what a peer announced in an answer over HTTP.
	 * @param address the peer's HTTP address
	 * @param announcement the announcement
	 * @param sentNanos the {@link System#nanoTime()} at which the request was sent, by
	 * which a slow answer is told from the latest one
	 */
	public void announced(String address, PeerAnnouncement announcement, long sentNanos) {
		peer(address).announced(announcement, sentNanos);
	}

	/**
	 * Returns whether a peer runs in this JVM, and calls to it are direct.
	 * @param address the peer's HTTP address
	 * @return {@code false} as long as that is not known
	 */
	public boolean isDirect(String address) {
		Peer peer = known(address);
		return peer != null && peer.isDirect();
	}

	/**
	 * Returns what a peer announced last.
	 * @param address the peer's HTTP address
	 * @return the announcement, or {@code null} if there is none
	 */
	public @Nullable PeerAnnouncement announcement(String address) {
		Peer peer = known(address);
		return (peer != null) ? peer.announcement() : null;
	}

	/**
	 * Notes what carries HTTP requests to a peer.
	 * @param address the peer's HTTP address
	 * @param transport what, and why, in words for people
	 */
	public void httpTransport(String address, String transport) {
		Peer peer = known(address);
		if (peer != null) {
			peer.httpTransport(transport);
		}
	}

	/**
	 * Notes that a peer answered over HTTP without an announcement.
	 * @param address the peer's HTTP address
	 */
	public void silent(String address) {
		peer(address).silent();
	}

	/**
	 * Notes that a peer's announcement could not be used.
	 * @param address the peer's HTTP address
	 * @param reason why
	 */
	public void ignored(String address, String reason) {
		peer(address).ignored(reason);
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
	 * Returns how many announcements could not be used.
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
		Peer peer = this.peers.computeIfAbsent(address, (key) -> new Peer(this, key));
		peer.named();
		return peer;
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
		for (Peer peer : this.peers.values()) {
			if (peer.look() > most && peer != last && this.peers.remove(peer.address(), peer)) {
				peer.close("no call was for it any more");
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
