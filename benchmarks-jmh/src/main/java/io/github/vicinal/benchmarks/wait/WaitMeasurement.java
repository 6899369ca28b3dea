package io.github.vicinal.benchmarks.wait;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.benchmarks.SteadyState;
import io.github.vicinal.transport.shm.RawLanes;
import org.jspecify.annotations.Nullable;

/** Learned waiting against each fixed way, in each regime. */
public final class WaitMeasurement implements Measurement {

	private static final String PARK = "park";

	private static final String LEARNED = "learned";

	/** The same as parking: how far two columns differ that are alike. */
	private static final String CONTROL = "park, again";

	private static final List<String> WAYS = List.of(PARK, "yield-5", "yield-50", "spin-2000", "spin-200+yield-50",
			LEARNED, CONTROL);

	private static final long SETTLE_MILLIS = 150;

	/** Length of a window of the warm-up. */
	private static final long WINDOW_MILLIS = 250;

	private static final int REPEATS = 8;

	private static final int QUICK_REPEATS = 3;

	@Override
	public String name() {
		return "shm-wait";
	}

	@Override
	public String description() {
		return "1 KB through shared memory: learned waiting against each fixed way, beside other load";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		List<Regime> regimes = regimes(settings.options().get("regimes"));
		List<String> ways = ways(settings.options().get("ways"));
		int repeats = settings.quick() ? QUICK_REPEATS : REPEATS;
		Map<Regime, Map<String, Cell>> medians = new LinkedHashMap<>();
		try (RawServer server = RawServer.start(); RawLanes.Client client = server.connect()) {
			settings.say("Bells: %s. Warming up ...", client.lanes().bellKind());
			for (String way : ways) {
				client.waiting(mode(way));
				int windows = SteadyState
					.await(() -> Callers.measure(client, server.pid(), 8, false, 0, WINDOW_MILLIS).cpuMicros());
				settings.say((windows < 0) ? "  %s: NO steady state" : "  %s: steady after %d windows", way, windows);
			}
			for (Regime regime : regimes) {
				settings.say("%s: %d repeats ...", regime.name(), repeats);
				Map<String, Cell> cells = measure(client, server.pid(), regime, ways, repeats, settings.quick());
				cells.forEach((way, cell) -> settings.say(
						"  %-18s cost %9.2f  p50 %9.2f  p99 %9.2f  p99.9 %9.1f  CPU %8.2f us", way, cell.cost(),
						cell.p50Micros(), cell.p99Micros(), cell.p999Micros(), cell.cpuMicros()));
				medians.put(regime, cells);
			}
		}
		return report(medians);
	}

	private static List<Regime> regimes(@Nullable String names) throws UsageException {
		if (names == null) {
			return Regime.ALL;
		}
		List<Regime> regimes = new ArrayList<>();
		for (String name : names.split(",")) {
			regimes.add(Regime.ALL.stream()
				.filter((regime) -> regime.name().equals(name))
				.findFirst()
				.orElseThrow(() -> new UsageException("There is no regime '%s'; the names are %s".formatted(name,
						Regime.ALL.stream().map(Regime::name).toList()))));
		}
		return regimes;
	}

	private static List<String> ways(@Nullable String names) {
		return (names != null) ? Arrays.asList(names.split(",")) : WAYS;
	}

	private static Map<String, Cell> measure(RawLanes.Client client, long serverPid, Regime regime, List<String> ways,
			int repeats, boolean quick) throws Exception {
		Random random = new Random(regime.name().hashCode());
		Map<String, List<Cell>> cells = new LinkedHashMap<>();
		try (Hogs hogs = Hogs.start(regime.hogs(), regime.onAndOff())) {
			for (int repeat = 0; repeat < repeats; repeat++) {
				List<String> order = new ArrayList<>(ways);
				Collections.shuffle(order, random);
				for (String way : order) {
					client.waiting(mode(way));
					cells.computeIfAbsent(way, (key) -> new ArrayList<>())
						.add(Callers.measure(client, serverPid, regime.callers(), regime.paced(), SETTLE_MILLIS,
								regime.measureMillis(quick)));
				}
			}
		}
		Map<String, Cell> medians = new LinkedHashMap<>();
		for (String way : ways) {
			medians.put(way, Cell.median(cells.getOrDefault(way, List.of())));
		}
		return medians;
	}

	private static String mode(String way) {
		return way.equals(CONTROL) ? PARK : way;
	}

	private static Report report(Map<Regime, Map<String, Cell>> medians) {
		Report report = new Report("regime", "way", "cost", "cost / best fixed", "cost / park", "p50 us", "p99 us",
				"p99.9 us", "CPU us/call", "calls", "bans/s")
			.chart("Raw 1 KB: p50 + p99 / 10 + CPU of both processes, in us", "cost", "regime", "way");
		medians.forEach((regime, cells) -> {
			double best = best(cells).cost();
			Cell parked = cells.get(PARK);
			double park = (parked != null) ? parked.cost() : Double.NaN;
			cells.forEach((way, cell) -> report.row(regime.name(), way, cell.cost(), cell.cost() / best,
					cell.cost() / park, cell.p50Micros(), cell.p99Micros(), cell.p999Micros(), cell.cpuMicros(),
					Math.round(cell.calls()), cell.bansPerSecond()));
		});
		medians.forEach((regime, cells) -> {
			Cell park = cells.get(PARK);
			Cell learned = cells.get(LEARNED);
			if (park != null && learned != null) {
				bars(report, regime, park, learned, best(cells));
			}
		});
		return report;
	}

	private static Cell best(Map<String, Cell> cells) {
		return cells.entrySet()
			.stream()
			.filter((entry) -> !entry.getKey().startsWith(LEARNED) && !entry.getKey().equals(CONTROL))
			.map(Map.Entry::getValue)
			.min(Comparator.comparingDouble(Cell::cost))
			.orElseGet(() -> cells.values().iterator().next());
	}

	private static void bars(Report report, Regime regime, Cell park, Cell learned, Cell best) {
		if (regime.againstPark()) {
			report.bar(regime.name() + ": cost / park", learned.cost() / park.cost(), 1.3);
		}
		else {
			report.bar(regime.name() + ": cost / best fixed", learned.cost() / best.cost(), 1.35);
		}
		report.bar(regime.name() + ": p50 / park", learned.p50Micros() / park.p50Micros(), 1.3);
		report.bar(regime.name() + ": p99 / park", learned.p99Micros() / park.p99Micros(), 1.3);
		report.bar(regime.name() + ": CPU / park", learned.cpuMicros() / park.cpuMicros(), 1.3);
		report.bar(regime.name() + ": p99.9 / park", learned.p999Micros() / park.p999Micros(), 1.6);
	}

}
