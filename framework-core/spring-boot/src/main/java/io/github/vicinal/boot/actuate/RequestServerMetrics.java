package io.github.vicinal.boot.actuate;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.github.vicinal.requestserver.Rejection;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.requestserver.RequestServerReport;
import io.github.vicinal.requestserver.RequestServerReport.Quantiles;
import io.github.vicinal.requestserver.RequestTimes;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * Meters of the request server. Counts and sums are read from its report and cost nothing
 * per request. Where a registry is configured to publish a distribution of a time (a
 * histogram, percentiles or service level objectives), each timed request is recorded,
 * too.
 */
final class RequestServerMetrics implements MeterBinder {

	private static final String PREFIX = "vicinal.server.requests.";

	/** Meters that are read together share a report. */
	private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private final RequestServer server;

	private record Read(RequestServerReport report, long at) {
	}

	private volatile Read last;

	/**
	 * Creates the binder.
	 * @param server the application's server
	 */
	public RequestServerMetrics(RequestServer server) {
		this.server = server;
		this.last = new Read(server.report(), System.nanoTime());
	}

	private RequestServerReport report() {
		Read known = this.last;
		long now = System.nanoTime();
		if (now - known.at() > FRESH_NANOS) {
			known = new Read(this.server.report(), now);
			this.last = known;
		}
		return known.report();
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		Gauge.builder(PREFIX + "running", this.server, RequestServer::running)
			.description("Requests that run")
			.register(registry);
		Gauge.builder(PREFIX + "waiting", this.server, RequestServer::waiting)
			.description("Requests that wait for a permit")
			.register(registry);
		Gauge.builder(PREFIX + "threads", this, (metrics) -> metrics.report().threads())
			.description("Requests that may run at once")
			.register(registry);
		Gauge.builder(PREFIX + "overloaded", this, (metrics) -> metrics.report().overloaded() ? 1 : 0)
			.description("1 while requests are rejected because the queue stands")
			.register(registry);
		for (Rejection.Reason reason : Rejection.Reason.values()) {
			FunctionCounter
				.builder(PREFIX + "refused", this,
						(metrics) -> metrics.report().refused().getOrDefault(reason, 0L).doubleValue())
				.description("Requests that were rejected before they were executed")
				.tag("reason", reason.name().toLowerCase(Locale.ROOT).replace('_', '-'))
				.register(registry);
		}
		Distributions distributions = new Distributions(
				bind(registry, "post.delay", "Time from arrival until a request is accepted",
						RequestServerReport::postDelayMicros),
				bind(registry, "wait", "Time that threads waited for a permit", RequestServerReport::waitMicros),
				bind(registry, "response", "Time from arrival until a request is done",
						RequestServerReport::responseMicros));
		if (distributions.any()) {
			this.server.addReceiver(distributions);
		}
	}

	/** Registers a time; returns its timer if a registry publishes its distribution. */
	private @Nullable Timer bind(MeterRegistry registry, String name, String description,
			Function<RequestServerReport, Quantiles> quantiles) {
		Timer timer = Timer.builder(PREFIX + name).description(description).register(registry);
		if (hasDistribution(registry, timer.getId().getName())) {
			return timer;
		}
		registry.remove(timer);
		FunctionTimer
			.builder(PREFIX + name, this, (metrics) -> quantiles.apply(metrics.report()).count(),
					(metrics) -> quantiles.apply(metrics.report()).total(), TimeUnit.MICROSECONDS)
			.description(description)
			.register(registry);
		return null;
	}

	private static boolean hasDistribution(MeterRegistry registry, String name) {
		if (registry instanceof CompositeMeterRegistry composite) {
			return composite.getRegistries().stream().anyMatch((each) -> hasDistribution(each, name));
		}
		Timer timer = registry.find(name).timer();
		if (timer == null) {
			return false;
		}
		HistogramSnapshot snapshot = timer.takeSnapshot();
		return snapshot.histogramCounts().length > 0 || snapshot.percentileValues().length > 0;
	}

	/** Timers whose distribution is published; {@code null} for the others. */
	private record Distributions(@Nullable Timer delays, @Nullable Timer waits,
			@Nullable Timer responses) implements RequestTimes {

		boolean any() {
			return this.delays != null || this.waits != null || this.responses != null;
		}

		@Override
		public void postDelay(long nanos) {
			feed(this.delays, nanos, 1);
		}

		@Override
		public void waited(long nanos) {
			feed(this.waits, nanos, 1);
		}

		@Override
		public void response(long nanos, int requests) {
			feed(this.responses, nanos, requests);
		}

		private static void feed(@Nullable Timer timer, long nanos, int times) {
			if (timer != null) {
				for (int i = 0; i < times; i++) {
					timer.record(nanos, TimeUnit.NANOSECONDS);
				}
			}
		}

	}

}
