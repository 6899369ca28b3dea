package io.github.vicinal.boot.actuate;

import java.util.function.Supplier;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;

import io.github.vicinal.boot.client.ClientChannels;
import io.github.vicinal.transport.uds.UdsMetrics;

/**
 * Meters of what observations do not see: connections, and what was refused. They read
 * counters that exist anyway and cost nothing per call.
 */
public final class VicinalMetrics implements MeterBinder {

	private final Supplier<@Nullable UdsMetrics> uds;

	private final Supplier<@Nullable ClientChannels> channels;

	private final Iterable<String> refusals;

	/**
	 * Creates the binder.
	 * @param uds counters of the socket server, {@code null} until it is started
	 * @param channels the application's channels, {@code null} if it has none
	 * @param refusals the reasons for which the socket server refuses
	 */
	public VicinalMetrics(Supplier<@Nullable UdsMetrics> uds, Supplier<@Nullable ClientChannels> channels,
			Iterable<String> refusals) {
		this.uds = uds;
		this.channels = channels;
		this.refusals = refusals;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		for (String reason : this.refusals) {
			FunctionCounter.builder("vicinal.uds.refusals", this, (metrics) -> metrics.refused(reason))
				.description("Connections, contracts and calls that the socket server refused")
				.tag("reason", reason)
				.register(registry);
		}
		Gauge.builder("vicinal.uds.connections", this, VicinalMetrics::connections)
			.description("Connections that are open to the socket server")
			.register(registry);
		FunctionCounter.builder("vicinal.channel.announcements.ignored", this, VicinalMetrics::ignored)
			.description("Announcements of peers that could not be read")
			.register(registry);
	}

	private double refused(String reason) {
		UdsMetrics known = this.uds.get();
		return (known != null && known.refusals().containsKey(reason)) ? known.refusals().get(reason).sum() : 0;
	}

	private double connections() {
		UdsMetrics known = this.uds.get();
		return (known != null) ? known.open().sum() : 0;
	}

	private double ignored() {
		ClientChannels known = this.channels.get();
		return (known != null) ? known.ignoredAnnouncements() : 0;
	}

}
