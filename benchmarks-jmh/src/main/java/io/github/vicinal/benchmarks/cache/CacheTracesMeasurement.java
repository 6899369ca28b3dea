package io.github.vicinal.benchmarks.cache;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.cache.CachePolicy;

/**
 * Regret of AIC on the traces of Caffeine's simulator, which are not part of the project.
 */
public final class CacheTracesMeasurement implements Measurement {

	/**
	 * Format, file and sizes. AIC's parameters were chosen on every other trace in the
	 * order of the files' names, beginning with the first.
	 */
	private static final String[] TRACES = { "lirs 2_pools.trace.gz 450 1500", "lirs backf.trace.gz 100 300",
			"gradle build-cache.xz 5000 20000", "lirs cpp.trace.gz 100 300 600", "lirs cs.trace.gz 500 1000",
			"address gcc.trace.gz 512 4096", "lirs gli.trace.gz 250 600 1200", "address gzip.trace.gz 512 8192",
			"lirs loop.trace.gz 100 512 900", "address mcf.trace.gz 1024 8192", "lirs multi1.trace.gz 300 1000",
			"lirs multi2.trace.gz 600 1500", "lirs multi3.trace.gz 600 2000", "cache2k orm-busy.trace.xz 1250 5000",
			"cache2k orm-night.trace.xz 1250 5000", "lirs ps.trace.gz 600 1500", "lirs scan.trace.gz 200 400",
			"scarab scarab-recs.trace.xz 10000", "lirs sprite.trace.gz 100 400 1000", "address swim.trace.gz 512 4096",
			"corda trace_vaultservice.gz 512 4096", "address twolf.trace.gz 256 1024",
			"cloud-physics w106.trace.xz 8192", "cache2k web07.trace.xz 300 1200 4000",
			"cache2k web12.trace.xz 300 1200 4000", "lirs zigzag.trace.gz 400 1000" };

	/** AIC's candidates, and what it is not made of. */
	private static final List<CachePolicy> CANDIDATES = List.of(CachePolicy.windowTinyLfu(1),
			CachePolicy.windowTinyLfu(20), CachePolicy.windowTinyLfu(60), CachePolicy.LRU, CachePolicy.S3_FIFO,
			CachePolicy.LIRS);

	private static final List<CachePolicy> OTHERS = List.of(CachePolicy.LFU, CachePolicy.MRU, CachePolicy.SLRU);

	private static final String REMEDY = "mvn -f benchmarks-jmh/traces/pom.xml process-resources";

	@Override
	public String name() {
		return "cache-traces";
	}

	@Override
	public String description() {
		return "AIC on 56 cells of real traces, against the best fixed policy and Caffeine (needs: " + REMEDY + ")";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		Report report = new Report("trace", "size", "half", "AIC", "best candidate", "hits %", "best of all",
				"Caffeine", "regret", "against Caffeine", "K_WAY_TINY_LFU(8)")
			.chart("AIC: hit ratio in percent", "AIC", "trace", "size");
		Map<String, List<double[]>> halves = new HashMap<>();
		try (URLClassLoader loader = loader(settings)) {
			boolean chosenOn = true;
			for (String line : TRACES) {
				String[] words = line.split(" ");
				String trace = words[1].substring(0, words[1].indexOf('.'));
				settings.say("%s ...", trace);
				int[] keys = read(loader, words[0], words[1]);
				for (int i = 2; i < words.length && (i == 2 || !settings.quick()); i++) {
					double[] cell = cell(report, trace, chosenOn ? "chosen on" : "reported", keys,
							Integer.parseInt(words[i]));
					halves.computeIfAbsent(chosenOn ? "chosen on" : "reported", (key) -> new ArrayList<>()).add(cell);
					halves.computeIfAbsent("all", (key) -> new ArrayList<>()).add(cell);
				}
				chosenOn = !chosenOn;
			}
		}
		for (String half : List.of("reported", "all")) {
			List<double[]> cells = halves.getOrDefault(half, List.of());
			String of = half + ", " + cells.size() + " cells: ";
			report.bar(of + "mean regret to the best candidate, pp",
					cells.stream().mapToDouble((cell) -> cell[0]).average().orElse(Double.NaN), 0.30);
			report.bar(of + "worst regret to the best candidate, pp",
					cells.stream().mapToDouble((cell) -> cell[0]).max().orElse(Double.NaN), 1.5);
			report.bar(of + "mean below Caffeine, pp",
					cells.stream().mapToDouble((cell) -> -cell[1]).average().orElse(Double.NaN), -0.8);
			report.bar(of + "worst below Caffeine, pp",
					cells.stream().mapToDouble((cell) -> -cell[1]).max().orElse(Double.NaN), 0.5);
		}
		return report;
	}

	private static double[] cell(Report report, String trace, String half, int[] keys, int size) {
		CachePolicy best = CachePolicy.LRU;
		double bestHits = -1;
		for (CachePolicy candidate : CANDIDATES) {
			double hits = Replay.play(keys, candidate, size).hitPercent();
			if (hits > bestHits) {
				bestHits = hits;
				best = candidate;
			}
		}
		double all = bestHits;
		for (CachePolicy other : OTHERS) {
			all = Math.max(all, Replay.play(keys, other, size).hitPercent());
		}
		double aic = Replay.play(keys, CachePolicy.AIC, size).hitPercent();
		double caffeine = Replay.play(keys, CachePolicy.TINY_LFU, size).hitPercent();
		double sets = Replay.play(keys, CachePolicy.kWayTinyLfu(8), size).hitPercent();
		report.row(trace, size, half, aic, best.name(), bestHits, all, caffeine, bestHits - aic, aic - caffeine, sets);
		return new double[] { bestHits - aic, aic - caffeine };
	}

	private static URLClassLoader loader(Settings settings) throws Exception {
		Path libraries = Path
			.of(settings.options().getOrDefault("trace-libraries", "benchmarks-jmh/traces/target/lib"));
		if (!Files.isDirectory(libraries)) {
			throw new UsageException(
					"cache-traces needs the traces of Caffeine's simulator, which are not in '%s': run '%s' once"
						.formatted(libraries, REMEDY));
		}
		if (Runtime.version().feature() < 25) {
			throw new UsageException(
					"cache-traces needs JDK 25, for which the simulator is compiled, but runs on %s: set JAVA_HOME"
						.formatted(Runtime.version()));
		}
		List<URL> urls = new ArrayList<>();
		try (Stream<Path> jars = Files.list(libraries)) {
			for (Path jar : jars.toList()) {
				urls.add(jar.toUri().toURL());
			}
		}
		return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
	}

	/** The simulator's reader, by reflection: it is not there when this is compiled. */
	private static int[] read(ClassLoader loader, String format, String file) throws Exception {
		Class<?> formats = loader.loadClass("com.github.benmanes.caffeine.cache.simulator.parser.TraceFormat");
		Object parser = formats.getMethod("named", String.class).invoke(null, format);
		Object reader = formats.getMethod("readFiles", List.class).invoke(parser, List.of(file));
		Class<?> readers = loader.loadClass("com.github.benmanes.caffeine.cache.simulator.parser.TraceReader");
		Class<?> events = loader.loadClass("com.github.benmanes.caffeine.cache.simulator.policy.AccessEvent");
		var key = events.getMethod("longKey");
		Map<Object, Integer> numbers = new HashMap<>();
		int[] keys = new int[1 << 16];
		int count = 0;
		try (Stream<?> stream = (Stream<?>) readers.getMethod("events").invoke(reader)) {
			for (Iterator<?> it = stream.iterator(); it.hasNext();) {
				if (count == keys.length) {
					keys = java.util.Arrays.copyOf(keys, 2 * count);
				}
				keys[count++] = numbers.computeIfAbsent(key.invoke(it.next()), (any) -> numbers.size());
			}
		}
		return java.util.Arrays.copyOf(keys, count);
	}

}
