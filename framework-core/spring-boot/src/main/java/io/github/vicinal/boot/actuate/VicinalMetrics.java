package io.github.vicinal.boot.actuate;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;

import io.github.vicinal.boot.client.ClientChannels;
import io.github.vicinal.transport.wire.ServerMetrics;

/**
 * Meters of what observations do not see: connections, and what was refused. They read
 * counters that exist anyway and cost nothing per call.
 */
public final class VicinalMetrics implements MeterBinder {

	private final Map<String, Supplier<@Nullable ServerMetrics>> servers;

	private final Supplier<@Nullable ClientChannels> channels;

	private final Iterable<String> refusals;

	private final Supplier<@Nullable Map<String, LongAdder>> violations;

	private final Map<String, Map<String, Supplier<Long>>> heap;

	private final Map<String, Supplier<Long>> memory;

	/**
	 * Creates the binder.
	 * @param servers counters of servers by the name of their path, {@code null} until
	 * one is started
	 * @param channels the application's channels, {@code null} if it has none
	 * @param refusals the reasons for which servers refuse
	 * @param violations counters of rules that servers broke in shared memory,
	 * {@code null} until a client uses it
	 * @param heap bytes of heap that large payloads take, by the path and the side
	 * @param memory bytes of shared memory that pairs have, by the side
	 */
	public VicinalMetrics(Map<String, Supplier<@Nullable ServerMetrics>> servers,
			Supplier<@Nullable ClientChannels> channels, Iterable<String> refusals,
			Supplier<@Nullable Map<String, LongAdder>> violations, Map<String, Map<String, Supplier<Long>>> heap,
			Map<String, Supplier<Long>> memory) {
		this.servers = servers;
		this.channels = channels;
		this.refusals = refusals;
		this.violations = violations;
		this.heap = heap;
		this.memory = memory;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		for (Map.Entry<String, Supplier<@Nullable ServerMetrics>> server : this.servers.entrySet()) {
			bind(registry, server.getKey(), server.getValue());
		}
		for (String reason : this.refusals) {
			FunctionCounter.builder("vicinal.shm.violations", this.violations, (known) -> count(known.get(), reason))
				.description("Pairs that ended because the server broke a rule of the shared memory")
				.tag("reason", reason)
				.register(registry);
		}
		this.heap.forEach((path, sides) -> sides.forEach((side, bytes) -> Gauge
			.builder("vicinal.shm.heap", bytes, Supplier::get)
			.description("Heap that large calls and replies between processes take, and what is kept for the next ones")
			.baseUnit("bytes")
			.tag("path", path)
			.tag("side", side)
			.strongReference(true)
			.register(registry)));
		this.memory.forEach((side, bytes) -> Gauge.builder("vicinal.shm.memory", bytes, Supplier::get)
			.description("Shared memory of pairs: as a client what this side made, as a server all of it")
			.baseUnit("bytes")
			.tag("side", side)
			.strongReference(true)
			.register(registry));
		FunctionCounter.builder("vicinal.channel.announcements.ignored", this, VicinalMetrics::ignored)
			.description("Announcements of peers that could not be read")
			.register(registry);
	}

	private void bind(MeterRegistry registry, String path, Supplier<@Nullable ServerMetrics> server) {
		for (String reason : this.refusals) {
			FunctionCounter.builder("vicinal." + path + ".refusals", server, (known) -> refused(known.get(), reason))
				.description("Connections, contracts and calls that the server of the path refused")
				.tag("reason", reason)
				.register(registry);
		}
		Gauge.builder("vicinal." + path + ".connections", server, VicinalMetrics::open)
			.description("Connections that are open to the server of the path")
			.strongReference(true)
			.register(registry);
	}

	private static double open(Supplier<@Nullable ServerMetrics> server) {
		ServerMetrics known = server.get();
		return (known != null) ? known.open().sum() : 0;
	}

	private static double refused(@Nullable ServerMetrics known, String reason) {
		return count((known != null) ? known.refusals() : null, reason);
	}

	private static double count(@Nullable Map<String, LongAdder> counters, String reason) {
		LongAdder count = (counters != null) ? counters.get(reason) : null;
		return (count != null) ? count.sum() : 0;
	}

	private double ignored() {
		ClientChannels known = this.channels.get();
		return (known != null) ? known.ignoredAnnouncements() : 0;
	}

}
