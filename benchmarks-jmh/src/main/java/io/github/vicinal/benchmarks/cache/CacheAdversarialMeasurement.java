package io.github.vicinal.benchmarks.cache;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.cache.CachePolicy;

/**
 * Loads that are made to mislead adaptive policies: by the present requests, by keys that
 * are not kept, or by frequent changes. AIC must not fall behind plain LRU on any.
 * Deterministic.
 */
public final class CacheAdversarialMeasurement implements Measurement {

	private static final int SIZE = 8192;

	private static final int REQUESTS = 1_000_000;

	private static final List<CachePolicy> POLICIES = List.of(CachePolicy.LRU, CachePolicy.S3_FIFO, CachePolicy.LIRS,
			CachePolicy.TINY_LFU);

	private record Family(int size, IntFunction<int[]> trace) {
	}

	@Override
	public String name() {
		return "cache-adversarial";
	}

	@Override
	public String description() {
		return "AIC on loads made to mislead it (mixture, phases, wide pinned window, stress), against LRU and Caffeine";
	}

	private static Map<String, Family> families() {
		Map<String, Family> families = new LinkedHashMap<>();
		for (int percent : new int[] { 10, 25, 50 }) {
			families.put("mixture, %d %% pairs".formatted(percent),
					new Family(SIZE, (seed) -> mixture(seed, percent / 100.0)));
		}
		families.put("phases of 20 sizes", new Family(SIZE, (seed) -> phases(seed, 20 * SIZE)));
		families.put("phases of 4 sizes", new Family(SIZE, (seed) -> phases(seed, 4 * SIZE)));
		families.put("wide pinned window", new Family(SIZE, CacheAdversarialMeasurement::widePin));
		families.put("stress", new Family(512, CacheAdversarialMeasurement::stress));
		families.put("stress, all fits", new Family(2048, CacheAdversarialMeasurement::stress));
		families.put("there and back", new Family(512, CacheAdversarialMeasurement::thereAndBack));
		return families;
	}

	@Override
	public Report run(Settings settings) {
		int seeds = settings.quick() ? 1 : 3;
		Report report = new Report("load", "size", "AIC", "LRU", "S3_FIFO", "LIRS", "Caffeine", "optimum")
			.chart("AIC: hit ratio in percent", "AIC", "load");
		families().forEach((name, family) -> {
			settings.say("%s ...", name);
			List<CachePolicy> all = new ArrayList<>(List.of(CachePolicy.AIC));
			all.addAll(POLICIES);
			double[] means = new double[all.size() + 1];
			for (int seed = 1; seed <= seeds; seed++) {
				int[] trace = family.trace().apply(seed);
				for (int i = 0; i < all.size(); i++) {
					means[i] += Replay.play(trace, all.get(i), family.size()).hitPercent() / seeds;
				}
				means[all.size()] += Replay.optimum(trace, family.size()) / seeds;
			}
			report.row(name, family.size(), means[0], means[1], means[2], means[3], means[4], means[5]);
			report.bar(name + ": AIC below LRU, pp", means[1] - means[0], 0.5);
		});
		return report;
	}

	/**
	 * A hot set, and with some probability a key of a stream: each is used a second time
	 * half a size of requests later, and never again. Only a policy that keeps new keys
	 * that long sees the second use.
	 */
	private static int[] mixture(int seed, double streamed) {
		Random random = new Random(seed);
		int[] trace = new int[REQUESTS];
		int[] again = new int[REQUESTS + SIZE];
		int next = 1_000_000;
		for (int i = 0; i < REQUESTS; i++) {
			if (again[i] != 0) {
				trace[i] = again[i];
			}
			else if (random.nextDouble() < streamed) {
				trace[i] = next++;
				again[i + SIZE / 2] = trace[i];
			}
			else {
				trace[i] = skewed(random, 4 * SIZE);
			}
		}
		return trace;
	}

	/** Few keys are used most. */
	private static int skewed(Random random, int keys) {
		return (int) (keys * Math.pow(random.nextDouble(), 3));
	}

	/** Alternates between loads that only frequency and only recency can serve. */
	private static int[] phases(int seed, int length) {
		Random random = new Random(seed);
		int[] trace = new int[REQUESTS];
		int next = 1_000_000;
		for (int i = 0; i < REQUESTS; i++) {
			if (i / length % 2 == 0) {
				trace[i] = (random.nextInt(4) == 0) ? next++ : skewed(random, 2 * SIZE);
			}
			else {
				next += (i % 3 == 0) ? 1 : 0;
				trace[i] = next - random.nextInt(SIZE / 2);
			}
		}
		return trace;
	}

	/** All keys of a window nearly as wide as the cache, which moves on slowly. */
	private static int[] widePin(int seed) {
		Random random = new Random(seed);
		int[] trace = new int[REQUESTS];
		for (int i = 0; i < REQUESTS; i++) {
			trace[i] = i / 4 + random.nextInt(SIZE * 9 / 10);
		}
		return trace;
	}

	/** A stream of pairs, then a loop a little longer than the cache, then the stream. */
	private static int[] stress(int seed) {
		Random random = new Random(seed);
		int[] trace = new int[REQUESTS / 2];
		int next = 1_000_000;
		for (int i = 0; i < trace.length; i++) {
			int phase = i / (trace.length / 10) % 10;
			if (phase >= 3 && phase <= 6) {
				trace[i] = i % 1000;
			}
			else {
				next += random.nextInt(2);
				trace[i] = next - random.nextInt(150);
			}
		}
		return trace;
	}

	/** A sweep over four sizes, forwards and backwards. */
	private static int[] thereAndBack(int seed) {
		int[] trace = new int[REQUESTS / 4];
		int keys = 4 * 512 + seed;
		for (int i = 0; i < trace.length; i++) {
			int at = i % (2 * keys);
			trace[i] = (at < keys) ? at : 2 * keys - 1 - at;
		}
		return trace;
	}

}
