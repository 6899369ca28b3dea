package io.github.vicinal.benchmarks.overload;

import java.io.IOException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.ProcessCpu;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.benchmarks.overload.OpenLoopClient.Stream;
import org.HdrHistogram.Histogram;

/**
 * A Boot application that gets less and more requests over HTTP than it can serve, open
 * loop, with Vicinal's defaults and with what others use instead. The client shares the
 * processors with the server; what it takes of them counts as capacity of nobody.
 */
public final class OverloadHttpMeasurement implements Measurement {

	private static final double SERVICE_MILLIS = OverloadServer.SERVICE_NANOS / 1e6;

	private static final int POOL = 4;

	private static final double POOL_CAPACITY = POOL * 1e9 / OverloadServer.SERVICE_NANOS;

	private static final double LIVENESS_PER_SECOND = 20;

	private static final String LIVENESS = "/actuator/health/liveness";

	/** Limits that the bars name. */
	private static final double P99_MILLIS = Math.max(50, 5 * SERVICE_MILLIS);

	private static final double LIVENESS_MILLIS = 50;

	private static final double REJECTED_MILLIS = 5;

	private static final double CRITICAL_MILLIS = 3 * SERVICE_MILLIS;

	private static final double HUNG_MILLIS = 10;

	private static final double GOODPUT = 0.95;

	private static final double AS_PLAIN = 1.02;

	private static final double BELOW = 0.8;

	private static final int VIRTUAL_THREADS = 21;

	private static final Map<String, String> FOUR_PERMITS = Map.of("vicinal.server.requests.threads",
			String.valueOf(POOL));

	@Override
	public String name() {
		return "overload-http";
	}

	@Override
	public String description() {
		return "Boot over HTTP at 0.8 to 10 times its capacity, with hung handlers and slow clients, against five others";
	}

	/** For how long something is measured, in nanoseconds. */
	private record Times(long warm, long counted, long drain) {

		static Times of(boolean quick) {
			return quick ? seconds(6, 4) : seconds(10, 20);
		}

		private static Times seconds(int warm, int counted) {
			return new Times(TimeUnit.SECONDS.toNanos(warm), TimeUnit.SECONDS.toNanos(counted),
					TimeUnit.SECONDS.toNanos(1));
		}

		double seconds() {
			return this.counted / 1e9;
		}

	}

	@Override
	public Report run(Settings settings) throws Exception {
		Times times = Times.of(settings.quick());
		Report report = new Report("scenario", "load", "control", "goodput/s", "part of capacity", "answered p50 ms",
				"answered p99 ms", "rejected/s", "rejected p99 ms", "failed", "liveness p99 ms")
			.chart("Response time of answered requests (p99), ms", "answered p99 ms", "scenario", "load", "control");
		if (Runtime.version().feature() < VIRTUAL_THREADS) {
			settings.say("Java %d has no virtual threads, so that control is left out", Runtime.version().feature());
		}
		// The same work in all servers, found out while none of them runs.
		Map<String, String> work = Map.of(OverloadServer.STEPS, String.valueOf(OverloadServer.Work.calibrate()));
		Capacity processors = capacity(settings, times, work);
		report.figure("capacity of /cpu beside a client that takes nothing, requests/s", processors.perSecond(0));
		handlers(settings, times, report, "pool", Map.of(), (client) -> POOL_CAPACITY);
		handlers(settings, times, report, "cpu", work, processors);
		critical(settings, times, report);
		hung(settings, times, report);
		slow(settings, times, report);
		return report;
	}

	/** Capacity of a handler. */
	@FunctionalInterface
	private interface Capacity {

		/**
		 * Returns the requests per second that can be done.
		 * @param client processors that the client takes
		 */
		double perSecond(double client);

	}

	/** Capacity of the processors without the part that the client takes. */
	private static Capacity capacity(Settings settings, Times times, Map<String, String> work)
			throws IOException, InterruptedException {
		settings.say("Finding out what the processors can do ...");
		int processors = Runtime.getRuntime().availableProcessors();
		try (OverloadServer server = OverloadServer.start(Control.PLAIN, work)) {
			long pid = ProcessHandle.current().pid();
			double before = ProcessCpu.micros(pid);
			double perSecond = ClosedLoop.perSecond(server.port(), "/cpu", 2 * processors, times.warm(),
					times.counted());
			double client = (ProcessCpu.micros(pid) - before) * 1e3 / (times.warm() + times.counted());
			double each = (processors - client) / perSecond;
			return (taken) -> (processors - taken) / each;
		}
	}

	/**
	 * Outcome of a run.
	 *
	 * @param stream the requests
	 * @param liveness health checks beside them
	 * @param seconds for how long they were counted
	 * @param client processors that the client took
	 */
	private record Run(Stream stream, Stream liveness, double seconds, double client) {

		double goodput() {
			return this.stream.inTime / this.seconds;
		}

		double rejectedPerSecond() {
			return this.stream.rejected.getTotalCount() / this.seconds;
		}

		void row(Report report, String scenario, String load, Control control, double capacity) {
			report.row(scenario, load, control.label(), goodput(), goodput() / capacity,
					millis(this.stream.answered, 50), millis(this.stream.answered, 99), rejectedPerSecond(),
					millis(this.stream.rejected, 99), this.stream.failed, livenessMillis());
		}

		/** A check that was not answered makes the figure worse than any time. */
		double livenessMillis() {
			return (this.liveness.failed > this.liveness.sent / 100) ? Double.POSITIVE_INFINITY
					: millis(this.liveness.answered, 99);
		}

	}

	/** Requests of which none was answered have waited longer than any time. */
	private static double answeredMillis(Stream stream, double percentile) {
		return (stream.answered.getTotalCount() > 0) ? millis(stream.answered, percentile) : Double.POSITIVE_INFINITY;
	}

	private static double millis(Histogram times, double percentile) {
		return (times.getTotalCount() > 0) ? times.getValueAtPercentile(percentile) / 1e6 : 0;
	}

	/** Warms a server up at a part of its capacity: a cold one would begin overloaded. */
	private static Run measure(Control control, Map<String, String> properties, String path, double perSecond,
			double capacity, Times times) throws IOException {
		try (OverloadServer server = OverloadServer.start(control, properties)) {
			OpenLoopClient client = new OpenLoopClient(server.port());
			client.stream(path, BELOW / 2 * capacity);
			client.stream(LIVENESS, LIVENESS_PER_SECOND);
			client.run(0, 2 * times.warm(), times.drain());
			return measure(server, path, perSecond, times);
		}
	}

	private static Run measure(OverloadServer server, String path, double perSecond, Times times) throws IOException {
		OpenLoopClient client = new OpenLoopClient(server.port());
		Stream stream = client.stream(path, perSecond);
		Stream liveness = client.stream(LIVENESS, LIVENESS_PER_SECOND);
		return new Run(stream, liveness, times.seconds(), run(client, times));
	}

	private static double run(OpenLoopClient client, Times times) throws IOException {
		return client.run(times.warm(), times.counted(), times.drain());
	}

	private static void handlers(Settings settings, Times times, Report report, String handler,
			Map<String, String> properties, Capacity capacity) throws IOException {
		double alone = capacity.perSecond(0);
		for (double factor : settings.quick() ? List.of(BELOW, 5.0) : List.of(BELOW, 2.0, 5.0, 10.0)) {
			String load = (factor < 1) ? factor + "x" : "%.0fx".formatted(factor);
			Map<Control, Run> runs = new EnumMap<>(Control.class);
			for (Control control : controls(settings)) {
				settings.say("%s, %s, %s ...", handler, load, control.label());
				Run run = measure(control, properties, "/" + handler, factor * alone, alone, times);
				run.row(report, handler, load, control, capacity.perSecond(run.client()));
				runs.put(control, run);
			}
			bars(report, handler + ", " + load, factor, capacity, runs);
		}
	}

	private static List<Control> controls(Settings settings) {
		String only = settings.options().get("subjects");
		return Arrays.stream(Control.values())
			.filter((control) -> only == null || List.of(only.split(",")).contains(control.label()))
			.filter((control) -> control != Control.VIRTUAL || Runtime.version().feature() >= VIRTUAL_THREADS)
			.toList();
	}

	private static void bars(Report report, String name, double factor, Capacity capacity, Map<Control, Run> runs) {
		Run own = runs.get(Control.VICINAL);
		Run plain = runs.get(Control.PLAIN);
		if (own == null || plain == null) {
			return;
		}
		if (factor < 1) {
			report.bar(name + ": rejected", own.stream().rejected.getTotalCount() + own.stream().failed, 0);
			report.bar(name + ": throughput, plain / own",
					(double) plain.stream().answered.getTotalCount() / own.stream().answered.getTotalCount(), AS_PLAIN);
			report.bar(name + ": p50, own / plain",
					answeredMillis(own.stream(), 50) / answeredMillis(plain.stream(), 50), AS_PLAIN);
			return;
		}
		report.bar(name + ": capacity / goodput", capacity.perSecond(own.client()) / own.goodput(), 1 / GOODPUT);
		report.bar(name + ": answered p99, ms", answeredMillis(own.stream(), 99), P99_MILLIS);
		report.bar(name + ": rejected p99, ms", millis(own.stream().rejected, 99), REJECTED_MILLIS);
		report.bar(name + ": liveness p99, ms", own.livenessMillis(), LIVENESS_MILLIS);
	}

	/** Critical requests come at a part of the capacity, the others beside them. */
	private static void critical(Settings settings, Times times, Report report) throws IOException {
		Map<String, String> properties = new HashMap<>(FOUR_PERMITS);
		properties.put("vicinal.server.requests.rules[0].path", "/critical/**");
		properties.put("vicinal.server.requests.rules[0].priority", "critical");
		for (double factor : settings.quick() ? List.of(5.0) : List.of(2.0, 10.0)) {
			for (double share : settings.quick() ? List.of(0.5) : List.of(0.1, 0.5, 0.8)) {
				String load = "%.0fx, %.0f %% critical".formatted(factor, 100 * share / factor);
				settings.say("critical, %s ...", load);
				try (OverloadServer server = OverloadServer.start(Control.VICINAL, properties)) {
					OpenLoopClient client = new OpenLoopClient(server.port());
					Stream critical = client.stream("/critical/pool", share * POOL_CAPACITY);
					Stream normal = client.stream("/pool", (factor - share) * POOL_CAPACITY);
					Stream liveness = client.stream(LIVENESS, LIVENESS_PER_SECOND);
					double taken = run(client, times);
					Run run = new Run(critical, liveness, times.seconds(), taken);
					run.row(report, "critical", load, Control.VICINAL, share * POOL_CAPACITY);
					new Run(normal, liveness, times.seconds(), taken).row(report, "beside critical", load,
							Control.VICINAL, (1 - share) * POOL_CAPACITY);
					report.bar("critical, " + load + ": rejected", critical.rejected.getTotalCount(), 0);
					report.bar("critical, " + load + ": neither answered nor rejected", critical.failed, 0);
					report.bar("critical, " + load + ": p99, ms", answeredMillis(critical, 99), CRITICAL_MILLIS);
				}
			}
		}
	}

	/** All permits hang for as long as is measured. */
	private static void hung(Settings settings, Times times, Report report) throws IOException {
		settings.say("All permits hang ...");
		try (OverloadServer server = OverloadServer.start(Control.VICINAL, FOUR_PERMITS)) {
			measure(server, "/pool", BELOW / 2 * POOL_CAPACITY, new Times(0, times.warm(), times.drain()));
			OpenLoopClient client = new OpenLoopClient(server.port());
			long hang = TimeUnit.NANOSECONDS.toMillis(times.warm() + times.counted() + 5 * times.drain());
			client.stream("/hang/" + hang, 50);
			Stream others = client.stream("/pool", 100);
			Stream liveness = client.stream(LIVENESS, LIVENESS_PER_SECOND);
			Run run = new Run(others, liveness, times.seconds(), run(client, times));
			run.row(report, "hung", "100/s", Control.VICINAL, POOL_CAPACITY);
			report.bar("hung: rejected p99, ms", millis(others.rejected, 99), HUNG_MILLIS);
			report.bar("hung: neither answered nor rejected", others.failed, 0);
			report.bar("hung: liveness p99, ms", run.livenessMillis(), LIVENESS_MILLIS);
		}
	}

	private static void slow(Settings settings, Times times, Report report) throws IOException, InterruptedException {
		settings.say("Slow clients ...");
		try (OverloadServer server = OverloadServer.start(Control.VICINAL, FOUR_PERMITS)) {
			double perSecond = BELOW / 2 * POOL_CAPACITY;
			Run without = measure(server, "/pool", perSecond, times);
			without.row(report, "no slow clients", "0.4x", Control.VICINAL, POOL_CAPACITY);
			for (boolean upload : List.of(true, false)) {
				int count = 4 * POOL;
				try (SlowClients slow = new SlowClients(server.port(), upload ? count : 0, upload ? 0 : count)) {
					Run with = measure(server, "/pool", perSecond, times);
					String name = upload ? "slow uploads" : "slow readers";
					with.row(report, name, "0.4x", Control.VICINAL, POOL_CAPACITY);
					report.bar(name + ": others' p99, with / without",
							answeredMillis(with.stream(), 99) / answeredMillis(without.stream(), 99), 2);
					report.bar(name + ": others not answered",
							with.stream().sent - with.stream().answered.getTotalCount(), 0);
				}
			}
		}
	}

}
