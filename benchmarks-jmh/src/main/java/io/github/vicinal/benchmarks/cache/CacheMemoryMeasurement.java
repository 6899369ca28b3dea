package io.github.vicinal.benchmarks.cache;

import java.util.List;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.cache.CachePolicy;
import org.openjdk.jol.info.GraphLayout;

/** Memory per entry beyond key and value. */
public final class CacheMemoryMeasurement implements Measurement {

	private static final int ENTRIES = 100_000;

	private static final int AIC_ENTRIES = 16_384;

	private static final List<String> SETS = List.of("vicinal TWO_WAY", "vicinal K_WAY(8)", "vicinal PLRU",
			"vicinal K_WAY_TINY_LFU(8)");

	@Override
	public String name() {
		return "cache-memory";
	}

	@Override
	public String description() {
		return "bytes per entry beyond key and value, of a full cache of 100,000 entries (JOL)";
	}

	@Override
	public Report run(Settings settings) {
		Report report = new Report("cache", "entries", "bytes per entry").chart("Memory per entry beyond key and value",
				"bytes per entry", "cache");
		for (String name : Subject.names()) {
			if (name.equals("ehcache")) {
				// Its graph reaches the whole manager, with threads and services.
				continue;
			}
			Subject subject = Subject.named(name, ENTRIES);
			settings.say("%s ...", subject.name());
			int entries = fill(subject, ENTRIES);
			double each = (double) (size(subject) - (long) entries * integers()) / entries;
			report.row(subject.name(), entries, each);
			if (SETS.contains(subject.name())) {
				report.bar(subject.name() + ": bytes per entry", each, 32);
			}
		}
		Subject aic = Subject.vicinal(CachePolicy.AIC, AIC_ENTRIES);
		Subject fixed = Subject.vicinal(CachePolicy.windowTinyLfu(1), AIC_ENTRIES);
		fill(aic, AIC_ENTRIES);
		fill(fixed, AIC_ENTRIES);
		report.bar("AIC of %d entries: kB beyond W_TINY_LFU(1)".formatted(AIC_ENTRIES),
				(size(aic) - size(fixed)) / 1024.0, 64);
		return report;
	}

	private static long integers() {
		return 2 * GraphLayout.parseInstance(Integer.valueOf(1_000_000)).totalSize();
	}

	private static long size(Subject subject) {
		return GraphLayout.parseInstance(subject.root()).totalSize();
	}

	/** Every key and value is an object of its own; returns how many are there. */
	private static int fill(Subject subject, int entries) {
		for (int i = 0; i < entries; i++) {
			subject.put(1_000_000 + i, 5_000_000 + i);
		}
		int there = 0;
		for (int i = 0; i < entries; i++) {
			if (subject.get(1_000_000 + i) != null) {
				there++;
			}
		}
		return there;
	}

}
