package io.github.vicinal.channel;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.vicinal.channel.ChannelReport.CodecReport;
import io.github.vicinal.channel.ChannelReport.CostReport;
import io.github.vicinal.channel.ChannelReport.PathDecision;
import io.github.vicinal.channel.ChannelReport.PathReport;
import io.github.vicinal.channel.ChannelReport.PeerReport;
import io.github.vicinal.choice.Decision;
import io.github.vicinal.choice.LinearCost;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.MissingPath;
import io.github.vicinal.peer.PathKind;

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

	private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

	private static final String NOT_ALLOWED = "not allowed by configuration";

	private static final String CHEAPER = "calls over it were measured to be cheaper";

	/** Failure-free period after which the back-off of the next attempt starts anew. */
	private static final long FORGIVE_NANOS = TimeUnit.MINUTES.toNanos(5);

	private static final int MAX_DECISIONS_KEPT = 20;

	private static final int SERVER_ERROR = 500;

	/** Mask of random numbers with which direct calls are timed: one call in 16. */
	private static final int SAMPLE_MASK = 15;

	/** Back-off grows to this multiple of the shortest delay between attempts. */
	private static final int MAX_BACK_OFF_FACTOR = 64;

	/** Maximum number of instance ids that are remembered for an address. */
	private static final int MAX_INSTANCES = 64;

	/**
	 * Maximum interval between attempts at instances that are new, or of which so many
	 * took turns that they were forgotten. A peer that crashes in a loop is connected
	 * within this time after each of its starts.
	 */
	private static final long MAX_NEW_INSTANCE_NANOS = TimeUnit.SECONDS.toNanos(1);

	/**
	 * Number of times that answers return to an instance which others had followed,
	 * within {@link #RETURNS_NANOS}, after which the address is taken to be shared by
	 * several instances. One return may be a roll-back.
	 */
	private static final int MAX_RETURNS = 2;

	/** Period in which returns are counted. */
	private static final long RETURNS_NANOS = TimeUnit.SECONDS.toNanos(30);

	/**
	 * Time for which calls to a shared address stay on HTTP at first; doubled each time.
	 */
	private static final long SHARED_NANOS = TimeUnit.MINUTES.toNanos(1);

	/** Maximum number of times that this period is doubled. */
	private static final int MAX_SHARED_DOUBLINGS = 4;

	/** Largest mask of random numbers with which calls look at the clock. */
	private static final int MAX_CLOCK_MASK = 15;

	/** Looks at the clock are meant to be this far apart, about. */
	private static final long CLOCK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final String SHARED = "several instances answer at this address in turn, as behind a gateway or a virtual address; "
			+ "each call goes over http to whichever is next; to use other paths, name the instances";

	private final Channel channel;

	private final PathOrder order;

	private final String address;

	private final Map<PathKind, PathStatistics> statistics = new EnumMap<>(PathKind.class);

	private final Map<PathKind, Path> open = new EnumMap<>(PathKind.class);

	private final Map<PathKind, String> reasons = new EnumMap<>(PathKind.class);

	private final Deque<PathDecision> decisions = new ArrayDeque<>();

	/** The path to a peer in the same JVM: nothing is cheaper, so nothing is compared. */
	private volatile @Nullable Path direct;

	/** The open paths to other processes, by their numbers in the order. */
	private final AtomicReferenceArray<@Nullable Path> others;

	/** Whether there is a choice between a path and HTTP. */
	private volatile boolean chooses;

	/** Selector of the instance that announced itself last. */
	private volatile PathSelector selector;

	private final CallSizes sizes;

	/** Why this object itself opens or closes paths, while it does. */
	private @Nullable String cause;

	/**
	 * Announcement of the instance that paths lead to, or of the one that answered last.
	 */
	private volatile @Nullable PeerAnnouncement announcement;

	/**
	 * Why methods have to go over HTTP although the announcement does not say so; never
	 * changed, only replaced.
	 */
	private volatile Map<Integer, String> httpRequired = Map.of();

	/** The headers of each call; never changed, only replaced. */
	private volatile Map<String, String> frameHeaders;

	/** The ids of instances that paths were to lead to, the latest ones last. */
	private final Set<String> instances = new LinkedHashSet<>();

	/** Time at which paths were last connected. */
	private long lastAttemptNanos;

	/** Time at which the request was sent whose answer brought the announcement. */
	private long askedNanos;

	/** Returns to instances that others had followed, since {@link #firstReturnNanos}. */
	private int returns;

	private long firstReturnNanos;

	/** Times that the address was found to be shared. */
	private int timesShared;

	/** Whether the address is shared, until {@link #sharedUntilNanos}. */
	private boolean shared;

	private long sharedUntilNanos;

	/** Time from which the next call goes over HTTP to confirm who answers. */
	private final AtomicLong confirmNanos = new AtomicLong(Long.MAX_VALUE);

	/** Time at which a request over HTTP last asked for the end of its connection. */
	private final AtomicLong endedConnectionNanos = new AtomicLong(System.nanoTime());

	/** Calls look at the clock if the bits of a random number in this mask are zero. */
	private volatile int clockMask;

	private volatile long clockLookedAt;

	/** Whether paths to that instance were open, so that the selector knows them. */
	private boolean hadPaths;

	/** Why the last attempt to connect failed, while the next one is under way. */
	private String lastFailure = "";

	/** What carries HTTP requests, and why; empty while that is not known. */
	private volatile String httpTransport = "";

	private volatile String reasonForHttp = "no answer over HTTP yet, which would name the peer's paths";

	private volatile boolean connecting;

	/** Whether a path that the peer offers may be connected later. */
	private volatile boolean missing;

	private boolean closed;

	private volatile long nextAttemptNanos;

	private long lastFailureNanos;

	private int failures;

	/** Whether its address was named since the last look. */
	private volatile boolean named;

	/** Looks since its address was named last. */
	private int idleLooks;

	Peer(Channel channel, String address) {
		this.channel = channel;
		this.order = channel.order();
		this.others = new AtomicReferenceArray<>(this.order.size());
		this.address = address;
		this.nextAttemptNanos = System.nanoTime();
		this.sizes = new CallSizes(channel.contract().methods().size());
		this.selector = newSelector();
		this.frameHeaders = channel.clientHeaders();
		for (PathKind kind : PathKind.values()) {
			this.statistics.put(kind, new PathStatistics());
		}
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
	 * Leaves paths to a process that has ended.
	 * @return how many looks ago the peer was needed
	 */
	synchronized int look() {
		for (Path path : List.copyOf(this.open.values())) {
			if (!path.isOpen()) {
				failed(path, "the peer is gone");
			}
		}
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
	 * Notes what carries HTTP requests to the peer.
	 * @param transport what, and why, in words for people
	 */
	public void httpTransport(String transport) {
		if (!transport.equals(this.httpTransport)) {
			this.httpTransport = transport;
		}
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

	/** Puts the headers of calls together from what is known now. */
	synchronized void renewFrameHeaders() {
		PeerAnnouncement latest = this.announcement;
		Map<String, String> headers = new HashMap<>(this.channel.clientHeaders());
		if (latest != null && !latest.ticket().isEmpty()) {
			headers.put(PeerAnnouncement.TICKET_HEADER, latest.ticket());
		}
		this.frameHeaders = Map.copyOf(headers);
	}

	private PathSelector newSelector() {
		PathSelector made = new PathSelector(this.order.names(), this.channel.contract().methods().size(),
				PathSelector.Settings.defaults(this.channel.settings().comparesPaths()), this::decided);
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
			return this.reasonForHttp;
		}
		return (this.direct == null && this.selector.current(0) == this.order.http()) ? whyHttp()
				: "one of the calls that compare the paths, or confirm which instance answers at the address";
	}

	/** Returns why HTTP is in use although another path is open. */
	private synchronized String whyHttp() {
		Iterator<PathDecision> latest = this.decisions.descendingIterator();
		while (latest.hasNext()) {
			PathDecision decision = latest.next();
			if (decision.to().equals(PathKind.HTTP.id())) {
				return (decision.gainMicros() > 0) ? CHEAPER : decision.why();
			}
		}
		return CHEAPER;
	}

	/** Returns how many bytes a call is expected to carry. */
	long expectedBytes(ContractMethod method, @Nullable Object[] arguments) {
		return this.sizes.expected(method.index(), arguments);
	}

	/**
	 * Returns the path that the next call takes.
	 * @param method the method that is called
	 * @param arguments its arguments, which tell how large the call is
	 * @return an open path, or {@code null} for HTTP
	 */
	public @Nullable Path path(ContractMethod method, @Nullable Object[] arguments) {
		return choose(expectedBytes(method, arguments), method.idempotent());
	}

	/**
	 * Returns the path that the next call takes, or {@code null} for HTTP.
	 * @param bytes how many bytes it is expected to carry
	 * @param idempotent whether the call may be used to compare paths
	 */
	@Nullable Path choose(long bytes, boolean idempotent) {
		Path shortest = this.direct;
		if (shortest != null) {
			return confirmsDirect(idempotent) ? null : shortest;
		}
		if (!this.chooses) {
			return null;
		}
		long now = System.nanoTime();
		if (confirms(now, idempotent)) {
			return null;
		}
		this.channel.look(now);
		if (this.missing && !this.connecting && now - this.nextAttemptNanos >= 0) {
			connectMissing();
		}
		int chosen = this.selector.choose(bytes, idempotent, now);
		return (chosen == this.order.http() || chosen < 0) ? null : this.others.get(chosen);
	}

	/**
	 * Returns whether a call has to go over HTTP to confirm that the address still leads
	 * to the instance that paths lead to, which only HTTP can notice.
	 */
	private boolean confirms(long now, boolean idempotent) {
		long due = this.confirmNanos.get();
		if (due == Long.MAX_VALUE) {
			return false;
		}
		long interval = this.channel.settings().confirmInterval().toNanos();
		// A stale connection is no harm to idempotent calls, so that they come first.
		return now - due >= (idempotent ? -(interval / 4) : 0) && this.confirmNanos.compareAndSet(due, now + interval);
	}

	/** Reading the clock is a part of what such calls take: busy ones do it rarely. */
	private boolean confirmsDirect(boolean idempotent) {
		int mask = this.clockMask;
		if ((mask != 0 && (ThreadLocalRandom.current().nextInt() & mask) != 0)
				|| this.confirmNanos.get() == Long.MAX_VALUE) {
			return false;
		}
		long now = System.nanoTime();
		long passed = now - this.clockLookedAt;
		this.clockLookedAt = now;
		int better = (passed > CLOCK_NANOS) ? 0 : Math.min((mask << 1) | 1, MAX_CLOCK_MASK);
		if (better != mask) {
			this.clockMask = better;
		}
		return confirms(now, idempotent);
	}

	/**
	 * Returns whether a request that is about to be sent over HTTP confirms that the
	 * address still leads to the peer that paths lead to. Its connection must not be used
	 * again: others may lead elsewhere. That is so for few requests only.
	 * @return whether the request has to say so
	 */
	public boolean confirms() {
		return endsConnection(System.nanoTime());
	}

	/**
	 * Returns whether a request that is about to be sent over HTTP has to end its
	 * connection. A connection that is kept leads to the same instance for ever, also
	 * when the address leads new ones elsewhere, and confirmations would keep it alive.
	 * Requests of calls that cannot go by other paths count as confirmations, too.
	 */
	private boolean endsConnection(long now) {
		long interval = this.channel.settings().confirmInterval().toNanos();
		if (interval == 0 || !hasPath()) {
			return false;
		}
		long last = this.endedConnectionNanos.get();
		// Confirmations may come after three quarters of the interval.
		return now - last >= interval / 2 && this.endedConnectionNanos.compareAndSet(last, now);
	}

	private void confirmed() {
		Duration interval = this.channel.settings().confirmInterval();
		if (!interval.isZero()) {
			this.confirmNanos.set(System.nanoTime() + interval.toNanos());
		}
	}

	/**
	 * Makes a call over a path and keeps its statistics. A path that can no longer carry
	 * calls is left.
	 * @param path what {@link #path} returned
	 * @param frame the call
	 * @return the reply
	 * @throws PathException if there is no answer
	 */
	public Reply call(Path path, CallFrame frame) throws PathException {
		return (path.kind() == PathKind.DIRECT) ? callDirect(path, frame) : callOther(path, frame);
	}

	/** Shorter than any bookkeeping. */
	private Reply callDirect(Path path, CallFrame frame) throws PathException {
		PathStatistics counted = statistics(PathKind.DIRECT);
		PeerAnnouncement called = this.announcement;
		counted.count();
		try {
			if ((ThreadLocalRandom.current().nextInt() & SAMPLE_MASK) != 0) {
				return path.call(frame);
			}
			long start = System.nanoTime();
			this.channel.look(start);
			Reply reply = path.call(frame);
			counted.time(System.nanoTime() - start);
			return reply;
		}
		catch (PathException ex) {
			if (ex.reason() == PathException.Reason.HTTP_REQUIRED) {
				httpRequired(called, frame.method(), String.valueOf(ex.getMessage()));
			}
			else {
				counted.error();
			}
			if (!path.isOpen()) {
				failed(path, String.valueOf(ex.getMessage()));
			}
			throw ex;
		}
		catch (RuntimeException | Error ex) {
			counted.error();
			throw ex;
		}
	}

	/**
	 * Makes a call over a path to another process, or over the next one if the path has
	 * no room for it.
	 */
	private Reply callOther(Path path, CallFrame frame) throws PathException {
		Path taken = path;
		while (true) {
			try {
				return callBy(taken, frame);
			}
			catch (PathException ex) {
				Path next = isOverflow(ex) ? next(taken.kind()) : null;
				if (next == null || frame.remainingNanos() <= 0) {
					throw ex;
				}
				taken = next;
			}
		}
	}

	/** Such a call was not executed, and says nothing against its path. */
	private static boolean isOverflow(PathException failure) {
		return failure.reason() == PathException.Reason.EXHAUSTED && !failure.maybeExecuted();
	}

	/** Returns the next path in order that is open, or {@code null} for HTTP. */
	private @Nullable Path next(PathKind kind) {
		for (int number = this.order.number(kind) + 1; number < this.order.http(); number++) {
			Path path = this.others.get(number);
			if (path != null && path.isOpen() && !this.selector.cost(number).late()) {
				return path;
			}
		}
		return null;
	}

	private Reply callBy(Path path, CallFrame frame) throws PathException {
		PathSelector chooser = this.selector;
		PeerAnnouncement called = this.announcement;
		PathStatistics counted = statistics(path.kind());
		counted.count();
		ContractMethod method = frame.method();
		long expected = expectedBytes(method, frame.arguments());
		int number = this.order.number(path.kind());
		int ticket = chooser.begin(number, method.index(), expected);
		long cpu = (ticket == PathSelector.TIMED_WITH_CPU) ? cpuNanos() : 0;
		long start = (ticket != PathSelector.UNTIMED) ? System.nanoTime() : 0;
		Reply reply = null;
		try {
			reply = path.call(frame);
		}
		catch (PathException ex) {
			if (ex.reason() == PathException.Reason.HTTP_REQUIRED) {
				httpRequired(called, method, String.valueOf(ex.getMessage()));
			}
			else if (!isOverflow(ex)) {
				counted.error();
			}
			if (!path.isOpen()) {
				failed(path, String.valueOf(ex.getMessage()));
			}
			else if (countsAgainst(ex)) {
				chooser.failed(number, expected, System.nanoTime());
			}
			else {
				chooser.passed(number, expected);
			}
			throw ex;
		}
		catch (RuntimeException | Error ex) {
			counted.error();
			chooser.passed(number, expected);
			throw ex;
		}
		finally {
			chooser.end(number, ticket, reply != null);
		}
		if (!tellsCost(reply.status())) {
			chooser.passed(number, expected);
		}
		else if (ticket != PathSelector.UNTIMED) {
			long now = System.nanoTime();
			counted.time(now - start);
			long bytes = (frame.bytes() > 0) ? frame.bytes() : expected;
			this.sizes.carried(method.index(), frame.arguments(), bytes);
			chooser.record(number, method.index(), expected, bytes, method.idempotent(), now - start, now);
			if (ticket == PathSelector.TIMED_WITH_CPU && cpu >= 0) {
				chooser.recordCpu(number, cpuNanos() - cpu);
			}
		}
		return reply;
	}

	/**
	 * What the peer refuses, or this side cannot encode, it would on any path. A path
	 * without room for a further call is healthy.
	 */
	private static boolean countsAgainst(PathException failure) {
		return switch (failure.reason()) {
			case PEER_GONE, PROTOCOL, TIMEOUT, IO -> true;
			case REFUSED, HTTP_REQUIRED, INTERRUPTED, EXHAUSTED, CODEC -> false;
		};
	}

	/** A server that refuses calls is fast; that is no reason to send it more of them. */
	static boolean tellsCost(int status) {
		return status < SERVER_ERROR;
	}

	/** Returns the CPU time of the calling thread, -1 where that is not known. */
	private static long cpuNanos() {
		try {
			return THREADS.getCurrentThreadCpuTime();
		}
		catch (UnsupportedOperationException ex) {
			// A virtual thread, or a JVM that does not count.
			return -1;
		}
	}

	/**
	 * Notes that a call is sent over HTTP. It is in flight until the returned object is
	 * told otherwise.
	 * @param method the method that is called
	 * @param arguments its arguments
	 * @param comparable whether the call could have taken another path as well, so that
	 * it is a part of the load that paths are compared for
	 * @return the call, which must be ended
	 */
	public CallOverHttp callingOverHttp(ContractMethod method, @Nullable Object[] arguments, boolean comparable) {
		this.channel.look(System.nanoTime());
		return new CallOverHttp(statistics(PathKind.HTTP), this.order.http(), comparable ? this.selector : null, method,
				expectedBytes(method, arguments));
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
	 * Returns how many calls are in flight that may take any path between processes, HTTP
	 * included.
	 * @return a count
	 */
	public long inFlight() {
		return this.selector.inFlight();
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

	/**
	 * Notes what the peer announced in an answer over HTTP.
	 * @param latest the announcement
	 * @param sentNanos the {@link System#nanoTime()} at which the request was sent, by
	 * which a slow answer is told from the latest one
	 */
	public void announced(PeerAnnouncement latest, long sentNanos) {
		this.channel.answered(this);
		learn(latest, sentNanos);
	}

	private synchronized void learn(PeerAnnouncement latest, long sentNanos) {
		if (this.closed) {
			return;
		}
		PeerAnnouncement previous = this.announcement;
		boolean changes = previous != null && !previous.peer().equals(latest.peer());
		if (changes && sentNanos - this.askedNanos < 0) {
			// A slow answer of the instance before says nothing new.
			return;
		}
		this.askedNanos = (previous == null || sentNanos - this.askedNanos > 0) ? sentNanos : this.askedNanos;
		this.announcement = latest;
		confirmed();
		this.httpRequired = Map.of();
		if (previous == null || !previous.ticket().equals(latest.ticket())) {
			renewFrameHeaders();
		}
		boolean unknown = remember(latest.peer().instanceId());
		if (changes) {
			changed(unknown);
		}
		if (isShared()) {
			this.reasonForHttp = SHARED;
			return;
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
		boolean complete = isOpen() && !this.missing;
		if (complete || this.connecting || System.nanoTime() - this.nextAttemptNanos < 0) {
			return;
		}
		connect();
	}

	/**
	 * Begins with another instance.
	 * @param unknown whether it was never called before, as after a restart
	 */
	private void changed(boolean unknown) {
		leaveAll(this.open.values().stream().allMatch(Path::isOpen) ? "another instance answers at the peer's address"
				: "the peer was restarted");
		if (unknown) {
			beginAnew();
		}
		else {
			returned(System.nanoTime());
		}
		if (this.hadPaths) {
			// What the last instance's paths cost says nothing about this one's.
			this.hadPaths = false;
			this.selector = newSelector();
		}
	}

	/** Returns whether an instance is not among those that are remembered. */
	private boolean remember(String instance) {
		boolean known = this.instances.remove(instance);
		this.instances.add(instance);
		if (this.instances.size() > MAX_INSTANCES) {
			this.instances.remove(this.instances.iterator().next());
		}
		return !known;
	}

	/** Forgets the failures of other instances. */
	private void beginAnew() {
		long now = System.nanoTime();
		this.failures = 0;
		this.nextAttemptNanos = now;
		if (this.instances.size() == MAX_INSTANCES) {
			// It may be one of many that take turns, and was forgotten.
			long delay = Math.min(this.channel.settings().reconnectDelay().toNanos(), MAX_NEW_INSTANCE_NANOS);
			this.nextAttemptNanos = Math.max(0, this.lastAttemptNanos + delay - now) + now;
		}
	}

	/** Notes that an instance answers again after another one has. */
	private void returned(long now) {
		if (this.returns == 0 || now - this.firstReturnNanos > RETURNS_NANOS) {
			this.returns = 0;
			this.firstReturnNanos = now;
		}
		if (++this.returns >= MAX_RETURNS && !this.shared) {
			this.shared = true;
			this.sharedUntilNanos = now + (SHARED_NANOS << Math.min(this.timesShared++, MAX_SHARED_DOUBLINGS));
			logger.info("Channel '{}' -> {}: http ({})", this.channel.settings().name(), this.address, SHARED);
		}
	}

	private boolean isShared() {
		if (this.shared && System.nanoTime() - this.sharedUntilNanos >= 0) {
			this.shared = false;
			this.returns = 0;
		}
		return this.shared;
	}

	private boolean isOpen() {
		return !this.open.isEmpty();
	}

	/** Calls over the remaining paths bring no announcement that would start this. */
	private synchronized void connectMissing() {
		if (!this.connecting && !this.closed && this.missing && this.announcement != null
				&& System.nanoTime() - this.nextAttemptNanos >= 0) {
			connect();
		}
	}

	private void connect() {
		PeerAnnouncement latest = Objects.requireNonNull(this.announcement);
		this.connecting = true;
		this.lastAttemptNanos = System.nanoTime();
		if (!isOpen()) {
			this.lastFailure = this.reasonForHttp;
			this.reasonForHttp = "connecting " + latest.paths().stream().sorted().map(PathKind::id).toList();
		}
		try {
			this.channel.connector().execute(() -> connect(latest));
		}
		catch (RejectedExecutionException ex) {
			this.connecting = false;
			this.reasonForHttp = "the application is shutting down";
		}
		catch (OutOfMemoryError ex) {
			this.connecting = false;
			backOff(true);
			if (!isOpen()) {
				this.reasonForHttp = this.lastFailure;
				staysOnHttp("no thread could be had to connect paths: " + ex.getMessage());
			}
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
			Map<PathKind, String> reasons = new EnumMap<>(PathKind.class);
			latest.missing().forEach((kind, word) -> reasons.put(kind, MissingPath.explain(word)));
			return "the peer offers no typed path" + (reasons.isEmpty() ? "" : ": " + describe(reasons));
		}
		String hash = this.channel.contract().hash();
		if (!hash.equals(latest.contractHash())) {
			return "the contract differs: hash %s here, %s at the peer; build both sides from one version of %s"
				.formatted(hash, latest.contractHash(), this.channel.contract().name());
		}
		return null;
	}

	/** Notes that the peer answered over HTTP without announcing itself. */
	public void silent() {
		this.channel.answered(this);
		answeredSilently();
	}

	private synchronized void answeredSilently() {
		if (isOpen() || this.connecting) {
			return;
		}
		this.announcement = null;
		this.reasonForHttp = "the peer does not announce any paths: it runs without Vicinal, or something between "
				+ "removes the " + PeerAnnouncement.HEADER + " header";
	}

	/**
	 * Notes that the peer's announcement could not be used.
	 * @param reason why
	 */
	public void ignored(String reason) {
		this.channel.ignoredAnnouncement(this);
		ignoredBecause(reason);
	}

	private synchronized void ignoredBecause(String reason) {
		if (!isOpen() && !this.connecting) {
			this.reasonForHttp = reason;
		}
	}

	private void connect(PeerAnnouncement target) {
		try {
			connectAll(target);
		}
		finally {
			synchronized (this) {
				this.connecting = false;
			}
		}
	}

	private void connectAll(PeerAnnouncement target) {
		Map<PathKind, Path> connected = new EnumMap<>(PathKind.class);
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
				failed.put(kind, notOffered(target, kind));
			}
			else if (!isOpen(kind) && !connected.containsKey(PathKind.DIRECT)) {
				PathProvider.Attempt attempt = attempt(provider, target);
				if (attempt instanceof PathProvider.Connected success) {
					connected.put(kind, success.path());
				}
				else if (attempt instanceof PathProvider.Unavailable unavailable) {
					failed.put(kind, unavailable.reason());
					retryable |= unavailable.retryable();
				}
			}
		}
		connected(target, connected, failed, retryable);
	}

	private static String notOffered(PeerAnnouncement target, PathKind kind) {
		String word = target.missing().get(kind);
		return "the peer does not offer it" + ((word != null) ? ": " + MissingPath.explain(word) : "");
	}

	private synchronized boolean isOpen(PathKind kind) {
		return this.open.containsKey(kind);
	}

	private PathProvider.Attempt attempt(PathProvider provider, PeerAnnouncement target) {
		try {
			return provider.connect(this.channel.contract(), target);
		}
		catch (RuntimeException | Error ex) {
			// Errors, too: too many threads or too little direct memory may pass.
			logger.warn("Channel '{}': connecting {} to {} failed", this.channel.settings().name(),
					provider.kind().id(), this.address, ex);
			return new PathProvider.Unavailable("failed with " + ex, true);
		}
	}

	private synchronized void connected(PeerAnnouncement target, Map<PathKind, Path> connected,
			Map<PathKind, String> failed, boolean retryable) {
		this.reasons.clear();
		this.reasons.putAll(failed);
		PeerAnnouncement current = this.announcement;
		if (this.closed || current == null || !current.peer().equals(target.peer())) {
			connected.values().forEach(Path::close);
			return;
		}
		this.missing = retryable;
		if (retryable || (connected.isEmpty() && !isOpen())) {
			backOff(retryable);
		}
		if (connected.isEmpty() && !isOpen()) {
			this.reasonForHttp = this.lastFailure;
			staysOnHttp(describe(failed));
		}
		// The least preferred first: each that follows takes over from it.
		for (int i = this.order.size() - 1; i >= 0; i--) {
			Path path = connected.get(this.order.kind(i));
			if (path != null) {
				opened(path, without(failed));
			}
		}
	}

	/** Which other paths there are not, but for what can only be had in one JVM. */
	private static String without(Map<PathKind, String> failed) {
		Map<PathKind, String> missing = new EnumMap<>(PathKind.class);
		missing.putAll(failed);
		missing.remove(PathKind.DIRECT);
		return missing.isEmpty() ? "" : "; " + describe(missing);
	}

	private void opened(Path path, String without) {
		PathKind kind = path.kind();
		boolean first = !isOpen();
		this.open.put(kind, path);
		this.hadPaths = true;
		if (kind == PathKind.DIRECT) {
			this.direct = path;
			decided(PathKind.HTTP, kind, why(kind));
		}
		else {
			int number = this.order.number(kind);
			this.others.set(number, path);
			this.cause = why(kind);
			this.selector.opened(number, System.nanoTime());
			this.cause = null;
			this.chooses = true;
		}
		logger.info("Channel '{}' -> {}: {} ({}, contract {}, codec {}), {}{}", this.channel.settings().name(),
				this.address, kind.id(), why(kind), this.channel.contract().hash(), path.codec().codec().name(),
				first ? "fallback http" : "beside " + others(kind), without);
	}

	private String others(PathKind kind) {
		return this.open.keySet()
			.stream()
			.filter((other) -> other != kind)
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
		long now = System.nanoTime();
		if (now - this.lastFailureNanos > FORGIVE_NANOS) {
			this.failures = 0;
		}
		this.lastFailureNanos = now;
		leave(path, reason);
		this.missing = true;
		backOff(true);
	}

	private void leaveAll(String reason) {
		for (Path path : List.copyOf(this.open.values())) {
			leave(path, reason);
		}
	}

	private void leave(Path path, String reason) {
		PathKind kind = path.kind();
		this.open.remove(kind);
		this.reasons.put(kind, reason);
		if (!isOpen()) {
			this.reasonForHttp = kind.id() + ": " + reason;
			this.chooses = false;
		}
		if (kind == PathKind.DIRECT) {
			this.direct = null;
			decided(kind, PathKind.HTTP, reason);
		}
		else {
			int number = this.order.number(kind);
			this.others.set(number, null);
			this.cause = reason;
			this.selector.closed(number, System.nanoTime());
			this.cause = null;
		}
		logger.info("Channel '{}' -> {}: {} ({}: {})", this.channel.settings().name(), this.address, best().id(),
				kind.id(), reason);
		path.close();
	}

	/** Returns the most preferred path that is open. */
	private PathKind best() {
		if (this.direct != null) {
			return PathKind.DIRECT;
		}
		int number = 0;
		while (number < this.order.http() && !isOpen(this.order.kind(number))) {
			number++;
		}
		return this.order.kind(number);
	}

	private void decided(PathKind from, PathKind to, String why) {
		keep(new PathDecision(this.channel.now(), from.id(), to.id(), "all calls", why, null, null, 0, 0, 0));
	}

	/** Called by the selector, on the thread that made it decide, outside of its lock. */
	private void decided(PathSelector.PathSwitch change) {
		Decision decision = change.decision();
		Double from = micros(decision.costFrom());
		Double to = micros(decision.costTo());
		double gain = (from != null && to != null) ? (from - to) * decision.callsExpected() : 0;
		double loss = decision.loss() / 1e3;
		String known = Thread.holdsLock(this) ? this.cause : null;
		PathDecision kept = new PathDecision(this.channel.now(), decision.from(), decision.to(), change.calls(),
				(known != null) ? known : why(decision), from, to, decision.callsExpected(), gain, loss);
		keep(kept);
		if (known == null) {
			logger.info(
					"Channel '{}' -> {}: {} -> {} for {} ({}; cost {} -> {} us, {} calls expected, gain {} us, loss {} us)",
					this.channel.settings().name(), this.address, kept.from(), kept.to(), kept.calls(), kept.why(),
					round(decision.costFrom()), round(decision.costTo()), Math.round(decision.callsExpected()),
					Math.round(gain), Math.round(loss));
		}
	}

	private synchronized void keep(PathDecision decision) {
		if (this.decisions.size() == MAX_DECISIONS_KEPT) {
			this.decisions.removeFirst();
		}
		this.decisions.addLast(decision);
	}

	private static String why(Decision decision) {
		return switch (decision.kind()) {
			case GAIN -> "the expected gain exceeds the loss of a switch";
			case LOSS -> "the last switch lost";
			case FAILURE -> "most calls over " + decision.from() + " failed";
			case OPENED -> decision.to() + " has stayed open for its trial";
			case DEGRADED -> decision.from() + " suddenly costs several times what it did";
			case LATE -> "calls over " + decision.from() + " do not come back";
		};
	}

	private static @Nullable Double micros(double nanos) {
		return Double.isNaN(nanos) ? null : nanos / 1e3;
	}

	private static String round(double nanos) {
		return Double.isNaN(nanos) ? "?" : String.format(Locale.ROOT, "%.1f", nanos / 1e3);
	}

	synchronized void close(String reason) {
		this.closed = true;
		leaveAll(reason);
	}

	synchronized PeerReport report() {
		Path current = current();
		PathKind inUse = (current != null) ? current.kind() : PathKind.HTTP;
		List<PathReport> reports = new ArrayList<>();
		for (PathKind kind : PathKind.values()) {
			reports.add(report(kind, inUse));
		}
		CodecReport codec = (current != null)
				? new CodecReport(current.codec().codec().name(), current.codec().reason()) : null;
		String reason = (current != null) ? why(inUse) : isOpen() ? whyHttp() : this.reasonForHttp;
		return new PeerReport(this.address, instanceId(), inUse.id(), reason + otherSizes(inUse), codec, reports,
				List.copyOf(this.decisions));
	}

	/** Returns the path of small calls. */
	private @Nullable Path current() {
		if (this.direct != null) {
			return this.direct;
		}
		int number = this.selector.current(0);
		return (!this.chooses || number < 0) ? null : this.others.get(number);
	}

	private String otherSizes(PathKind inUse) {
		StringBuilder text = new StringBuilder();
		if (this.direct == null && this.chooses) {
			int last = this.order.number(inUse);
			for (int i = 1; i < LinearCost.SIZE_CLASSES; i++) {
				int number = this.selector.current(LinearCost.largest(i));
				if (number != last && number >= 0) {
					text.append("; calls above %d KiB take %s".formatted(LinearCost.largest(i - 1) >> 10,
							this.order.kind(number).id()));
					last = number;
				}
			}
		}
		return text.toString();
	}

	private @Nullable CostReport cost(PathKind kind) {
		PathSelector.PathCost known = this.order.allows(kind) ? this.selector.cost(this.order.number(kind)) : null;
		if (known == null || Double.isNaN(known.fixedNanos())) {
			return null;
		}
		return new CostReport(known.fixedNanos() / 1e3, known.nanosPerByte(), known.peakNanos() / 1e3,
				micros(known.cpuNanos()));
	}

	private PathReport report(PathKind kind, PathKind inUse) {
		PathStatistics counted = statistics(kind);
		Path path = this.open.get(kind);
		String state;
		String reason = "";
		if (kind == inUse) {
			state = "in use";
		}
		else if (!this.order.allows(kind)) {
			state = "unavailable";
			reason = NOT_ALLOWED;
		}
		else if (kind == PathKind.HTTP || path != null) {
			PathSelector.PathCost known = this.selector.cost(this.order.number(kind));
			state = known.late() ? "late" : known.onTrial() ? "on trial" : "standby";
			reason = known.late() ? "calls over it do not come back" : known.onTrial()
					? "it failed, and has to stay open and answer for a while" : inUse.id() + " is better";
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
				(path != null) ? path.bytesCarried() : 0, cost(kind), details(kind, path));
	}

	private Map<String, Object> details(PathKind kind, @Nullable Path path) {
		if (kind == PathKind.HTTP && !this.httpTransport.isEmpty()) {
			return Map.of("transport", this.httpTransport);
		}
		return (path != null) ? path.details() : Map.of();
	}

}
