package io.github.vicinal.channel;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathRule;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.github.vicinal.selection.PathSelector;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One peer of a channel: its announcement, the paths that are open, and which of them the
 * next call takes. Obtained from {@link Channel#known} or {@link Channel#peer} and used
 * for one call; a channel forgets peers that no call is for. Thread-safe.
 * <p>
 * All paths that the peer offers are opened: one is taken, the others stand by, so that a
 * switch never waits for a connection. Which one is taken is the {@link PathSelector}'s
 * choice, except for a direct path, which is always taken. Calls read a few volatile
 * fields; everything else changes under the lock of this object, and paths are connected
 * by the channel's connector. This lock may be held while the selector takes its own,
 * never the other way round.
 *
 * @since 0.1.0
 */
public final class Peer {

	private static final Logger logger = LoggerFactory.getLogger(Channel.class);

	private final Channel channel;

	private final PathOrder order;

	private final String address;

	private final Confirmation confirmation;

	private final DecisionLog decisions;

	private final PeerConnector connector;

	private final CallSizes sizes;

	private final PeerCalls calls;

	/** The path to a peer in the same JVM: nothing is cheaper, so nothing is compared. */
	private volatile @Nullable CallPath direct;

	/** The open paths to other processes, by their numbers in the order. */
	private final AtomicReferenceArray<@Nullable CallPath> others;

	/** Whether there is a choice between a path and HTTP. */
	private volatile boolean chooses;

	/** Selector of the instance that announced itself last. */
	private volatile PathSelector selector;

	/**
	 * Announcement of the instance that paths lead to, or of the one that answered last.
	 */
	private volatile @Nullable PeerAnnouncement announcement;

	/**
	 * Why methods have to go over HTTP although the announcement does not say so; never
	 * changed, only replaced.
	 */
	private volatile Map<Integer, String> httpRequired = Map.of();

	/**
	 * Methods of which a request over HTTP was answered by the announced instance; never
	 * changed, only replaced.
	 */
	private volatile Set<Integer> inquired = Set.of();

	/** The headers of each call; never changed, only replaced. */
	private volatile Map<String, String> frameHeaders;

	/**
	 * The headers of calls by HTTP library, as far as the announced instance has seen
	 * requests of it; never changed, only replaced.
	 */
	private volatile Map<String, Map<String, String>> libraryHeaders = Map.of();

	/** Whether its address was named since the last sweep. */
	private volatile boolean named;

	/** Looks since its address was named last. */
	private int idleLooks;

	Peer(Channel channel, String address) {
		this.channel = channel;
		this.order = channel.order();
		this.others = new AtomicReferenceArray<>(this.order.size());
		this.address = address;
		this.confirmation = new Confirmation(channel.settings().confirmInterval().toNanos());
		this.decisions = new DecisionLog(channel, this);
		this.connector = new PeerConnector(channel, this);
		this.sizes = new CallSizes(channel.contract().methods().size());
		this.calls = new PeerCalls(channel, this, this.connector, this.others, this.sizes);
		this.selector = newSelector();
		this.frameHeaders = channel.clientHeaders();
	}

	/**
	 * Returns the peer's HTTP address, as a load balancer or a base URL names it.
	 * @return the address, {@code host:port}
	 */
	public String address() {
		return this.address;
	}

	/** Notes that a call or a list of replicas has named the address. */
	void named() {
		if (!this.named) {
			this.named = true;
		}
	}

	/**
	 * Leaves paths that have ended, as to a process that is gone.
	 * @return the number of looks since the peer was needed
	 */
	synchronized int look() {
		this.connector.leaveEnded();
		this.idleLooks = (this.named || inFlight() > 0) ? 0 : this.idleLooks + 1;
		this.named = false;
		return this.idleLooks;
	}

	/**
	 * Returns whether a path other than HTTP is open.
	 * @return whether {@link #path} could name one
	 */
	public boolean hasPath() {
		return this.direct != null || this.chooses;
	}

	/**
	 * Returns whether the peer runs in this JVM, and calls to it are direct.
	 * @return {@code false} as long as that is not known
	 */
	public boolean isDirect() {
		return this.direct != null;
	}

	/**
	 * Returns what the peer announced last.
	 * @return the announcement, or {@code null} if there is none
	 */
	public @Nullable PeerAnnouncement announcement() {
		return this.announcement;
	}

	/**
	 * Returns whether the path in use waits for answers without holding a thread.
	 * @return {@code false} if there is no path
	 */
	public boolean callsLater() {
		CallPath path = current();
		return path != null && path.callsLater();
	}

	/**
	 * Returns why a method can only be called by HTTP although a path is open.
	 * @param method the method
	 * @return the reason, or {@code null}
	 */
	public @Nullable String httpOnlyReason(ContractMethod method) {
		String reason = method.httpOnlyReason();
		return (reason != null) ? reason : httpOnlyReason(method.index());
	}

	/** Returns the selector of the instance that announced itself last. */
	PathSelector selector() {
		return this.selector;
	}

	/** Returns why the peer wants calls of a method by HTTP, or {@code null}. */
	private @Nullable String httpOnlyReason(int method) {
		Map<Integer, String> required = this.httpRequired;
		if (!required.isEmpty() && required.containsKey(method)) {
			return required.get(method);
		}
		PeerAnnouncement latest = this.announcement;
		if (latest == null || latest.httpOnlyMethods().isEmpty()) {
			return null;
		}
		return latest.httpOnlyMethods().contains(method) ? latest.refusal() : null;
	}

	/**
	 * Leaves a method to HTTP until the peer announces itself the next time.
	 * @param instance the announcement of the instance that wants it so
	 */
	synchronized void httpRequired(@Nullable PeerAnnouncement instance, ContractMethod method, String reason) {
		PeerAnnouncement latest = this.announcement;
		if (latest == null || instance == null || !latest.peer().equals(instance.peer())) {
			return;
		}
		Map<Integer, String> required = new HashMap<>(this.httpRequired);
		if (required.put(method.index(), reason) == null) {
			logger.info("Channel '{}' -> {}: {} by http ({})", this.channel.settings().name(), this.address, method,
					reason);
		}
		this.httpRequired = Map.copyOf(required);
	}

	/**
	 * Returns the headers of each call: what the client adds, and the peer's ticket.
	 * @return values by lower-case names; not to be changed
	 */
	public Map<String, String> frameHeaders() {
		return this.frameHeaders;
	}

	/**
	 * Returns the headers of calls that stand in for requests of an HTTP library. Their
	 * ticket names what the peer has seen of this library.
	 * @param library the name of the library
	 * @return values by lower-case names, or {@code null} if the peer has seen no request
	 * of the library yet; not to be changed
	 */
	public @Nullable Map<String, String> frameHeaders(String library) {
		return this.libraryHeaders.get(library);
	}

	/** Puts the headers of calls together from what is known now. */
	synchronized void renewFrameHeaders() {
		this.frameHeaders = headers(this.announcement);
	}

	private Map<String, String> headers(@Nullable PeerAnnouncement announced) {
		Map<String, String> headers = new HashMap<>(this.channel.clientHeaders());
		if (announced != null && !announced.ticket().isEmpty()) {
			headers.put(PeerAnnouncement.TICKET_HEADER, announced.ticket());
		}
		return Map.copyOf(headers);
	}

	private PathSelector newSelector() {
		PathSelector made = new PathSelector(this.order.names(), this.channel.contract().methods().size(),
				PathSelector.Settings.defaults(this.channel.settings().comparesPaths()), this.decisions::decided);
		made.unwatched(this.order.http());
		made.opened(this.order.http(), System.nanoTime());
		return made;
	}

	/**
	 * Returns why {@link #path} named no path.
	 * @return the reason
	 */
	public String reasonForHttp() {
		if (this.direct == null && !this.chooses) {
			return this.connector.reasonForHttp();
		}
		return (this.direct == null && this.selector.current(0) == this.order.http()) ? this.decisions.whyHttp()
				: "one of the calls that compare the paths, or confirm which instance answers at the address";
	}

	/**
	 * Returns the path that the next call takes.
	 * @param method the method that is called
	 * @param arguments its arguments, from which the size of the call is estimated
	 * @return an open path, or {@code null} for HTTP
	 */
	public @Nullable CallPath path(ContractMethod method, @Nullable Object[] arguments) {
		return choose(this.sizes.expected(method.index(), arguments), method.idempotent());
	}

	/**
	 * Returns the path that the next call takes, or {@code null} for HTTP.
	 * @param bytes number of bytes that it is expected to carry
	 * @param idempotent whether the call may be used to compare paths
	 */
	@Nullable CallPath choose(long bytes, boolean idempotent) {
		CallPath shortest = this.direct;
		if (shortest != null) {
			return this.confirmation.takesDirect(idempotent) ? null : shortest;
		}
		if (!this.chooses) {
			return null;
		}
		long now = System.nanoTime();
		if (this.confirmation.takes(now, idempotent)) {
			return null;
		}
		this.channel.look(now);
		if (this.connector.isDue(now)) {
			this.connector.connectMissing();
		}
		int chosen = this.selector.choose(bytes, idempotent, now);
		return (chosen == this.order.http() || chosen < 0) ? null : this.others.get(chosen);
	}

	/**
	 * Returns whether a request that is about to be sent over HTTP confirms that the
	 * address still leads to the peer that paths lead to. Its connection must not be used
	 * again, because others may lead elsewhere. Few requests confirm.
	 * @return whether the request has to say so
	 */
	public boolean confirms() {
		return hasPath() && this.confirmation.endsConnection(System.nanoTime());
	}

	/**
	 * Returns whether a call that no typed path can carry may go without asking the peer
	 * for its paths. It may once a request of the method has asked, as that shows what
	 * such requests pass, if paths are open, or the peer has said recently that it has
	 * none for the contract.
	 * @param method the method that is called
	 * @return {@code false} if the request that is about to be sent has to ask
	 */
	public boolean needsNoInquiry(ContractMethod method) {
		PeerAnnouncement latest = this.announcement;
		if (latest == null || !this.inquired.contains(method.index()) || isToBeProven(method.index(), latest)) {
			return false;
		}
		return hasPath() || (this.connector.offersNothing() && !this.confirmation.asksAgain(System.nanoTime()));
	}

	/**
	 * Returns whether the next request for a method may show that it need not go over
	 * HTTP. What the peer refuses is asked for again by the requests that confirm, or by
	 * all if none do.
	 */
	private boolean isToBeProven(int method, PeerAnnouncement latest) {
		return this.httpRequired.containsKey(method)
				&& !(this.confirmation.isOn() && latest.httpOnlyMethods().contains(method));
	}

	/**
	 * Returns what makes calls over the path that {@link #path} names.
	 * @return always the same
	 */
	public PeerCalls calls() {
		return this.calls;
	}

	/**
	 * Notes that a call is sent over HTTP. It is in flight until the returned object ends
	 * it.
	 * @param method the method that is called
	 * @param arguments its arguments
	 * @param comparable whether the call could have taken another path as well, so that
	 * it is a part of the load that paths are compared for
	 * @return the call, which must be ended
	 */
	public CallOverHttp callingOverHttp(ContractMethod method, @Nullable Object[] arguments, boolean comparable) {
		this.channel.look(System.nanoTime());
		return this.calls.overHttp(method, arguments, comparable);
	}

	/**
	 * Returns what a cautious caller expects a call to take, over whichever path: a
	 * peak-sensitive moving average that decays in some ten seconds.
	 * @return nanoseconds, {@code NaN} if nothing is known of the peer
	 */
	public double expectedNanos() {
		return this.selector.expectedNanos();
	}

	/**
	 * Returns the number of calls in flight that may take any path between processes,
	 * HTTP included.
	 * @return a count
	 */
	public long inFlight() {
		return this.selector.inFlight();
	}

	PathStatistics statistics(PathKind kind) {
		return this.calls.statistics(kind);
	}

	/**
	 * Notes what the peer announced in an answer over HTTP.
	 * @param latest the announcement
	 * @param sentNanos the {@link System#nanoTime()} at which the request was sent, by
	 * which a slow answer is distinguished from the latest one
	 */
	public void announced(PeerAnnouncement latest, long sentNanos) {
		announced(latest, sentNanos, PathRule.ANY);
	}

	/**
	 * Notes what the peer announced in an answer over HTTP.
	 * @param latest the announcement
	 * @param sentNanos the {@link System#nanoTime()} at which the request was sent, which
	 * distinguishes a slow answer from the latest one
	 * @param rule says which paths may stand in for such requests
	 */
	public void announced(PeerAnnouncement latest, long sentNanos, PathRule rule) {
		answered(latest, sentNanos, rule, null);
	}

	/**
	 * Notes what the peer announced in an answer to a call over HTTP.
	 * @param latest the announcement
	 * @param sentNanos the {@link System#nanoTime()} at which the request was sent
	 * @param rule says which paths may stand in for such requests
	 * @param called the method that was called
	 */
	public void announced(PeerAnnouncement latest, long sentNanos, PathRule rule, ContractMethod called) {
		answered(latest, sentNanos, rule, called);
	}

	/**
	 * Notes that a request over HTTP for a method was answered with an announcement.
	 * @param latest the announcement
	 * @param method the method
	 */
	public synchronized void inquired(PeerAnnouncement latest, ContractMethod method) {
		PeerAnnouncement known = this.announcement;
		if (known == null || !known.peer().equals(latest.peer()) || this.inquired.contains(method.index())) {
			return;
		}
		Set<Integer> all = new HashSet<>(this.inquired);
		all.add(method.index());
		this.inquired = Set.copyOf(all);
	}

	private void answered(PeerAnnouncement latest, long sentNanos, PathRule rule, @Nullable ContractMethod called) {
		this.channel.answered(this);
		this.connector.announced(latest, sentNanos, rule, called);
	}

	/**
	 * Notes what the peer announced in an answer to a request of an HTTP library.
	 * @param latest the announcement
	 * @param sentNanos the {@link System#nanoTime()} at which the request was sent
	 * @param rule says which paths may stand in for such requests
	 * @param library the name of the library
	 */
	public void announced(PeerAnnouncement latest, long sentNanos, PathRule rule, String library) {
		announced(latest, sentNanos, rule);
		seen(latest, library);
	}

	private synchronized void seen(PeerAnnouncement latest, String library) {
		PeerAnnouncement known = this.announcement;
		if (known == null || !known.peer().equals(latest.peer())) {
			return;
		}
		Map<String, String> headers = headers(latest);
		if (!headers.equals(this.libraryHeaders.get(library))) {
			Map<String, Map<String, String>> all = new HashMap<>(this.libraryHeaders);
			all.put(library, headers);
			this.libraryHeaders = Map.copyOf(all);
		}
	}

	/** Notes that the peer answered over HTTP without announcing itself. */
	public void silent() {
		this.channel.answered(this);
		this.connector.silent();
	}

	/**
	 * Notes that the peer answered over HTTP to a request that did not ask for paths.
	 * @param reason why it did not ask
	 */
	public void unasked(String reason) {
		this.channel.answered(this);
		this.connector.unasked(reason);
	}

	/**
	 * Notes that the peer's announcement could not be used.
	 * @param reason why
	 */
	public void ignored(String reason) {
		this.channel.ignoredAnnouncement(this);
		this.connector.ignored(reason);
	}

	/**
	 * Takes over an announcement; called by the connector under this lock.
	 * @param latest the announcement
	 * @param required why methods have to go over HTTP although it does not say so
	 */
	void learned(PeerAnnouncement latest, Map<Integer, String> required) {
		PeerAnnouncement previous = this.announcement;
		this.announcement = latest;
		this.confirmation.confirmed();
		this.httpRequired = required;
		if (previous == null || !previous.peer().equals(latest.peer())) {
			this.libraryHeaders = Map.of();
			this.inquired = Set.of();
		}
		if (previous == null || !previous.ticket().equals(latest.ticket())) {
			renewFrameHeaders();
		}
	}

	void forgetAnnouncement() {
		this.announcement = null;
	}

	/** Forgets what paths cost; called by the connector under this lock. */
	void renewSelector() {
		this.selector = newSelector();
	}

	/** Lets calls take a path; called by the connector under this lock. */
	void opened(CallPath path) {
		PathKind kind = path.kind();
		String why = kind.reach().words();
		if (kind.equals(PathKind.DIRECT)) {
			this.direct = path;
			this.decisions.decided(PathKind.HTTP, kind, why);
			return;
		}
		int number = this.order.number(kind);
		this.others.set(number, path);
		this.decisions.because(why, () -> this.selector.opened(number, System.nanoTime()));
		this.chooses = true;
	}

	/**
	 * Lets calls take a path no longer; called by the connector under this lock.
	 * @param path the path
	 * @param hasOther whether another path is still open
	 * @param reason why it is left
	 */
	void left(CallPath path, boolean hasOther, String reason) {
		PathKind kind = path.kind();
		if (!hasOther) {
			this.chooses = false;
		}
		if (kind.equals(PathKind.DIRECT)) {
			this.direct = null;
			this.decisions.decided(kind, PathKind.HTTP, reason);
			return;
		}
		int number = this.order.number(kind);
		this.others.set(number, null);
		this.decisions.because(reason, () -> this.selector.closed(number, System.nanoTime()));
	}

	void close(String reason) {
		this.connector.close(reason);
	}

	/** Returns the path of small calls, {@code null} for HTTP. */
	@Nullable CallPath current() {
		if (this.direct != null) {
			return this.direct;
		}
		int number = this.selector.current(0);
		return (!this.chooses || number < 0) ? null : this.others.get(number);
	}

	/** Describes the peer. */
	synchronized PeerReport report() {
		return new PeerReporter(this.channel, this, this.connector, this.selector, this.decisions).report();
	}

}
