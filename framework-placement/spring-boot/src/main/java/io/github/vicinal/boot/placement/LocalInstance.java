package io.github.vicinal.boot.placement;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import com.sun.management.OperatingSystemMXBean;
import io.github.vicinal.boot.client.ClientChannels;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.placement.sources.InstanceReport;
import io.github.vicinal.placement.sources.InstanceReport.Outgoing;
import io.github.vicinal.placement.sources.MicrometerSource;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.report.ChannelReport.CostReport;
import io.github.vicinal.report.ChannelReport.PathReport;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/**
 * Report of this instance about itself. Calls of channels, that of HTTP exchanges among
 * them, come from the channels, which know their peers and count bytes; all others from
 * {@code http.client.requests}. The time in which the application started counts for
 * nothing, as nobody called it. Thread-safe.
 */
final class LocalInstance implements ApplicationListener<ApplicationReadyEvent> {

	private static final long MIB = 1 << 20;

	private final String service;

	private final PeerIdentity identity;

	private final String host;

	private final String zone;

	private final Supplier<@Nullable ClientChannels> channels;

	private final Supplier<@Nullable ChannelReport> exchanges;

	private final Supplier<@Nullable MeterRegistry> meters;

	private final PastCalls past = new PastCalls();

	private final OtherCalls others;

	private final Supplier<Collection<String>> actuator;

	/** Start of the counts. */
	private volatile Start start = new Start(0, 0);

	/**
	 * Creates the instance.
	 * @param service name of the application
	 * @param identity what it calls itself towards its peers
	 * @param host name of its host, {@code null} for one that is made up
	 * @param zone the zone of that host, empty if there are none
	 * @param channels its channels, or {@code null} if it has none
	 * @param exchanges its channel of HTTP exchanges, or {@code null} if no server was
	 * asked
	 * @param meters its meters, or {@code null} if it has none
	 * @param balanced knows the names that load balancers replace
	 * @param actuator paths of its actuator, whose calls do not count
	 */
	public LocalInstance(String service, PeerIdentity identity, @Nullable String host, String zone,
			Supplier<@Nullable ClientChannels> channels, Supplier<@Nullable ChannelReport> exchanges,
			Supplier<@Nullable MeterRegistry> meters, BalancedNames balanced, Supplier<Collection<String>> actuator) {
		this.service = service;
		this.identity = identity;
		this.host = (host != null) ? host : LocalHost.name(identity);
		this.zone = zone;
		this.channels = channels;
		this.exchanges = exchanges;
		this.meters = meters;
		this.others = new OtherCalls(balanced);
		this.actuator = actuator;
	}

	/**
	 * Begins to count, unless there were calls before, whose time would be missing.
	 */
	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		MeterRegistry registry = this.meters.get();
		if (outgoing(registry).isEmpty()
				&& (registry == null || MicrometerSource.served(registry, this.actuator.get()) == 0)) {
			this.start = new Start(uptimeSeconds(), cpuSeconds());
		}
	}

	private static double uptimeSeconds() {
		return ManagementFactory.getRuntimeMXBean().getUptime() / 1000.0;
	}

	private static double cpuSeconds() {
		return (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system)
				? Math.max(0, system.getProcessCpuTime() / 1e9) : 0;
	}

	/**
	 * Reports.
	 * @return the report
	 */
	public InstanceReport report() {
		long seenMemory = (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system)
				? system.getTotalMemorySize() / MIB : 0;
		Start start = this.start;
		HostCapacity capacity = HostCapacity.read(Runtime.getRuntime().availableProcessors(), seenMemory);
		MeterRegistry registry = this.meters.get();
		return new InstanceReport(this.service, this.identity.instanceId(), LocalProcess.name(this.host), this.host,
				this.zone, capacity.processors(), capacity.memoryMib(), uptimeSeconds() - start.uptimeSeconds(),
				cpuSeconds() - start.cpuSeconds(), LocalMemory.used(),
				(registry != null) ? MicrometerSource.served(registry, this.actuator.get()) : 0,
				(registry != null) ? MicrometerSource.servedSeconds(registry, this.actuator.get()) : 0,
				outgoing(registry), LocalMemory.read(seenMemory, capacity.memoryMib()));
	}

	private List<Outgoing> outgoing(@Nullable MeterRegistry registry) {
		// One at a time: each report is compared with the one before.
		synchronized (this.past) {
			List<Outgoing> outgoing = new ArrayList<>();
			// Before the channels: what is called in between counts in the next report.
			Map<String, Double> observed = (registry != null) ? MicrometerSource.made(registry) : Map.of();
			Map<String, Double> known = new TreeMap<>();
			ClientChannels clients = this.channels.get();
			for (ChannelReport channel : (clients != null) ? clients.reports() : List.<ChannelReport>of()) {
				for (PeerReport peer : channel.peers()) {
					add(outgoing, known, channel.name(), service(channel.name()), peer);
				}
			}
			ChannelReport ofExchanges = this.exchanges.get();
			for (PeerReport peer : (ofExchanges != null) ? ofExchanges.peers() : List.<PeerReport>of()) {
				add(outgoing, known, "", host(peer.address()), peer);
			}
			this.past.end();
			addPast(outgoing);
			this.past.byAddress().forEach((address, calls) -> known.merge(address, calls, Double::sum));
			Map<String, Double> others = this.others.of(observed, known);
			others.entrySet().removeIf((other) -> other.getValue() <= 0 || other.getKey().isEmpty());
			Map<String, String> addresses = this.others.addresses(others.keySet());
			others.forEach((host, calls) -> outgoing
				.add(new Outgoing(host, addresses.getOrDefault(host, host), "", "http", calls, null, null)));
			return outgoing;
		}
	}

	/** Adds the calls to a peer. */
	private void add(List<Outgoing> outgoing, Map<String, Double> known, String channel, String target,
			PeerReport peer) {
		for (PathReport path : peer.paths()) {
			if (path.calls() > 0) {
				outgoing.add(new Outgoing(target, peer.address(), (peer.instanceId() != null) ? peer.instanceId() : "",
						path.path(), path.calls(), (path.bytes() > 0) ? (double) path.bytes() : null,
						cost(path.cost())));
				known.merge(peer.address(), (double) path.calls(), Double::sum);
				this.past.add(new PastCalls.Series(channel, new PastCalls.Ends(target, peer.address()), path.path()),
						new PastCalls.Counted(path.calls(), path.bytes()));
			}
		}
	}

	/** Adds what is past to the calls of the same peers. */
	private void addPast(List<Outgoing> outgoing) {
		Map<PastCalls.Ends, PastCalls.Counted> past = new HashMap<>(this.past.past());
		outgoing.replaceAll((one) -> {
			PastCalls.Counted more = past.remove(new PastCalls.Ends(one.target(), one.address()));
			if (more == null) {
				return one;
			}
			Double bytes = one.bytes();
			Double all = (bytes != null || more.bytes() > 0) ? ((bytes != null) ? bytes : 0) + more.bytes() : null;
			return new Outgoing(one.target(), one.address(), one.instance(), one.path(), one.calls() + more.calls(),
					all, one.cost());
		});
	}

	private static Outgoing.@Nullable Cost cost(@Nullable CostReport known) {
		if (known == null) {
			return null;
		}
		Double cpu = known.cpuMicros();
		return new Outgoing.Cost(1e3 * known.fixedMicros(), known.nanosPerByte(), (cpu != null) ? 1e3 * cpu : null);
	}

	/** A group with several clients has one channel for each: group-Interface. */
	private static String service(String channel) {
		int dash = channel.lastIndexOf('-');
		return (dash > 0 && dash + 1 < channel.length() && Character.isUpperCase(channel.charAt(dash + 1)))
				? channel.substring(0, dash) : channel;
	}

	static String host(String address) {
		int colon = address.lastIndexOf(':');
		return (colon > 0) ? address.substring(0, colon) : address;
	}

	/**
	 * Uptime and CPU time of the JVM at some moment.
	 *
	 * @param uptimeSeconds uptime
	 * @param cpuSeconds CPU time
	 */
	private record Start(double uptimeSeconds, double cpuSeconds) {
	}

}
