package io.github.vicinal.benchmarks.server;

import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.requestserver.RequestServerSettings;
import io.github.vicinal.requestserver.RequestServerSettings.Threads;

/** The figures of the paper on the multithreaded application server. */
public final class ServerMeasurement implements Measurement {

	private static final List<Integer> THREADS = List.of(1, 2, 4, 10);

	private static final List<Integer> RATES = List.of(50, 100, 150, 200, 250, 300, 350, 400);

	private static final long SERVICE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	/**
	 * Load relative to what n threads can serve: hardly any of them waits for a request.
	 */
	private static final double SATURATION = 2;

	private static final List<Integer> POSTS = List.of(1_000, 2_000, 5_000);

	private static final int POSTS_PER_SECOND = 5_000;

	@Override
	public String name() {
		return "server";
	}

	@Override
	public String description() {
		return "request server: response time at 50 to 400 requests/s and saturation on 1, 2, 4, 10 threads, POST delay";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		double seconds = settings.quick() ? 1 : 5;
		settings.say("Open loop, exponential gaps; each handler waits for %d ms", SERVICE_NANOS / 1_000_000);
		Report report = new Report("load", "threads", "offered/s", "executed/s", "response p50 ms", "response p99 ms",
				"POST delay p99 ms", "longest queue")
			.chart("Response time (p50), ms, by rate and threads", "response p50 ms", "load", "threads");
		for (int threads : THREADS) {
			for (int rate : RATES) {
				// The paper's server refuses nothing; beyond saturation it never ends.
				if (rate * SERVICE_NANOS < threads * 0.98e9) {
					settings.say("%d threads, %d/s ...", threads, rate);
					row(report, rate + "/s", threads, measure(threads, rate, seconds));
				}
			}
		}
		for (int threads : THREADS) {
			double limit = threads * 1e9 / SERVICE_NANOS;
			settings.say("%d threads, saturated ...", threads);
			Outcome outcome = measure(threads, SATURATION * limit, seconds);
			row(report, "saturated", threads, outcome);
			report.bar("knee with %d threads: part of n / S by which it is missed".formatted(threads),
					Math.abs(1 - outcome.goodPerSecond() / limit), 0.05);
		}
		try (PostSeries series = new PostSeries()) {
			for (int posts : POSTS) {
				settings.say("a series of %d posts over loopback ...", posts);
				PostSeries.Result result = series.measure(posts);
				report.row("%d posts over loopback".formatted(posts), "Tomcat's", result.postsPerSecond(),
						result.postsPerSecond(), result.p50Millis(), result.p99Millis(), "", "");
			}
		}
		for (int posts : POSTS) {
			settings.say("%d posts/s ...", posts);
			Outcome outcome = Outcome.measure(RequestServerSettings.of("posts", new Threads.Fixed(4)), null, 0, posts,
					seconds, 1);
			row(report, posts + " posts/s", 4, outcome);
			if (posts == POSTS_PER_SECOND) {
				report.bar("POST delay p99 at %d/s, ms".formatted(posts), outcome.postDelayP99Millis(), 1);
			}
		}
		return report;
	}

	private static Outcome measure(int threads, double rate, double seconds) throws InterruptedException {
		return Outcome.measure(RequestServerSettings.of("load", new Threads.Fixed(threads)), null, SERVICE_NANOS, rate,
				seconds, 1);
	}

	private static void row(Report report, String load, int threads, Outcome outcome) {
		report.row(load, threads, outcome.offeredPerSecond(), outcome.goodPerSecond(), outcome.p50Millis(),
				outcome.p99Millis(), outcome.postDelayP99Millis(), outcome.longestQueue());
	}

}
