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

import org.jspecify.annotations.Nullable;

import io.github.vicinal.choice.Decision;
import io.github.vicinal.choice.LinearCost;
import io.github.vicinal.choice.PeakEwma;
import io.github.vicinal.choice.SwitchLoss;
import io.github.vicinal.choice.SwitchingRule;
import io.github.vicinal.choice.SwitchingSettings;

/**
 * Chooses among the open paths to one peer, for each class of call sizes by a
 * {@link SwitchingRule} of its own, so that small and large calls may take different
 * paths.
 *
 * <pre class="code">
 * int path = selector.choose(bytes, idempotent, System.nanoTime());
 * int ticket = selector.begin(path, method, bytes);
 * // ... make the call by it ...
 * selector.end(path, ticket, true);
 * if (ticket != PathSelector.UNTIMED) {
 *     selector.record(path, method, bytes, carried, idempotent, nanos, System.nanoTime());
 * }
 * </pre>
 *
 * A call reads one word that says which path each class takes, and adds one to a striped
 * count when it begins and one when it ends. It takes no lock and allocates nothing. Some
 * calls are timed: all of them on paths where the clock does not show, one in
 * {@value PathState#FASTEST_STRIDE} on the fastest. A timed call hands its sample to the
 * rule under the selector's lock, if that is free at once: a sample that meets another is
 * dropped, which makes the rule a little slower and never wrong, as it does not depend on
 * what the sample says. Probes, failures and changes of the set of paths always wait for
 * the lock.
 * <p>
 * No thread watches the calls in flight: whether a path still answers matters only to the
 * next call, which looks after them, at most every {@value #LOOK_MILLIS} ms. A path is
 * late if calls began on it, none was answered since, and ten times as long as the
 * slowest method takes, plus {@value PathState#GRACE_MILLIS} ms, have passed
 * ({@value PathState#UNKNOWN_MILLIS} ms while one is in flight whose method was never
 * timed). It is left then, and returns when a call has come back, or none is in flight
 * any more, and a trial is over.
 * <p>
 * Paths are numbered in order of preference, the last of which is always there. Time is
 * the caller's {@link System#nanoTime()}; samples that a jump of the clock made negative
 * are dropped, and a gap of more than five seconds between two looks proves nothing.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class PathSelector {

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

	private static final int CLASSES = LinearCost.SIZE_CLASSES;

	/** Instead of a class. */
	private static final int ALL = -1;

	private static final int BITS = 4;

	private static final int MASK = (1 << BITS) - 1;

	/** Selects the timed calls whose CPU time is read, which costs a system call. */
	private static final int CPU_MASK = 63;

	private static final int SPREAD = 0x9E3779B1;

	private static final int SPREAD_SHIFT = 20;

	/** Minimum interval between looks at the calls in flight, in milliseconds. */
	public static final int LOOK_MILLIS = 10;

	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS);

	private static final long MAX_GAP_NANOS = TimeUnit.SECONDS.toNanos(5);

	private static final long PEAK_DECAY_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final double METHOD_WEIGHT = 1.0 / 16;

	private static final double ERROR_WEIGHT = 0.25;

	/** Above this share of failed calls a class leaves a path that is still open. */
	private static final double MAX_ERRORS = 0.5;

	/** A line must promise this much before untried calls follow it. */
	private static final double CLEAR_GAIN = 0.8;

	private final List<String> names;

	private final Settings settings;

	private final Consumer<PathSwitch> listener;

	private final CallStripes comparable = new CallStripes();

	private final PathState[] paths;

	private final ReentrantLock lock = new ReentrantLock();

	private final AtomicLong nextLook = new AtomicLong();

	private final PeakEwma peak = new PeakEwma(PEAK_DECAY_NANOS);

	/** Four bits for each class: the path that its calls take. */
	private volatile int routes;

	/** Whether all calls are timed, to measure what a switch loses. */
	private volatile boolean measuring;

	/** One of so many calls plus one may compare the paths. */
	private volatile int probeMask = SwitchingSettings.MIN_PROBE_INTERVAL - 1;

	/** Guarded by the lock, as all that follows. */
	private final @Nullable SizeClass[] classes = new @Nullable SizeClass[CLASSES];

	private final int[] guesses = new int[CLASSES];

	/** Read without the lock, too: an old value does no harm. */
	private final double[] methodNanos;

	private final Deque<PathSwitch> untold = new ArrayDeque<>();

	private long lastLook;

	private long discarded;

	/**
	 * How to select.
	 *
	 * @param rule how eagerly to switch
	 * @param initialLossNanos what a switch is taken to cost until one is measured
	 * @param compares whether calls that may be repeated are used to compare the paths;
	 * without it only failures and preference decide
	 * @param cpuWeight what a nanosecond of the caller's CPU time counts beside one of
	 * latency, at least 0
	 * @since 0.1.0
	 */
	public record Settings(SwitchingSettings rule, double initialLossNanos, boolean compares, double cpuWeight) {

		private static final double INITIAL_LOSS_NANOS = 1e6;

		public Settings {
			if (!(cpuWeight >= 0 && cpuWeight <= 1000)) {
				throw new IllegalArgumentException(
						"The weight of CPU time must be between 0 and 1000, but is " + cpuWeight + "; 0 leaves it out");
			}
		}

		/**
		 * Returns the settings that channels use.
		 * @param compares whether paths are compared
		 * @return the defaults of the rule with a dwell of one second, a loss of 1 ms,
		 * and no weight of CPU time
		 */
		public static Settings defaults(boolean compares) {
			SwitchingSettings rule = SwitchingSettings.defaults();
			return new Settings(new SwitchingSettings(rule.hysteresis(), java.time.Duration.ofSeconds(1),
					rule.maxBackOff(), rule.horizon(), rule.probeInterval(), rule.cleanProbes()), INITIAL_LOSS_NANOS,
					compares, 0);
		}

	}

	/**
	 * A switch between paths.
	 *
	 * @param sizeClass the class of sizes that moved, as in {@link LinearCost}, or -1 for
	 * all calls
	 * @param decision what was decided, and the numbers behind it
	 * @since 0.1.0
	 */
	public record PathSwitch(int sizeClass, Decision decision) {

		/**
		 * Says which calls moved.
		 * @return for example {@code calls up to 4 KiB}
		 */
		public String calls() {
			if (this.sizeClass < 0) {
				return "all calls";
			}
			if (this.sizeClass == 0) {
				return "calls up to " + size(0);
			}
			return (this.sizeClass == CLASSES - 1) ? "calls above " + size(this.sizeClass - 1)
					: "calls of %s to %s".formatted(size(this.sizeClass - 1), size(this.sizeClass));
		}

		private static String size(int sizeClass) {
			long kib = LinearCost.largest(sizeClass) >> 10;
			return (kib < 1024) ? kib + " KiB" : (kib >> 10) + " MiB";
		}

	}

	/**
	 * What is known of a path.
	 *
	 * @param open whether it is connected
	 * @param late whether calls by it do not come back
	 * @param onTrial whether it failed, and has not yet shown that it may return
	 * @param begun calls that began
	 * @param inFlight calls that have not ended
	 * @param fixedNanos what a call costs apart from its bytes, {@code NaN} if unknown
	 * @param nanosPerByte what each byte costs, 0 if that cannot be told
	 * @param peakNanos what a cautious caller expects, {@code NaN} if unknown
	 * @param cpuNanos the caller's CPU time per call, {@code NaN} if unknown
	 * @since 0.1.0
	 */
	public record PathCost(boolean open, boolean late, boolean onTrial, long begun, long inFlight, double fixedNanos,
			double nanosPerByte, double peakNanos, double cpuNanos) {
	}

	/**
	 * Creates a selector for paths none of which is open.
	 * @param names the paths' names, in order of preference
	 * @param methods how many methods the calls have
	 * @param settings how to select
	 * @param listener is told each switch once, by the thread that caused it, outside of
	 * any lock
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
		Arrays.setAll(this.paths, (i) -> new PathState(PEAK_DECAY_NANOS));
		this.methodNanos = new double[methods];
		this.classes[0] = new SizeClass(settings.initialLossNanos());
		guess();
		publish();
	}

	private final class SizeClass {

		final SwitchingRule rule;

		final SwitchLoss loss;

		final LoadBlocks load = new LoadBlocks();

		final double[] errors = new double[PathSelector.this.paths.length];

		long switchesSeen;

		/** Whether calls that may be repeated were seen; only these are compared then. */
		boolean compares;

		SizeClass(double initialLoss) {
			this.rule = new SwitchingRule(PathSelector.this.names, initialLoss, PathSelector.this.settings.rule());
			this.loss = new SwitchLoss(this.rule);
		}

	}

	/**
	 * Says that a path is open. One that is preferred takes over at once, unless it has
	 * failed: then it returns after clean probes, or after a trial.
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
			guess();
		}
		finally {
			unlock();
		}
	}

	/**
	 * Says that a path cannot carry calls any more. Its calls move at once.
	 * @param path its number
	 * @param nanos the time
	 */
	public void closed(int path, long nanos) {
		this.lock.lock();
		try {
			if (this.paths[path].open) {
				this.paths[path].close();
				forEachClass((sized) -> sized.loss.failed(path, nanos));
			}
			guess();
		}
		finally {
			unlock();
		}
	}

	/**
	 * Says that a path is never late: nothing stands behind it, or something else looks
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

	/** What happens to a path happens to all classes, and is told once. */
	private void forEachClass(Consumer<SizeClass> action) {
		boolean told = false;
		for (SizeClass sized : this.classes) {
			if (sized != null) {
				action.accept(sized);
				told |= note(ALL, sized, !told);
			}
		}
	}

	/**
	 * Chooses the path of a call.
	 * @param bytes how many bytes the call is expected to carry, request and reply
	 * @param idempotent whether the call may be repeated, and so be used to compare paths
	 * @param nanos the time
	 * @return a path, or {@link SwitchingRule#NONE} if none is open
	 */
	public int choose(long bytes, boolean idempotent, long nanos) {
		long look = this.nextLook.get();
		// The clock may have jumped back.
		if (nanos - look >= 0 || look - nanos > LOOK_NANOS) {
			look(look, nanos);
		}
		int sizeClass = LinearCost.sizeClass(bytes);
		int mask = this.probeMask;
		if (idempotent && this.settings.compares() && (this.comparable.tick() & mask) == 0) {
			return probe(sizeClass, mask + 1, nanos);
		}
		return route(sizeClass);
	}

	private int route(int sizeClass) {
		int path = (this.routes >>> (sizeClass * BITS)) & MASK;
		return (path == MASK) ? SwitchingRule.NONE : path;
	}

	private int probe(int sizeClass, int made, long nanos) {
		this.lock.lock();
		try {
			SizeClass sized = sized(sizeClass, nanos);
			sized.compares = true;
			return sized.rule.choose(nanos, true, made);
		}
		finally {
			unlock();
		}
	}

	private SizeClass sized(int sizeClass, long nanos) {
		SizeClass known = this.classes[sizeClass];
		if (known != null) {
			return known;
		}
		SizeClass nearest = nearest(sizeClass);
		SizeClass made = new SizeClass(nearest.rule.loss());
		int route = route(sizeClass);
		for (int i = 0; i < this.paths.length; i++) {
			if (this.paths[i].isUsable()) {
				made.rule.available(i, nanos);
			}
		}
		if (route != SwitchingRule.NONE) {
			made.rule.start(route, nanos);
		}
		this.classes[sizeClass] = made;
		guess();
		return made;
	}

	private SizeClass nearest(int sizeClass) {
		for (int i = sizeClass; i >= 0; i--) {
			SizeClass known = this.classes[i];
			if (known != null) {
				return known;
			}
		}
		throw new IllegalStateException("The first class is always there");
	}

	/**
	 * Counts a call that begins.
	 * @param path the path that it takes
	 * @param method the number of its method
	 * @param bytes how many bytes it is expected to carry, as {@link #choose} was told
	 * @return {@link #UNTIMED}, {@link #TIMED}, {@link #TIMED_WITH_CPU} or {@link #FIRST}
	 */
	public int begin(int path, int method, long bytes) {
		PathState it = this.paths[path];
		int number = (int) it.calls.begin();
		if (this.methodNanos[method] == 0) {
			it.beginUnknown();
			return FIRST;
		}
		// Spread, so that calls that come in turns do not always meet the same turn.
		int spread = (number * SPREAD) >>> SPREAD_SHIFT;
		if ((spread & it.mask) != 0 && !this.measuring && path == route(LinearCost.sizeClass(bytes))) {
			return UNTIMED;
		}
		return ((number >>> Integer.bitCount(it.mask) & CPU_MASK) == 0) ? TIMED_WITH_CPU : TIMED;
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
	 * Notes that a call has come back and tells nothing about what its path costs: it was
	 * refused, or failed for a reason of its own.
	 * @param path the path that it took
	 * @param bytes how many bytes it was expected to carry
	 */
	public void passed(int path, long bytes) {
		int sizeClass = LinearCost.sizeClass(bytes);
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
	 * @param expected how many bytes it was expected to carry, as {@link #choose} was
	 * told
	 * @param bytes how many bytes it carried, request and reply
	 * @param idempotent whether it may be repeated
	 * @param nanos how long it took; a negative time is dropped
	 * @param now the time
	 */
	public void record(int path, int method, long expected, long bytes, boolean idempotent, long nanos, long now) {
		int sizeClass = LinearCost.sizeClass(expected);
		if (path != route(sizeClass)) {
			this.lock.lock();
		}
		else if (!this.lock.tryLock()) {
			return;
		}
		try {
			if (nanos < 0) {
				this.discarded++;
				return;
			}
			recordLocked(path, method, sizeClass, bytes, idempotent, nanos, now);
		}
		finally {
			unlock();
		}
	}

	private void recordLocked(int path, int method, int k, long bytes, boolean idempotent, long nanos, long now) {
		PathState it = this.paths[path];
		double known = this.methodNanos[method];
		this.methodNanos[method] = (known == 0) ? Math.max(1, nanos) : known + METHOD_WEIGHT * (nanos - known);
		boolean all = this.measuring || path != route(k);
		int made = all ? 1 : it.mask + 1;
		it.record(bytes, nanos, now);
		this.peak.record(nanos, now);
		SizeClass sized = sized(k, now);
		if (sized.errors[path] > 0) {
			sized.errors[path] *= Math.pow(1 - ERROR_WEIGHT, made);
		}
		sized.compares |= idempotent;
		if (this.settings.compares() && (idempotent || !sized.compares)) {
			double cpu = (this.settings.cpuWeight() > 0 && it.cpu > 0) ? this.settings.cpuWeight() * it.cpu : 0;
			boolean probe = path != sized.rule.current();
			sized.loss.record(path, (probe ? underLoad(path, nanos) : nanos) + cpu, now - nanos, now, made);
			if (!probe) {
				followLoad(sized, now);
			}
			note(k, sized, true);
		}
	}

	/**
	 * A probe finds its path idle. What it would cost if all calls took that path follows
	 * from how its cost has grown with the calls in flight while it was in use.
	 */
	private double underLoad(int path, long nanos) {
		return nanos * this.paths[path].growth(this.paths[path].inFlight() + 1, inFlight() + 1);
	}

	/**
	 * When the load has changed for good, what the paths cost calls of a class is
	 * restated by their lines, and compared soon: the rule need not wait until rare
	 * probes have shown it.
	 */
	private void followLoad(SizeClass sized, long now) {
		double before = sized.load.stated();
		if (!sized.load.record(inFlight() + 1.0, now, this.settings.rule().dwell().toNanos())) {
			return;
		}
		for (int i = 0; i < this.paths.length; i++) {
			double factor = this.paths[i].growth(before, sized.load.stated());
			if (factor != 1) {
				sized.rule.restate(i, factor);
			}
		}
		sized.rule.compareSoon(now);
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
	 * @param bytes how many bytes it was expected to carry
	 * @param now the time
	 */
	public void failed(int path, long bytes, long now) {
		this.lock.lock();
		try {
			int k = LinearCost.sizeClass(bytes);
			SizeClass sized = sized(k, now);
			sized.errors[path] += ERROR_WEIGHT * (1 - sized.errors[path]);
			if (sized.errors[path] > MAX_ERRORS) {
				sized.errors[path] = 0;
				sized.rule.demote(path, Decision.Kind.FAILURE, now);
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
			guess();
		}
		finally {
			unlock();
		}
	}

	private void look(int path, PathState it, boolean trusted, double slowest, long now) {
		switch (it.look(slowest, trusted, hasOther(path), now)) {
			case ANSWERED_AGAIN -> forEachClass((sized) -> sized.rule.opened(path, now));
			case BECAME_LATE -> forEachClass((sized) -> {
				sized.rule.failed(path, Decision.Kind.LATE, now);
				sized.loss.notice();
			});
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

	/** Remembers a switch of the rule to be told; returns whether there was one. */
	private boolean note(int sizeClass, SizeClass sized, boolean tell) {
		if (sized.rule.switches() == sized.switchesSeen) {
			return false;
		}
		sized.switchesSeen = sized.rule.switches();
		sized.loss.notice();
		Decision decision = sized.rule.lastDecision();
		if (tell && decision != null) {
			this.untold.add(new PathSwitch(sizeClass, decision));
		}
		return true;
	}

	/** Where calls of sizes that have not been seen will go. */
	private void guess() {
		for (int k = 0; k < CLASSES; k++) {
			if (this.classes[k] == null) {
				this.guesses[k] = untried(k);
			}
		}
	}

	private void publish() {
		int packed = 0;
		boolean measures = false;
		boolean soon = false;
		for (int k = 0; k < CLASSES; k++) {
			SizeClass sized = this.classes[k];
			int path = (sized != null) ? sized.rule.current() : this.guesses[k];
			packed |= (path & MASK) << (k * BITS);
			measures |= sized != null && sized.loss.isMeasuring();
			soon |= sized != null && sized.rule.comparesSoon();
		}
		int mask = (soon ? SwitchingRule.SOON_INTERVAL : SwitchingSettings.MIN_PROBE_INTERVAL) - 1;
		if (mask != this.probeMask) {
			this.probeMask = mask;
		}
		if (packed != this.routes) {
			this.routes = packed;
		}
		if (measures != this.measuring) {
			this.measuring = measures;
		}
	}

	/** Calls of a new size go where the lines say, or where somewhat smaller ones go. */
	private int untried(int sizeClass) {
		int nearest = nearest(sizeClass).rule.current();
		if (nearest == SwitchingRule.NONE) {
			return nearest;
		}
		double size = (double) LinearCost.largest(sizeClass - 1) * 2;
		int best = nearest;
		double least = this.paths[nearest].line.at(size) * CLEAR_GAIN;
		for (int i = 0; i < this.paths.length; i++) {
			PathState it = this.paths[i];
			if (it.isUsable() && it.line.knowsSlope() && this.paths[nearest].line.knowsSlope()
					&& it.line.at(size) < least) {
				best = i;
				least = it.line.at(size);
			}
		}
		return best;
	}

	/** Publishes what changed, and tells it outside of the lock. */
	private void unlock() {
		publish();
		if (this.untold.isEmpty()) {
			this.lock.unlock();
			return;
		}
		List<PathSwitch> told = new ArrayList<>(this.untold);
		this.untold.clear();
		this.lock.unlock();
		told.forEach(this.listener);
	}

	/**
	 * Returns the path that calls of a size take, apart from probes.
	 * @param bytes the size
	 * @return a path, or {@link SwitchingRule#NONE} if none is open
	 */
	public int current(long bytes) {
		return route(LinearCost.sizeClass(bytes));
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
	 * Returns how many calls have begun and not ended.
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
	 * Returns how many calls were sent to another path to compare it.
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
	 * Returns how many samples a jump of the clock made useless.
	 * @return a count
	 */
	public long discarded() {
		this.lock.lock();
		try {
			return this.discarded;
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
			return new PathCost(it.open, it.late, nearest(0).rule.hasFailed(path), begun, Math.max(0, begun - ended),
					it.line.fixed(), it.line.perByte(), it.peak.value(), it.cpu);
		}
		finally {
			this.lock.unlock();
		}
	}

}
