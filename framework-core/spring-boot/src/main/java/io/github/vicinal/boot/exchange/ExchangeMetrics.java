package io.github.vicinal.boot.exchange;

import java.util.concurrent.atomic.LongAdder;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/** The meters of HTTP exchanges. Their times are those of the HTTP client's own meter. */
final class ExchangeMetrics implements MeterBinder {

	private final ExchangeCounts counts;

	/**
	 * Creates the binder.
	 * @param counts the counts of the application
	 */
	public ExchangeMetrics(ExchangeCounts counts) {
		this.counts = counts;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		this.counts.listen((path, count) -> FunctionCounter.builder("vicinal.http.exchanges", count, LongAdder::sum)
			.description("HTTP requests that went to a peer by another path than HTTP")
			.tag("path", path)
			.register(registry));
	}

}
