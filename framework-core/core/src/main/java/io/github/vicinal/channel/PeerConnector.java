package io.github.vicinal.channel;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.PathRule;
import io.github.vicinal.peer.MissingPath;
import io.github.vicinal.peer.PeerAnnouncement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the paths that a peer announces, and leaves those that no longer carry calls.
 * <p>
 * All methods take the peer's lock, except {@link #isDue}. Paths are connected by the
 * channel's executor, which does not hold the lock while it connects.
 */
final class PeerConnector {

	static final String NOT_ALLOWED = "not allowed by configuration";

	private static final Logger logger = LoggerFactory.getLogger(Channel.class);

	private static final String SHARED = "several instances answer at this address in turn, as behind a gateway or a virtual address; "
			+ "each call goes over http to whichever is next; to use other paths, name the instances";

	private final Channel channel;

	private final Peer peer;

	private final Map<PathKind, CallPath> open = new TreeMap<>();

	/** Why kinds of path are not open. */
	private final Map<PathKind, String> reasons = new TreeMap<>();

	private final InstanceHistory instances = new InstanceHistory();

	private final BackOff backOff;

	/** Time at which the request was sent whose answer brought the announcement. */
	private long askedNanos;

	/** Whether paths to the last instance were open, so that the selector knows them. */
	private boolean hadPaths;

	/** Why the last attempt to connect failed, while the next one is under way. */
	private String lastFailure = "";

	private volatile String reasonForHttp = "no answer over HTTP yet, which would name the peer's paths";

	private volatile boolean connecting;

	/** Whether a path that the peer offers may be connected later. */
	private volatile boolean missing;

	/** Says which paths may stand in for the latest HTTP request. */
	private PathRule rule = PathRule.ANY;

	/** Ids of the paths that the peer offered when paths were connected last. */
	private Set<String> triedPaths = Set.of();

	/** Whether the peer has said that it offers no path for the contract. */
	private volatile boolean offersNothing;

	private boolean closed;

	/** Contract that the open paths carry. */
	private Contract agreed;

	private final ProvenMethods proven = new ProvenMethods();

	PeerConnector(Channel channel, Peer peer) {
		this.channel = channel;
		this.peer = peer;
		this.agreed = channel.contract();
		this.backOff = new BackOff(channel.settings().reconnectDelay().toNanos());
	}

	/** Returns why calls go over HTTP while no other path is open. */
	String reasonForHttp() {
		return this.reasonForHttp;
	}

	/** Returns whether the peer has said that it offers no path for the contract. */
	boolean offersNothing() {
		return this.offersNothing;
	}

	boolean isOpen() {
		return !this.open.isEmpty();
	}

	boolean isConnecting() {
		return this.connecting;
	}

	@Nullable CallPath open(PathKind kind) {
		return this.open.get(kind);
	}

	/** Returns why a path of a kind is not open, {@code null} if it was not tried. */
	@Nullable String reason(PathKind kind) {
		return this.reasons.get(kind);
	}

	/** Notes what the peer announced: see {@link Peer#announced}. */
	void announced(PeerAnnouncement latest, long sentNanos, PathRule latestRule, @Nullable ContractMethod called) {
		synchronized (this.peer) {
			PeerAnnouncement previous = this.peer.announcement();
			if (!this.closed && learn(latest, sentNanos, called)) {
				boolean sameWay = this.rule.equals(latestRule) && previous != null
						&& previous.arrival().equals(latest.arrival()) && previous.origin().equals(latest.origin());
				this.rule = latestRule;
				if (!sameWay && isOpen()) {
					recheck(latest, latestRule);
				}
				connectOffered(latest);
			}
		}
	}

	/** Returns whether the announcement is the latest one. */
	private boolean learn(PeerAnnouncement latest, long sentNanos, @Nullable ContractMethod called) {
		PeerAnnouncement previous = this.peer.announcement();
		boolean changes = previous != null && !previous.peer().equals(latest.peer());
		if (changes && sentNanos - this.askedNanos < 0) {
			// A slow answer of the instance before says nothing new.
			return false;
		}
		this.askedNanos = (previous == null || sentNanos - this.askedNanos > 0) ? sentNanos : this.askedNanos;
		Contract theirs = this.channel.agreed(latest.contractHash());
		this.peer.learned(latest, (theirs != null) ? this.proven.learn(theirs, latest, called) : Map.of());
		boolean unknown = this.instances.remember(latest.peer().instanceId());
		if (changes) {
			changed(unknown);
		}
		return true;
	}

	/**
	 * Begins with another instance.
	 * @param unknown whether it was never called before, as after a restart
	 */
	private void changed(boolean unknown) {
		leaveAll(this.open.values().stream().allMatch(CallPath::isOpen)
				? "another instance answers at the peer's address" : "the peer was restarted");
		if (unknown) {
			this.backOff.beginAnew(this.instances.isFull());
		}
		else if (this.instances.returned(System.nanoTime())) {
			logger.info("Channel '{}' -> {}: http ({})", this.channel.settings().name(), this.peer.address(), SHARED);
		}
		if (this.hadPaths) {
			// Costs of the last instance's paths say nothing about this one's.
			this.hadPaths = false;
			this.peer.renewSelector();
		}
	}

	private void connectOffered(PeerAnnouncement latest) {
		this.offersNothing = false;
		if (this.instances.isShared(System.nanoTime())) {
			this.reasonForHttp = SHARED;
			return;
		}
		String mismatch = mismatch(latest);
		Contract theirs = this.channel.agreed(latest.contractHash());
		if (mismatch != null || theirs == null) {
			String reason = (mismatch != null) ? mismatch : differs(latest);
			leaveAll(reason);
			staysOnHttp(reason);
			this.offersNothing = true;
			return;
		}
		if (theirs != this.agreed) {
			leaveAll("the peer offers the contract in another way");
			this.agreed = theirs;
		}
		if (!this.channel.settings().mayLeaveHttp()) {
			this.reasonForHttp = NOT_ALLOWED;
			return;
		}
		boolean complete = isOpen() && !this.missing && latest.paths().equals(this.triedPaths);
		if (!complete && !this.connecting && this.backOff.isOver(System.nanoTime())) {
			connect();
		}
	}

	/** Requests come another way than before: looks whether open paths may stay. */
	private void recheck(PeerAnnouncement latest, PathRule latestRule) {
		List<CallPath> paths = List.copyOf(this.open.values());
		try {
			this.channel.connector().execute(() -> {
				for (CallPath path : paths) {
					PathProvider provider = this.channel.provider(path.kind());
					String forbidden = (provider != null)
							? latestRule.forbids(path.kind(), provider.protection(), latest) : null;
					if (forbidden != null) {
						failed(path, forbidden);
					}
				}
			});
		}
		catch (RejectedExecutionException ex) {
			// The application is shutting down.
		}
	}

	private @Nullable String mismatch(PeerAnnouncement latest) {
		if (!latest.refusal().isEmpty() && latest.httpOnlyMethods().isEmpty()) {
			return "the peer offers no typed path: " + latest.refusal();
		}
		if (latest.paths().isEmpty()) {
			List<String> reasons = new ArrayList<>();
			new TreeMap<>(latest.missing()).forEach((id, word) -> reasons.add(id + ": " + MissingPath.explain(word)));
			Collections.reverse(reasons);
			return "the peer offers no typed path" + (reasons.isEmpty() ? "" : ": " + String.join("; ", reasons));
		}
		return null;
	}

	private String differs(PeerAnnouncement latest) {
		return "the contract differs: hash %s here, %s at the peer; build both sides from one version of %s"
			.formatted(this.channel.contract().hash(), latest.contractHash(), this.channel.contract().name());
	}

	/** Notes that the peer answered over HTTP without announcing itself. */
	void silent() {
		synchronized (this.peer) {
			if (isOpen() || this.connecting) {
				return;
			}
			this.peer.forgetAnnouncement();
			this.offersNothing = false;
			this.reasonForHttp = "the peer does not announce any paths: it runs without Vicinal, or something between "
					+ "removes the " + PeerAnnouncement.HEADER + " header";
		}
	}

	/** Notes that a request did not ask: nothing is known of the peer by that. */
	void unasked(String reason) {
		synchronized (this.peer) {
			if (!isOpen() && !this.connecting && this.peer.announcement() == null) {
				this.reasonForHttp = reason;
			}
		}
	}

	/** Notes that the peer's announcement could not be used. */
	void ignored(String reason) {
		synchronized (this.peer) {
			if (!isOpen() && !this.connecting) {
				this.reasonForHttp = reason;
			}
		}
	}

	/** Returns whether a call should make {@link #connectMissing} look. */
	boolean isDue(long now) {
		return this.missing && !this.connecting && this.backOff.isOver(now);
	}

	/** Calls over the remaining paths bring no announcement that would start this. */
	void connectMissing() {
		synchronized (this.peer) {
			if (!this.closed && this.peer.announcement() != null && isDue(System.nanoTime())) {
				connect();
			}
		}
	}

	private void connect() {
		PeerAnnouncement latest = Objects.requireNonNull(this.peer.announcement());
		PathRule latestRule = this.rule;
		Contract carried = this.agreed;
		this.connecting = true;
		this.triedPaths = latest.paths();
		this.backOff.attempted();
		if (!isOpen()) {
			this.lastFailure = this.reasonForHttp;
			this.reasonForHttp = "connecting " + latest.paths().stream().sorted().toList();
		}
		try {
			this.channel.connector().execute(() -> connect(carried, latest, latestRule));
		}
		catch (RejectedExecutionException ex) {
			this.connecting = false;
			this.reasonForHttp = "the application is shutting down";
		}
		catch (OutOfMemoryError ex) {
			this.connecting = false;
			this.backOff.failed(true);
			if (!isOpen()) {
				this.reasonForHttp = this.lastFailure;
				staysOnHttp("no thread could be started to connect paths: " + ex.getMessage());
			}
		}
	}

	/** Says once for each reason why calls go over HTTP. */
	private void staysOnHttp(String reason) {
		if (!reason.equals(this.reasonForHttp)) {
			this.reasonForHttp = reason;
			logger.info("Channel '{}' -> {}: http ({})", this.channel.settings().name(), this.peer.address(), reason);
		}
	}

	private void connect(Contract carried, PeerAnnouncement target, PathRule latestRule) {
		try {
			connectAll(carried, target, latestRule);
		}
		finally {
			synchronized (this.peer) {
				this.connecting = false;
			}
		}
	}

	private void connectAll(Contract carried, PeerAnnouncement target, PathRule latestRule) {
		Map<PathKind, CallPath> connected = new TreeMap<>();
		Map<PathKind, String> failed = new TreeMap<>();
		boolean retryable = false;
		for (PathKind kind : this.channel.settings().paths()) {
			if (kind.equals(PathKind.HTTP)) {
				continue;
			}
			PathProvider provider = this.channel.provider(kind);
			if (provider == null) {
				failed.put(kind, "this application has no provider for it");
			}
			else if (!target.paths().contains(kind.id())) {
				failed.put(kind, notOffered(target, kind));
			}
			else if (!isOpen(kind) && !connected.containsKey(PathKind.DIRECT)) {
				PathProvider.Attempt attempt = attempt(provider, carried, target, latestRule);
				if (attempt instanceof PathProvider.Connected success) {
					connected.put(kind, success.path());
				}
				else if (attempt instanceof PathProvider.Unavailable unavailable) {
					failed.put(kind, unavailable.reason());
					retryable |= unavailable.retryable();
				}
			}
		}
		synchronized (this.peer) {
			connected(carried, target, connected, failed, retryable);
		}
	}

	private static String notOffered(PeerAnnouncement target, PathKind kind) {
		String word = target.missing().get(kind.id());
		return "the peer does not offer it" + ((word != null) ? ": " + MissingPath.explain(word) : "");
	}

	private boolean isOpen(PathKind kind) {
		synchronized (this.peer) {
			return this.open.containsKey(kind);
		}
	}

	private PathProvider.Attempt attempt(PathProvider provider, Contract carried, PeerAnnouncement target,
			PathRule latestRule) {
		try {
			String forbidden = latestRule.forbids(provider.kind(), provider.protection(), target);
			if (forbidden != null) {
				return new PathProvider.Unavailable(forbidden, false);
			}
			return provider.connect(carried, target);
		}
		catch (RuntimeException | Error ex) {
			// Errors, too: too many threads or too little direct memory may pass.
			logger.warn("Channel '{}': connecting {} to {} failed", this.channel.settings().name(),
					provider.kind().id(), this.peer.address(), ex);
			return new PathProvider.Unavailable("failed with " + ex, true);
		}
	}

	private void connected(Contract carried, PeerAnnouncement target, Map<PathKind, CallPath> connected,
			Map<PathKind, String> failed, boolean retryable) {
		this.reasons.clear();
		this.reasons.putAll(failed);
		PeerAnnouncement current = this.peer.announcement();
		if (this.closed || current == null || !current.peer().equals(target.peer()) || carried != this.agreed) {
			connected.values().forEach(CallPath::close);
			return;
		}
		this.missing = retryable;
		if (retryable || (connected.isEmpty() && !isOpen())) {
			this.backOff.failed(retryable);
		}
		if (connected.isEmpty() && !isOpen()) {
			this.reasonForHttp = this.lastFailure;
			staysOnHttp(describe(failed));
		}
		// The least preferred first: each that follows takes over from it.
		List<PathKind> kinds = this.channel.settings().paths();
		for (int i = kinds.size() - 1; i >= 0; i--) {
			CallPath path = connected.get(kinds.get(i));
			if (path != null) {
				opened(path, without(failed));
			}
		}
	}

	/**
	 * Reports the other paths that are missing, except those that exist only within one
	 * JVM.
	 */
	private static String without(Map<PathKind, String> failed) {
		Map<PathKind, String> missing = new TreeMap<>(failed);
		missing.keySet().removeIf((kind) -> kind.reach() == PathKind.Reach.SAME_JVM);
		return missing.isEmpty() ? "" : "; " + describe(missing);
	}

	private void opened(CallPath path, String without) {
		PathKind kind = path.kind();
		boolean first = !isOpen();
		this.open.put(kind, path);
		this.hadPaths = true;
		this.peer.opened(path);
		logger.info("Channel '{}' -> {}: {} ({}, contract {}, codec {}), {}{}", this.channel.settings().name(),
				this.peer.address(), kind.id(), kind.reach().words(), described(), path.codec().codec().name(),
				first ? "fallback http" : "beside " + others(kind), without);
	}

	private String described() {
		return this.agreed.isStructural() ? "by structure " + this.agreed.hash() : this.agreed.hash();
	}

	private String others(PathKind kind) {
		return this.open.keySet()
			.stream()
			.filter((other) -> !other.equals(kind))
			.map((other) -> other.id() + ", ")
			.collect(Collectors.joining()) + "http";
	}

	private static String describe(Map<PathKind, String> reasons) {
		List<String> parts = new ArrayList<>();
		reasons.forEach((kind, reason) -> parts.add(kind.id() + ": " + reason));
		// The nearest path is rarely the one that was expected, or can be had.
		Collections.reverse(parts);
		return String.join("; ", parts);
	}

	/** Leaves paths that have ended, as to a process that is gone. */
	void leaveEnded() {
		synchronized (this.peer) {
			for (CallPath path : List.copyOf(this.open.values())) {
				if (!path.isOpen()) {
					failed(path, "the peer is gone");
				}
			}
		}
	}

	/** Leaves a path that can no longer carry calls, at once. */
	void failed(CallPath path, String reason) {
		synchronized (this.peer) {
			if (this.open.get(path.kind()) == path) {
				String renewal = path.reasonToRenew();
				leave(path, renewal.isEmpty() ? reason : renewal);
				this.missing = true;
				if (renewal.isEmpty()) {
					this.backOff.lost();
				}
				else {
					this.backOff.renewed();
				}
			}
		}
	}

	private void leaveAll(String reason) {
		for (CallPath path : List.copyOf(this.open.values())) {
			leave(path, reason);
		}
	}

	private void leave(CallPath path, String reason) {
		PathKind kind = path.kind();
		this.open.remove(kind);
		this.reasons.put(kind, reason);
		if (!isOpen()) {
			this.reasonForHttp = kind.id() + ": " + reason;
		}
		this.peer.left(path, isOpen(), reason);
		logger.info("Channel '{}' -> {}: {} ({}: {})", this.channel.settings().name(), this.peer.address(), best().id(),
				kind.id(), reason);
		path.close();
	}

	/** Returns the most preferred path that is open. */
	private PathKind best() {
		if (this.open.containsKey(PathKind.DIRECT)) {
			return PathKind.DIRECT;
		}
		for (PathKind kind : this.channel.settings().paths()) {
			if (this.open.containsKey(kind)) {
				return kind;
			}
		}
		return PathKind.HTTP;
	}

	void close(String reason) {
		synchronized (this.peer) {
			this.closed = true;
			leaveAll(reason);
		}
	}

}
