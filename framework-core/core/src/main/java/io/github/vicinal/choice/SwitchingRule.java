package io.github.vicinal.choice;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Decides which of a few alternatives to use, from what each call of them cost.
 * <p>
 * It switches when {@code (cost now - cost of the other) * calls expected} exceeds the
 * loss that earlier switches were measured to cause, plus a margin. A dwell time that
 * doubles whenever a switch is taken back keeps it from going back and forth. The other
 * candidates are known from rare probes, whose cost is bounded, too. A failure of the
 * current candidate, or that it suddenly costs a multiple, is answered at once; a
 * candidate that failed returns only after a trial, which doubles with each failure that
 * follows, and after several clean probes where calls may probe.
 *
 * <pre class="code">
 * int candidate = rule.choose(now, call.idempotent());
 * // ... make the call by it ...
 * rule.record(candidate, cost, now);
 * </pre>
 *
 * Candidates are numbered in order of preference: while the current one has no sample
 * yet, an earlier one that becomes available takes its place. Costs are in any unit, the
 * same for all candidates and for the loss, for instance nanoseconds. Time is the
 * caller's, in nanoseconds; should it jump back, what waits for a time starts anew.
 * <p>
 * Not thread-safe: a caller that shares a rule holds a lock around each method, which
 * take some nanoseconds and allocate nothing, apart from switches.
 *
 * @since 0.1.0
 */
public final class SwitchingRule {

	/** Returned where no candidate is available. */
	public static final int NONE = -1;

	/** One call of so many is a probe where what is known has just been restated. */
	public static final int SOON_INTERVAL = 4;

	/** Maximum number of probes in quick succession; later ones are delayed in turn. */
	public static final int SOON_PROBES = 16;

	/** How many decisions {@link #decisions()} remembers. */
	public static final int MAX_DECISIONS = 64;

	/** The current candidate is compared with the others once in so many samples. */
	private static final int DECIDE_INTERVAL = 16;

	/** A candidate's mean follows with this weight once it has enough samples. */
	private static final double WEIGHT = 1.0 / 256;

	/** Rare probes must count for more than calls by the current candidate. */
	private static final double PROBE_WEIGHT = 1.0 / 64;

	/** Minimum distance of two means that count as different, in standard errors. */
	private static final double CONFIDENCE = 5.5;

	/**
	 * One sample counts for at most so many times the mean, or an outlier would decide.
	 */
	private static final double MAX_OUTLIER = 8;

	/** A mean that was computed from far away counts like so many samples. */
	private static final int RESTATED_SAMPLES = 2;

	/** Beyond this factor a computed mean is far from the measured one. */
	private static final double FAR = 2;

	/** Probes that were to follow soon are given up after this time. */
	private static final long SOON_NANOS = 10_000_000_000L;

	/** Number of consecutive samples that can show a lasting change of a candidate. */
	private static final int BLOCK = 16;

	private static final double BLOCK_DEVIATION = 2.5;

	private static final double LOSS_WEIGHT = 0.25;

	private static final double RATE_WEIGHT = 0.125;

	/** Probes may cost one in so many parts of what the calls cost. */
	private static final double PROBE_BUDGET = 100;

	/** However costly, a candidate is probed once in so many calls. */
	private static final long MAX_PROBE_INTERVAL = 1 << 16;

	/** A probe that does not come back in so many trials was given up by its caller. */
	private static final int UNANSWERED_TRIALS = 8;

	/**
	 * Calls that end at the same time are not recorded in order; a clock jumps further.
	 */
	private static final long JUMP_NANOS = 1_000_000_000;

	/** A failure that comes after so many trials is taken for the first one again. */
	private static final int FORGIVE_TRIALS = 10;

	private final SwitchingSettings settings;

	private final Candidate[] candidates;

	private final Deque<Decision> decisions = new ArrayDeque<>();

	private int current = NONE;

	private int previous = NONE;

	private long calls;

	private long probes;

	private long callsAtLastProbe;

	/** In the count of calls, from when on a probe is due again. */
	private long nextProbeAt;

	private int nextProbe;

	private int sinceDecision;

	private double nanosPerCall = Double.NaN;

	private long windowStart;

	private long windowCalls;

	private int windowSamples;

	private boolean windowOpen;

	private double loss;

	private boolean switched;

	/** What the candidate before the last switch cost, {@code NaN} if unknown. */
	private double costBefore = Double.NaN;

	private long callsSinceSwitch;

	private long switchedAt;

	private long backOffNanos;

	private long switches;

	/** Probes that are to follow soon. */
	private int soon;

	private long soonSince;

	/** The latest time that the caller named. */
	private long latest = Long.MIN_VALUE / 2;

	/**
	 * Creates a rule for candidates that are all unavailable at first.
	 * @param names the candidates' names for the log, in order of preference
	 * @param initialLoss what a switch is taken to cost until one is measured, in the
	 * unit of the samples
	 * @param settings how eagerly to switch
	 */
	public SwitchingRule(List<String> names, double initialLoss, SwitchingSettings settings) {
		if (names.isEmpty()) {
			throw new IllegalArgumentException("There must be a candidate");
		}
		checkCost(initialLoss);
		this.settings = settings;
		this.candidates = names.stream().map(Candidate::new).toArray(Candidate[]::new);
		this.loss = initialLoss;
		this.nextProbeAt = settings.probeInterval();
		this.backOffNanos = settings.dwell().toNanos();
	}

	/**
	 * Says that a candidate can be used. One that has never failed is trusted at once;
	 * one that failed is probed first.
	 * @param candidate its number
	 * @param nanos the time
	 */
	public void available(int candidate, long nanos) {
		Candidate it = this.candidates[candidate];
		if (it.available) {
			return;
		}
		it.available = true;
		it.cleanProbes = 0;
		if (it.failed) {
			// What it cost before it failed may not hold any more.
			it.forget();
		}
		boolean preferred = candidate < this.current && !it.failed && it.samples == 0;
		if (this.current == NONE || (preferred && this.candidates[this.current].samples == 0)) {
			start(candidate, nanos);
		}
	}

	/**
	 * Says that a candidate can be used, and lets it take over from a less preferred one
	 * at once if it has not failed, or only once in a while. One that failed repeatedly
	 * returns when it has stayed available for its trial: see {@link #tick}.
	 * @param candidate its number
	 * @param nanos the time
	 */
	public void opened(int candidate, long nanos) {
		Candidate it = this.candidates[candidate];
		if (it.available) {
			return;
		}
		it.trialStart = nanos;
		if (it.failed && it.trial == 0) {
			it.failed = false;
			it.forget();
		}
		if (it.failed || candidate >= this.current) {
			available(candidate, nanos);
			return;
		}
		it.available = true;
		switchTo(candidate, Decision.Kind.OPENED, 0, nanos);
	}

	/**
	 * Starts with a candidate other than the most preferred one. Does nothing if it is
	 * not available.
	 * @param candidate its number
	 * @param nanos the time
	 */
	public void start(int candidate, long nanos) {
		if (this.candidates[candidate].available) {
			this.current = candidate;
			this.switchedAt = nanos;
		}
	}

	/**
	 * Lets a candidate return that failed, has stayed available for its trial since, and
	 * has answered all probes that were sent to it meanwhile, if there were any. To be
	 * called now and then.
	 * @param nanos the time
	 */
	public void tick(long nanos) {
		follow(nanos);
		if (this.soon > 0 && nanos - this.soonSince > SOON_NANOS) {
			this.soon = 0;
		}
		for (int i = 0; i < this.current; i++) {
			Candidate it = this.candidates[i];
			long served = nanos - it.trialStart;
			if (it.available && it.failed
					&& served >= ((it.unanswered == 0) ? it.trial : UNANSWERED_TRIALS * it.trial)) {
				it.failed = false;
				it.unanswered = 0;
				if (!isKnown(it)) {
					switchTo(i, Decision.Kind.OPENED, 0, nanos);
					return;
				}
			}
		}
	}

	/** A clock that jumps back must not make a trial or a dwell time last for ever. */
	private void follow(long nanos) {
		if (this.latest - nanos > JUMP_NANOS) {
			this.latest = nanos;
			this.switchedAt = Math.min(this.switchedAt, nanos);
			this.soonSince = Math.min(this.soonSince, nanos);
			this.windowOpen = false;
			for (Candidate candidate : this.candidates) {
				candidate.trialStart = Math.min(candidate.trialStart, nanos);
				candidate.failedAt = Math.min(candidate.failedAt, nanos);
			}
		}
		this.latest = Math.max(this.latest, nanos);
	}

	/**
	 * Says that a candidate cannot be used any more, for instance because a call by it
	 * failed. If it was the current one, the best of the others takes over at once.
	 * @param candidate its number
	 * @param nanos the time
	 */
	public void failed(int candidate, long nanos) {
		failed(candidate, Decision.Kind.FAILURE, nanos);
	}

	/**
	 * Says that a candidate cannot be used any more.
	 * @param candidate its number
	 * @param kind what happened
	 * @param nanos the time
	 */
	public void failed(int candidate, Decision.Kind kind, long nanos) {
		Candidate it = this.candidates[candidate];
		it.fail(nanos, kind == Decision.Kind.FAILURE, this.settings);
		it.available = false;
		if (candidate != this.current) {
			return;
		}
		int best = bestAvailable();
		if (best != NONE) {
			switchTo(best, kind, 0, nanos);
		}
		else {
			this.current = NONE;
		}
	}

	/**
	 * Leaves a candidate that can still be used, for instance because several calls by it
	 * failed in a row. It returns like one that failed. Does nothing if there is no other
	 * that has not failed.
	 * @param candidate its number
	 * @param kind what happened
	 * @param nanos the time
	 */
	public void demote(int candidate, Decision.Kind kind, long nanos) {
		Candidate it = this.candidates[candidate];
		if (candidate != this.current) {
			it.cleanProbes = 0;
			it.unanswered = 0;
			it.trialStart = nanos;
			return;
		}
		int best = bestExcept(candidate);
		if (best != NONE) {
			switchTo(best, kind, 0, nanos);
			it.fail(nanos, false, this.settings);
			it.forget();
		}
	}

	/**
	 * Says that a probe has come back and tells nothing about its candidate, for instance
	 * because the peer refused it.
	 * @param candidate the candidate that it went by
	 */
	public void passed(int candidate) {
		this.candidates[candidate].answered();
	}

	/** Returns the best other candidate that has not failed. */
	private int bestExcept(int candidate) {
		int best = NONE;
		for (int i = 0; i < this.candidates.length; i++) {
			Candidate it = this.candidates[i];
			if (i != candidate && it.available && !it.failed && (best == NONE || better(i, best))) {
				best = i;
			}
		}
		return best;
	}

	/**
	 * Chooses the candidate for the next call.
	 * @param nanos the time
	 * @param mayProbe whether the call may go to another candidate than the current one,
	 * for instance because it is idempotent
	 * @return the number of an available candidate, or {@link #NONE}
	 */
	public int choose(long nanos, boolean mayProbe) {
		return choose(nanos, mayProbe, 1);
	}

	/**
	 * Chooses the candidate for the last of several calls.
	 * @param nanos the time
	 * @param mayProbe whether that call may go to another candidate than the current one
	 * @param made how many calls were made since the last choice, this one included
	 * @return the number of an available candidate, or {@link #NONE}
	 */
	public int choose(long nanos, boolean mayProbe, int made) {
		follow(nanos);
		this.calls += made;
		if (this.current == NONE) {
			return NONE;
		}
		boolean due = this.calls >= ((this.soon > 0) ? this.callsAtLastProbe + SOON_INTERVAL : this.nextProbeAt);
		if (mayProbe && (due || this.calls - this.callsAtLastProbe >= this.settings.probeInterval())) {
			this.soon = Math.max(0, this.soon - 1);
			int probe = nextToProbe(!due);
			if (probe != NONE) {
				this.callsAtLastProbe = this.calls;
				this.nextProbeAt = Math.max(this.nextProbeAt, this.calls) + this.settings.probeInterval();
				this.probes++;
				this.candidates[probe].unanswered++;
				return probe;
			}
		}
		return this.current;
	}

	/**
	 * Returns the candidate of the next probe.
	 * @param onTrial whether only those on trial may be probed: their probes are not put
	 * off for those that followed one another soon
	 */
	private int nextToProbe(boolean onTrial) {
		for (int i = 0; i < this.candidates.length; i++) {
			int candidate = (this.nextProbe + i) % this.candidates.length;
			Candidate it = this.candidates[candidate];
			if (candidate != this.current && it.available && (onTrial ? it.failed : isDue(candidate))) {
				this.nextProbe = candidate + 1;
				this.candidates[candidate].callsAtProbe = this.calls;
				return candidate;
			}
		}
		return NONE;
	}

	/** A candidate that is known to be far costlier is probed more seldom. */
	private boolean isDue(int candidate) {
		Candidate now = this.candidates[this.current];
		Candidate it = this.candidates[candidate];
		if (it.failed || !isKnown(it) || now.samples == 0 || !(it.mean > now.mean)) {
			return true;
		}
		double interval = PROBE_BUDGET * (it.mean - now.mean) / Math.max(now.mean, Double.MIN_NORMAL);
		return this.calls - it.callsAtProbe >= Math.min(interval, MAX_PROBE_INTERVAL);
	}

	/** Returns whether it is known what a candidate costs, be it computed. */
	private boolean isKnown(Candidate it) {
		return it.known || it.samples >= this.settings.cleanProbes();
	}

	/**
	 * Records what a successful call cost, and switches if that pays.
	 * @param candidate the candidate that the call went by
	 * @param cost a finite number, at least 0, in the unit of the samples
	 * @param nanos the time
	 */
	public void record(int candidate, double cost, long nanos) {
		record(candidate, cost, nanos, nanos, 1);
	}

	/**
	 * Records what one of several successful calls cost, and switches if that pays.
	 * @param candidate the candidate that the calls went by
	 * @param cost a finite number, at least 0, in the unit of the samples
	 * @param begun when the call began
	 * @param nanos the time
	 * @param made how many calls the sample stands for
	 */
	public void record(int candidate, double cost, long begun, long nanos, int made) {
		checkCost(cost);
		Candidate it = this.candidates[candidate];
		if (!it.available) {
			// A call that began before the candidate failed says nothing about now.
			return;
		}
		follow(nanos);
		boolean probe = candidate != this.current;
		if (it.degradation.record(cost, begun, nanos) && !probe && leaveDegraded(candidate, nanos)) {
			return;
		}
		it.record(cost, probe ? PROBE_WEIGHT : WEIGHT);
		if (probe) {
			it.answered();
			it.cleanProbes++;
			boolean served = nanos - it.trialStart >= it.trial;
			if (it.failed && served && it.cleanProbes >= this.settings.cleanProbes()) {
				it.failed = false;
			}
		}
		else {
			this.callsSinceSwitch += made;
			measureRate(nanos, made);
		}
		if (probe || ++this.sinceDecision >= DECIDE_INTERVAL) {
			this.sinceDecision = 0;
			decide(nanos);
		}
	}

	/** A window, not gaps: concurrent calls may end at the same time. */
	private void measureRate(long nanos, int made) {
		if (!this.windowOpen) {
			this.windowOpen = true;
			this.windowStart = nanos;
			this.windowCalls = 0;
			this.windowSamples = 0;
			return;
		}
		this.windowCalls += made;
		if (++this.windowSamples == DECIDE_INTERVAL) {
			double measured = Math.max(1.0, (double) (nanos - this.windowStart) / this.windowCalls);
			this.nanosPerCall = Double.isNaN(this.nanosPerCall) ? measured
					: this.nanosPerCall + RATE_WEIGHT * (measured - this.nanosPerCall);
			this.windowStart = nanos;
			this.windowCalls = 0;
			this.windowSamples = 0;
		}
	}

	/** Does not wait for the dwell time to pass: each further call is a loss. */
	private boolean leaveDegraded(int candidate, long nanos) {
		Candidate it = this.candidates[candidate];
		double cost = it.degradation.recent();
		int best = NONE;
		for (int i = 0; i < this.candidates.length; i++) {
			Candidate other = this.candidates[i];
			// An unmeasured candidate is better only by preference.
			boolean better = other.available && !other.failed
					&& ((other.samples == 0) ? i < candidate : other.mean * (1 + this.settings.hysteresis()) < cost);
			if (i != candidate && better && (best == NONE || better(i, best))) {
				best = i;
			}
		}
		if (best == NONE) {
			return false;
		}
		it.mean = cost;
		switchTo(best, Decision.Kind.DEGRADED, callsExpected(), nanos);
		it.fail(nanos, false, this.settings);
		it.forget();
		return true;
	}

	/**
	 * Records what a switch was measured to cost, apart from the cost of the calls.
	 * @param cost a finite number, at least 0, in the unit of the samples
	 */
	public void recordLoss(double cost) {
		checkCost(cost);
		this.loss += LOSS_WEIGHT * (cost - this.loss);
	}

	/**
	 * Says that a candidate's calls now cost another multiple of what they did, because
	 * something has changed that its cost is known to depend on, such as the load. What
	 * the current candidate costs its calls have begun to show themselves: those that
	 * follow count for more, and that it costs more is no sign of a degradation.
	 * @param candidate its number
	 * @param factor a finite number above 0
	 */
	public void restate(int candidate, double factor) {
		if (!(factor > 0 && factor < Double.POSITIVE_INFINITY)) {
			throw new IllegalArgumentException("A factor must be finite and above 0, but is " + factor);
		}
		Candidate it = this.candidates[candidate];
		if (candidate == this.current) {
			it.degradation.restateCalm(factor);
			it.doubt(this.settings.cleanProbes());
		}
		else {
			it.restate(factor);
		}
	}

	/**
	 * Lets some probes follow one another soon, if another candidate is now known to cost
	 * less than the current one, or nearly as little. Afterwards there are none until the
	 * calls have caught up, so that in the long run no more calls are probes than
	 * otherwise; until then this does nothing.
	 * @param nanos the time
	 */
	public void compareSoon(long nanos) {
		if (this.current == NONE || this.nextProbeAt - this.calls > this.settings.probeInterval()) {
			return;
		}
		Candidate now = this.candidates[this.current];
		for (int i = 0; i < this.candidates.length; i++) {
			Candidate it = this.candidates[i];
			if (i != this.current && it.available && !it.failed && it.samples > 0
					&& it.mean < now.mean * (1 + this.settings.hysteresis())) {
				this.soon = SOON_PROBES;
				this.soonSince = nanos;
			}
		}
	}

	/**
	 * Returns whether probes follow one another soon.
	 * @return whether {@link #SOON_INTERVAL} is the interval
	 */
	public boolean comparesSoon() {
		return this.soon > 0;
	}

	private void decide(long nanos) {
		if (this.current == NONE || nanos - this.switchedAt < (this.switched ? this.backOffNanos : 0)) {
			return;
		}
		Candidate now = this.candidates[this.current];
		if (now.samples < this.settings.cleanProbes()) {
			return;
		}
		double calls = callsExpected();
		int best = NONE;
		double bestGain = this.loss * (1 + this.settings.hysteresis());
		for (int i = 0; i < this.candidates.length; i++) {
			Candidate other = this.candidates[i];
			if (i == this.current || !other.available || other.failed || other.samples < this.settings.cleanProbes()) {
				continue;
			}
			double gain = (now.mean - other.mean) * calls;
			if (gain > bestGain && differs(now, other)) {
				best = i;
				bestGain = gain;
			}
		}
		if (best != NONE) {
			switchTo(best, Decision.Kind.GAIN, calls, nanos);
		}
	}

	/** Noise must not look like a gain, however many calls it is multiplied by. */
	private boolean differs(Candidate now, Candidate other) {
		double difference = now.mean - other.mean;
		// A run of low samples looks less noisy than it is: the noisier of both counts.
		double noise = Math.max(now.relativeVariance(), other.relativeVariance());
		double error = Math.sqrt(noise * (now.square() + other.square()));
		return difference > CONFIDENCE * error && difference > this.settings.hysteresis() * 0.2 * now.mean;
	}

	private double callsExpected() {
		return Double.isNaN(this.nanosPerCall) ? 0 : this.settings.horizon().toNanos() / this.nanosPerCall;
	}

	private int bestAvailable() {
		int best = NONE;
		for (int i = 0; i < this.candidates.length; i++) {
			if (this.candidates[i].available && (best == NONE || better(i, best))) {
				best = i;
			}
		}
		return best;
	}

	private boolean better(int one, int other) {
		Candidate first = this.candidates[one];
		Candidate second = this.candidates[other];
		if (first.failed != second.failed) {
			return second.failed;
		}
		return first.samples > 0 && second.samples > 0 && first.mean < second.mean;
	}

	private void switchTo(int to, Decision.Kind kind, double calls, long nanos) {
		int from = this.current;
		if (this.decisions.size() == MAX_DECISIONS) {
			this.decisions.removeFirst();
		}
		this.decisions.addLast(new Decision(nanos, this.candidates[from].name, this.candidates[to].name, kind,
				this.candidates[from].meanOrNaN(), this.candidates[to].meanOrNaN(), calls, this.loss));
		long dwell = this.settings.dwell().toNanos();
		boolean takenBack = this.switched && to == this.previous
				&& nanos - this.switchedAt < saturatedDouble(saturatedDouble(this.backOffNanos));
		if (takenBack && kind == Decision.Kind.GAIN && this.candidates[from].mean > this.costBefore) {
			// The switch lost what its calls cost more than those before it.
			recordLoss((this.candidates[from].mean - this.costBefore) * this.callsSinceSwitch);
		}
		this.costBefore = this.candidates[from].meanOrNaN();
		this.callsSinceSwitch = 0;
		this.backOffNanos = takenBack
				? Math.min(saturatedDouble(this.backOffNanos), this.settings.maxBackOff().toNanos()) : dwell;
		this.previous = from;
		this.current = to;
		this.switched = true;
		this.switchedAt = nanos;
		this.switches++;
		this.windowOpen = false;
		this.sinceDecision = 0;
		this.soon = 0;
	}

	private static long saturatedDouble(long value) {
		return (value > Long.MAX_VALUE / 2) ? Long.MAX_VALUE : value * 2;
	}

	private static void checkCost(double cost) {
		if (!(cost >= 0 && cost < Double.POSITIVE_INFINITY)) {
			throw new IllegalArgumentException("A cost must be finite and at least 0, but is " + cost);
		}
	}

	/**
	 * Returns the candidate in use.
	 * @return its number, or {@link #NONE}
	 */
	public int current() {
		return this.current;
	}

	/**
	 * Returns the mean cost of a candidate's recent calls.
	 * @param candidate its number
	 * @return in the unit of the samples, {@code NaN} if there are none
	 */
	public double cost(int candidate) {
		return this.candidates[candidate].meanOrNaN();
	}

	/**
	 * Returns what a switch is taken to cost.
	 * @return in the unit of the samples
	 */
	public double loss() {
		return this.loss;
	}

	/**
	 * Returns how many switches there were.
	 * @return a count
	 */
	public long switches() {
		return this.switches;
	}

	/**
	 * Returns how many calls were sent to another candidate than the current one.
	 * @return a count
	 */
	public long probes() {
		return this.probes;
	}

	/**
	 * Returns whether a candidate failed and has not returned yet.
	 * @param candidate its number
	 * @return whether it has failed
	 */
	public boolean hasFailed(int candidate) {
		return this.candidates[candidate].failed;
	}

	/**
	 * Returns how many samples a candidate's mean is made of.
	 * @param candidate its number
	 * @return a count
	 */
	public long samples(int candidate) {
		return this.candidates[candidate].samples;
	}

	/**
	 * Returns the last decision.
	 * @return the decision, or {@code null} if there was no switch
	 */
	public @Nullable Decision lastDecision() {
		return this.decisions.peekLast();
	}

	/**
	 * Returns the last decisions, oldest first.
	 * @return a copy of at most {@value #MAX_DECISIONS}
	 */
	public List<Decision> decisions() {
		return List.copyOf(this.decisions);
	}

	private static final class Candidate {

		final String name;

		boolean available;

		boolean failed;

		int cleanProbes;

		/** Probes that have not come back. */
		int unanswered;

		long samples;

		/** Whether there were enough samples to tell an outlier. */
		boolean known;

		double mean;

		private double variance;

		/** Sum of the squares of the weights that the samples have in the mean. */
		private double weightSquares;

		private double blockSum;

		private int blockSamples;

		final Degradation degradation = new Degradation();

		/** In the count of calls. */
		long callsAtProbe;

		/** How long it must stay available before it returns without clean probes. */
		long trial;

		long trialStart;

		long failedAt;

		boolean failedEver;

		Candidate(String name) {
			this.name = name;
		}

		/** One failure is forgiven once the candidate is available again. */
		void fail(long nanos, boolean forgivable, SwitchingSettings settings) {
			long dwell = Math.max(settings.dwell().toNanos(), 1);
			boolean again = this.failedEver && nanos - this.failedAt < FORGIVE_TRIALS * Math.max(this.trial, dwell);
			long doubled = Math.min(saturatedDouble(this.trial), settings.maxBackOff().toNanos());
			this.trial = again ? Math.max(doubled, dwell) : forgivable ? 0 : dwell;
			this.trialStart = nanos;
			this.failedAt = nanos;
			this.failedEver = true;
			this.failed = true;
			this.cleanProbes = 0;
			this.unanswered = 0;
		}

		void answered() {
			this.unanswered = Math.max(0, this.unanswered - 1);
		}

		void record(double cost, double steadyWeight) {
			this.samples++;
			double weight = Math.max(steadyWeight, 1.0 / this.samples);
			this.known |= this.samples > BLOCK / 2;
			double bounded = (this.known && this.mean > 0) ? Math.min(cost, this.mean * MAX_OUTLIER) : cost;
			double difference = bounded - this.mean;
			this.mean += weight * difference;
			this.variance = (1 - weight) * (this.variance + weight * difference * difference);
			this.weightSquares = (1 - weight) * (1 - weight) * this.weightSquares + weight * weight;
			this.blockSum += cost;
			if (++this.blockSamples == BLOCK) {
				endBlock();
				this.degradation.endBlock(this.mean);
			}
		}

		/** A mean that no longer fits is given up, not slowly corrected. */
		private void endBlock() {
			double block = this.blockSum / BLOCK;
			double deviation = block - this.mean;
			if (this.samples > BLOCK
					&& deviation * deviation > BLOCK_DEVIATION * BLOCK_DEVIATION * this.variance / BLOCK) {
				double scale = block / this.mean;
				this.mean = block;
				this.variance *= scale * scale;
				this.weightSquares = 1.0 / BLOCK;
				this.samples = BLOCK;
			}
			this.blockSum = 0;
			this.blockSamples = 0;
		}

		void restate(double factor) {
			double changed = this.mean * factor;
			if (this.samples == 0 || !(changed > 0 && changed < Double.POSITIVE_INFINITY)) {
				return;
			}
			this.degradation.restate(factor);
			this.mean = changed;
			this.variance *= factor * factor;
			this.blockSum *= factor;
			if (Math.max(factor, 1 / factor) > FAR) {
				doubt(RESTATED_SAMPLES);
			}
		}

		/** What is known counts like so many samples at most. */
		void doubt(int counted) {
			if (this.samples > counted) {
				this.samples = counted;
				this.weightSquares = 1.0 / counted;
				this.blockSum = 0;
				this.blockSamples = 0;
			}
		}

		void forget() {
			this.degradation.forget();
			this.samples = 0;
			this.known = false;
			this.mean = 0;
			this.variance = 0;
			this.weightSquares = 0;
			this.blockSum = 0;
			this.blockSamples = 0;
		}

		double relativeVariance() {
			return (this.mean > 0) ? this.variance / (this.mean * this.mean) : 0;
		}

		/**
		 * What the relative variance of samples is multiplied by for that of the mean.
		 */
		double square() {
			return this.mean * this.mean * this.weightSquares;
		}

		double meanOrNaN() {
			return (this.samples == 0) ? Double.NaN : this.mean;
		}

	}

}
