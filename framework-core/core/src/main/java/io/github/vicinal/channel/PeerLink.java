package io.github.vicinal.channel;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.vicinal.channel.ChannelReport.CodecReport;
import io.github.vicinal.channel.ChannelReport.PathReport;
import io.github.vicinal.channel.ChannelReport.PeerReport;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PathKind;

/**
 * What a channel knows of one peer: its announcement, the paths that are open, and which
 * of them the next call takes.
 * <p>
 * Calls read one volatile field. Everything else changes under the lock of this object,
 * and paths are connected by the channel's connector, so that no call ever waits for a
 * connection. A new path is opened before the old one is left.
 */
final class PeerLink {

	private static final Logger logger = LoggerFactory.getLogger(Channel.class);

	private static final String NOT_ALLOWED = "not allowed by configuration";

	private static final int MAX_SWITCHES_KEPT = 20;

	/** Back-off grows to this multiple of the shortest delay between attempts. */
	private static final int MAX_BACK_OFF_FACTOR = 64;

	private final Channel channel;

	private final String address;

	private final Map<PathKind, PathStatistics> statistics = new EnumMap<>(PathKind.class);

	private final Map<PathKind, Path> open = new EnumMap<>(PathKind.class);

	private final Map<PathKind, String> reasons = new EnumMap<>(PathKind.class);

	private final Deque<String> switches = new ArrayDeque<>();

	private volatile @Nullable Path active;

	/**
	 * Compares the active path with HTTP; {@code null} where there is nothing to compare.
	 */
	private volatile @Nullable PathComparison comparison;

	private volatile @Nullable PeerAnnouncement announcement;

	/** Why the last attempt to connect failed, while the next one is under way. */
	private String lastFailure = "";

	/** What carries HTTP requests, and why; empty while that is not known. */
	private volatile String httpTransport = "";

	private volatile String reasonForHttp = "no answer over HTTP yet, which would name the peer's paths";

	private boolean connecting;

	private boolean closed;

	private long nextAttemptNanos;

	private int failures;

	PeerLink(Channel channel, String address) {
		this.channel = channel;
		this.address = address;
		this.nextAttemptNanos = System.nanoTime();
		for (PathKind kind : PathKind.values()) {
			this.statistics.put(kind, new PathStatistics());
		}
	}

	String address() {
		return this.address;
	}

	@Nullable PeerAnnouncement announcement() {
		return this.announcement;
	}

	void httpTransport(String transport) {
		if (!transport.equals(this.httpTransport)) {
			this.httpTransport = transport;
		}
	}

	/** Returns why the peer wants calls of a method by HTTP, or {@code null}. */
	@Nullable String httpOnlyReason(int method) {
		PeerAnnouncement latest = this.announcement;
		if (latest == null || latest.httpOnlyMethods().isEmpty()) {
			return null;
		}
		return latest.httpOnlyMethods().contains(method) ? latest.refusal() : null;
	}

	/** Returns why calls go over HTTP as long as no other path is open. */
	String reasonForHttp() {
		return (this.active != null) ? "one of the calls that compare the paths" : this.reasonForHttp;
	}

	/** Returns the path that the next call takes, or {@code null} for HTTP. */
	@Nullable Path active() {
		return this.active;
	}

	/**
	 * Returns the path that the next call takes, or {@code null} for HTTP.
	 * @param idempotent whether the call may be used to compare paths
	 */
	@Nullable Path choose(boolean idempotent) {
		Path path = this.active;
		PathComparison compared = this.comparison;
		if (path == null || compared == null || compared.choosesOpenPath(idempotent, System.nanoTime())) {
			return path;
		}
		return null;
	}

	/** Notes what a call over the active path cost. */
	void answered(Path path, long nanos) {
		statistics(path.kind()).time(nanos);
		PathComparison compared = this.comparison;
		if (compared != null && path == this.active) {
			compared.recordOpenPath(nanos, System.nanoTime());
		}
	}

	/** Notes what a call over HTTP cost. */
	void answeredOverHttp(long nanos) {
		statistics(PathKind.HTTP).time(nanos);
		PathComparison compared = this.comparison;
		if (compared != null) {
			compared.recordHttp(nanos, System.nanoTime());
		}
	}

	PathStatistics statistics(PathKind kind) {
		PathStatistics known = this.statistics.get(kind);
		if (known == null) {
			throw new IllegalStateException(kind.id());
		}
		return known;
	}

	/** Returns the peer's instance id, if it has announced itself. */
	synchronized @Nullable String instanceId() {
		return (this.announcement != null) ? this.announcement.peer().instanceId() : null;
	}

	synchronized void announced(PeerAnnouncement latest) {
		if (this.closed) {
			return;
		}
		PeerAnnouncement previous = this.announcement;
		this.announcement = latest;
		if (previous != null && !previous.peer().equals(latest.peer())) {
			leaveAll("the peer was restarted");
			this.failures = 0;
			this.nextAttemptNanos = System.nanoTime();
		}
		String mismatch = mismatch(latest);
		if (mismatch != null) {
			leaveAll(mismatch);
			staysOnHttp(mismatch);
			return;
		}
		if (!this.channel.settings().mayLeaveHttp()) {
			this.reasonForHttp = NOT_ALLOWED;
			return;
		}
		if (this.active != null || this.connecting || System.nanoTime() - this.nextAttemptNanos < 0) {
			return;
		}
		this.connecting = true;
		this.lastFailure = this.reasonForHttp;
		this.reasonForHttp = "connecting " + latest.paths().stream().sorted().map(PathKind::id).toList();
		try {
			this.channel.connector().execute(() -> connect(latest));
		}
		catch (RejectedExecutionException ex) {
			this.connecting = false;
			this.reasonForHttp = "the application is shutting down";
		}
	}

	/** Says once for each reason why calls go over HTTP. */
	private void staysOnHttp(String reason) {
		if (!reason.equals(this.reasonForHttp)) {
			this.reasonForHttp = reason;
			logger.info("Channel '{}' -> {}: http ({})", this.channel.settings().name(), this.address, reason);
		}
	}

	private @Nullable String mismatch(PeerAnnouncement latest) {
		if (!latest.refusal().isEmpty() && latest.httpOnlyMethods().isEmpty()) {
			return "the peer offers no typed path: " + latest.refusal();
		}
		if (latest.paths().isEmpty()) {
			return "the peer offers no typed path";
		}
		String hash = this.channel.contract().hash();
		if (!hash.equals(latest.contractHash())) {
			return "the contract differs: hash %s here, %s at the peer; build both sides from one version of %s"
				.formatted(hash, latest.contractHash(), this.channel.contract().name());
		}
		return null;
	}

	/** Notes that the peer answered over HTTP without announcing itself. */
	synchronized void silent() {
		if (this.active != null || this.connecting) {
			return;
		}
		this.announcement = null;
		this.reasonForHttp = "the peer does not announce any paths: it runs without Vicinal, or something between "
				+ "removes the " + PeerAnnouncement.HEADER + " header";
	}

	synchronized void ignored(String reason) {
		if (this.active == null && !this.connecting) {
			this.reasonForHttp = reason;
		}
	}

	private void connect(PeerAnnouncement target) {
		Path connected = null;
		Map<PathKind, String> failed = new EnumMap<>(PathKind.class);
		boolean retryable = false;
		for (PathKind kind : this.channel.settings().paths()) {
			if (kind == PathKind.HTTP) {
				continue;
			}
			PathProvider provider = this.channel.provider(kind);
			if (provider == null) {
				failed.put(kind, "this application has no provider for it");
			}
			else if (!target.paths().contains(kind)) {
				failed.put(kind, "the peer does not offer it");
			}
			else if (connected == null) {
				PathProvider.Attempt attempt = attempt(provider, target);
				if (attempt instanceof PathProvider.Connected success) {
					connected = success.path();
				}
				else if (attempt instanceof PathProvider.Unavailable unavailable) {
					failed.put(kind, unavailable.reason());
					retryable |= unavailable.retryable();
				}
			}
		}
		connected(target, connected, failed, retryable);
	}

	private PathProvider.Attempt attempt(PathProvider provider, PeerAnnouncement target) {
		try {
			return provider.connect(this.channel.contract(), target);
		}
		catch (RuntimeException ex) {
			logger.warn("Channel '{}': connecting {} to {} failed", this.channel.settings().name(),
					provider.kind().id(), this.address, ex);
			return new PathProvider.Unavailable("failed with " + ex, true);
		}
	}

	private synchronized void connected(PeerAnnouncement target, @Nullable Path path, Map<PathKind, String> failed,
			boolean retryable) {
		this.connecting = false;
		this.reasons.clear();
		this.reasons.putAll(failed);
		PeerAnnouncement current = this.announcement;
		if (this.closed || current == null || !current.peer().equals(target.peer())) {
			if (path != null) {
				path.close();
			}
			return;
		}
		if (path == null) {
			this.reasonForHttp = this.lastFailure;
			staysOnHttp(describe(failed));
			backOff(retryable);
			return;
		}
		this.open.put(path.kind(), path);
		// Nothing can be cheaper than a direct call, and HTTP probes beside it would
		// show.
		boolean compares = this.channel.settings().comparesPaths() && path.kind() != PathKind.DIRECT;
		this.comparison = compares ? new PathComparison(path.kind(), System.nanoTime()) : null;
		this.active = path;
		noteSwitch(PathKind.HTTP, path.kind(), why(path.kind()));
		logger.info("Channel '{}' -> {}: {} ({}, contract {}, codec {}), fallback http", this.channel.settings().name(),
				this.address, path.kind().id(), why(path.kind()), this.channel.contract().hash(),
				path.codec().codec().name());
	}

	private static String describe(Map<PathKind, String> reasons) {
		List<String> parts = new ArrayList<>();
		reasons.forEach((kind, reason) -> parts.add(kind.id() + ": " + reason));
		// The nearest path is rarely the one that was expected, or can be had.
		Collections.reverse(parts);
		return String.join("; ", parts);
	}

	private static String why(PathKind kind) {
		return switch (kind) {
			case DIRECT -> "same JVM";
			case SHM, UDS -> "same host";
			case HTTP -> "always works";
		};
	}

	private void backOff(boolean retryable) {
		int factor = Math.min(1 << Math.min(this.failures++, 30), MAX_BACK_OFF_FACTOR);
		long delay = this.channel.settings().reconnectDelay().toNanos() * (retryable ? factor : MAX_BACK_OFF_FACTOR);
		this.nextAttemptNanos = System.nanoTime() + delay;
	}

	/** Leaves a path that can no longer carry calls, at once. */
	synchronized void failed(Path path, String reason) {
		if (this.open.get(path.kind()) != path) {
			return;
		}
		leave(path, reason);
		backOff(true);
	}

	/** Notes that calls succeed again, so that the next failure is retried soon. */
	synchronized void recovered() {
		this.failures = 0;
	}

	private void leaveAll(String reason) {
		for (Path path : List.copyOf(this.open.values())) {
			leave(path, reason);
		}
	}

	private void leave(Path path, String reason) {
		this.open.remove(path.kind());
		this.reasons.put(path.kind(), reason);
		if (this.active == path) {
			this.active = null;
			this.comparison = null;
			this.reasonForHttp = path.kind().id() + ": " + reason;
			noteSwitch(path.kind(), PathKind.HTTP, reason);
			logger.info("Channel '{}' -> {}: http ({})", this.channel.settings().name(), this.address,
					this.reasonForHttp);
		}
		path.close();
	}

	private void noteSwitch(PathKind from, PathKind to, String reason) {
		if (this.switches.size() == MAX_SWITCHES_KEPT) {
			this.switches.removeFirst();
		}
		this.switches.addLast("%s %s -> %s: %s".formatted(this.channel.now(), from.id(), to.id(), reason));
	}

	synchronized void close() {
		this.closed = true;
		leaveAll("the application is shutting down");
	}

	synchronized PeerReport report() {
		Path current = this.active;
		PathComparison compared = this.comparison;
		boolean costlier = compared != null && !compared.prefersOpenPath();
		PathKind inUse = (current != null && !costlier) ? current.kind() : PathKind.HTTP;
		List<String> history = new ArrayList<>(this.switches);
		if (compared != null) {
			history.addAll(compared.decisions());
		}
		List<PathReport> reports = new ArrayList<>();
		for (PathKind kind : PathKind.values()) {
			reports.add(report(kind, inUse));
		}
		CodecReport codec = (current != null)
				? new CodecReport(current.codec().codec().name(), current.codec().reason()) : null;
		return new PeerReport(this.address, instanceId(), inUse.id(), costlier
				? "calls over it were measured to be cheaper" : (current != null) ? why(inUse) : this.reasonForHttp,
				codec, reports, List.copyOf(history));
	}

	private PathReport report(PathKind kind, PathKind inUse) {
		PathStatistics counted = statistics(kind);
		Path path = this.open.get(kind);
		String state;
		String reason = "";
		if (kind == inUse) {
			state = "in use";
		}
		else if (!this.channel.settings().paths().contains(kind)) {
			state = "unavailable";
			reason = NOT_ALLOWED;
		}
		else if (kind == PathKind.HTTP || path != null) {
			state = "standby";
			reason = inUse.id() + " is better";
		}
		else if (this.connecting) {
			state = "connecting";
		}
		else {
			state = "unavailable";
			reason = this.reasons.getOrDefault(kind,
					(inUse == PathKind.HTTP) ? this.reasonForHttp : "not tried: " + inUse.id() + " is better");
		}
		return new PathReport(kind.id(), state, reason, counted.calls(), counted.errors(),
				counted.latency().quantileNanos(0.5) / 1e3, counted.latency().quantileNanos(0.99) / 1e3,
				(path != null) ? path.bytesCarried() : 0, details(kind, path));
	}

	private Map<String, Object> details(PathKind kind, @Nullable Path path) {
		if (kind == PathKind.HTTP && !this.httpTransport.isEmpty()) {
			return Map.of("transport", this.httpTransport);
		}
		return (path != null) ? path.details() : Map.of();
	}

}
