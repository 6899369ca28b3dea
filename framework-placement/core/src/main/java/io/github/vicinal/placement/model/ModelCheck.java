package io.github.vicinal.placement.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Refuses models that no placement can satisfy, with a proof that people can follow: a
 * small set of services and hosts that contradict each other. What passes may still turn
 * out to have no placement; that is the solver's word then.
 */
final class ModelCheck {

	/** Sets of hosts that are looked at for being too small together. */
	private static final int MAX_HOST_SETS = 256;

	/** More seats than this are counted, not matched. */
	private static final int MAX_MATCHING = 2000;

	private final List<Service> services;

	private final List<Host> hosts;

	private final BitSet[] options;

	private ModelCheck(List<Service> services, List<Host> hosts) {
		this.services = services;
		this.hosts = hosts;
		this.options = new BitSet[services.size()];
		Arrays.setAll(this.options, (index) -> new BitSet());
	}

	static void check(List<Service> services, List<Host> hosts, List<Edge> edges, List<Separation> separations,
			Objective objective) {
		Set<String> names = names(services, hosts);
		for (Edge edge : edges) {
			known(names, edge.from(), () -> "Edge '%s' -> '%s'".formatted(edge.from(), edge.to()));
			known(names, edge.to(), () -> "Edge '%s' -> '%s'".formatted(edge.from(), edge.to()));
			if (edge.from().equals(edge.to())) {
				throw new InvalidModelException("Edge '%s' -> '%s' leads from a service to itself; leave it out"
					.formatted(edge.from(), edge.to()));
			}
		}
		for (Separation separation : separations) {
			separation.services().forEach((name) -> known(names, name, () -> "A separation"));
			if (new HashSet<>(separation.services()).size() < separation.services().size()) {
				throw new InvalidModelException("A separation names a service twice: " + separation.services());
			}
		}
		if (objective.communication() == 0 && objective.imbalance() == 0 && objective.hosts() == 0
				&& objective.moves() > 0) {
			throw new InvalidModelException(
					"The objective counts nothing but moves; the best plan is then the current one");
		}
		ModelCheck check = new ModelCheck(services, hosts);
		check.options();
		check.room();
		check.separations(separations);
	}

	static void routes(List<Service> services, List<Route> routes) {
		if (routes.size() > PlacementModel.MAX_ROUTES) {
			throw new InvalidModelException("There are %d routes; at most %d are possible. Keep the most frequent ones"
				.formatted(routes.size(), PlacementModel.MAX_ROUTES));
		}
		Set<String> names = new HashSet<>();
		services.forEach((service) -> names.add(service.name()));
		Set<String> routeNames = new HashSet<>();
		for (Route route : routes) {
			if (!routeNames.add(route.name())) {
				throw new InvalidModelException(
						"Two routes have the name '%s'; give each one a name of its own".formatted(route.name()));
			}
			for (Route.Hop hop : route.criticalPath()) {
				known(names, hop.from(), () -> "Route '%s'".formatted(route.name()));
				known(names, hop.to(), () -> "Route '%s'".formatted(route.name()));
			}
		}
	}

	static void sharing(List<Service> services, JvmSharing sharing) {
		Set<String> names = new HashSet<>();
		services.forEach((service) -> names.add(service.name()));
		sharing.groups()
			.forEach((group) -> group.forEach((name) -> known(names, name, () -> "A group that may share a JVM")));
	}

	static void preferences(List<Service> services, List<Preference> preferences, Objective objective) {
		Set<String> names = new HashSet<>();
		services.forEach((service) -> names.add(service.name()));
		preferences
			.forEach((preference) -> preference.services().forEach((name) -> known(names, name, () -> "A preference")));
		double sum = objective.communication() + objective.imbalance() + objective.moves() + objective.hosts()
				+ objective.memory() + preferences.stream().mapToDouble(Preference::weight).sum();
		if (sum == Double.POSITIVE_INFINITY) {
			throw new InvalidModelException(
					"The weights of the objective and of preferences have no finite sum; choose smaller ones");
		}
	}

	private static Set<String> names(List<Service> services, List<Host> hosts) {
		if (services.isEmpty() || hosts.isEmpty()) {
			throw new InvalidModelException("There are %d services and %d hosts; there must be at least one of each"
				.formatted(services.size(), hosts.size()));
		}
		Set<String> names = new HashSet<>();
		for (Service service : services) {
			if (!names.add(service.name())) {
				throw new InvalidModelException(
						"Two services have the name '%s'; give each one a name of its own".formatted(service.name()));
			}
		}
		Set<String> hostNames = new HashSet<>();
		Set<String> zones = new HashSet<>();
		for (Host host : hosts) {
			zones.add(host.zone());
			if (!hostNames.add(host.name())) {
				throw new InvalidModelException(
						"Two hosts have the name '%s'; give each one a name of its own".formatted(host.name()));
			}
		}
		for (Service service : services) {
			for (String pin : service.pinnedTo()) {
				if (!hostNames.contains(pin)) {
					throw new InvalidModelException(
							"Service '%s' is pinned to host '%s', which does not exist; has it vanished? Remove the pin or add the host"
								.formatted(service.name(), pin),
							List.of(service.name(), pin));
				}
			}
			for (String zone : service.zones()) {
				if (!zones.contains(zone)) {
					throw new InvalidModelException(
							"Service '%s' is to run in zone '%s', which no host is in; the zones are %s"
								.formatted(service.name(), zone, new TreeSet<>(zones)),
							List.of(service.name()));
				}
			}
		}
		return names;
	}

	private static void known(Set<String> names, String name, Supplier<String> where) {
		if (!names.contains(name)) {
			throw new InvalidModelException(
					"%s names the service '%s', which is not among the services; add it or leave this out"
						.formatted(where.get(), name),
					List.of(name));
		}
	}

	/** Finds the hosts on which one replica of each service fits. */
	private void options() {
		String[] resources = this.services.stream()
			.flatMap((service) -> service.demand().amounts().keySet().stream())
			.distinct()
			.toArray(String[]::new);
		// Looked up once: there are as many questions as services times hosts.
		long[][] available = this.hosts.stream()
			.map((host) -> Arrays.stream(resources).mapToLong(host::available).toArray())
			.toArray(long[][]::new);
		for (int index = 0; index < this.services.size(); index++) {
			Service service = this.services.get(index);
			long[] demand = Arrays.stream(resources).mapToLong(service.demand()::get).toArray();
			for (int host = 0; host < available.length; host++) {
				if (fits(demand, available[host]) && this.hosts.get(host).maxReplicas() > 0
						&& service.mayRunOn(this.hosts.get(host))) {
					this.options[index].set(host);
				}
			}
			if (this.options[index].isEmpty()) {
				throw noOption(service);
			}
			long places = 0;
			for (int at = this.options[index].nextSetBit(0); at >= 0
					&& places < service.replicas(); at = this.options[index].nextSetBit(at + 1)) {
				places += Math.min(service.effectiveMaxPerHost(), fitting(service, this.hosts.get(at)));
			}
			if (places < service.replicas()) {
				throw new InvalidModelException(
						"Service '%s' has %s, but its %s at most %d of them. Lower the number or its demand, raise maxPerHost or the capacities, or free its ports"
							.formatted(service.name(), replicas(service.replicas()),
									possible(this.options[index].cardinality()), places),
						List.of(service.name()));
			}
		}
	}

	private static boolean fits(long[] demand, long[] available) {
		for (int resource = 0; resource < demand.length; resource++) {
			if (demand[resource] > available[resource]) {
				return false;
			}
		}
		return true;
	}

	private InvalidModelException noOption(Service service) {
		String tooSmall = "";
		for (Host host : this.hosts) {
			tooSmall = service.mayRunOn(host) ? lacking(service, host) : tooSmall;
		}
		return new InvalidModelException(tooSmall.isEmpty()
				? "Service '%s' may run on no host: its zones %s and its pins %s exclude each other"
					.formatted(service.name(), service.zones(), service.pinnedTo())
				: "Service '%s' is larger than any host that it may run on: %s. Lower its demand, or allow a larger host"
					.formatted(service.name(), largest(service, tooSmall)),
				List.of(service.name()));
	}

	private static String lacking(Service service, Host host) {
		if (host.maxReplicas() < 1) {
			return "host '%s' takes no replicas".formatted(host.name());
		}
		for (Map.Entry<String, Long> demand : service.demand().amounts().entrySet()) {
			if (demand.getValue() > host.available(demand.getKey())) {
				return demand.getKey();
			}
		}
		return "";
	}

	private String largest(Service service, String resource) {
		long most = this.hosts.stream()
			.filter(service::mayRunOn)
			.mapToLong((host) -> host.available(resource))
			.max()
			.orElse(0);
		boolean reserved = this.hosts.stream()
			.anyMatch((host) -> service.mayRunOn(host) && host.available(resource) < host.capacity().get(resource));
		return service.demand().amounts().containsKey(resource) ? "it needs %d of %s, and the largest has %d%s"
			.formatted(service.demand().get(resource), resource, most, reserved ? " after reserve and head-room" : "")
				: resource;
	}

	private static long fitting(Service service, Host host) {
		long fitting = host.maxReplicas();
		for (Map.Entry<String, Long> demand : service.demand().amounts().entrySet()) {
			if (demand.getValue() > 0) {
				fitting = Math.min(fitting, host.available(demand.getKey()) / demand.getValue());
			}
		}
		return fitting;
	}

	/** Services that may run on nothing but some hosts need no more than these have. */
	private void room() {
		Map<BitSet, List<Service>> byOptions = new LinkedHashMap<>();
		for (int service = 0; service < this.services.size(); service++) {
			byOptions.computeIfAbsent(this.options[service], (key) -> new ArrayList<>())
				.add(this.services.get(service));
		}
		BitSet all = new BitSet();
		all.set(0, this.hosts.size());
		Set<BitSet> sets = new HashSet<>(Set.of(all));
		byOptions.keySet().stream().limit(MAX_HOST_SETS - 1).forEach(sets::add);
		List<BitSet> bySize = new ArrayList<>(sets);
		bySize.sort(Comparator.comparingInt(BitSet::cardinality).thenComparing(BitSet::toString));
		Set<String> resources = new TreeSet<>();
		this.services.forEach((service) -> resources.addAll(service.demand().amounts().keySet()));
		for (BitSet set : bySize) {
			List<Service> confined = new ArrayList<>();
			byOptions.forEach((options, services) -> {
				BitSet outside = (BitSet) options.clone();
				outside.andNot(set);
				confined.addAll(outside.isEmpty() ? services : List.of());
			});
			for (String resource : resources) {
				room(set, confined, resource);
			}
		}
	}

	private void room(BitSet set, List<Service> confined, String resource) {
		long available = set.stream().mapToLong((host) -> this.hosts.get(host).available(resource)).sum();
		long needed = confined.stream().mapToLong((service) -> need(service, resource)).sum();
		if (needed <= available) {
			return;
		}
		List<Service> largest = new ArrayList<>(confined);
		largest.sort(Comparator.comparingLong((Service service) -> -need(service, resource)));
		List<String> culprits = new ArrayList<>();
		long sum = 0;
		for (Service service : largest) {
			if (sum > available) {
				break;
			}
			sum += need(service, resource);
			culprits.add(service.name());
		}
		List<String> names = set.stream().mapToObj((host) -> this.hosts.get(host).name()).toList();
		String where = (names.size() == this.hosts.size()) ? "All hosts together" : "Hosts " + shortened(names);
		throw new InvalidModelException(
				"%s have %d of %s left for services, but the services %s, which can run nowhere else, need %d. Add a host or lower demands"
					.formatted(where, available, resource, shortened(culprits), sum),
				culprits);
	}

	private static long need(Service service, String resource) {
		return service.demand().get(resource) * service.replicas();
	}

	private static String shortened(List<String> names) {
		return (names.size() <= 10) ? names.toString()
				: "%s and %d more".formatted(names.subList(0, 10), names.size() - 10);
	}

	private void separations(List<Separation> separations) {
		Map<String, Integer> index = new HashMap<>();
		for (int service = 0; service < this.services.size(); service++) {
			index.put(this.services.get(service).name(), service);
		}
		for (Separation separation : separations) {
			if (separation.maximum() > 1) {
				atMost(separation, index);
				continue;
			}
			List<Seat> seats = new ArrayList<>();
			for (String name : separation.services()) {
				int service = index.getOrDefault(name, 0);
				int seatsOfOne = (separation.services().size() == 1) ? this.services.get(service).replicas() : 1;
				for (int i = 0; i < seatsOfOne; i++) {
					seats.add(new Seat(name, places(this.options[service], separation.scope())));
				}
			}
			seat(seats, (separation.scope() == Separation.Scope.HOST) ? "hosts" : "zones", "must be kept apart");
		}
		Map<Integer, List<Seat>> ports = new TreeMap<>();
		for (int service = 0; service < this.services.size(); service++) {
			for (int port : this.services.get(service).ports()) {
				for (int i = 0; i < this.services.get(service).replicas(); i++) {
					ports.computeIfAbsent(port, (key) -> new ArrayList<>())
						.add(new Seat(this.services.get(service).name(), this.options[service]));
				}
			}
		}
		ports.forEach((port, seats) -> seat(seats, "hosts", "occupy port %d of their host".formatted(port)));
	}

	/**
	 * Refuses more replicas than the hosts may take on which any of the services may run.
	 */
	private void atMost(Separation separation, Map<String, Integer> index) {
		BitSet places = new BitSet();
		long replicas = 0;
		for (String name : separation.services()) {
			int service = index.getOrDefault(name, 0);
			places.or(this.options[service]);
			replicas += this.services.get(service).replicas();
		}
		long most = (long) separation.maximum() * places.cardinality();
		if (replicas > most) {
			throw new InvalidModelException("%s %s, but their %s at most %d of them%s. Raise the maximum or add a host"
				.formatted(
						((separation.services().size() == 1) ? "Service %s has" : "Services %s have").formatted(
								shortened(separation.services())),
						replicas(replicas), possible(places.cardinality()), separation.maximum(),
						(places.cardinality() == 1) ? "" : " each"),
					separation.services());
		}
	}

	private static String replicas(long count) {
		return (count == 1) ? "1 replica" : count + " replicas";
	}

	private static String possible(int hosts) {
		return (hosts == 1) ? "only possible host takes" : hosts + " possible hosts take";
	}

	private BitSet places(BitSet options, Separation.Scope scope) {
		if (scope == Separation.Scope.HOST) {
			return options;
		}
		List<String> zones = this.hosts.stream().map(Host::zone).distinct().toList();
		BitSet places = new BitSet();
		options.stream().forEach((host) -> places.set(zones.indexOf(this.hosts.get(host).zone())));
		return places;
	}

	private record Seat(String service, BitSet places) {
	}

	/**
	 * Each seat needs a place of its own: a matching, or a set that has too few places.
	 */
	private static void seat(List<Seat> seats, String kind, String why) {
		List<Seat> short_ = shortOfPlaces(seats);
		if (short_.isEmpty()) {
			return;
		}
		// An item that can be left out without resolving the contradiction is not part of
		// the smallest set.
		for (Seat seat : List.copyOf(short_)) {
			if (short_.size() > 200) {
				break;
			}
			List<Seat> fewer = new ArrayList<>(short_);
			fewer.remove(seat);
			List<Seat> still = shortOfPlaces(fewer);
			if (!still.isEmpty()) {
				short_ = still;
			}
		}
		BitSet places = new BitSet();
		short_.forEach((seat) -> places.or(seat.places()));
		Map<String, Integer> counts = new LinkedHashMap<>();
		short_.forEach((seat) -> counts.merge(seat.service(), 1, Integer::sum));
		throw new InvalidModelException(
				"Services %s %s: that takes %d %s, but there are only %d that they may run in. Relax a rule or add a host"
					.formatted(shortened(List.copyOf(counts.keySet())), why, short_.size(), kind, places.cardinality()),
				List.copyOf(counts.keySet()));
	}

	private static List<Seat> shortOfPlaces(List<Seat> seats) {
		BitSet all = new BitSet();
		seats.forEach((seat) -> all.or(seat.places()));
		if (all.cardinality() < seats.size()) {
			return seats.subList(0, Math.min(seats.size(), Math.max(all.cardinality() + 1, 1)))
				.stream()
				.allMatch((seat) -> seat.places().equals(all)) ? seats.subList(0, all.cardinality() + 1) : seats;
		}
		if (seats.size() > MAX_MATCHING) {
			return List.of();
		}
		Map<Integer, Integer> taken = new HashMap<>();
		for (int i = 0; i < seats.size(); i++) {
			Set<Integer> visited = new HashSet<>();
			if (!augment(seats, i, taken, visited)) {
				Set<Integer> reached = new HashSet<>(Collections.singleton(i));
				visited.forEach((place) -> reached.add(taken.getOrDefault(place, -1)));
				return reached.stream().filter((seat) -> seat >= 0).sorted().map(seats::get).toList();
			}
		}
		return List.of();
	}

	private static boolean augment(List<Seat> seats, int seat, Map<Integer, Integer> taken, Set<Integer> visited) {
		BitSet places = seats.get(seat).places();
		for (int place = places.nextSetBit(0); place >= 0; place = places.nextSetBit(place + 1)) {
			if (!visited.add(place)) {
				continue;
			}
			Integer other = taken.get(place);
			if (other == null || augment(seats, other, taken, visited)) {
				taken.put(place, seat);
				return true;
			}
		}
		return false;
	}

}
