package io.github.vicinal.placement.model;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A service to place.
 *
 * @param name unique among services
 * @param replicas number of instances that run, at least 1
 * @param demand what each replica needs
 * @param ports ports of the host that each replica occupies
 * @param maxPerHost the most replicas on one host, {@link Integer#MAX_VALUE} for no limit
 * @param zones zones that it may run in; empty: all
 * @param pinnedTo hosts that it may run on; empty: all
 * @param demandFrom where the figures of the demand come from, by resource; empty for
 * what the author of the model states
 * @since 0.1.0
 */
public record Service(String name, int replicas, Resources demand, Set<Integer> ports, int maxPerHost,
		Set<String> zones, Set<String> pinnedTo, Map<String, String> demandFrom) {

	/** The most replicas of one service. */
	public static final int MAX_REPLICAS = 100_000;

	public Service {
		ports = Collections.unmodifiableSet(new TreeSet<>(ports));
		zones = Collections.unmodifiableSet(new TreeSet<>(zones));
		pinnedTo = Collections.unmodifiableSet(new TreeSet<>(pinnedTo));
		demandFrom = Collections.unmodifiableMap(new TreeMap<>(demandFrom));
		if (name.isBlank()) {
			throw new InvalidModelException("A service has no name; give each one a name of its own");
		}
		PrintableText.require("service", name);
		if (replicas < 1 || replicas > MAX_REPLICAS) {
			throw new InvalidModelException(
					"Service '%s' has %d replicas; there must be 1 to %d. Leave a service out that does not run"
						.formatted(name, replicas, MAX_REPLICAS));
		}
		if (maxPerHost < 1) {
			throw new InvalidModelException(
					"Service '%s' has maxPerHost %d; at least 1 must be allowed".formatted(name, maxPerHost));
		}
		for (int port : ports) {
			if (port < 1 || port > 65535) {
				throw new InvalidModelException(
						"Service '%s' has the port %d; ports are 1 to 65535".formatted(name, port));
			}
		}
	}

	/**
	 * Creates a service without rules.
	 * @param name unique among services
	 * @param replicas number of instances that run, at least 1
	 * @param demand what each replica needs
	 */
	public Service(String name, int replicas, Resources demand) {
		this(name, replicas, demand, Set.of(), Integer.MAX_VALUE, Set.of(), Set.of(), Map.of());
	}

	/**
	 * Creates a service whose demand is stated by the author of the model.
	 * @param name unique among services
	 * @param replicas number of instances that run, at least 1
	 * @param demand what each replica needs
	 * @param ports ports of the host that each replica occupies
	 * @param maxPerHost the most replicas on one host, {@link Integer#MAX_VALUE} for no
	 * limit
	 * @param zones zones that it may run in; empty: all
	 * @param pinnedTo hosts that it may run on; empty: all
	 */
	public Service(String name, int replicas, Resources demand, Set<Integer> ports, int maxPerHost, Set<String> zones,
			Set<String> pinnedTo) {
		this(name, replicas, demand, ports, maxPerHost, zones, pinnedTo, Map.of());
	}

	/**
	 * Returns the most replicas on one host; a replica that occupies a port is alone.
	 * @return at least 1
	 */
	public int effectiveMaxPerHost() {
		return this.ports.isEmpty() ? this.maxPerHost : 1;
	}

	/**
	 * Returns whether the service's own rules let it run on a host.
	 * @param host the host
	 * @return whether zone and pin allow it
	 */
	public boolean mayRunOn(Host host) {
		return (this.zones.isEmpty() || this.zones.contains(host.zone()))
				&& (this.pinnedTo.isEmpty() || this.pinnedTo.contains(host.name()));
	}

}
