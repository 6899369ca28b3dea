package io.github.vicinal.boot.actuate;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;

import io.github.vicinal.requestserver.Rejection;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.requestserver.RequestServerReport;
import io.github.vicinal.requestserver.RequestServerReport.Quantiles;

/**
 * Meters of the request server. They read what it counts anyway and cost nothing per
 * request.
 */
public final class RequestServerMetrics implements MeterBinder {

	private static final String PREFIX = "vicinal.server.requests.";

	/** Meters that are read together share a report. */
	private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private record Quantile(String tag, ToDoubleFunction<Quantiles> value) {
	}

	private static final List<Quantile> QUANTILES = List.of(new Quantile("0.5", Quantiles::p50),
			new Quantile("0.99", Quantiles::p99), new Quantile("0.999", Quantiles::p999));

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
				.tag("reason", reason.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-'))
				.register(registry);
		}
		bind(registry, "post.delay", "From arrival until a request is accepted", RequestServerReport::postDelayMicros);
		bind(registry, "wait", "Time that threads waited for a permit", RequestServerReport::waitMicros);
		bind(registry, "response", "From arrival until a request is done", RequestServerReport::responseMicros);
	}

	private void bind(MeterRegistry registry, String name, String description,
			Function<RequestServerReport, Quantiles> quantiles) {
		FunctionTimer
			.builder(PREFIX + name, this, (metrics) -> quantiles.apply(metrics.report()).count(),
					(metrics) -> quantiles.apply(metrics.report()).total(), TimeUnit.MICROSECONDS)
			.description(description)
			.register(registry);
		for (Quantile quantile : QUANTILES) {
			TimeGauge
				.builder(PREFIX + name + ".quantile", this, TimeUnit.MICROSECONDS,
						(metrics) -> quantile.value().applyAsDouble(quantiles.apply(metrics.report())))
				.description(description + ", since the start")
				.tag("quantile", quantile.tag())
				.register(registry);
		}
	}

}
