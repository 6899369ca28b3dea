package io.github.vicinal.boot.placement;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCost;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;
import org.jspecify.annotations.Nullable;

/**
 * Assumptions that replace observations.
 *
 * @param hosts hosts as {@code name=cpuMillis:memoryMiB,...}: changed if the model has
 * them, else added
 * @param pins services as {@code service=host|host,...}: they run nowhere else
 * @param routing how calls choose among replicas
 * @param edgeWeight what is counted of an edge
 * @param sameHostCpuMicros CPU time of a call within a host, both ends, in us
 * @param otherHostCpuMicros CPU time of a call between hosts, both ends, in us
 * @param maxMoves most replicas that may move
 * @param searchMillis how long to search
 * @param seed decides all random choices
 * @param concentrate services that may give up hosts and zones, as {@code one,other}
 * @param headRoomPercent part of each host that is left free, in percent
 */
record WhatIf(@Nullable String hosts, @Nullable String pins, @Nullable String routing, @Nullable String edgeWeight,
		@Nullable Double sameHostCpuMicros, @Nullable Double otherHostCpuMicros, @Nullable Integer maxMoves,
		@Nullable Long searchMillis, @Nullable Long seed, @Nullable String concentrate,
		@Nullable Integer headRoomPercent) {

	/** No assumptions. */
	public static final WhatIf NOTHING = new WhatIf(null, null, null, null, null, null, null, null, null, null, null);

	private static final int MAX_CHARS = 100_000;

	Duration time(Duration otherwise) {
		if (this.searchMillis == null) {
			return otherwise;
		}
		if (this.searchMillis < 1 || this.searchMillis > PlacementProperties.LONGEST_SEARCH.toMillis()) {
			throw new InvalidModelException("searchMillis is %d; it must be between 1 and %d"
				.formatted(this.searchMillis, PlacementProperties.LONGEST_SEARCH.toMillis()));
		}
		return Duration.ofMillis(this.searchMillis);
	}

	PlacementModel change(PlacementModel model) {
		if (this.maxMoves != null && this.maxMoves < 0) {
			throw new InvalidModelException(
					"maxMoves is %d; it must be at least 0, or be left out for no limit".formatted(this.maxMoves));
		}
		Objective objective = model.objective();
		if (this.edgeWeight != null) {
			objective = objective.with(EdgeWeight.of(this.edgeWeight));
		}
		if (this.routing != null) {
			objective = objective.with(Routing.of(this.routing));
		}
		List<Host> hosts = hosts(model.hosts());
		if (this.headRoomPercent != null) {
			int percent = this.headRoomPercent;
			hosts = hosts.stream().map((host) -> host.withHeadRoom(percent)).toList();
		}
		PlacementModel changed = model.with(services(model.services()), hosts)
			.with(pathCosts(model.pathCosts()))
			.with(objective);
		return (this.concentrate == null) ? changed : changed.concentrating(concentrating(changed, this.concentrate));
	}

	private static Set<String> concentrating(PlacementModel model, String names) {
		Set<String> concentrating = new LinkedHashSet<>(model.mayConcentrate());
		for (String part : names.split(",", -1)) {
			String name = part.strip();
			if (!model.serviceIndex().containsKey(name)) {
				throw new InvalidModelException("concentrate names '%s', which is not among the services %s"
					.formatted(name, model.serviceIndex().keySet()));
			}
			concentrating.add(name);
		}
		return concentrating;
	}

	private PathCosts pathCosts(PathCosts known) {
		PathCost host = pathCost(known.sameHost(), this.sameHostCpuMicros);
		PathCost jvm = known.sameJvm();
		return new PathCosts(host, pathCost(known.otherHost(), this.otherHostCpuMicros), known.otherZone(),
				(jvm != null) ? jvm.atMost(host) : null);
	}

	private static PathCost pathCost(PathCost known, @Nullable Double cpuMicros) {
		return (cpuMicros == null) ? known : new PathCost(known.path(), known.latencyMicros(),
				known.latencyMicrosPerKib(), cpuMicros, known.cpuMicrosPerKib(), known.relativeError());
	}

	private List<Host> hosts(List<Host> known) {
		Map<String, Host> hosts = new LinkedHashMap<>();
		known.forEach((host) -> hosts.put(host.name(), host));
		entries("hosts", this.hosts, "name=cpuMillis:memoryMiB").forEach((name, value) -> {
			String[] amounts = value.split(":", -1);
			try {
				if (amounts.length == 2) {
					Resources given = Resources.of(Long.parseLong(amounts[0].strip()),
							Long.parseLong(amounts[1].strip()));
					Host host = hosts.get(name);
					TreeMap<String, Long> capacity = new TreeMap<>(
							(host != null) ? host.capacity().amounts() : Map.of());
					capacity.putAll(given.amounts());
					hosts.put(name, (host != null)
							? new Host(name, host.zone(), new Resources(capacity), host.reserve(), host.maxReplicas())
							: new Host(name, given));
					return;
				}
			}
			catch (NumberFormatException ex) {
				// Said below.
			}
			throw new InvalidModelException(
					"hosts has '%s=%s'; write name=cpuMillis:memoryMiB, such as a=8000:16384".formatted(name, value));
		});
		return List.copyOf(hosts.values());
	}

	private List<Service> services(List<Service> known) {
		Map<String, String> pins = entries("pins", this.pins, "service=host|host");
		List<Service> services = new ArrayList<>();
		for (Service service : known) {
			String value = pins.remove(service.name());
			if (value == null) {
				services.add(service);
				continue;
			}
			Set<String> on = new LinkedHashSet<>();
			for (String host : value.split("\\|", -1)) {
				on.add(host.strip());
			}
			services.add(new Service(service.name(), service.replicas(), service.demand(), service.ports(),
					service.maxPerHost(), service.zones(), on, service.demandFrom()));
		}
		if (!pins.isEmpty()) {
			throw new InvalidModelException("pins names '%s', which is not among the services %s"
				.formatted(pins.keySet().iterator().next(), known.stream().map(Service::name).toList()));
		}
		return services;
	}

	private static Map<String, String> entries(String name, @Nullable String text, String form) {
		Map<String, String> entries = new LinkedHashMap<>();
		if (text == null || text.isBlank()) {
			return entries;
		}
		if (text.length() > MAX_CHARS) {
			throw new InvalidModelException(
					"%s has %d characters; at most %d are read".formatted(name, text.length(), MAX_CHARS));
		}
		for (String entry : text.split(",", -1)) {
			int equals = entry.indexOf('=');
			if (equals < 1) {
				throw new InvalidModelException("%s has '%s'; write %s".formatted(name, entry.strip(), form));
			}
			String key = entry.substring(0, equals).strip();
			if (entries.put(key, entry.substring(equals + 1).strip()) != null) {
				throw new InvalidModelException("%s names '%s' twice; write it once".formatted(name, key));
			}
		}
		return entries;
	}

}
