package io.github.vicinal.selection;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.github.vicinal.choice.Decision;
import io.github.vicinal.choice.PeakEwma;
import org.jspecify.annotations.Nullable;

/**
 * Chooses among the open paths to one peer, for each class of call sizes by a rule of its
 * own ({@code SelectionRule}, which explains how), so that small and large calls may take
 * different paths.
 *
 * <pre class="code">
 * int path = selector.choose(bytes, idempotent, System.nanoTime());
 * int ticket = selector.begin(path, method, bytes);
 * // ... make the call by it, and ask for the service time if the ticket is not UNTIMED ...
 * selector.end(path, ticket, true);
 * if (ticket != PathSelector.UNTIMED) {
 *     selector.record(path, method, bytes, carried, idempotent, nanos, service, System.nanoTime());
 * }
 * </pre>
 *
 * A call reads one word that says which path each class takes, and adds one to a striped
 * count when it begins and one when it ends. It takes no lock and allocates nothing. A
 * timed call (one in 16 on the fastest paths) hands its sample to the rule under the
 * selector's lock if that is free; otherwise the sample is dropped. Probes, failures, the
 * calls that follow a failure, and changes of the set of paths always wait for the lock.
 * <p>
 * The peer may claim any service time. One that is absent, negative or longer than the
 * call makes the sample useless for comparisons, and does no other harm. A false one
 * makes paths to the peer that lies look better or worse, and no others.
 * <p>
 * No thread watches the calls in flight: the next call looks after them, at most every
 * {@value #LOOK_MILLIS} ms. A path is late if calls began on it, none was answered since,
 * and ten times as long as the slowest method takes, plus {@value PathState#GRACE_MILLIS}
 * ms, have passed ({@value PathState#UNKNOWN_MILLIS} ms while one is in flight whose
 * method was never timed). It returns when a call has come back, or none is in flight any
 * more, and its back-off is over.
 * <p>
 * Paths are numbered in order of preference, the last of which is always there. Time is
 * the caller's {@link System#nanoTime()}. Samples that a jump of the clock made negative
 * are dropped, and a gap of more than five seconds between two looks proves nothing.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class PathSelector {

	/** Returned where no path is open. */
	public static final int NONE = SelectionRule.NONE;

	/** Returned by {@link #begin} for a call that need not be timed. */
	public static final int UNTIMED = 0;

	/** Returned by {@link #begin} for a call that shall be recorded. */
	public static final int TIMED = 1;

	/** Returned by {@link #begin} for a call whose CPU time shall be recorded, too. */
	public static final int TIMED_WITH_CPU = 2;

	/** Returned by {@link #begin} for a call of a method that was never timed. */
	public static final int FIRST = 3;

	/** The most paths. */
	public static final int MAX_PATHS = 15;

	private static final int CLASSES = CallSizeClass.COUNT;

	/** Instead of a class. */
	private static final int ALL = -1;

	private static final int BITS = 4;

	private static final int MASK = (1 << BITS) - 1;

	private static final int SPREAD = 0x9E3779B1;

	private static final int SPREAD_SHIFT = 20;

	private static final int FLAG_SHIFT = 16;

	private static final int NUMBER_MASK = (1 << FLAG_SHIFT) - 1;

	/** Minimum interval between looks at the calls in flight, in milliseconds. */
	public static final int LOOK_MILLIS = 10;

	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS);

	/**
	 * Time between two looks after which calls in flight are not judged: looks come with
	 * calls, so the process was idle, or paused for longer than a path may be late.
	 */
	private static final long MAX_GAP_NANOS = TimeUnit.SECONDS.toNanos(5);

	/**
	 * Weight of a sample in the mean time of a method: within 16 timed calls the mean
	 * follows a method that has become slower, before its calls look late.
	 */
	private static final double METHOD_WEIGHT = 1.0 / 16;

	/**
	 * Number by which failed calls exceed answered ones when a class leaves a path that
	 * is still open. The excess keeps growing only if more calls fail than are answered;
	 * where one in ten fails, it reaches three about once in a thousand calls. While it
	 * is positive all calls of the class are timed, so that each answer counts: among 16
	 * calls of which one is timed, three failures say nothing.
	 */
	private static final int MAX_FAILURES = 3;

	private final List<String> names;

	private final Settings settings;

	private final Consumer<PathSwitch> listener;

	private final CallStripes comparable = new CallStripes();

	private final PathState[] paths;

	private final ReentrantLock lock = new ReentrantLock();

	private final AtomicLong nextLook = new AtomicLong();

	private final PeakEwma peak = PathState.newPeak();

	/** Four bits for each class: the path that its calls take. */
	private volatile int routes;

	/** Whether all calls are timed, because a path is tried. */
	private volatile boolean measuring;

	/**
	 * A bit for each class whose calls are all timed, because one has failed and not
	 * enough were answered since.
	 */
	private volatile int failing;

	/**
	 * Mask of the numbers of calls that may compare paths. Above, a bit for each class
	 * whose next call is the second of a probe.
	 */
	private volatile int probing = SelectionRule.MAX_INTERVAL - 1;

	/** Guarded by the lock, as all that follows. */
	private final @Nullable SizeClass[] classes = new @Nullable SizeClass[CLASSES];

	/** Read without the lock, too: an old value does no harm. */
	private final double[] methodNanos;

	private final Deque<PathSwitch> unreported = new ArrayDeque<>();

	private long lastLook;

	/**
	 * Settings of a selector.
	 *
	 * @param compares whether calls that may be repeated are used to compare the paths;
	 * without it only failures and preference decide
	 * @param cpuWeight what a nanosecond of the caller's CPU time counts beside one of
	 * latency, 0 to 1000. CPU time counts where it is known of all paths that are
	 * compared, and at most as long as the path's own time: a caller that spins while the
	 * server works merely waits
	 * @since 0.1.0
	 */
	public record Settings(boolean compares, double cpuWeight) {

		public Settings {
			if (!(cpuWeight >= 0 && cpuWeight <= 1000)) {
				throw new IllegalArgumentException(
						"The weight of CPU time must be between 0 and 1000, but is " + cpuWeight + "; 0 leaves it out");
			}
		}

		/**
		 * Returns the settings that channels use.
		 * @param compares whether paths are compared
		 * @return CPU time with weight 1: a nanosecond in which a caller occupies a
		 * processor costs as much as one in which it waits
		 */
		public static Settings defaults(boolean compares) {
			return new Settings(compares, 1);
		}

	}

	/**
	 * A switch between paths.
	 *
	 * @param sizeClass the class of sizes that moved, as in {@link CallSizeClass}, or -1
	 * for all calls
	 * @param decision what was decided, and the numbers behind it
	 * @since 0.1.0
	 */
	public record PathSwitch(int sizeClass, Decision decision) {

		/**
		 * Names the calls that moved.
		 * @return for example {@code calls up to 4 KiB}
		 */
		public String calls() {
			return CallSizeClass.describe(this.sizeClass);
		}

	}

	/**
	 * State of a path, for reports.
	 *
	 * @param open whether it is connected
	 * @param late whether calls by it do not come back
	 * @param onTrial whether it failed, and has not yet shown that it may return
	 * @param begun calls that began
	 * @param inFlight calls that have not ended
	 * @param fixedNanos how long a call takes apart from its bytes, the server's time
	 * included, {@code NaN} if unknown
	 * @param nanosPerByte cost of each byte, 0 if unknown
	 * @param peakNanos peak-sensitive moving average of the latency, {@code NaN} if
	 * unknown
	 * @param cpuNanos the caller's CPU time per call, {@code NaN} if unknown
	 * @since 0.1.0
	 */
	public record PathCost(boolean open, boolean late, boolean onTrial, long begun, long inFlight, double fixedNanos,
			double nanosPerByte, double peakNanos, double cpuNanos) {
	}

	/**
	 * Creates a selector for paths none of which is open.
	 * @param names the paths' names, in order of preference
	 * @param methods number of methods that the calls have
	 * @param settings how to select
	 * @param listener notified of each switch once, by the thread that caused it, outside
	 * of any lock
	 */
	public PathSelector(List<String> names, int methods, Settings settings, Consumer<PathSwitch> listener) {
		if (names.isEmpty() || names.size() > MAX_PATHS) {
			throw new IllegalArgumentException(
					"There must be 1 to %d paths, but there are %d".formatted(MAX_PATHS, names.size()));
		}
		this.names = List.copyOf(names);
		this.settings = settings;
		this.listener = listener;
		this.paths = new PathState[names.size()];
		Arrays.setAll(this.paths, (i) -> new PathState());
		this.methodNanos = new double[methods];
		this.classes[0] = new SizeClass();
		publish();
	}

	private final class SizeClass {

		final SelectionRule rule = new SelectionRule(PathSelector.this.names, PathSelector.this.methodNanos.length);

		/** By path, the number by which failed calls exceed answered ones. */
		final int[] failures = new int[PathSelector.this.paths.length];

		long switchesSeen;

		/** Whether calls that may be repeated were seen; only these are compared then. */
		boolean compares;

		/** Whether more calls have failed than were answered by the path in use. */
		boolean hasFailures() {
			int current = this.rule.current();
			return current != NONE && this.failures[current] > 0;
		}

	}

	/**
	 * Notes that a path is open. One that is preferred takes over at once, unless it has
	 * failed repeatedly: then it returns when its back-off is over.
	 * @param path its number
	 * @param nanos the time
	 */
	public void opened(int path, long nanos) {
		this.lock.lock();
		try {
			PathState it = this.paths[path];
			if (!it.open) {
				it.open(nanos);
				forEachClass((sized) -> sized.rule.opened(path, nanos));
			}
		}
		finally {
			unlock();
		}
	}

	/**
	 * Notes that a path cannot carry calls any more. Its calls move at once.
	 * @param path its number
	 * @param nanos the time
	 */
	public void closed(int path, long nanos) {
		this.lock.lock();
		try {
			if (this.paths[path].open) {
				this.paths[path].close();
				forEachClass((sized) -> sized.rule.closed(path, nanos));
			}
		}
		finally {
			unlock();
		}
	}

	/**
	 * Notes that a path is never late: nothing stands behind it, or something else looks
	 * after its calls. They are counted all the same.
	 * @param path its number
	 */
	public void unwatched(int path) {
		this.lock.lock();
		try {
			this.paths[path].watched = false;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** An event of a path concerns all classes, and is notified once. */
	private void forEachClass(Consumer<SizeClass> action) {
		boolean reported = false;
		for (SizeClass sized : this.classes) {
			if (sized != null) {
				action.accept(sized);
				reported |= note(ALL, sized, !reported);
			}
		}
	}

	/**
	 * Chooses the path of a call.
	 * @param bytes number of bytes that the call is expected to carry, request and reply
	 * @param idempotent whether the call may be repeated, and so be used to compare paths
	 * @param nanos the time
	 * @return a path, or {@link #NONE} if none is open
	 */
	public int choose(long bytes, boolean idempotent, long nanos) {
		long look = this.nextLook.get();
		// The clock may have jumped back.
		if (nanos - look >= 0 || look - nanos > LOOK_NANOS) {
			look(look, nanos);
		}
		int sizeClass = CallSizeClass.of(bytes);
		if (idempotent && this.settings.compares()) {
			int due = this.probing;
			int spread = ((int) this.comparable.tick() * SPREAD) >>> SPREAD_SHIFT;
			if ((spread & due & NUMBER_MASK) == 0 || (due >>> (FLAG_SHIFT + sizeClass) & 1) != 0) {
				return probe(sizeClass, (spread & due & NUMBER_MASK) == 0 ? (due & NUMBER_MASK) + 1 : 0, nanos);
			}
		}
		return route(sizeClass);
	}

	private int route(int sizeClass) {
		int path = (this.routes >>> (sizeClass * BITS)) & MASK;
		return (path == MASK) ? NONE : path;
	}

	private int probe(int sizeClass, int made, long nanos) {
		this.lock.lock();
		try {
			SizeClass sized = sized(sizeClass);
			sized.compares = true;
			return sized.rule.choose(nanos, made);
		}
		finally {
			unlock();
		}
	}

	private SizeClass sized(int sizeClass) {
		SizeClass known = this.classes[sizeClass];
		if (known != null) {
			return known;
		}
		SizeClass made = new SizeClass();
		made.rule.startLike(nearest(sizeClass).rule);
		this.classes[sizeClass] = made;
		return made;
	}

	private SizeClass nearest(int sizeClass) {
		for (int i = sizeClass; i >= 0; i--) {
			SizeClass known = this.classes[i];
			if (known != null) {
				return known;
			}
		}
		throw new IllegalStateException("No class of call sizes is in use");
	}

	/**
	 * Counts a call that begins.
	 * @param path the path that it takes
	 * @param method the number of its method
	 * @param bytes number of bytes that it is expected to carry, as passed to
	 * {@link #choose}
	 * @return {@link #UNTIMED}, {@link #TIMED}, {@link #TIMED_WITH_CPU} or {@link #FIRST}
	 */
	public int begin(int path, int method, long bytes) {
		PathState it = this.paths[path];
		int number = (int) it.calls.begin();
		if (this.methodNanos[method] == 0) {
			it.beginUnknown();
			return FIRST;
		}
		// Spreads the samples, so that methods that alternate do not always meet the same
		// one.
		int spread = (number * SPREAD) >>> SPREAD_SHIFT;
		int sizeClass = CallSizeClass.of(bytes);
		if ((spread & it.mask) != 0 && !this.measuring && !isFailing(sizeClass) && path == route(sizeClass)) {
			return UNTIMED;
		}
		// A reading is a system call of 0.6 us: at most 2.4 ns a call on the fastest
		// paths.
		int timed = number >>> Integer.bitCount(it.mask);
		boolean probe = path != route(sizeClass);
		return (probe || (timed & (PathState.FASTEST_STRIDE - 1)) == 0) ? TIMED_WITH_CPU : TIMED;
	}

	private boolean isFailing(int sizeClass) {
		return (this.failing >>> sizeClass & 1) != 0;
	}

	/**
	 * Counts a call that has ended.
	 * @param path the path that it took
	 * @param ticket what {@link #begin} returned
	 * @param answered whether there was an answer, be it a refusal
	 */
	public void end(int path, int ticket, boolean answered) {
		if (ticket == FIRST) {
			this.paths[path].endUnknown();
		}
		this.paths[path].end(answered);
	}

	/**
	 * Notes that a call has come back without information about the cost of its path: it
	 * was refused, or failed for a reason of its own.
	 * @param path the path that it took
	 * @param bytes number of bytes that it was expected to carry
	 */
	public void passed(int path, long bytes) {
		int sizeClass = CallSizeClass.of(bytes);
		if (path == route(sizeClass)) {
			return;
		}
		this.lock.lock();
		try {
			SizeClass sized = this.classes[sizeClass];
			if (sized != null) {
				sized.rule.passed(path);
			}
		}
		finally {
			unlock();
		}
	}

	/**
	 * Records a call that was answered.
	 * @param path the path that it took
	 * @param method the number of its method
	 * @param expected number of bytes that it was expected to carry, as passed to
	 * {@link #choose}
	 * @param bytes number of bytes that it carried, request and reply
	 * @param idempotent whether it may be repeated
	 * @param nanos how long it took; a negative time is dropped
	 * @param service how long the peer says that it waited and ran there; anything but 1
	 * to {@code nanos} counts as unknown
	 * @param now the time
	 */
	public void record(int path, int method, long expected, long bytes, boolean idempotent, long nanos, long service,
			long now) {
		int sizeClass = CallSizeClass.of(expected);
		if (path != route(sizeClass) || isFailing(sizeClass)) {
			this.lock.lock();
		}
		else if (!this.lock.tryLock()) {
			return;
		}
		try {
			if (nanos < 0) {
				return;
			}
			double cost = (service <= 0 || service > nanos) ? Double.NaN : Math.max(1, nanos - service);
			recordLocked(path, method, sizeClass, bytes, idempotent, nanos, cost, now);
		}
		finally {
			unlock();
		}
	}

	private void recordLocked(int path, int method, int k, long bytes, boolean idempotent, long nanos, double cost,
			long now) {
		PathState it = this.paths[path];
		double known = this.methodNanos[method];
		this.methodNanos[method] = (known == 0) ? Math.max(1, nanos) : known + METHOD_WEIGHT * (nanos - known);
		boolean all = this.measuring || isFailing(k) || path != route(k);
		int made = all ? 1 : it.mask + 1;
		it.record(CallSizeClass.of(bytes), bytes, !Double.isNaN(cost), nanos, now);
		this.peak.record(nanos, now);
		SizeClass sized = sized(k);
		sized.failures[path] = Math.max(0, sized.failures[path] - made);
		sized.compares |= idempotent;
		if (this.settings.compares() && (idempotent || !sized.compares)) {
			sized.rule.record(path, method, cost + cpu(it, cost), nanos, inFlight() + 1.0, now, made);
			note(k, sized, true);
		}
	}

	/** Returns the weighted CPU time, 0 unless it is known of all measured paths. */
	private double cpu(PathState path, double cost) {
		for (PathState it : this.paths) {
			if ((it == path || (it.isUsable() && it.measured)) && Double.isNaN(it.cpu)) {
				return 0;
			}
		}
		return this.settings.cpuWeight() * Math.min(path.cpu, cost);
	}

	/**
	 * Records the caller's CPU time of a call.
	 * @param path the path that it took
	 * @param nanos the time
	 */
	public void recordCpu(int path, long nanos) {
		if (nanos >= 0 && this.lock.tryLock()) {
			try {
				this.paths[path].recordCpu(nanos);
			}
			finally {
				this.lock.unlock();
			}
		}
	}

	/**
	 * Records a call that got no answer although its path is still open. When most calls
	 * of that size fail, they leave the path.
	 * @param path the path that it took
	 * @param bytes number of bytes that it was expected to carry
	 * @param now the time
	 */
	public void failed(int path, long bytes, long now) {
		this.lock.lock();
		try {
			int k = CallSizeClass.of(bytes);
			SizeClass sized = sized(k);
			if (++sized.failures[path] == MAX_FAILURES) {
				sized.failures[path] = 0;
				sized.rule.demote(path, now);
				note(k, sized, true);
			}
		}
		finally {
			unlock();
		}
	}

	private void look(long seen, long now) {
		if (!this.nextLook.compareAndSet(seen, now + LOOK_NANOS) || !this.lock.tryLock()) {
			return;
		}
		try {
			long gap = now - this.lastLook;
			boolean trusted = gap >= 0 && gap <= MAX_GAP_NANOS;
			this.lastLook = now;
			double slowest = 0;
			for (double nanos : this.methodNanos) {
				slowest = Math.max(slowest, nanos);
			}
			for (int i = 0; i < this.paths.length; i++) {
				PathState it = this.paths[i];
				if (it.open && it.watched) {
					look(i, it, trusted, slowest, now);
				}
			}
			for (int k = 0; k < CLASSES; k++) {
				SizeClass sized = this.classes[k];
				if (sized != null) {
					sized.rule.tick(now);
					note(k, sized, true);
				}
			}
		}
		finally {
			unlock();
		}
	}

	private void look(int path, PathState it, boolean trusted, double slowest, long now) {
		switch (it.look(slowest, trusted, hasOther(path), now)) {
			case ANSWERED_AGAIN -> forEachClass((sized) -> sized.rule.opened(path, now));
			case BECAME_LATE -> forEachClass((sized) -> sized.rule.left(path, Decision.Kind.LATE, now));
			default -> {
				// Nothing has changed.
			}
		}
	}

	private boolean hasOther(int path) {
		for (int i = 0; i < this.paths.length; i++) {
			if (i != path && this.paths[i].isUsable()) {
				return true;
			}
		}
		return false;
	}

	/** Remembers a switch of the rule for the listener; returns whether there was one. */
	private boolean note(int sizeClass, SizeClass sized, boolean report) {
		if (sized.rule.switches() == sized.switchesSeen) {
			return false;
		}
		sized.switchesSeen = sized.rule.switches();
		Decision decision = sized.rule.lastDecision();
		if (report && decision != null) {
			this.unreported.add(new PathSwitch(sizeClass, decision));
		}
		return true;
	}

	private void publish() {
		int packed = 0;
		boolean measures = false;
		int failed = 0;
		int due = SelectionRule.MAX_INTERVAL - 1;
		for (int k = 0; k < CLASSES; k++) {
			SizeClass sized = this.classes[k];
			// Calls of sizes that were not seen go where somewhat smaller ones go.
			SelectionRule rule = nearest(k).rule;
			packed |= (rule.current() & MASK) << (k * BITS);
			measures |= rule.tries();
			failed |= (sized != null && sized.hasFailures()) ? 1 << k : 0;
			due &= (rule.interval() - 1) | (-1 << FLAG_SHIFT);
			due |= (sized != null && rule.probesNext()) ? 1 << (FLAG_SHIFT + k) : 0;
		}
		if (due != this.probing) {
			this.probing = due;
		}
		if (packed != this.routes) {
			this.routes = packed;
		}
		if (measures != this.measuring) {
			this.measuring = measures;
		}
		if (failed != this.failing) {
			this.failing = failed;
		}
	}

	/** Publishes changes, and notifies the listener outside of the lock. */
	private void unlock() {
		publish();
		if (this.unreported.isEmpty()) {
			this.lock.unlock();
			return;
		}
		List<PathSwitch> reports = new ArrayList<>(this.unreported);
		this.unreported.clear();
		this.lock.unlock();
		reports.forEach(this.listener);
	}

	/**
	 * Returns the path that calls of a size take, apart from probes.
	 * @param bytes the size
	 * @return a path, or {@link #NONE} if none is open
	 */
	public int current(long bytes) {
		return route(CallSizeClass.of(bytes));
	}

	/**
	 * Returns what a cautious caller expects a call to take: the peak-sensitive mean over
	 * all paths.
	 * @return nanoseconds, {@code NaN} before the first timed call
	 */
	public double expectedNanos() {
		return this.peak.value();
	}

	/**
	 * Returns the number of calls that have begun and not ended.
	 * @return a count
	 */
	public long inFlight() {
		long sum = 0;
		for (PathState path : this.paths) {
			sum += path.inFlight();
		}
		return sum;
	}

	/**
	 * Returns the number of calls that were sent to another path to compare it.
	 * @return a count
	 */
	public long probes() {
		this.lock.lock();
		try {
			long sum = 0;
			for (SizeClass sized : this.classes) {
				sum += (sized != null) ? sized.rule.probes() : 0;
			}
			return sum;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Describes a path.
	 * @param path its number
	 * @return what is known of it
	 */
	public PathCost cost(int path) {
		this.lock.lock();
		try {
			PathState it = this.paths[path];
			long ended = it.calls.ended();
			long begun = it.calls.begun();
			double[] line = it.perByteAndFixed();
			return new PathCost(it.open, it.late, nearest(0).rule.hasFailed(path), begun, Math.max(0, begun - ended),
					line[1], line[0], it.peak.value(), it.cpu);
		}
		finally {
			this.lock.unlock();
		}
	}

}
