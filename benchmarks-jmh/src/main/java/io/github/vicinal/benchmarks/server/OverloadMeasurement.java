package io.github.vicinal.benchmarks.server;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import com.netflix.concurrency.limits.Limiter;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limiter.SimpleLimiter;
import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.requestserver.RequestServerSettings;
import io.github.vicinal.requestserver.RequestServerSettings.Threads;
import org.jspecify.annotations.Nullable;

/**
 * Twice and five times the load that the request server can do, against the same server
 * with Netflix' Gradient2 limiter instead of its own rule, and against a queue alone.
 */
public final class OverloadMeasurement implements Measurement {

	private static final int THREADS = 4;

	private static final long SERVICE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private static final double CAPACITY_PER_SECOND = THREADS * 1e9 / SERVICE_NANOS;

	private static final int REPEATS = 5;

	/** With a patience beyond any wait, the server's own rule rejects nothing. */
	private static final double ENDLESS_PATIENCE = 1_000;

	/** Shows what shorter waits cost. */
	private static final double MORE_PATIENCE = 2;

	private static final int LONG_QUEUE = 1_000;

	@Override
	public String name() {
		return "overload";
	}

	@Override
	public String description() {
		return "request server at 2x and 5x its capacity, against the Gradient2 limiter and a queue alone";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		int repeats = settings.quick() ? 1 : REPEATS;
		double seconds = settings.quick() ? 3 : 10;
		settings.say("%d threads, service time %d ms, capacity %.0f/s; medians of %d runs of %.0f s, open loop",
				THREADS, SERVICE_NANOS / 1_000_000, CAPACITY_PER_SECOND, repeats, seconds);
		Report report = new Report("load", "control", "goodput, part of capacity", "accepted p50 ms", "accepted p99 ms",
				"refused/s", "longest queue")
			.chart("Response time of accepted requests (p99), ms", "accepted p99 ms", "load", "control");
		RequestServerSettings own = RequestServerSettings.of("own", new Threads.Fixed(THREADS));
		RequestServerSettings none = own.withPatience(ENDLESS_PATIENCE).withQueueCapacity(LONG_QUEUE);
		for (int factor : List.of(2, 5)) {
			Median vicinal = new Median();
			Median patient = new Median();
			Median gradient = new Median();
			Median queue = new Median();
			for (int i = 1; i <= repeats; i++) {
				settings.say("%dx, run %d of %d ...", factor, i, repeats);
				vicinal.add(measure(own, null, factor, seconds, i));
				patient.add(measure(own.withPatience(MORE_PATIENCE), null, factor, seconds, i));
				gradient.add(measure(none, OverloadMeasurement::gradient2, factor, seconds, i));
				queue.add(measure(none, null, factor, seconds, i));
			}
			vicinal.row(report, factor, "vicinal");
			patient.row(report, factor, "vicinal, patience " + MORE_PATIENCE);
			gradient.row(report, factor, "gradient2");
			queue.row(report, factor, "queue alone");
			report.bar("%dx: capacity / goodput".formatted(factor), 1 / vicinal.goodput(), 1 / 0.95);
			report.bar("%dx: accepted p99 in service times".formatted(factor),
					vicinal.p99Millis() * 1e6 / SERVICE_NANOS, 3);
			report.bar("%dx: goodput of gradient2 / own".formatted(factor), gradient.goodput() / vicinal.goodput(), 1);
			report.bar("%dx: accepted p99, own / gradient2".formatted(factor),
					vicinal.p99Millis() / gradient.p99Millis(), 1);
		}
		return report;
	}

	private static Limiter<@Nullable Void> gradient2(String name) {
		return SimpleLimiter.newBuilder().named(name).limit(Gradient2Limit.newDefault()).build();
	}

	private static Outcome measure(RequestServerSettings settings,
			@Nullable Function<String, Limiter<@Nullable Void>> limiter, int factor, double seconds, long seed)
			throws InterruptedException {
		return Outcome.measure(settings, limiter, SERVICE_NANOS, factor * CAPACITY_PER_SECOND, seconds, seed);
	}

	/** Outcomes of repeated runs. */
	private static final class Median {

		private final java.util.ArrayList<Outcome> outcomes = new java.util.ArrayList<>();

		void add(Outcome outcome) {
			this.outcomes.add(outcome);
		}

		private double of(java.util.function.ToDoubleFunction<Outcome> figure) {
			double[] sorted = this.outcomes.stream().mapToDouble(figure).sorted().toArray();
			return sorted[sorted.length / 2];
		}

		double goodput() {
			return of(Outcome::goodPerSecond) / CAPACITY_PER_SECOND;
		}

		double p99Millis() {
			return of(Outcome::p99Millis);
		}

		void row(Report report, int factor, String control) {
			report.row(factor + "x", control, goodput(), of(Outcome::p50Millis), p99Millis(),
					of(Outcome::refusedPerSecond), of((outcome) -> outcome.longestQueue()));
		}

	}

}
