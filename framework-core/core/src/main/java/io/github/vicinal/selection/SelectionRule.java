package io.github.vicinal.selection;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.choice.Decision;
import org.jspecify.annotations.Nullable;

/**
 * Decides which path calls of one class of sizes take. Not thread-safe: the selector
 * holds its lock around each method.
 */
final class SelectionRule {

	/*-
	 * Model. The cost of a call by a path is the time of the call without the time that
	 * it waited and ran at the server, plus the weighted CPU time of the caller. A
	 * handler that becomes slower changes no cost. Costs of calls are compared in pairs:
	 * one call by the path in use and one probe of another path, of the same method, both
	 * since the probe before. What changes for both paths changes both halves of a pair.
	 * In means and trials a cost counts as 2 SLOW times the typical one at most, so that
	 * no pause decides a trial. What a path costs by rarer and larger costs is not seen.
	 *
	 * Evidence. A probe wins its pair if it costs less than 1 - MARGIN of the other half.
	 * If the other path is not better, which is to say that its cost exceeds any amount
	 * at least as often, a win has a probability of at most 1/2, whatever the
	 * distributions are: the halves are then at best exchangeable. (A path that wins most
	 * pairs and is dearer in the mean is left to its trials.) Evidence is the
	 * capital of a gambler who bets a fixed share on each win. Under this hypothesis the
	 * capital is a supermartingale. It starts again at 1 whenever it would fall below, so
	 * this is a CUSUM of e-values: the mean number of pairs up to a false alarm is at
	 * least EVIDENCE. (Shin, Ramdas and Rinaldo 2022: e-detectors.) The mean of the
	 * capitals of several bets keeps that bound. A large bet is fast where paths differ
	 * clearly, a small one works where costs are noisy.
	 *
	 * Probes. A probe is two calls, one after the other: the first warms the path and is
	 * not compared. A pair that is won halves the interval between probes and the same
	 * path is probed again; one that is lost gives the next path its turn, and doubles
	 * the interval if no evidence is left. What probes cost beyond calls by the path in
	 * use is a debt, repaid by BUDGET of the time of all comparable calls. There is no
	 * probe while there is a debt, so at most BUDGET and one probe are ever spent.
	 *
	 * Trial. An idle path may be cheap only because it is idle. On evidence all calls
	 * take the other path for TRIAL_CALLS timed calls while the former path stays open.
	 * The second half of them must cost less than the former path did under the same
	 * load, by ERRORS standard errors. If not, calls go back at once and the path is
	 * barred for a back-off that doubles, or until the number of calls in flight has
	 * doubled or halved. The path in use is also left for a trial, without pairs, when
	 * SLOW_RUN calls in a row that do not overlap take SLOW times what is typical. If
	 * only one in SLOW calls did (which Markov's inequality says of any distribution with
	 * that mean), that had a probability of SLOW^-SLOW_RUN = 6e-5 at each call. A trial
	 * that follows in error costs little.
	 *
	 * Failure. A path that fails is left at once. It returns when it is open and its
	 * back-off is over.
	 *
	 * Regret under change. Costs and load are stationary between K changes in a time T
	 * with n comparable calls. C is the most that a call costs beyond the best path, P
	 * the number of paths, and p > 1/2 the probability that the best path wins a pair.
	 *
	 * (1) Probes cost BUDGET of the time of the calls: there is none while there is a
	 *     debt.
	 * (2) After a change, the probes of the best path have come down to MIN_INTERVAL
	 *     after at most 2 MAX_INTERVAL P calls. The expected number of pairs is then at
	 *     most N = ln(EVIDENCE / share) / g by Wald's identity, where the share is 1/2 of
	 *     two bets and g = p ln(1 + b) + (1 - p) ln(1 - b) is positive for a bet b < 2p -
	 *     1 at least. With p = 1: 28 pairs. If p is so close to 1/2 that no g is
	 *     positive, the path may stay unused.
	 * (3) A trial costs at most C TRIAL_CALLS, and there are at most log2(MAX_BACK_OFF /
	 *     BACK_OFF) + T / MAX_BACK_OFF failed ones of each path between changes, as the
	 *     back-off doubles.
	 * (4) A wrong switch needs a false alarm and a trial that errs. It is left as in (2).
	 *
	 * The expected regret is therefore at most BUDGET of the time, plus K P C (2
	 * MAX_INTERVAL + MIN_INTERVAL N + 7 TRIAL_CALLS), plus P C TRIAL_CALLS T / 60 s, plus
	 * n / (MIN_INTERVAL EVIDENCE) times the term in K for false alarms, plus what paths
	 * in favour of which there is no bet would have saved. The terms in K assume that
	 * debt does not delay the pairs. Warm-up calls that are dearer than BUDGET of the
	 * calls since the last probe do delay them.
	 */

	/** Returned where no path can be used. */
	static final int NONE = -1;

	/** Smallest relative difference of costs that counts: below it a switch is noise. */
	private static final double MARGIN = 0.05;

	/** Shares of the capital that are bet on each pair: for clear and for small gains. */
	private static final double[] BETS = { 0.7, 0.2 };

	/** Capital that shows a gain. At a probe every 512 calls: 5e8 calls to an error. */
	private static final double EVIDENCE = 1e6;

	/** Share of the time of calls that probes may cost. */
	private static final double BUDGET = 0.005;

	/**
	 * Calls between two probes of paths that lose: 512. The two calls of a probe are at
	 * most BUDGET of them.
	 */
	static final int MAX_INTERVAL = Integer.highestOneBit((int) (4 / BUDGET) - 1);

	/** Pairs that show a clear gain: 28. Half of the capital is in the larger bet. */
	private static final int PAIRS = (int) Math.ceil(Math.log(2 * EVIDENCE) / Math.log1p(BETS[0]));

	/**
	 * Calls between two probes of a path that wins: 16. The pairs of a clear gain fit
	 * into the longest interval.
	 */
	static final int MIN_INTERVAL = Integer.highestOneBit(MAX_INTERVAL / PAIRS);

	/** Timed calls of a trial; also the samples that make a mean. */
	static final int TRIAL_CALLS = 128;

	/** Standard errors by which a trial must succeed: chance exceeds them once in 40. */
	private static final double ERRORS = 2;

	/** Multiple of the typical cost that is slow; degradation by ten must exceed it. */
	private static final double SLOW = 4;

	/** Slow calls in a row that show a degradation: ten calls would be too late. */
	private static final int SLOW_RUN = 7;

	/** First back-off; a trial in a second costs less than the budget of probes. */
	static final long BACK_OFF_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** Longest back-off, after which a path that has recovered is tried again. */
	private static final long MAX_BACK_OFF_NANOS = TimeUnit.MINUTES.toNanos(1);

	/**
	 * Multiple of a time that counts as much longer. A path that was fine for ten
	 * back-offs has spent at most a tenth of its time in them, so the next failure counts
	 * as the first. A call that takes ten times the mean is late: at most one in ten
	 * does, whatever the distribution is (Markov's inequality).
	 */
	static final int MUCH_LONGER = 10;

	/** Phases of a probe. */
	private enum Probe {

		NONE, WARMING, WARM, MEASURING

	}

	private final Alternative[] paths;

	/** Cost of a call of a method by the path in use since the last probe, or NaN. */
	private final double[] latest;

	/** Typical cost of a method by the path in use. */
	private final double[] typical;

	/** Samples in the typical cost, at most {@link #TRIAL_CALLS}. */
	private final int[] samples;

	private int current = NONE;

	/** The path to return to if the trial of the current one fails, or NONE. */
	private int former = NONE;

	/** Cost of the latest calls as a multiple of the typical one. */
	private double level = 1;

	/** Mean cost as a multiple of the typical one, which outliers do not move. */
	private double mean = 1;

	private double meanCost = Double.NaN;

	private double load = 1;

	/** Debt of the probes in nanoseconds, at most 0. */
	private double credit;

	private int slowRun;

	private long slowEnd;

	private long trialStart;

	private int trialCalls;

	private int trialSamples;

	private double trialSum;

	private double trialSquares;

	/** Cost of the former path, as a multiple of the typical cost. */
	private double reference;

	private Probe probe = Probe.NONE;

	private int probed = NONE;

	private int interval = MIN_INTERVAL;

	private long callsSinceProbe;

	private long probeSent;

	private long probes;

	private long pairs;

	private long switches;

	private @Nullable Decision lastDecision;

	private static final class Alternative {

		final String name;

		final double[] capital = new double[BETS.length];

		boolean open;

		/** It failed, and has not yet served its back-off. */
		boolean failed;

		/** It was in use when it failed, so it returns without evidence. */
		boolean displaced;

		long barredAt;

		long backOff;

		/** Calls in flight when its trial failed, NaN if it was not barred for that. */
		double barredLoad = Double.NaN;

		/** Cost of its probes as a multiple of the typical cost, NaN if unknown. */
		double ratio = Double.NaN;

		Alternative(String name) {
			this.name = name;
		}

		boolean usable() {
			return this.open && !this.failed;
		}

		boolean barred(double load, long now) {
			// The clock may have jumped back.
			this.barredAt = Math.min(this.barredAt, now);
			boolean sameLoad = Double.isNaN(this.barredLoad)
					|| (load < 2 * this.barredLoad && 2 * load > this.barredLoad);
			return sameLoad && now - this.barredAt < this.backOff;
		}

		/** Doubles the back-off, unless the path was fine for much longer. */
		void bar(double load, long now) {
			this.backOff = forgiven(now) ? BACK_OFF_NANOS : Math.min(2 * this.backOff, MAX_BACK_OFF_NANOS);
			this.barredAt = now;
			this.barredLoad = load;
		}

		boolean forgiven(long now) {
			return this.backOff == 0 || now - this.barredAt > MUCH_LONGER * this.backOff;
		}

	}

	SelectionRule(List<String> names, int methods) {
		this.paths = names.stream().map(Alternative::new).toArray(Alternative[]::new);
		this.latest = new double[methods];
		this.typical = new double[methods];
		this.samples = new int[methods];
		forget();
	}

	/** Takes over which paths are usable, and starts with one of them. */
	void startLike(SelectionRule other) {
		for (int i = 0; i < this.paths.length; i++) {
			this.paths[i].open = other.paths[i].usable();
		}
		this.current = other.current;
	}

	/** Lets calls take a path; a preferred one that is not known takes over at once. */
	void opened(int path, long now) {
		Alternative it = this.paths[path];
		it.open = true;
		tick(now);
		if (it.usable() && path != this.current
				&& (this.current == NONE || (path < this.current && Double.isNaN(it.ratio)))) {
			leaveFor(path, Decision.Kind.OPENED, now);
		}
	}

	/**
	 * Lets paths return whose back-off is over, and ends trials that bring no answers.
	 */
	void tick(long now) {
		if (this.former != NONE && Math.abs(now - this.trialStart) > MAX_BACK_OFF_NANOS) {
			takeBack(Double.NaN, now);
		}
		for (int i = 0; i < this.paths.length; i++) {
			Alternative it = this.paths[i];
			if (it.open && it.failed && !it.barred(this.load, now)) {
				it.failed = false;
				if (it.displaced || this.current == NONE) {
					leaveFor(i, Decision.Kind.OPENED, now);
				}
			}
		}
	}

	/** Leaves a path that was closed; the first time, it may return when it opens. */
	void closed(int path, long now) {
		Alternative it = this.paths[path];
		boolean first = it.forgiven(now);
		it.open = false;
		failed(path, Decision.Kind.FAILURE, now);
		if (first) {
			it.barredAt = now - it.backOff;
		}
		it.ratio = Double.NaN;
	}

	/** Leaves a path until its back-off is over. */
	void failed(int path, Decision.Kind kind, long now) {
		Alternative it = this.paths[path];
		it.bar(Double.NaN, now);
		it.failed = true;
		it.displaced |= path == this.current;
		Arrays.fill(it.capital, 1);
		if (path == this.probed) {
			this.probe = Probe.NONE;
		}
		if (path == this.former) {
			this.former = NONE;
		}
		else if (path == this.current) {
			leaveFor((this.former != NONE) ? this.former : best(false, now), kind, now);
		}
	}

	/** Leaves a path that is not closed, but cannot be used until it is opened again. */
	void left(int path, Decision.Kind kind, long now) {
		this.paths[path].open = false;
		failed(path, kind, now);
	}

	/** Leaves a path whose calls fail although it is open, if there is another. */
	void demote(int path, long now) {
		if (path != this.current || best(false, now) != NONE) {
			failed(path, Decision.Kind.FAILURE, now);
		}
	}

	/** Returns the path other than the current one that is expected to be the best. */
	private int best(boolean forTrial, long now) {
		int best = NONE;
		for (int i = 0; i < this.paths.length; i++) {
			Alternative it = this.paths[i];
			if (i != this.current && it.usable() && !(forTrial && it.barred(this.load, now))
					&& (best == NONE || it.ratio < (1 - MARGIN) * this.paths[best].ratio)) {
				best = i;
			}
		}
		return best;
	}

	/** Moves calls for good, and forgets what is known relative to the former path. */
	private void leaveFor(int path, Decision.Kind kind, long now) {
		move(path, kind, Double.NaN, Double.NaN, now);
		this.former = NONE;
		if (path != NONE) {
			this.paths[path].displaced = false;
		}
		forget();
	}

	private void move(int path, Decision.Kind kind, double costFrom, double costTo, long now) {
		if (path != NONE && this.current != NONE) {
			this.lastDecision = new Decision(now, this.paths[this.current].name, this.paths[path].name, kind, costFrom,
					costTo, this.pairs);
			this.switches++;
		}
		this.current = path;
		this.pairs = 0;
		this.slowRun = 0;
		this.probe = Probe.NONE;
		Arrays.fill(this.latest, Double.NaN);
	}

	private void forget() {
		Arrays.fill(this.typical, 0);
		Arrays.fill(this.samples, 0);
		Arrays.fill(this.latest, Double.NaN);
		this.level = 1;
		this.mean = 1;
		this.interval = MIN_INTERVAL;
		this.meanCost = Double.NaN;
		for (Alternative path : this.paths) {
			Arrays.fill(path.capital, 1);
			path.ratio = Double.NaN;
		}
	}

	/**
	 * Chooses the path of a call that may compare paths.
	 * @param made the comparable calls that this one stands for
	 */
	int choose(long now, int made) {
		this.callsSinceProbe += made;
		if (this.current == NONE || this.former != NONE) {
			return this.current;
		}
		if (this.probe == Probe.WARM && this.paths[this.probed].usable()) {
			return send(Probe.MEASURING, now);
		}
		long sentFor = now - this.probeSent;
		if (this.probe != Probe.NONE && (sentFor < 0 || sentFor > MAX_BACK_OFF_NANOS)) {
			lost(this.probed);
		}
		if (this.probe != Probe.NONE || this.callsSinceProbe < this.interval || this.credit < 0) {
			return this.current;
		}
		if (this.probed == NONE) {
			this.probed = this.current;
		}
		for (int i = 0; i < this.paths.length; i++) {
			Alternative it = this.paths[this.probed];
			if (this.probed != this.current && it.usable() && !it.barred(this.load, now)) {
				return send(Probe.WARMING, now);
			}
			this.probed = (this.probed + 1) % this.paths.length;
		}
		return this.current;
	}

	private int send(Probe next, long now) {
		this.probe = next;
		this.probeSent = now;
		this.callsSinceProbe = 0;
		this.probes++;
		return this.probed;
	}

	/** The probe was inconclusive, or lost its pair. */
	private void lost(int path) {
		this.probe = Probe.NONE;
		this.interval = Math.min(2 * this.interval, MAX_INTERVAL);
		this.probed = (path + 1) % this.paths.length;
	}

	/** Notes the end of a call whose cost is not comparable. */
	void passed(int path) {
		if (path == this.probed && (this.probe == Probe.WARMING || this.probe == Probe.MEASURING)) {
			lost(path);
		}
	}

	/**
	 * Records a call.
	 * @param cost what it cost by its path, NaN if that is not known
	 * @param nanos how long it took
	 * @param inFlight calls in flight, this one included
	 * @param made the calls that this one stands for
	 */
	void record(int path, int method, double cost, long nanos, double inFlight, long now, int made) {
		if (path != this.current) {
			probed(path, method, cost, nanos, now);
			return;
		}
		this.load += (inFlight - this.load) / TRIAL_CALLS;
		this.credit = Math.min(0, this.credit + BUDGET * nanos * made);
		if (Double.isNaN(cost)) {
			if (this.former != NONE) {
				takeBack(Double.NaN, now);
			}
			return;
		}
		double usual = this.typical[method];
		double ratio = (usual == 0) ? 1 : Math.min(cost / usual, 2 * SLOW);
		if (this.former != NONE) {
			tried((usual == 0) ? this.reference : ratio, now);
			return;
		}
		this.latest[method] = cost;
		this.level += (ratio - this.level) / SLOW_RUN;
		boolean slow = ratio >= SLOW;
		if (slow && now - nanos < Math.min(this.slowEnd, now)) {
			// An event that slows down several calls at once counts once.
			return;
		}
		this.samples[method] = Math.min(this.samples[method] + 1, TRIAL_CALLS);
		double bounded = (usual == 0) ? cost : Math.min(cost, 2 * usual);
		this.typical[method] += (bounded - usual) / this.samples[method];
		this.mean += (ratio - this.mean) / TRIAL_CALLS;
		this.meanCost = Double.isNaN(this.meanCost) ? cost : this.meanCost + (cost - this.meanCost) / TRIAL_CALLS;
		this.slowRun = slow ? this.slowRun + 1 : 0;
		this.slowEnd = slow ? now : this.slowEnd;
		if (this.slowRun == SLOW_RUN) {
			degraded(now);
		}
	}

	private void degraded(long now) {
		this.slowRun = 0;
		int other = best(true, now);
		if (other != NONE) {
			tryOut(other, Decision.Kind.DEGRADED, now);
		}
	}

	private void tryOut(int path, Decision.Kind kind, long now) {
		int before = this.current;
		move(path, kind, this.meanCost * ((kind == Decision.Kind.DEGRADED) ? this.level : 1),
				this.meanCost * this.paths[path].ratio, now);
		this.former = before;
		this.trialStart = now;
		this.reference = (kind == Decision.Kind.DEGRADED) ? this.level : this.mean;
		this.trialCalls = 0;
		this.trialSamples = 0;
		this.trialSum = 0;
		this.trialSquares = 0;
	}

	/** A call of a trial, with its cost as a multiple of the former path's. */
	private void tried(double ratio, long now) {
		this.trialSum += ratio;
		this.trialSquares += ratio * ratio;
		this.trialSamples++;
		this.trialCalls++;
		double mean = this.trialSum / this.trialSamples;
		boolean hopeless = this.trialCalls == SLOW_RUN && mean > SLOW * this.reference;
		if (this.trialCalls == TRIAL_CALLS / 2) {
			this.trialSum = 0;
			this.trialSquares = 0;
			this.trialSamples = 0;
		}
		if (hopeless || this.trialCalls == TRIAL_CALLS) {
			double error = Math
				.sqrt(Math.max(0, this.trialSquares / this.trialSamples - mean * mean) / this.trialSamples);
			if (!hopeless && mean + ERRORS * error < (1 - MARGIN) * this.reference) {
				succeeded(mean);
			}
			else {
				takeBack(mean, now);
			}
		}
	}

	private void succeeded(double mean) {
		Alternative old = this.paths[this.former];
		for (Alternative path : this.paths) {
			path.ratio /= mean;
			path.displaced = false;
			Arrays.fill(path.capital, 1);
		}
		old.ratio = this.reference / mean;
		for (int i = 0; i < this.typical.length; i++) {
			this.typical[i] *= mean;
		}
		this.meanCost *= mean;
		this.level = 1;
		this.mean = 1;
		this.former = NONE;
	}

	private void takeBack(double mean, long now) {
		Alternative tried = this.paths[this.current];
		tried.bar(this.load, now);
		Arrays.fill(tried.capital, 1);
		move(this.former, Decision.Kind.LOSS, this.meanCost * mean, this.meanCost * this.reference, now);
		this.former = NONE;
	}

	private void probed(int path, int method, double cost, long nanos, long now) {
		if (path != this.probed || (this.probe != Probe.WARMING && this.probe != Probe.MEASURING)) {
			return;
		}
		Alternative it = this.paths[path];
		double usual = this.level * this.typical[method];
		this.credit -= Double.isNaN(cost) ? nanos : (usual > 0) ? cost - usual : 0;
		if (Double.isNaN(cost)) {
			// The peer does not say how long calls by this path take there.
			it.bar(Double.NaN, now);
			lost(path);
			return;
		}
		if (this.probe == Probe.WARMING) {
			this.probe = Probe.WARM;
			return;
		}
		this.probe = Probe.NONE;
		double other = this.latest[method];
		Arrays.fill(this.latest, Double.NaN);
		if (Double.isNaN(other)) {
			return;
		}
		double ratio = Math.min(cost / this.typical[method], 2 * SLOW);
		it.ratio = Double.isNaN(it.ratio) ? ratio : it.ratio + (ratio - it.ratio) / SLOW_RUN;
		this.pairs++;
		boolean won = cost < (1 - MARGIN) * other;
		double capital = 0;
		for (int i = 0; i < BETS.length; i++) {
			it.capital[i] = Math.max(1, it.capital[i] * (won ? 1 + BETS[i] : 1 - BETS[i]));
			capital += it.capital[i] / BETS.length;
		}
		if (!won && capital == 1) {
			lost(path);
		}
		else if (!won) {
			this.probed = (path + 1) % this.paths.length;
		}
		else if (capital >= EVIDENCE) {
			tryOut(path, Decision.Kind.GAIN, now);
		}
		else {
			this.interval = Math.max(this.interval / 2, MIN_INTERVAL);
		}
	}

	int current() {
		return this.current;
	}

	/**
	 * Returns whether the next call that may compare paths is to be the probe's second.
	 */
	boolean probesNext() {
		return this.probe == Probe.WARM;
	}

	/** Returns whether a trial is under way, whose calls are all timed. */
	boolean tries() {
		return this.former != NONE;
	}

	int interval() {
		return this.interval;
	}

	boolean hasFailed(int path) {
		return this.paths[path].failed && this.paths[path].open;
	}

	long probes() {
		return this.probes;
	}

	long switches() {
		return this.switches;
	}

	@Nullable Decision lastDecision() {
		return this.lastDecision;
	}

}
