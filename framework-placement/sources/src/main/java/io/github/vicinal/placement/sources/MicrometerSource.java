package io.github.vicinal.placement.sources;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.vicinal.placement.source.Traffic;
import io.github.vicinal.placement.source.TrafficSource;
import io.github.vicinal.placement.sources.EdgeCount.Side;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * Reads this application's own meters: {@code http.client.requests}, in which every call
 * is counted whatever its path, by the name of the host that was called, and
 * {@code vicinal.channel.calls} by channel for those whose host says nothing because it
 * is an address.
 *
 * @since 0.1.0
 */
public final class MicrometerSource implements TrafficSource {

	private static final String CLIENT = "http.client.requests";

	private static final String CHANNEL = "vicinal.channel.calls";

	private static final String SERVER = "http.server.requests";

	private final MeterRegistry registry;

	private final String service;

	private final RateWindow window;

	private final long start = System.nanoTime();

	/**
	 * Creates a source.
	 * @param registry the registry
	 * @param service name of this application
	 * @param window turns counts into rates
	 */
	public MicrometerSource(MeterRegistry registry, String service, RateWindow window) {
		this.registry = registry;
		this.service = service;
		this.window = window;
	}

	@Override
	public String name() {
		return "micrometer";
	}

	/**
	 * Returns the calls that the application served, without those of its actuator.
	 * @param registry a registry
	 * @param actuator paths of the actuator, such as {@code /actuator}
	 * @return the sum of its server timers
	 */
	public static double served(MeterRegistry registry, Collection<String> actuator) {
		return serving(registry, actuator).mapToDouble(Timer::count).sum();
	}

	/**
	 * Returns the time that the application took for the calls that it served, without
	 * those of its actuator.
	 * @param registry a registry
	 * @param actuator paths of the actuator
	 * @return the sum of its server timers, in seconds
	 */
	public static double servedSeconds(MeterRegistry registry, Collection<String> actuator) {
		return serving(registry, actuator).mapToDouble((timer) -> timer.totalTime(TimeUnit.SECONDS)).sum();
	}

	private static Stream<Timer> serving(MeterRegistry registry, Collection<String> actuator) {
		return registry.find(SERVER).timers().stream().filter((timer) -> {
			String uri = String.valueOf(timer.getId().getTag("uri"));
			return actuator.stream().noneMatch((path) -> uri.equals(path) || uri.startsWith(path + '/'));
		});
	}

	/**
	 * Returns the calls that the application made, by the name of the host.
	 * @param registry a registry
	 * @return calls by host, without its port
	 */
	public static Map<String, Double> made(MeterRegistry registry) {
		return by(registry, CLIENT, "client.name");
	}

	private static Map<String, Double> by(MeterRegistry registry, String name, String tag) {
		Map<String, Double> calls = new TreeMap<>();
		for (Timer timer : registry.find(name).timers()) {
			String value = timer.getId().getTag(tag);
			calls.merge((value != null) ? value : "", (double) timer.count(), Double::sum);
		}
		return calls;
	}

	@Override
	public Traffic observe() {
		List<EdgeCount> counts = new ArrayList<>();
		List<String> notSeen = new ArrayList<>();
		double nameless = 0;
		for (Map.Entry<String, Double> host : made(this.registry).entrySet()) {
			String to = ServiceNames.ofHost(host.getKey());
			if (to.isEmpty()) {
				nameless += host.getValue();
			}
			else {
				counts.add(new EdgeCount(this.service, to, Side.CLIENT, host.getValue(), null));
			}
		}
		if (nameless > 0) {
			Map<String, Double> channels = by(this.registry, CHANNEL, "channel");
			counts.forEach((count) -> channels.remove(count.to()));
			channels.forEach(
					(channel, calls) -> counts.add(new EdgeCount(this.service, channel, Side.CLIENT, calls, null)));
			double named = channels.values().stream().mapToDouble(Double::doubleValue).sum();
			if (nameless > named) {
				notSeen.add("'%s': %.0f calls went to addresses that name no service".formatted(this.service,
						nameless - named));
			}
		}
		long now = System.nanoTime();
		this.window.add(this.service, now, Duration.ofNanos(now - this.start), counts);
		Traffic traffic = this.window.traffic(name(), now, Duration.ofDays(1), (to) -> to);
		notSeen.addAll(traffic.notSeen());
		return new Traffic(traffic.edges(), notSeen);
	}

}
