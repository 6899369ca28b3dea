package io.github.vicinal.benchmarks.selector;

import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongBiFunction;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.choice.Decision;

/** The statistics of the path selector, which need no real path but many calls. */
public final class SelectorSimulationMeasurement implements Measurement {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private static final long MILLI = SECOND / 1000;

	private static final int PATH_A = 0;

	private static final int PATH_B = 1;

	private static final int SMALL = 200;

	private static final int LARGE = 256 * 1024;

	@Override
	public String name() {
		return "selector-sim";
	}

	@Override
	public String description() {
		return "the path selector in a seeded simulation: noise, load, degradation, flapping, sizes, clock jumps";
	}

	@Override
	public Report run(Settings settings) {
		Report report = new Report("experiment", "case", "calls", "switches", "probes per 1000", "result", "unit");
		handlers(settings, report);
		better(settings, report);
		noise(settings, report);
		order(settings, report);
		degradation(settings, report);
		hanging(settings, report);
		flapping(report);
		sizes(settings, report);
		jumps(report);
		return report.chart("regret against the oracle in percent", "result", "experiment", "case")
			.chartOnly((row) -> "% regret".equals(row.get("unit")), (label) -> label.contains("fixed"));
	}

	private static void row(Report report, String experiment, String name, Simulation run, double result, String unit) {
		report.row(experiment, name, run.calls(), flips(run), 1000.0 * run.selector().probes() / run.calls(), result,
				unit);
	}

	/** Trials that were taken back. */
	private static long takenBack(Simulation run) {
		return run.decisions().stream().filter((decision) -> decision.kind() == Decision.Kind.LOSS).count();
	}

	/** Effects of the server and the machine that are the same for all paths. */
	private enum Handler {

		ALTERNATES_1_10((time, random) -> (time / (10 * SECOND) % 2 == 0) ? MILLI : 10 * MILLI),

		ALTERNATES_1_4((time, random) -> (time / (10 * SECOND) % 2 == 0) ? MILLI : 4 * MILLI),

		ALTERNATES_5_10((time, random) -> (time / (10 * SECOND) % 2 == 0) ? 5 * MILLI : 10 * MILLI),

		SLOW_5_PERCENT((time, random) -> (random.nextInt(20) == 0) ? 20 * MILLI : MILLI),

		SLOW_50_PERCENT((time, random) -> random.nextBoolean() ? 20 * MILLI : MILLI),

		PAUSES((time, random) -> MILLI / 5),

		HOGS((time, random) -> MILLI / 5);

		@SuppressWarnings("ImmutableEnumChecker")
		private final ToLongBiFunction<Long, Random> service;

		Handler(ToLongBiFunction<Long, Random> service) {
			this.service = service;
		}

		/** Returns what the machine adds to the cost of a call. */
		double delay(long time, Random random) {
			return switch (this) {
				case PAUSES -> Math.max(0, 20 * MILLI - time % (2 * SECOND));
				case HOGS ->
					(time / (300 * MILLI) % 3 == 1 && random.nextInt(3) == 0) ? 4 * MILLI * random.nextDouble() : 0;
				default -> 0;
			};
		}

	}

	private static Simulation handled(Handler handler, long seed) {
		Random random = new Random(seed);
		double[] means = { 15_000, 45_000, 300_000 };
		return new Simulation(means.length, new Simulation.World() {

			@Override
			public long cost(int path, int bytes, int inFlight, long nanos) {
				return (long) (means[path] * (0.5 + 0.5 * Noise.EXPONENTIAL.draw(random))
						+ handler.delay(nanos, random));
			}

			@Override
			public long service(long nanos) {
				return handler.service.applyAsLong(nanos, random);
			}

		}, seed);
	}

	private static void handlers(Settings settings, Report report) {
		for (Handler handler : Handler.values()) {
			long end = (settings.quick() ? 60 : 300) * SECOND;
			Simulation fixed = handled(handler, 1);
			fixed.run(8, end, Long.MAX_VALUE, (bytes, callers, nanos) -> PATH_A);
			Simulation chosen = handled(handler, 1);
			chosen.run(8, end, Long.MAX_VALUE, chosen.bySelector());
			double loss = 100 * (1 - chosen.calls() / (double) fixed.calls());
			String name = handler.name().toLowerCase(Locale.ROOT).replace('_', ' ');
			row(report, "handler", name, chosen, loss, "% loss");
			report.bar("wrong switches, " + name, flips(chosen), 0);
			report.bar("loss against the best fixed path, percent, " + name, loss, 1);
		}
	}

	/** The second path becomes better by 40 % after a minute. */
	private static void better(Settings settings, Report report) {
		for (int callers : new int[] { 1, 8 }) {
			double worst = 0;
			for (int seed = 0; seed < (settings.quick() ? 5 : 40); seed++) {
				Random random = new Random(seed);
				Simulation run = new Simulation(3, new Simulation.World() {

					@Override
					public long cost(int path, int bytes, int inFlight, long nanos) {
						double mean = (path == PATH_B && nanos > 60 * SECOND) ? 60_000
								: (path == PATH_A) ? 100_000 : 150_000;
						return (long) (mean * (0.8 + 0.2 * Noise.EXPONENTIAL.draw(random)));
					}

					@Override
					public long service(long nanos) {
						return MILLI + random.nextInt(5) * MILLI;
					}

				}, seed);
				run.run(callers, 60 * SECOND, Long.MAX_VALUE, run.bySelector());
				long before = run.calls();
				long from = run.now();
				while (run.selector().current(SMALL) != PATH_B && run.now() < from + 60 * SECOND) {
					run.run(callers, run.now() + SECOND / 10, Long.MAX_VALUE, run.bySelector());
				}
				worst = Math.max(worst, Math.min((run.now() - from) / 30e9, (run.calls() - before) / 2_000.0));
				if (seed == 0) {
					row(report, "better path", callers + " callers", run, (run.now() - from) / 1e9, "s");
				}
			}
			report.bar("40 %% better path in use, share of 2,000 calls or 30 s, %d callers".formatted(callers), worst,
					1);
		}
	}

	/** Paths that open are no flips, and trials that were taken back none either. */
	private static long flips(Simulation run) {
		return run.decisions().stream().filter((decision) -> decision.kind() != Decision.Kind.OPENED).count()
				- 2 * takenBack(run);
	}

	private static void noise(Settings settings, Report report) {
		int calls = 1_000_000;
		int seeds = settings.quick() ? 1 : 5;
		long flips = 0;
		for (Noise noise : Noise.values()) {
			for (double ratio : new double[] { 1, 1.5, 4 }) {
				for (int callers : new int[] { 1, 8 }) {
					Simulation last = null;
					for (int seed = 0; seed < seeds; seed++) {
						Random random = new Random(1000L * seed + callers);
						last = new Simulation(2,
								(path, bytes, inFlight,
										nanos) -> (long) (50_000 * ((path == PATH_B) ? ratio : 1) * noise.draw(random)),
								seed);
						last.run(callers, Long.MAX_VALUE, calls, last.bySelector());
						flips += flips(last);
						for (Decision decision : last.decisions()) {
							if (decision.kind() != Decision.Kind.OPENED) {
								settings.say("  %s, seed %d: %s", noise, seed, decision);
							}
						}
					}
					if (last != null) {
						row(report, "noise", "%s, B costs %.1f x A, %d callers".formatted(
								noise.name().toLowerCase(Locale.ROOT), ratio, callers), last, flips(last), "flips");
					}
				}
			}
			settings.say("noise %s: %d flips so far", noise, flips);
		}
		// All callers are held up at once, as by a collection of garbage.
		for (int seed = 0; seed < seeds; seed++) {
			Random random = new Random(seed);
			Simulation run = new Simulation(2, (path, bytes, inFlight, nanos) -> {
				long pause = nanos % (2 * SECOND);
				long pauseLeft = Math.max(0, 20_000_000 - pause);
				return (long) (100_000 * Noise.EXPONENTIAL.draw(random)) + pauseLeft;
			}, seed);
			run.run(8, Long.MAX_VALUE, calls, run.bySelector());
			flips += flips(run);
			row(report, "noise", "pauses of 20 ms every 2 s, seed " + seed, run, flips(run), "flips");
		}
		report.bar("flips on stationary noise, 10^6 calls per case", flips, 0);
	}

	/** A is faster while few call, B while many do. */
	private static long loaded(int path, int inFlight) {
		return (path == PATH_A) ? 50_000 + 12_000L * inFlight : 150_000 + 1_000L * inFlight;
	}

	private static void order(Settings settings, Report report) {
		int phases = settings.quick() ? 6 : 20;
		String[] names = { "fixed A", "fixed B", "selector", "oracle" };
		Simulation[] runs = new Simulation[names.length];
		for (int who = 0; who < names.length; who++) {
			Random random = new Random(7);
			Simulation run = new Simulation(2,
					(path, bytes, inFlight,
							nanos) -> (long) (loaded(path, inFlight) * (0.5 + Noise.EXPONENTIAL.draw(random)) / 1.5),
					1);
			Simulation.Chooser[] choosers = { (bytes, callers, nanos) -> PATH_A, (bytes, callers, nanos) -> PATH_B,
					run.bySelector(),
					(bytes, callers, nanos) -> (loaded(PATH_A, callers) <= loaded(PATH_B, callers)) ? PATH_A : PATH_B };
			for (int phase = 0; phase < phases; phase++) {
				run.run((phase % 2 == 0) ? 2 : 32, run.now() + 10 * SECOND, Long.MAX_VALUE, choosers[who]);
			}
			runs[who] = run;
			if (who == 2) {
				run.switches()
					.forEach((change) -> settings.say("  %.2f s %s: %s", change.decision().nanos() / 1e9,
							change.calls(), change.decision()));
			}
		}
		double most = runs[3].calls();
		for (int who = 0; who < names.length; who++) {
			row(report, "order flips with load", names[who], runs[who], 100 * (1 - runs[who].calls() / most),
					"% regret");
		}
		report.bar("regret against the oracle, order flips with load, percent", 100 * (1 - runs[2].calls() / most), 5);
		report.bar("best fixed path / selector, calls",
				Math.max(runs[0].calls(), runs[1].calls()) / (double) runs[2].calls(), 0.9999);
	}

	private static void degradation(Settings settings, Report report) {
		double worst = 0;
		for (long nanos : new long[] { 2_000, 20_000, 200_000, 500_000, 1_000_000 }) {
			for (int callers : new int[] { 1, 8 }) {
				for (int seed = 0; seed < (settings.quick() ? 5 : 40); seed++) {
					Random random = new Random(seed);
					long from = 60 * SECOND;
					long warm = Math.min(from, 50_000 * nanos / callers);
					Simulation run = new Simulation(2, (path, bytes, inFlight, at) -> {
						double mean = (path == PATH_A) ? ((at >= warm) ? 10 * nanos : nanos) : 3 * nanos;
						return (long) (mean * (0.5 + 0.5 * Noise.EXPONENTIAL.draw(random)));
					}, seed);
					run.run(callers, warm, Long.MAX_VALUE, run.bySelector());
					long before = run.now();
					while (run.selector().current(SMALL) == PATH_A && run.now() < before + SECOND) {
						run.run(callers, run.now() + SECOND / 1000, Long.MAX_VALUE, run.bySelector());
					}
					double reaction = run.decisions()
						.stream()
						.filter((decision) -> decision.nanos() >= before && decision.to().equals("B"))
						.mapToDouble((decision) -> (decision.nanos() - before) / 1e6)
						.findFirst()
						.orElse(Double.POSITIVE_INFINITY);
					worst = Math.max(worst, reaction);
					if (reaction > 99) {
						settings.say("  %.0f us, %d callers, seed %d: %.1f ms, %s", nanos / 1e3, callers, seed,
								reaction, run.decisions());
					}
					if (seed == 0) {
						row(report, "10x degradation", "%.0f us, %d callers".formatted(nanos / 1e3, callers), run,
								reaction, "ms");
					}
				}
			}
		}
		report.bar("reaction to a 10x degradation, worst of all, ms", worst, 99.999);
	}

	private static void hanging(Settings settings, Report report) {
		double worst = 0;
		for (long nanos : new long[] { 2_000, 200_000, 2_000_000 }) {
			for (int seed = 0; seed < (settings.quick() ? 2 : 10); seed++) {
				Random random = new Random(seed);
				long from = 10 * SECOND;
				Simulation run = new Simulation(2,
						(path, bytes, inFlight, at) -> (path == PATH_A && at >= from) ? Simulation.NEVER
								: (long) (((path == PATH_A) ? nanos : 3 * nanos)
										* (0.5 + Noise.EXPONENTIAL.draw(random)) / 1.5),
						seed);
				run.run(2, from, Long.MAX_VALUE, run.bySelector());
				long left = -1;
				for (long at = from; at < from + SECOND && left < 0; at += 5_000_000) {
					if (run.arrive(at, false) == PATH_B) {
						left = at;
					}
				}
				double late = (left < 0) ? Double.POSITIVE_INFINITY : (left - from - 10 * nanos) / 1e6;
				worst = Math.max(worst, late);
				if (seed == 0) {
					row(report, "path connects, never answers", "%.0f us".formatted(nanos / 1e3), run, late,
							"ms after 10x");
				}
			}
		}
		report.bar("a path that never answers is left, ms after its calls are 10x late", worst, 99.999);
	}

	private static void flapping(Report report) {
		for (long period : new long[] { SECOND / 20, SECOND / 2, 5 * SECOND }) {
			Random random = new Random(3);
			Simulation run = new Simulation(2,
					(path, bytes, inFlight,
							nanos) -> (long) (((path == PATH_A) ? 20_000 : 60_000) * Noise.EXPONENTIAL.draw(random)),
					3);
			long end = 120 * SECOND;
			boolean up = true;
			long used = 0;
			while (run.now() < end) {
				run.run(2, run.now() + period, Long.MAX_VALUE, run.bySelector());
				up = !up;
				if (up) {
					run.selector().opened(PATH_A, run.clock());
				}
				else {
					run.selector().closed(PATH_A, run.clock());
					used += (run.selector().current(SMALL) == PATH_A) ? 1 : 0;
				}
			}
			// Each switch must be able to pay: no more than two per flap, and back-off.
			long flaps = end / period;
			row(report, "flapping path", "up and down for %.2f s".formatted(period / 1e9), run, run.switches().size(),
					"switches");
			report.bar("switches of a path that flaps every %.2f s".formatted(period / 1e9), run.switches().size(),
					Math.min(flaps + 1, 60));
			report.bar("calls to the closed path, flaps of %.2f s".formatted(period / 1e9), used, 0);
		}
	}

	/** A is better for small calls, B for large ones. */
	private static double sized(int path, int bytes) {
		return (path == PATH_A) ? 10_000 + 2.0 * bytes : 80_000 + 0.2 * bytes;
	}

	private static void sizes(Settings settings, Report report) {
		Simulation[] runs = new Simulation[4];
		String[] names = { "fixed A", "fixed B", "selector", "oracle" };
		long calls = settings.quick() ? 300_000 : 2_000_000;
		for (int who = 0; who < names.length; who++) {
			Random random = new Random(11);
			Simulation run = new Simulation(2,
					(path, bytes, inFlight,
							nanos) -> (long) (sized(path, bytes) * (0.5 + Noise.EXPONENTIAL.draw(random)) / 1.5),
					11)
				.sizes((chance) -> (chance % 10 < 7) ? SMALL + chance % 300 : LARGE - chance % 9999);
			Simulation.Chooser[] choosers = { (bytes, callers, nanos) -> PATH_A, (bytes, callers, nanos) -> PATH_B,
					run.bySelector(),
					(bytes, callers, nanos) -> (sized(PATH_A, bytes) <= sized(PATH_B, bytes)) ? PATH_A : PATH_B };
			run.run(4, Long.MAX_VALUE, calls, choosers[who]);
			runs[who] = run;
			if (who == 2) {
				run.switches().forEach((change) -> settings.say("  %s: %s", change.calls(), change.decision()));
			}
		}
		double least = runs[3].busyNanos();
		for (int who = 0; who < names.length; who++) {
			row(report, "sizes", names[who], runs[who], 100 * (runs[who].busyNanos() / least - 1), "% regret");
		}
		report.bar("regret against the oracle, mixed sizes, percent", 100 * (runs[2].busyNanos() / least - 1), 5);
	}

	private static void jumps(Report report) {
		long flips = 0;
		for (long jump : new long[] { 3600 * SECOND, 10 * SECOND, -SECOND, -3600 * SECOND }) {
			Random random = new Random(5);
			Simulation run = new Simulation(2,
					(path, bytes, inFlight,
							nanos) -> (long) (((path == PATH_A) ? 50_000 : 150_000) * Noise.EXPONENTIAL.draw(random)),
					5);
			for (int i = 0; i < 20; i++) {
				run.run(4, run.now() + SECOND, Long.MAX_VALUE, run.bySelector());
				run.jump(jump);
			}
			flips += flips(run);
			row(report, "clock jumps", "by %d s, 20 times".formatted(jump / SECOND), run, flips(run), "flips");
		}
		report.bar("flips by a clock that jumps", flips, 0);
	}

}
