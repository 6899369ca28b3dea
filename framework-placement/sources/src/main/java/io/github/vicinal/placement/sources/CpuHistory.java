package io.github.vicinal.placement.sources;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * CPU use of an instance over time. Its 90th percentile stands for peaks that return;
 * weights halve after a day, as those of Kubernetes' vertical autoscaler do. Not
 * thread-safe.
 */
final class CpuHistory {

	private static final double HALF_LIFE_SECONDS = 24 * 3600;

	private static final double PERCENTILE = 0.9;

	/** Part by which the percentile may be exceeded. */
	private static final double MARGIN = 0.15;

	/** Maximum number of samples; at the default refresh they reach back 85 minutes. */
	private static final int MAX_SAMPLES = 1024;

	private record Sample(double millis, double seconds, long nanos) {
	}

	private final Deque<Sample> samples = new ArrayDeque<>();

	/**
	 * Adds what was used in some time.
	 * @param cpuSeconds CPU time
	 * @param seconds the time
	 * @param nanos its end
	 */
	void add(double cpuSeconds, double seconds, long nanos) {
		if (seconds > 0 && cpuSeconds >= 0) {
			this.samples.addLast(new Sample(1000 * cpuSeconds / seconds, seconds, nanos));
			if (this.samples.size() > MAX_SAMPLES) {
				this.samples.removeFirst();
			}
		}
	}

	/**
	 * Continues the history of an instance that this one replaces.
	 * @param earlier its history
	 */
	void follow(CpuHistory earlier) {
		List<Sample> own = new ArrayList<>(this.samples);
		this.samples.clear();
		this.samples.addAll(earlier.samples);
		this.samples.addAll(own);
		while (this.samples.size() > MAX_SAMPLES) {
			this.samples.removeFirst();
		}
	}

	boolean isEmpty() {
		return this.samples.isEmpty();
	}

	/** Returns the 90th percentile, in thousandths of a processor. */
	double p90() {
		List<Sample> sorted = new ArrayList<>(this.samples);
		long now = this.samples.isEmpty() ? 0 : this.samples.getLast().nanos();
		sorted.sort(Comparator.comparingDouble(Sample::millis));
		double all = sorted.stream().mapToDouble((sample) -> weight(sample, now)).sum();
		double below = 0;
		for (Sample sample : sorted) {
			below += weight(sample, now);
			if (below >= PERCENTILE * all) {
				return sample.millis();
			}
		}
		return 0;
	}

	/** Returns what to provide. */
	double need() {
		return p90() * (1 + MARGIN);
	}

	/** Says where {@link #need()} comes from. */
	String from() {
		return (this.samples.size() == 1)
				? "mean %.0f since the start plus 15 %%, no peaks were seen yet".formatted(p90())
				: "p90 %.0f of %d observed times plus 15 %%".formatted(p90(), this.samples.size());
	}

	private static double weight(Sample sample, long now) {
		return sample.seconds() * Math.pow(0.5, (now - sample.nanos()) / 1e9 / HALF_LIFE_SECONDS);
	}

}
