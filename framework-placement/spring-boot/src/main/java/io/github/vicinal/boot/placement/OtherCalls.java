package io.github.vicinal.boot.placement;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Calls that only the meters know. Meters name the host in the URI of a request, channels
 * the address that it went to. Where a load balancer replaces the name of a service by
 * the address of an instance, the two differ, and without this class the same calls would
 * count under both. Not thread-safe.
 */
final class OtherCalls {

	private final BalancedNames balanced;

	/** Addresses of called instances by the names of services; no address is removed. */
	private final Map<String, Set<String>> addresses = new TreeMap<>();

	/** An address for each name that has calls which no channel knows. */
	private final Map<String, String> standing = new HashMap<>();

	/**
	 * Creates an instance.
	 * @param balanced knows the names that load balancers replace
	 */
	OtherCalls(BalancedNames balanced) {
		this.balanced = balanced;
	}

	/**
	 * Returns the calls that only the meters know: as few as the channels leave,
	 * whichever of the calls to an address went there by its host, and which by a name.
	 * @param observed calls of the meters, by host
	 * @param known calls of channels, by address
	 * @return calls by host, some of them none
	 */
	Map<String, Double> of(Map<String, Double> observed, Map<String, Double> known) {
		Explained explained = new Explained(observed, known, this.addresses);
		if (explained.isOpen()) {
			this.balanced.addresses(observed.keySet()).forEach((name, instances) -> {
				Set<String> called = new HashSet<>(instances);
				called.retainAll(known.keySet());
				this.addresses.computeIfAbsent(name, (first) -> new HashSet<>()).addAll(called);
			});
			explained = new Explained(observed, known, this.addresses);
		}
		return explained.left();
	}

	/**
	 * Returns an address for each of some hosts: that of an instance, where the host is
	 * the name of a service, and otherwise the host itself. It stays the same, since
	 * calls to another address would count as further ones.
	 * @param hosts hosts that have calls which only the meters know
	 * @return addresses by host
	 */
	Map<String, String> addresses(Collection<String> hosts) {
		List<String> strange = hosts.stream().filter((host) -> !this.standing.containsKey(host)).toList();
		if (!strange.isEmpty()) {
			Map<String, Set<String>> instances = this.balanced.addresses(strange);
			strange.forEach((host) -> {
				Set<String> there = instances.getOrDefault(host, Set.of());
				this.standing.put(host, there.isEmpty() ? host : Collections.min(there));
			});
		}
		return this.standing;
	}

	/**
	 * Which calls of the meters are those of channels: a largest flow from addresses to
	 * hosts and names.
	 */
	private static final class Explained {

		private final Map<String, Double> left;

		private final Map<String, Set<String>> names = new HashMap<>();

		/** Calls by name and address. */
		private final Map<String, Map<String, Double>> taken = new HashMap<>();

		private boolean unnamed;

		Explained(Map<String, Double> observed, Map<String, Double> known, Map<String, Set<String>> addresses) {
			this.left = new TreeMap<>(observed);
			known.keySet()
				.forEach(
						(address) -> this.names.put(address, new LinkedHashSet<>(Set.of(LocalInstance.host(address)))));
			addresses.forEach((name, instances) -> instances
				.forEach((address) -> this.names.computeIfPresent(address, (same, all) -> {
					all.add(name);
					return all;
				})));
			known.forEach((address, calls) -> {
				double rest = calls;
				double found = rest;
				while (rest > 0 && found > 0) {
					found = take(address, rest, new HashSet<>());
					rest -= found;
				}
				this.unnamed |= rest > 0;
			});
		}

		/**
		 * Takes calls for an address, for which those of other addresses may get another
		 * name.
		 */
		private double take(String address, double most, Set<String> visited) {
			for (String name : this.names.getOrDefault(address, Set.of())) {
				if (visited.add(name)) {
					Map<String, Double> here = this.taken.computeIfAbsent(name, (first) -> new HashMap<>());
					double found = Math.min(most, this.left.getOrDefault(name, 0.0));
					if (found > 0) {
						this.left.merge(name, -found, Double::sum);
					}
					for (Map.Entry<String, Double> other : here.entrySet()) {
						if (found <= 0 && other.getValue() > 0) {
							found = take(other.getKey(), Math.min(most, other.getValue()), visited);
							other.setValue(other.getValue() - found);
						}
					}
					if (found > 0) {
						here.merge(address, found, Double::sum);
						return found;
					}
				}
			}
			return 0;
		}

		/** Returns whether there are calls on both sides that nothing explains. */
		boolean isOpen() {
			return this.unnamed && this.left.values().stream().anyMatch((calls) -> calls > 0);
		}

		Map<String, Double> left() {
			return this.left;
		}

	}

}
