package io.github.vicinal.benchmarks.cache;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.benchmarks.BenchJvm;
import io.github.vicinal.benchmarks.SteadyState;
import org.jspecify.annotations.Nullable;

/** Measures one cache in a process of its own. */
public final class CacheSpeedProcess {

	/** The first argument of the process. */
	public static final String COMMAND = "cache-speed-process";

	static final int MAX_THREADS = 2;

	private static final String FIGURES = "FIGURES ";

	private static final int RESIDENT = 32_768;

	private static final int LOADING = 16_384;

	private static final int KEYS = 163_840;

	private static final int TRACE = 1 << 20;

	private static final int REPEATS = 4;

	private CacheSpeedProcess() {
	}

	/**
	 * Result of a process.
	 *
	 * @param hitNanos CPU time per hit, by number of threads less one
	 * @param loadNanos CPU time per get-or-load, likewise
	 * @param hitPercent hits of 100 get-or-loads
	 */
	@SuppressWarnings("ArrayRecordComponent")
	record Figures(double[] hitNanos, double[] loadNanos, double hitPercent) {
	}

	/** Runs this program again for a cache. */
	static Figures start(String name) throws IOException, InterruptedException {
		List<String> command = BenchJvm.command(List.of("-Xmx512m"), COMMAND, name);
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		String line = output.lines().filter((any) -> any.startsWith(FIGURES)).findFirst().orElse(null);
		if (process.waitFor() != 0 || line == null) {
			throw new IOException("The process that measures %s failed: %s".formatted(name, output));
		}
		double[] values = Arrays.stream(line.substring(FIGURES.length()).split(" "))
			.mapToDouble(Double::parseDouble)
			.toArray();
		return new Figures(Arrays.copyOfRange(values, 0, MAX_THREADS),
				Arrays.copyOfRange(values, MAX_THREADS, 2 * MAX_THREADS), values[2 * MAX_THREADS]);
	}

	/**
	 * Measures and prints.
	 * @param arguments the command and the name of the cache
	 */
	public static void main(String[] arguments) {
		Integer[] hitKeys = zipf(RESIDENT, 0.99, 1);
		Integer[] loadKeys = zipf(KEYS, 0.99, 2);
		Subject resident = Subject.named(arguments[1], 2 * RESIDENT);
		for (int key = 0; key < RESIDENT; key++) {
			resident.put(key, key);
		}
		Subject loading = Subject.named(arguments[1], LOADING);
		StringBuilder hits = new StringBuilder(FIGURES);
		StringBuilder loads = new StringBuilder();
		for (int threads = 1; threads <= MAX_THREADS; threads++) {
			hits.append(best(threads, hitKeys, resident::get)).append(' ');
			loads.append(best(threads, loadKeys, loading::load)).append(' ');
		}
		System.out.println(hits.append(loads).append(hitPercent(loading, loadKeys)));
		System.exit(0);
	}

	private static double best(int threads, Integer[] keys, Operation operation) {
		SteadyState.await(() -> nanos(threads, keys, operation));
		double best = Double.MAX_VALUE;
		for (int repeat = 0; repeat < REPEATS; repeat++) {
			best = Math.min(best, nanos(threads, keys, operation));
		}
		return best;
	}

	private interface Operation {

		@Nullable Integer run(Integer key);

	}

	/** CPU time of all threads, per operation. */
	private static double nanos(int threads, Integer[] keys, Operation operation) {
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
			join(thread);
		}
		if (sum.get() == 0) {
			throw new IllegalStateException("Nothing was found");
		}
		return (double) cpu.get() / keys.length / threads;
	}

	private static void join(Thread thread) {
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
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
