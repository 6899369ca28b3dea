package io.github.vicinal.benchmarks.cache;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.cache.CachePolicy;
import io.github.vicinal.cache.InvalidCacheException;

/** Hit ratios on a trace of the user's own. */
public final class CacheTraceMeasurement implements Measurement {

	private static final int MAX_SIZE = 1 << 24;

	@Override
	public String name() {
		return "cache-trace";
	}

	@Override
	public String description() {
		return "hit ratio of each policy, AIC, Caffeine and Belady's optimum on --file FILE with --size N entries";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		String file = settings.options().get("file");
		String size = settings.options().get("size");
		if (file == null || size == null) {
			throw new UsageException(
					"cache-trace needs --file FILE (one integer key per line) and --size N (entries of the cache)");
		}
		int entries = Integer.parseInt(size);
		if (entries < 1 || entries > MAX_SIZE) {
			throw new UsageException("--size is %d, but must be from 1 to %d".formatted(entries, MAX_SIZE));
		}
		List<CachePolicy> policies = policies(settings.options().get("policies"));
		int[] trace = read(Path.of(file));
		settings.say("%d requests", trace.length);
		Report report = new Report("policy", "hits %", "displacements").chart("Hit ratio in percent", "hits %",
				"policy");
		for (CachePolicy policy : policies) {
			Replay.Outcome outcome = Replay.play(trace, policy, entries);
			settings.say("%s: %.2f %%", policy, outcome.hitPercent());
			report.row(policy.equals(CachePolicy.TINY_LFU) ? "TINY_LFU (Caffeine)" : policy.name(),
					outcome.hitPercent(), outcome.evictions());
		}
		report.row("Belady's optimum", Replay.optimum(trace, entries), -1);
		return report;
	}

	private static List<CachePolicy> policies(@org.jspecify.annotations.Nullable String names) throws UsageException {
		if (names == null) {
			List<CachePolicy> all = new ArrayList<>(CachePolicy.named());
			all.addAll(List.of(CachePolicy.kWay(8), CachePolicy.kWayTinyLfu(8), CachePolicy.windowTinyLfu(1),
					CachePolicy.windowTinyLfu(20), CachePolicy.windowTinyLfu(60)));
			return all;
		}
		List<CachePolicy> chosen = new ArrayList<>();
		for (String name : names.split(",")) {
			try {
				chosen.add(CachePolicy.of(name));
			}
			catch (InvalidCacheException ex) {
				throw new UsageException("--policies: '%s' must be %s".formatted(name, ex.allowed()));
			}
		}
		return chosen;
	}

	/** Keys may be any 64-bit integers: they are numbered. */
	static int[] read(Path file) throws IOException, UsageException {
		if (!Files.isRegularFile(file)) {
			throw new UsageException("--file: there is no file '%s'".formatted(file));
		}
		List<String> lines = Files.readAllLines(file);
		Map<Long, Integer> numbers = new HashMap<>();
		int[] trace = new int[lines.size()];
		int count = 0;
		for (int i = 0; i < lines.size(); i++) {
			String line = lines.get(i).trim();
			if (line.isEmpty()) {
				continue;
			}
			try {
				trace[count++] = numbers.computeIfAbsent(Long.parseLong(line), (key) -> numbers.size());
			}
			catch (NumberFormatException ex) {
				throw new UsageException("--file: line %d of '%s' is '%s', but must be one integer key".formatted(i + 1,
						file, line.substring(0, Math.min(60, line.length()))));
			}
		}
		if (count == 0) {
			throw new UsageException("--file: '%s' has no keys".formatted(file));
		}
		return java.util.Arrays.copyOf(trace, count);
	}

}
