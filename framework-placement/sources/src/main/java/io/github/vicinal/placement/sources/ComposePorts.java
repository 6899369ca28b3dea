package io.github.vicinal.placement.sources;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import io.github.vicinal.placement.model.Separation;

/**
 * Ports of the host that services of a compose file take, each for a protocol and at an
 * address. Without an address a port is taken at all of them. A model knows numbers only:
 * where these would forbid too much, services are separated in place of that.
 */
final class ComposePorts {

	/** Maximum number of names in separations; beyond, the numbers alone decide. */
	private static final int MAX_NAMES = 100_000;

	/** Services by port, protocol and address; no address is the empty one. */
	private final Map<Integer, Map<String, Map<String, Set<String>>>> taken = new TreeMap<>();

	/** Adds a port that each replica of a service takes. */
	void add(String service, String address, String protocol, int port) {
		this.taken.computeIfAbsent(port, (key) -> new TreeMap<>())
			.computeIfAbsent(protocol.toLowerCase(Locale.ROOT), (key) -> new TreeMap<>())
			.computeIfAbsent(normal(address), (key) -> new LinkedHashSet<>())
			.add(service);
	}

	private static String normal(String address) {
		String bare = address.startsWith("[") ? address.substring(1, Math.max(1, address.length() - 1)) : address;
		if (!bare.contains(":")) {
			return bare.equals("0.0.0.0") ? "" : bare;
		}
		try {
			// In brackets it is an address, and no name that is looked up.
			InetAddress one = InetAddress.getByName('[' + bare + ']');
			return one.isAnyLocalAddress() ? "" : one.getHostAddress();
		}
		catch (UnknownHostException ex) {
			return bare.toLowerCase(Locale.ROOT);
		}
	}

	/** Returns the services that take a port, and so run one replica on a host. */
	Set<String> services() {
		Set<String> services = new TreeSet<>();
		this.taken.values().forEach((protocols) -> services.addAll(all(protocols)));
		return services;
	}

	/**
	 * Returns the numbers that say all of a port: one service takes it, or each that
	 * takes it is in the way of each other one.
	 * @return numbers by the name of the service
	 */
	Map<String, Set<Integer>> numbers() {
		Map<String, Set<Integer>> numbers = new TreeMap<>();
		this.taken.forEach((port, protocols) -> {
			if (isNumber(protocols)) {
				all(protocols)
					.forEach((service) -> numbers.computeIfAbsent(service, (key) -> new TreeSet<>()).add(port));
			}
		});
		return numbers;
	}

	/**
	 * Returns separations of the services that are in each other's way at some addresses
	 * or with some protocols only.
	 * @return the separations
	 */
	List<Separation> separations() {
		List<Separation> separations = new ArrayList<>();
		this.taken.forEach((port, protocols) -> {
			if (isNumber(protocols)) {
				return;
			}
			protocols.forEach((protocol, addresses) -> groups(addresses).forEach((address, services) -> {
				if (services.size() > 1) {
					separations.add(new Separation(List.copyOf(services), Separation.Scope.HOST,
							"%s take the port %d/%s%s".formatted((services.size() == 2) ? "both" : "all", port,
									protocol, address.isEmpty() ? "" : " at " + address)));
				}
			}));
		});
		return separations;
	}

	private static boolean isNumber(Map<String, Map<String, Set<String>>> protocols) {
		Set<String> all = all(protocols);
		long names = 0;
		for (Map<String, Set<String>> addresses : protocols.values()) {
			names += (long) addresses.size() * addresses.getOrDefault("", Set.of()).size() + all.size();
		}
		return all.size() == 1 || names > MAX_NAMES || protocols.values()
			.stream()
			.anyMatch((addresses) -> groups(addresses).values().stream().anyMatch((group) -> group.containsAll(all)));
	}

	/** Services of which each is in the way of each other one, by their address. */
	private static Map<String, Set<String>> groups(Map<String, Set<String>> addresses) {
		Set<String> any = addresses.getOrDefault("", Set.of());
		Map<String, Set<String>> groups = new LinkedHashMap<>();
		addresses.forEach((address, services) -> {
			if (!address.isEmpty() || addresses.size() == 1) {
				Set<String> group = new LinkedHashSet<>(any);
				group.addAll(services);
				groups.put(address, group);
			}
		});
		return groups;
	}

	private static Set<String> all(Map<String, Map<String, Set<String>>> protocols) {
		Set<String> all = new LinkedHashSet<>();
		protocols.values().stream().map(Map::values).flatMap(Collection::stream).forEach(all::addAll);
		return all;
	}

}
