package io.github.vicinal.benchmarks.cache;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;

/**
 * CPU time per operation, by the clock of the thread, against Caffeine in the same run.
 * Caches are measured alternately, each in processes of its own, so that the compiler's
 * profile of one does not slow down another. The result is the median over the processes
 * of each one's best repeat.
 */
public final class CacheSpeedMeasurement implements Measurement {

	private static final int ENTRIES_TO_SWITCH = 1_000_000;

	/** Instead of the names of caches: only the switches of AIC. */
	private static final String SWITCHES = "switches";

	private static final List<String> OPERATIONS = List.of("hit", "get-or-load");

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
		if (SWITCHES.equals(settings.options().get("subjects"))) {
			Report report = new Report("cache", "threads", "hit ns", "/ Caffeine", "get-or-load ns", "/ Caffeine ",
					"hits %");
			switches(report, settings);
			return report;
		}
		int forks = settings.quick() ? 1 : 3;
		List<String> names = subjects(settings);
		Map<String, List<CacheSpeedProcess.Figures>> figures = new LinkedHashMap<>();
		for (int fork = 1; fork <= forks; fork++) {
			settings.say("Process %d of %d for each of %d caches ...", fork, forks, names.size());
			for (String name : names) {
				figures.computeIfAbsent(name, (key) -> new ArrayList<>()).add(CacheSpeedProcess.start(name));
			}
		}
		Report report = new Report("cache", "threads", "hit ns", "/ Caffeine", "get-or-load ns", "/ Caffeine ",
				"hits %")
			.chart("CPU time per get-or-load in ns", "get-or-load ns", "cache", "threads");
		Map<String, double[]> ratios = new LinkedHashMap<>();
		for (int threads = 1; threads <= CacheSpeedProcess.MAX_THREADS; threads++) {
			int at = threads - 1;
			for (String name : names) {
				double hit = median(figures, name, (figure) -> figure.hitNanos()[at]);
				double load = median(figures, name, (figure) -> figure.loadNanos()[at]);
				double hits = median(figures, name, CacheSpeedProcess.Figures::hitPercent);
				double hitRatio = hit / median(figures, names.get(0), (figure) -> figure.hitNanos()[at]);
				double loadRatio = load / median(figures, names.get(0), (figure) -> figure.loadNanos()[at]);
				report.row(name, threads, hit, hitRatio, load, loadRatio, hits);
				ratios.merge(name, new double[] { hitRatio, loadRatio, hits },
						(a, b) -> new double[] { Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]) });
			}
		}
		bars(report, ratios);
		if (names.contains(Subject.VICINAL + "AIC")) {
			switches(report, settings);
		}
		return report;
	}

	private static void switches(Report report, Settings settings) {
		settings.say("Switches of AIC with %d entries ...", ENTRIES_TO_SWITCH);
		Map<String, Double> pauses = SwitchPauses.millis(ENTRIES_TO_SWITCH);
		pauses.forEach((to, millis) -> settings.say("  longest access of a switch to %s: %.3f ms", to, millis));
		report.bar("AIC of %d entries: longest access while it switches, ms".formatted(ENTRIES_TO_SWITCH),
				pauses.values().stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN), 1);
	}

	/** Caffeine, and those that were asked for. */
	private static List<String> subjects(Settings settings) throws UsageException {
		String wanted = settings.options().get("subjects");
		if (wanted == null) {
			return Subject.names();
		}
		List<String> chosen = new ArrayList<>(List.of(Subject.names().get(0)));
		for (String word : wanted.split(",")) {
			String name = Subject.names()
				.stream()
				.filter((known) -> known.equals(word) || known.equals(Subject.VICINAL + word))
				.findFirst()
				.orElseThrow(() -> new UsageException(
						"There is no cache '%s' to measure; the names are %s".formatted(word, Subject.names())));
			if (!chosen.contains(name)) {
				chosen.add(name);
			}
		}
		return chosen;
	}

	private static double median(Map<String, List<CacheSpeedProcess.Figures>> figures, String name,
			ToDoubleFunction<CacheSpeedProcess.Figures> figure) {
		double[] sorted = figures.getOrDefault(name, List.of()).stream().mapToDouble(figure).sorted().toArray();
		return (sorted.length == 0) ? Double.NaN : sorted[sorted.length / 2];
	}

	private static void bars(Report report, Map<String, double[]> ratios) {
		for (String sets : List.of("vicinal TWO_WAY", "vicinal K_WAY(8)", "vicinal PLRU")) {
			bar(report, ratios, sets, 0, 0.75);
			bar(report, ratios, sets, 1, 0.45);
		}
		for (String exact : List.of("vicinal LRU", "vicinal LFU", "vicinal SLRU")) {
			bar(report, ratios, exact, 0, 1.0);
			bar(report, ratios, exact, 1, 1.0);
		}
		String admitting = "vicinal K_WAY_TINY_LFU(8)";
		bar(report, ratios, admitting, 0, 0.7);
		bar(report, ratios, admitting, 1, 0.7);
		if (ratios.containsKey(admitting)) {
			report.bar(admitting + ": hit ratio below Caffeine's, pp",
					get(ratios, "caffeine")[2] - get(ratios, admitting)[2], 0.5);
		}
		if (ratios.containsKey("vicinal AIC") && ratios.containsKey("vicinal W_TINY_LFU(1)")) {
			for (int i = 0; i < 2; i++) {
				report.bar("AIC: CPU per %s / W_TINY_LFU(1)".formatted(OPERATIONS.get(i)),
						get(ratios, "vicinal AIC")[i] / get(ratios, "vicinal W_TINY_LFU(1)")[i], 1.05);
			}
		}
	}

	private static void bar(Report report, Map<String, double[]> ratios, String name, int operation, double limit) {
		if (ratios.containsKey(name)) {
			report.bar("%s: CPU per %s / Caffeine".formatted(name, OPERATIONS.get(operation)),
					get(ratios, name)[operation], limit);
		}
	}

	private static double[] get(Map<String, double[]> ratios, String name) {
		double[] ratio = ratios.get(name);
		return (ratio != null) ? ratio : new double[] { Double.NaN, Double.NaN, Double.NaN };
	}

}
