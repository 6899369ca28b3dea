package io.github.vicinal.boot.actuate;

import java.util.List;
import java.util.function.Supplier;

import io.github.vicinal.boot.client.ClientChannels;
import io.github.vicinal.path.PathMeter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;

/**
 * Meters of what observations do not see, such as connections and what was rejected, as
 * the kinds of path define them. They read counters that exist anyway and cost nothing
 * per call.
 */
final class VicinalMetrics implements MeterBinder {

	/** Held here as well, since registries hold what counters read weakly. */
	private final List<PathMeter> paths;

	private final Supplier<@Nullable ClientChannels> channels;

	/**
	 * Creates the binder.
	 * @param paths the meters of all kinds of path
	 * @param channels the application's channels, {@code null} if it has none
	 */
	public VicinalMetrics(List<PathMeter> paths, Supplier<@Nullable ClientChannels> channels) {
		this.paths = List.copyOf(paths);
		this.channels = channels;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		this.paths.forEach((meter) -> bind(registry, meter));
		FunctionCounter.builder("vicinal.channel.announcements.ignored", this, VicinalMetrics::ignored)
			.description("Announcements of peers that could not be read")
			.register(registry);
	}

	private static void bind(MeterRegistry registry, PathMeter meter) {
		Tags tags = Tags.empty();
		for (var tag : meter.tags().entrySet()) {
			tags = tags.and(tag.getKey(), tag.getValue());
		}
		String unit = meter.unit().isEmpty() ? null : meter.unit();
		switch (meter.type()) {
			case COUNTER -> FunctionCounter.builder(meter.name(), meter, (it) -> it.value().getAsDouble())
				.description(meter.description())
				.baseUnit(unit)
				.tags(tags)
				.register(registry);
			case GAUGE -> Gauge.builder(meter.name(), meter, (it) -> it.value().getAsDouble())
				.description(meter.description())
				.baseUnit(unit)
				.tags(tags)
				.strongReference(true)
				.register(registry);
		}
	}

	private double ignored() {
		ClientChannels known = this.channels.get();
		return (known != null) ? known.ignoredAnnouncements() : 0;
	}

}
