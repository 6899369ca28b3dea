package io.github.vicinal.boot.placement;

import java.util.HashMap;
import java.util.HashSet;
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
	private final Map<String, Set<String>> addresses = new HashMap<>();

	/**
	 * Creates an instance.
	 * @param balanced knows the names that load balancers replace
	 */
	OtherCalls(BalancedNames balanced) {
		this.balanced = balanced;
	}

	/**
	 * Returns the calls that only the meters know.
	 * @param observed calls of the meters, by host
	 * @param known calls of channels, by address
	 * @return calls by host, some of them none
	 */
	Map<String, Double> of(Map<String, Double> observed, Map<String, Double> known) {
		Map<String, Double> others = new TreeMap<>(observed);
		Map<String, Double> unnamed = new HashMap<>();
		known.forEach((address, calls) -> {
			double left = calls - take(others, LocalInstance.host(address), calls);
			if (left > 0) {
				unnamed.put(address, left);
			}
		});
		takeBalanced(others, unnamed);
		if (!unnamed.isEmpty() && others.values().stream().anyMatch((calls) -> calls > 0)) {
			this.balanced.addresses(others.keySet()).forEach((name, instances) -> {
				Set<String> called = new HashSet<>(instances);
				called.retainAll(known.keySet());
				this.addresses.computeIfAbsent(name, (first) -> new HashSet<>()).addAll(called);
			});
			takeBalanced(others, unnamed);
		}
		return others;
	}

	private void takeBalanced(Map<String, Double> others, Map<String, Double> unnamed) {
		this.addresses.forEach(
				(name, instances) -> instances.forEach((address) -> unnamed.computeIfPresent(address, (same, calls) -> {
					double left = calls - take(others, name, calls);
					return (left > 0) ? left : null;
				})));
	}

	private static double take(Map<String, Double> others, String name, double calls) {
		double there = others.getOrDefault(name, 0.0);
		double taken = Math.min(there, calls);
		if (taken > 0) {
			others.put(name, there - taken);
		}
		return Math.max(0, taken);
	}

}
