package io.github.vicinal.benchmarks.cache;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;

/**
 * CPU time per operation, by the clock of the thread, against Caffeine in the same run.
 */
public final class CacheSpeedMeasurement implements Measurement {

	private static final int RESIDENT = 32_768;

	private static final int LOADING = 16_384;

	private static final int KEYS = 163_840;

	private static final int TRACE = 1 << 20;

	@Override
	public String name() {
		return "cache-speed";
	}

	@Override
	public String description() {
		return "CPU time per hit and per get-or-load, against Caffeine, cache2k, Guava, Ehcache and ConcurrentHashMap";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		int rounds = settings.quick() ? 3 : 9;
		Integer[] hitKeys = zipf(RESIDENT, 0.99, 1);
		Integer[] loadKeys = zipf(KEYS, 0.99, 2);
		List<Subject> resident = Subject.all(2 * RESIDENT);
		for (Subject subject : resident) {
			for (int key = 0; key < RESIDENT; key++) {
				subject.put(key, key);
			}
		}
		List<Subject> loading = Subject.all(LOADING);
		Report report = new Report("cache", "threads", "hit ns", "/ Caffeine", "get-or-load ns", "/ Caffeine ",
				"hits %")
			.chart("CPU time per get-or-load in ns", "get-or-load ns", "cache", "threads");
		Map<String, double[]> ratios = new LinkedHashMap<>();
		for (int threads : new int[] { 1, 2 }) {
			double[][] best = new double[resident.size()][2];
			for (double[] row : best) {
				Arrays.fill(row, Double.MAX_VALUE);
			}
			for (int round = 0; round <= rounds; round++) {
				settings.say("%d thread(s), round %d of %d ...", threads, round, rounds);
				for (int i = 0; i < resident.size(); i++) {
					Subject hit = resident.get(i);
					Subject load = loading.get(i);
					double hitNanos = nanos(threads, hitKeys, (key) -> hit.get(key));
					double loadNanos = nanos(threads, loadKeys, load::load);
					// The first round warms up.
					if (round > 0) {
						best[i][0] = Math.min(best[i][0], hitNanos);
						best[i][1] = Math.min(best[i][1], loadNanos);
					}
				}
			}
			for (int i = 0; i < resident.size(); i++) {
				String name = resident.get(i).name();
				double hitRatio = best[i][0] / best[0][0];
				double loadRatio = best[i][1] / best[0][1];
				report.row(name, threads, best[i][0], hitRatio, best[i][1], loadRatio,
						hitPercent(loading.get(i), loadKeys));
				ratios.merge(name, new double[] { hitRatio, loadRatio, hitPercent(loading.get(i), loadKeys) },
						(a, b) -> new double[] { Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]) });
			}
		}
		bars(report, ratios);
		return report;
	}

	private static void bars(Report report, Map<String, double[]> ratios) {
		for (String sets : List.of("vicinal TWO_WAY", "vicinal K_WAY(8)", "vicinal PLRU")) {
			report.bar(sets + ": CPU per hit / Caffeine", get(ratios, sets)[0], 0.75);
			report.bar(sets + ": CPU per get-or-load / Caffeine", get(ratios, sets)[1], 0.45);
		}
		for (String exact : List.of("vicinal LRU", "vicinal LFU", "vicinal SLRU")) {
			report.bar(exact + ": CPU per hit / Caffeine", get(ratios, exact)[0], 1.0);
			report.bar(exact + ": CPU per get-or-load / Caffeine", get(ratios, exact)[1], 1.0);
		}
		String admitting = "vicinal K_WAY_TINY_LFU(8)";
		report.bar(admitting + ": CPU per hit / Caffeine", get(ratios, admitting)[0], 0.7);
		report.bar(admitting + ": CPU per get-or-load / Caffeine", get(ratios, admitting)[1], 0.7);
		report.bar(admitting + ": hit ratio below Caffeine's, pp",
				get(ratios, "caffeine")[2] - get(ratios, admitting)[2], 0.5);
		report.bar("AIC: CPU per hit / W_TINY_LFU(1)",
				get(ratios, "vicinal AIC")[0] / get(ratios, "vicinal W_TINY_LFU(1)")[0], 1.05);
		report.bar("AIC: CPU per get-or-load / W_TINY_LFU(1)",
				get(ratios, "vicinal AIC")[1] / get(ratios, "vicinal W_TINY_LFU(1)")[1], 1.05);
	}

	private static double[] get(Map<String, double[]> ratios, String name) {
		double[] ratio = ratios.get(name);
		return (ratio != null) ? ratio : new double[] { Double.NaN, Double.NaN, Double.NaN };
	}

	private interface Operation {

		@org.jspecify.annotations.Nullable
		Integer run(Integer key);

	}

	/** CPU time of all threads, per operation. */
	private static double nanos(int threads, Integer[] keys, Operation operation) throws InterruptedException {
		ThreadMXBean clock = ManagementFactory.getThreadMXBean();
		AtomicLong cpu = new AtomicLong();
		AtomicLong sum = new AtomicLong();
		List<Thread> running = new ArrayList<>();
		for (int t = 0; t < threads; t++) {
			int offset = t * (keys.length / 7);
			Thread thread = new Thread(() -> {
				long found = 0;
				long start = clock.getCurrentThreadCpuTime();
				for (int i = 0; i < keys.length; i++) {
					Integer value = operation.run(keys[(i + offset) & (keys.length - 1)]);
					found += (value != null) ? value : 0;
				}
				cpu.addAndGet(clock.getCurrentThreadCpuTime() - start);
				sum.addAndGet(found);
			});
			running.add(thread);
			thread.start();
		}
		for (Thread thread : running) {
			thread.join();
		}
		if (sum.get() == 0) {
			throw new IllegalStateException("Nothing was found");
		}
		return (double) cpu.get() / keys.length / threads;
	}

	private static double hitPercent(Subject subject, Integer[] keys) {
		int hits = 0;
		for (Integer key : keys) {
			if (subject.get(key) != null) {
				hits++;
			}
			else {
				subject.put(key, key);
			}
		}
		return 100.0 * hits / keys.length;
	}

	/** Scrambled, so that neighbours in rank are no neighbours in hash. */
	static Integer[] zipf(int count, double exponent, int seed) {
		double[] cumulated = new double[count];
		double sum = 0;
		for (int i = 0; i < count; i++) {
			sum += 1 / Math.pow(i + 1, exponent);
			cumulated[i] = sum;
		}
		Random random = new Random(seed);
		int[] scrambled = random.ints(0, count).distinct().limit(count).toArray();
		Integer[] boxed = Arrays.stream(scrambled).boxed().toArray(Integer[]::new);
		Integer[] keys = new Integer[TRACE];
		for (int i = 0; i < keys.length; i++) {
			int at = Arrays.binarySearch(cumulated, random.nextDouble() * sum);
			keys[i] = boxed[Math.min(count - 1, (at < 0) ? -at - 1 : at)];
		}
		return keys;
	}

}
