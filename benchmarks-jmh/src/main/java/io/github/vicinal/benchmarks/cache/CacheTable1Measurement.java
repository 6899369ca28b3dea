package io.github.vicinal.benchmarks.cache;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.cache.CachePolicy;

/** Table 1 of the paper on the cache subsystem. */
public final class CacheTable1Measurement implements Measurement {

	private static final List<Integer> SIZES = List.of(200, 400, 600, 1000, 2000, 3000, 4000, 5000);

	private static final List<CachePolicy> PAPER = List.of(CachePolicy.LFU, CachePolicy.LRU, CachePolicy.MRU,
			CachePolicy.PLRU, CachePolicy.SLRU, CachePolicy.TWO_WAY);

	private static final int REQUESTS = 20_000;

	private static final int OBJECTS = 3_000;

	private static final double SIGMA = 500;

	/**
	 * The service-time model: the paper's 160 to 170 requests a second of one thread are
	 * 6.06 ms each without a cache; a hit is taken to cost a twentieth of that.
	 */
	private static final double MISS_MILLIS = 6.06;

	private static final double HIT_MILLIS = MISS_MILLIS / 20;

	@Override
	public String name() {
		return "cache-table1";
	}

	@Override
	public String description() {
		return "the paper's Table 1: 20,000 requests, normal over 3,000 objects, sigma 500, by policy and size";
	}

	@Override
	public Report run(Settings settings) {
		int seeds = settings.quick() ? 3 : 10;
		settings.say("Mean of %d seeds; a miss takes %.2f ms, a hit %.3f ms of service time", seeds, MISS_MILLIS,
				HIT_MILLIS);
		Report report = new Report("size", "policy", "hits %", "displacements", "service ms")
			.chart("Hit ratio in percent, by size and policy", "hits %", "size", "policy");
		for (int size : SIZES) {
			settings.say("Size %d ...", size);
			Map<CachePolicy, double[]> sums = new LinkedHashMap<>();
			List<CachePolicy> all = new java.util.ArrayList<>(PAPER);
			all.addAll(List.of(CachePolicy.AIC, CachePolicy.TINY_LFU, CachePolicy.LFU_HISTORY));
			for (int seed = 1; seed <= seeds; seed++) {
				int[] trace = trace(seed);
				for (CachePolicy policy : all) {
					Replay.Outcome outcome = Replay.play(trace, policy, size);
					double[] sum = sums.computeIfAbsent(policy, (key) -> new double[2]);
					sum[0] += outcome.hitPercent() / seeds;
					sum[1] += (double) outcome.evictions() / seeds;
				}
			}
			sums.forEach((policy, sum) -> report.row(size, policy.name(), sum[0], Math.round(sum[1]),
					HIT_MILLIS + (MISS_MILLIS - HIT_MILLIS) * (1 - sum[0] / 100)));
			double aic = hits(sums, CachePolicy.AIC);
			double best = PAPER.stream().mapToDouble((policy) -> hits(sums, policy)).max().orElseThrow();
			report.bar("size " + size + ": best of the paper's six / AIC", best / aic, 1.0);
			report.bar("size " + size + ": LFU with history / AIC", hits(sums, CachePolicy.LFU_HISTORY) / aic,
					1 / 0.99);
		}
		return report;
	}

	private static double hits(Map<CachePolicy, double[]> sums, CachePolicy policy) {
		double[] sum = sums.get(policy);
		return (sum != null) ? sum[0] : Double.NaN;
	}

	/** Keys beyond either end are drawn again. */
	static int[] trace(int seed) {
		Random random = new Random(seed);
		int[] trace = new int[REQUESTS];
		for (int i = 0; i < trace.length; i++) {
			int key;
			do {
				key = (int) Math.round(OBJECTS / 2.0 + SIGMA * random.nextGaussian());
			}
			while (key < 0 || key >= OBJECTS);
			trace[i] = key;
		}
		return trace;
	}

}
