package io.github.vicinal.placement.sources;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.Evidence;
import io.github.vicinal.placement.source.Traffic;
import io.github.vicinal.placement.sources.EdgeCount.Side;
import org.jspecify.annotations.Nullable;

/**
 * Turns counts that grow into rates of the recent past. A reporter's counts are read
 * again and again; each difference enters with full weight, and fades with a half life. A
 * count that fell has been reset: the reporter restarted, and what it counts now is new.
 * <p>
 * All rates have one time base: what was counted since the window's first report. What a
 * reporter counted before that is a mean over its own life, idle times included, and
 * means over different lives cannot be compared. It counts only until
 * {@link #MIN_OBSERVED} have been observed, and for edges with too few calls since.
 * <p>
 * A reporter that takes the place of another one continues its counts: both are one line,
 * whose time is that in which one of them ran. A line that began later than others of its
 * group took over a part of their load, and counts for the part of the time that it has
 * been there; else this load would count twice while the others' rates fall.
 * <p>
 * Where both ends of an edge count, each call is counted once: the end that saw more is
 * right, because an end can miss calls but not invent them. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RateWindow {

	/** Ends that differ by more than this part make an edge's evidence partial. */
	static final double TOLERANCE = 0.1;

	/** Observed time from which on rates no longer rest on the lives of reporters. */
	static final Duration MIN_OBSERVED = Duration.ofSeconds(10);

	/** Maximum time between the first and the last answer of one round of questions. */
	static final Duration ROUND = Duration.ofSeconds(3);

	/** Number of half-lives after which nothing of a silent reporter is left. */
	private static final int FORGOTTEN = 10;

	/** The most edges of one reporter. */
	private static final int MAX_SERIES = 100_000;

	private final Duration halfLife;

	private final long minimumCalls;

	private final Map<String, Reporter> reporters = new TreeMap<>();

	/**
	 * Creates an empty window.
	 * @param halfLife after this time a count has half its weight
	 * @param minimumCalls edges with less evidence are left out, and named
	 */
	public RateWindow(Duration halfLife, long minimumCalls) {
		if (halfLife.isNegative() || halfLife.isZero() || minimumCalls < 0) {
			throw new IllegalArgumentException("A half life is positive and a minimum of calls at least 0: %s, %d"
				.formatted(halfLife, minimumCalls));
		}
		this.halfLife = halfLife;
		this.minimumCalls = minimumCalls;
	}

	private record Key(String from, String to, Side side) {
	}

	private record Ends(String from, String to) {
	}

	/** Counts of one period. */
	private static final class Part {

		private double calls;

		private double bytes;

		/** Calls whose bytes were counted, too. */
		private double callsWithBytes;

		void fade(double fade) {
			this.calls *= fade;
			this.bytes *= fade;
			this.callsWithBytes *= fade;
		}

	}

	private static final class Sum {

		private double lastCalls;

		private @Nullable Double lastBytes;

		/** Counted before the window's first report. */
		private final Part prior = new Part();

		private final Part observed = new Part();

	}

	private static final class Reporter {

		private final Map<Key, Sum> sums = new LinkedHashMap<>();

		private final String group;

		private final long firstNanos;

		/** Whether it began to count after the window's first report. */
		private final boolean young;

		/** Start of what was observed of it. */
		private final long begunNanos;

		/** Name of the reporter that took its place. */
		private @Nullable String successor;

		private long lastNanos;

		/** For how long it had been counting when it reported last. */
		private Duration lastRunning = Duration.ZERO;

		private double priorSeconds;

		private double seconds;

		/** Edges of its last report for which there was no room. */
		private int dropped;

		private Reporter(String group, long firstNanos, Duration running, long since) {
			this.group = group;
			this.firstNanos = firstNanos;
			this.young = firstNanos - running.toNanos() >= since;
			this.begunNanos = this.young ? firstNanos - running.toNanos() : firstNanos;
		}

		/**
		 * Returns the time in which it has counted since its last report: by its own
		 * clock, as a report can be under way for long, the first one of a fresh JVM
		 * above all. By the time that elapsed here if its clock says something else;
		 * while it was down, it counted nothing that a rate could rest on.
		 */
		double covered(double elapsed, Duration running) {
			double own = running.minus(this.lastRunning).toNanos() / 1e9;
			boolean agrees = own > 0 && Math.abs(own - elapsed) <= ROUND.toNanos() / 1e9;
			this.lastRunning = running;
			return agrees ? own : Math.min(elapsed, running.toNanos() / 1e9);
		}

		double observed() {
			return (this.lastNanos - this.firstNanos) / 1e9;
		}

	}

	/** Time of the first report; decides what is prior. */
	private long since;

	private boolean begun;

	/**
	 * Adds what a reporter has counted.
	 * @param reporter instance that counted
	 * @param nanos when, on any clock that all calls share
	 * @param running for how long the reporter has been counting; decides the window of
	 * its first report
	 * @param counts all that it has counted
	 */
	public void add(String reporter, long nanos, Duration running, List<EdgeCount> counts) {
		add(reporter, "", nanos, running, counts);
	}

	/**
	 * Adds what a reporter of a group has counted. In a group, a new reporter may take
	 * the place of one that falls silent: calls of both are the same load.
	 * @param reporter instance that counted
	 * @param group the reporter's group, such as its service; empty for none
	 * @param nanos when, on any clock that all calls share
	 * @param running for how long the reporter has been counting
	 * @param counts all that it has counted
	 */
	public synchronized void add(String reporter, String group, long nanos, Duration running, List<EdgeCount> counts) {
		if (!this.begun) {
			this.begun = true;
			this.since = nanos;
		}
		Reporter known = this.reporters.get(reporter);
		boolean first = known == null;
		if (known == null) {
			known = new Reporter(group, nanos, running, this.since);
			known.lastNanos = nanos - running.toNanos();
			this.reporters.put(reporter, known);
		}
		known.successor = null;
		double elapsed = (nanos - known.lastNanos) / 1e9;
		if (elapsed < 0 || (elapsed == 0 && !first)) {
			return;
		}
		double fade = Math.pow(0.5, elapsed / (this.halfLife.toNanos() / 1e9));
		boolean prior = first && !known.young;
		double covered = known.covered(elapsed, running);
		known.priorSeconds = prior ? elapsed : known.priorSeconds * fade;
		known.seconds = known.seconds * fade + (prior ? 0 : covered);
		known.lastNanos = nanos;
		known.sums.values().forEach((sum) -> {
			sum.prior.fade(fade);
			sum.observed.fade(fade);
		});
		known.dropped = 0;
		for (Map.Entry<Key, EdgeCount> count : together(counts).entrySet()) {
			Sum sum = known.sums.get(count.getKey());
			if (sum == null) {
				if (known.sums.size() >= MAX_SERIES) {
					known.dropped++;
					continue;
				}
				sum = new Sum();
				known.sums.put(count.getKey(), sum);
			}
			add(sum, prior ? sum.prior : sum.observed, count.getValue());
		}
		this.reporters.values().removeIf((other) -> (nanos - other.lastNanos) > FORGOTTEN * this.halfLife.toNanos());
	}

	/**
	 * Lets a reporter continue the counts of another one, whose place it takes: of the
	 * same instance before it was restarted. Reporters that report again after that are
	 * on their own.
	 * @param before instance that counted
	 * @param after instance that goes on counting
	 */
	public synchronized void replace(String before, String after) {
		Reporter known = this.reporters.get(before);
		for (String next = after; next != null;) {
			if (next.equals(before)) {
				return;
			}
			Reporter later = this.reporters.get(next);
			next = (later != null) ? later.successor : null;
		}
		if (known != null) {
			known.successor = after;
		}
	}

	/** Returns whether this window has counts of a reporter. */
	synchronized boolean knows(String reporter) {
		return this.reporters.containsKey(reporter);
	}

	private static void add(Sum sum, Part part, EdgeCount count) {
		double calls = (count.calls() >= sum.lastCalls) ? count.calls() - sum.lastCalls : count.calls();
		part.calls += calls;
		Double bytes = count.applicationBytes();
		if (bytes != null) {
			double before = (sum.lastBytes != null && bytes >= sum.lastBytes) ? sum.lastBytes : 0;
			part.bytes += bytes - before;
			part.callsWithBytes += calls;
		}
		sum.lastCalls = count.calls();
		sum.lastBytes = bytes;
	}

	/** One reporter may count an edge in several series. */
	private static Map<Key, EdgeCount> together(List<EdgeCount> counts) {
		Map<Key, EdgeCount> together = new LinkedHashMap<>();
		for (EdgeCount count : counts) {
			if (count.calls() >= 0 && count.calls() < Double.POSITIVE_INFINITY) {
				together.merge(new Key(count.from(), count.to(), count.side()), count,
						(one, other) -> new EdgeCount(one.from(), one.to(), one.side(), one.calls() + other.calls(),
								sum(one.applicationBytes(), other.applicationBytes())));
			}
		}
		return together;
	}

	private static @Nullable Double sum(@Nullable Double one, @Nullable Double other) {
		return (one == null) ? other : (other == null) ? one : (Double) (one + other);
	}

	/** Counts of one end of an edge, summed over all reporters. */
	private static final class Rate {

		private double callsPerSecond;

		private double samples;

		private double bytesPerSecond;

		private double samplesWithBytes;

		private double seconds;

		/** Whether reporters have counted for different times. */
		private boolean mixed;

		void add(Part part, double seconds, double fade, double weight) {
			if (seconds > 0) {
				this.callsPerSecond += weight * fade * part.calls / seconds;
				this.bytesPerSecond += weight * fade * part.bytes / seconds;
			}
			this.samples += fade * part.calls;
			this.samplesWithBytes += fade * part.callsWithBytes;
			this.seconds = Math.max(this.seconds, seconds);
		}

	}

	/** Rates of one end by two time bases. */
	private static final class Bases {

		/** Since the window's first report. */
		private final Rate recent = new Rate();

		/** Since reporters began to count. */
		private final Rate whole = new Rate();

		void add(Sum sum, Line line, double fade, boolean observed, boolean comparable) {
			Part all = new Part();
			all.calls = sum.prior.calls + sum.observed.calls;
			all.bytes = sum.prior.bytes + sum.observed.bytes;
			all.callsWithBytes = sum.prior.callsWithBytes + sum.observed.callsWithBytes;
			double seconds = line.priorSeconds + line.seconds;
			this.whole.add(all, seconds, fade, line.weight);
			if (observed) {
				this.recent.add(sum.observed, line.seconds, fade, line.weight);
			}
			else {
				this.recent.add(all, seconds, fade, line.weight);
				this.recent.mixed |= !comparable;
				this.whole.mixed |= !comparable;
			}
		}

		/** A base with little evidence is left unless that means that calls ceased. */
		Rate chosen(long minimumCalls) {
			double enough = Math.max(1, minimumCalls);
			boolean rare = this.recent.samples < enough && this.whole.callsPerSecond * this.recent.seconds < 2 * enough;
			return rare ? this.whole : this.recent;
		}

	}

	/** A reporter and those whose place it took. */
	private final class Line {

		private final String name;

		private final Reporter head;

		/** In the order in which they began. */
		private final List<Reporter> lives = new ArrayList<>();

		private double priorSeconds;

		/** Observed time in which any of them ran. */
		private double seconds;

		/** Part of its rates that counts. */
		private double weight = 1;

		Line(String name, Reporter head, Map<String, List<String>> predecessors) {
			this.name = name;
			this.head = head;
			collect(name, predecessors);
			this.lives.sort(Comparator.comparingLong((life) -> life.begunNanos));
			long covered = Long.MIN_VALUE;
			for (Reporter life : this.lives) {
				this.priorSeconds += fade(life) * life.priorSeconds;
				this.seconds += fade(life) * life.seconds;
				long both = Math.min(covered, life.lastNanos);
				if (both > life.begunNanos) {
					this.seconds -= faded(life.begunNanos, both, head.lastNanos);
				}
				covered = Math.max(covered, life.lastNanos);
			}
		}

		private void collect(String name, Map<String, List<String>> predecessors) {
			Reporter life = RateWindow.this.reporters.get(name);
			if (life != null) {
				this.lives.add(life);
				predecessors.getOrDefault(name, List.of()).forEach((before) -> collect(before, predecessors));
			}
		}

		/**
		 * Returns the weight of counts now, as far as they had not faded when they were
		 * reported.
		 */
		double fade(Reporter life) {
			return RateWindow.this.fade(this.head.lastNanos - life.lastNanos);
		}

		long begun() {
			return this.lives.get(0).begunNanos;
		}

		boolean young() {
			return this.lives.get(0).young;
		}

		/** Sets the part of the time of its group in which this line has been there. */
		void weigh(List<Line> group) {
			if (!young() || group.stream().noneMatch((other) -> begun() - other.begun() > ROUND.toNanos())) {
				return;
			}
			List<Reporter> all = new ArrayList<>();
			group.forEach((line) -> all.addAll(line.lives));
			all.sort(Comparator.comparingLong((life) -> life.begunNanos));
			long end = this.head.lastNanos;
			long covered = Long.MIN_VALUE;
			double whole = 0;
			double here = 0;
			for (Reporter life : all) {
				long from = Math.max(covered, life.begunNanos);
				long to = Math.min(life.lastNanos, end);
				if (to > from) {
					whole += faded(from, to, end);
					here += (to > begun()) ? faded(Math.max(from, begun()), to, end) : 0;
				}
				covered = Math.max(covered, life.lastNanos);
			}
			this.weight = (whole > 0) ? here / whole : 1;
		}

	}

	private double fade(long nanos) {
		return Math.pow(0.5, (double) nanos / this.halfLife.toNanos());
	}

	/** Seconds of an interval, each of which counts as much as it has not faded. */
	private double faded(long from, long to, long now) {
		double perSecond = Math.log(2) / (this.halfLife.toNanos() / 1e9);
		return (fade(now - to) - fade(now - from)) / perSecond;
	}

	/**
	 * Returns whether rates have one time base: enough was observed, or all reporters
	 * have counted for the same time.
	 * @return whether rates of different reporters can be compared
	 */
	public synchronized boolean comparable() {
		if (observedBase()) {
			return true;
		}
		double least = Double.POSITIVE_INFINITY;
		double most = 0;
		for (Reporter reporter : this.reporters.values()) {
			if (reporter.successor != null) {
				continue;
			}
			double seconds = reporter.priorSeconds + reporter.seconds;
			least = Math.min(least, seconds);
			most = Math.max(most, seconds);
		}
		return least >= (1 - TOLERANCE) * most;
	}

	private long newest() {
		return this.reporters.values().stream().mapToLong((reporter) -> reporter.lastNanos).max().orElse(this.since);
	}

	private boolean observedBase() {
		return this.begun && newest() - this.since >= MIN_OBSERVED.toNanos();
	}

	/**
	 * Returns whether another reporter has taken the place of one.
	 * @param reporter instance that counted
	 * @return whether another one continues its counts
	 */
	synchronized boolean replaced(String reporter) {
		Reporter known = this.reporters.get(reporter);
		return known != null && known.successor != null;
	}

	/**
	 * In a rolling deploy a silent reporter was replaced by one that is new in its group,
	 * each by one of its own if there are enough.
	 * @param silentAfter time after which a silent reporter is left out anyway
	 */
	synchronized void succeed(Duration silentAfter) {
		long newest = newest();
		Map<String, Integer> taken = new HashMap<>();
		this.reporters.values().forEach((reporter) -> {
			if (reporter.successor != null) {
				taken.merge(reporter.successor, 1, Integer::sum);
			}
		});
		for (Reporter reporter : this.reporters.values()) {
			if (reporter.successor != null || reporter.group.isEmpty()
					|| newest - reporter.lastNanos <= ROUND.toNanos()) {
				continue;
			}
			this.reporters.entrySet()
				.stream()
				.filter((other) -> other.getValue().successor == null
						&& takesOver(reporter, other.getValue(), newest, silentAfter))
				.min(Comparator.<Map.Entry<String, Reporter>>comparingInt(
						(other) -> taken.getOrDefault(other.getKey(), 0))
					.thenComparingLong((other) -> other.getValue().firstNanos))
				.ifPresent((other) -> {
					reporter.successor = other.getKey();
					taken.merge(other.getKey(), 1, Integer::sum);
				});
		}
	}

	private static boolean takesOver(Reporter reporter, Reporter other, long newest, Duration silentAfter) {
		return other.group.equals(reporter.group) && other.young && newest - other.lastNanos <= ROUND.toNanos()
				&& other.firstNanos >= reporter.lastNanos - silentAfter.toNanos();
	}

	/**
	 * Returns the traffic of the recent past.
	 * @param source the name that stands in the evidence
	 * @param nanos now, on the clock of {@link #add}
	 * @param silentAfter a reporter that has said nothing for so long is left out, and
	 * named
	 * @param names resolves what {@link EdgeCount#to()} was given to names of services;
	 * an empty name leaves the edge out
	 * @return edges and what is missing
	 */
	public synchronized Traffic traffic(String source, long nanos, Duration silentAfter, UnaryOperator<String> names) {
		Map<Ends, Map<Side, Bases>> rates = new LinkedHashMap<>();
		boolean base = observedBase();
		// From then on, a mean over a life is not comparable with what was observed.
		boolean comparable = !base && comparable();
		List<String> notSeen = new ArrayList<>();
		for (Line line : lines(nanos, silentAfter, notSeen)) {
			if (line.head.dropped > 0) {
				notSeen.add("'%s' counts more than %d edges; %d are left out".formatted(line.name, MAX_SERIES,
						line.head.dropped));
			}
			boolean observed = line.lives.size() > 1 || line.head.young
					|| (base && line.head.observed() >= MIN_OBSERVED.toNanos() / 1e9);
			line.lives.forEach((life) -> life.sums.forEach((key, sum) -> {
				String to = names.apply(key.to());
				if (!to.isEmpty() && !to.equals(key.from())) {
					rates.computeIfAbsent(new Ends(key.from(), to), (ends) -> new TreeMap<>())
						.computeIfAbsent(key.side(), (side) -> new Bases())
						.add(sum, line, line.fade(life), observed, comparable);
				}
			}));
		}
		List<Edge> edges = new ArrayList<>();
		rates.forEach((ends, sides) -> {
			Map<Side, Rate> chosen = new EnumMap<>(Side.class);
			sides.forEach((side, bases) -> chosen.put(side, bases.chosen(this.minimumCalls)));
			Edge edge = edge(source, ends, chosen);
			if (edge.evidence().samples() < this.minimumCalls) {
				notSeen.add("'%s' -> '%s': %d calls in %d s are less than the %d that count as evidence; left out"
					.formatted(ends.from(), ends.to(), edge.evidence().samples(), edge.evidence().window().toSeconds(),
							this.minimumCalls));
			}
			else if (edge.evidence().samples() > 0) {
				edges.add(edge);
			}
		});
		return new Traffic(edges, notSeen);
	}

	/**
	 * Returns all that counts, without those that are silent for too long; they are
	 * named.
	 */
	private List<Line> lines(long nanos, Duration silentAfter, List<String> notSeen) {
		succeed(silentAfter);
		Map<String, List<String>> predecessors = new HashMap<>();
		this.reporters.forEach((name, reporter) -> {
			if (reporter.successor != null) {
				predecessors.computeIfAbsent(reporter.successor, (later) -> new ArrayList<>()).add(name);
			}
		});
		Map<String, List<Line>> groups = new LinkedHashMap<>();
		List<Line> lines = new ArrayList<>();
		this.reporters.forEach((name, reporter) -> {
			double silent = (nanos - reporter.lastNanos) / 1e9;
			if (reporter.successor != null) {
				return;
			}
			if (silent > silentAfter.toNanos() / 1e9) {
				notSeen.add("'%s' has not answered for %.0f s; what it counted is left out".formatted(name, silent));
				return;
			}
			Line line = new Line(name, reporter, predecessors);
			lines.add(line);
			if (!reporter.group.isEmpty()) {
				groups.computeIfAbsent(reporter.group, (group) -> new ArrayList<>()).add(line);
			}
		});
		groups.values().forEach((group) -> group.forEach((line) -> line.weigh(group)));
		return lines;
	}

	private static Edge edge(String source, Ends ends, Map<Side, Rate> sides) {
		Rate client = sides.getOrDefault(Side.CLIENT, new Rate());
		Rate server = sides.getOrDefault(Side.SERVER, new Rate());
		Rate most = (client.callsPerSecond >= server.callsPerSecond) ? client : server;
		Rate least = (most == client) ? server : client;
		List<String> notes = new ArrayList<>();
		if (most.mixed) {
			notes.add(
					"a mean over the life of an instance, which cannot be compared with others; ask again in %1$d s (on the command line: --observe %1$ds)"
						.formatted(MIN_OBSERVED.toSeconds()));
		}
		if (least.callsPerSecond > 0 && least.callsPerSecond < (1 - TOLERANCE) * most.callsPerSecond) {
			notes.add(String.format(Locale.ROOT, "callers counted %.3g calls/s, the called %.3g; the larger one counts",
					client.callsPerSecond, server.callsPerSecond));
		}
		Rate bytes = (most.samplesWithBytes > 0) ? most : least;
		Double bytesPerSecond = null;
		if (bytes.samplesWithBytes > 0) {
			// Calls without counted bytes are taken to be like those with them.
			double covered = Math.min(1, bytes.samplesWithBytes / bytes.samples);
			if (covered < 1 - TOLERANCE) {
				notes.add("bytes of %.0f %% of the calls were counted, the others are taken to be like them"
					.formatted(100 * covered));
			}
			bytesPerSecond = bytes.bytesPerSecond / covered * most.callsPerSecond
					/ Math.max(bytes.callsPerSecond, Double.MIN_NORMAL);
		}
		return new Edge(ends.from(), ends.to(), most.callsPerSecond, bytesPerSecond, null, null, null,
				new Evidence(source, Math.round(most.samples), Duration.ofMillis(Math.round(1000 * most.seconds)),
						!notes.isEmpty(), String.join("; ", notes)));
	}

}
