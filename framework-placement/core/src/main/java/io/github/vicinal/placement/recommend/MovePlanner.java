package io.github.vicinal.placement.recommend;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Separation;
import io.github.vicinal.placement.model.Service;
import org.jspecify.annotations.Nullable;

/**
 * Orders the moves from one plan to another so that everything fits after each step, and
 * so that of the moves that fit the one that saves most comes first. Where moves wait for
 * each other in a circle, one of them goes to a third host first.
 */
final class MovePlanner {

	/** Maximum number of moves of which the best next one is looked for. */
	private static final int MAX_ORDERED = 200;

	private final PlacementModel model;

	private final MoveGains gains;

	private final Plan before;

	private final Plan after;

	/** Names of services that cannot keep the hosts and zones that they use. */
	private final Set<String> lowered;

	private final Map<String, Service> services = new HashMap<>();

	private final Map<String, Host> hosts = new TreeMap<>();

	private final Map<String, List<Separation>> separations = new HashMap<>();

	private final Map<String, Map<String, Long>> free = new HashMap<>();

	private final Map<String, Map<String, Integer>> running = new HashMap<>();

	/** Hosts that a service runs on at the moment, by its name. */
	private final Map<String, Set<String>> places = new HashMap<>();

	/** Hosts that a service may run on, by its name. */
	private final Map<String, Set<String>> possible = new HashMap<>();

	/** Moves of replicas that went out of the way; none goes aside twice. */
	private final Set<Move> aside = new HashSet<>();

	private MovePlanner(PlacementModel model, Plan before, Plan after, Set<String> lowered) {
		this.model = model;
		this.before = before;
		this.after = after;
		this.lowered = lowered;
		this.gains = new MoveGains(model, before);
		model.services().forEach((service) -> this.services.put(service.name(), service));
		Set<String> resources = new HashSet<>(model.resources());
		for (Host host : model.hosts()) {
			this.hosts.put(host.name(), host);
			this.running.put(host.name(), new TreeMap<>());
			Map<String, Long> amounts = new HashMap<>();
			resources.forEach((resource) -> amounts.put(resource, host.available(resource)));
			this.free.put(host.name(), amounts);
		}
		for (Separation separation : model.separations()) {
			separation.services()
				.forEach((name) -> this.separations.computeIfAbsent(name, (key) -> new ArrayList<>()).add(separation));
		}
		before.replicas().forEach((name, byHost) -> byHost.forEach((host, count) -> {
			if (this.services.containsKey(name) && this.hosts.containsKey(host)) {
				change(name, host, count);
			}
		}));
	}

	static List<Move> plan(PlacementModel model, Plan before, Plan after) {
		return plan(model, before, after, Set.of());
	}

	static List<Move> plan(PlacementModel model, Plan before, Plan after, Set<String> lowered) {
		return new MovePlanner(model, before, after, lowered).plan(differences(model, before, after));
	}

	private static Deque<Move> differences(PlacementModel model, Plan before, Plan after) {
		Deque<Move> moves = new ArrayDeque<>();
		Map<String, Integer> known = model.hostIndex();
		Map<String, String> zones = model.zones();
		for (Service service : model.services()) {
			List<String> leaving = new ArrayList<>();
			List<String> arriving = new ArrayList<>();
			// What runs on a host that is gone leaves it as any other.
			Set<String> places = new LinkedHashSet<>(before.on(service.name()).keySet());
			places.addAll(after.on(service.name()).keySet());
			List<String> ordered = new ArrayList<>(places);
			ordered.sort(Comparator.comparingInt((String host) -> known.getOrDefault(host, Integer.MAX_VALUE)));
			for (String host : ordered) {
				int more = after.count(service.name(), host) - before.count(service.name(), host);
				for (int i = 0; i < Math.abs(more); i++) {
					((more > 0) ? arriving : leaving).add(host);
				}
			}
			alongZones(zones, leaving, arriving);
			for (int i = 0; i < Math.max(arriving.size(), leaving.size()); i++) {
				moves.add(new Move(service.name(), (i < leaving.size()) ? leaving.get(i) : "",
						(i < arriving.size()) ? arriving.get(i) : "", false, true));
			}
		}
		return moves;
	}

	/**
	 * Brings hosts of one zone to the same positions of both lists. Crosswise, each move
	 * would leave a zone empty that the other one fills later.
	 */
	private static void alongZones(Map<String, String> zones, List<String> leaving, List<String> arriving) {
		int next = 0;
		for (int i = 0; i < leaving.size(); i++) {
			String zone = zones.getOrDefault(leaving.get(i), "");
			for (int j = next; j < arriving.size(); j++) {
				if (zone.equals(zones.getOrDefault(arriving.get(j), ""))) {
					Collections.swap(leaving, i, next);
					Collections.swap(arriving, j, next);
					next++;
					break;
				}
			}
		}
	}

	private List<Move> plan(Deque<Move> moves) {
		// What must leave its host comes first, also among too many moves to order.
		Deque<Move> pending = new ArrayDeque<>();
		moves.stream().filter(this::mustLeave).forEach(pending::add);
		moves.stream().filter((move) -> !mustLeave(move)).forEach(pending::add);
		List<Move> ordered = new ArrayList<>();
		int detours = pending.size();
		while (!pending.isEmpty()) {
			boolean progress = pending.size() <= MAX_ORDERED && makeBest(pending, ordered);
			for (Iterator<Move> each = pending.iterator(); pending.size() > MAX_ORDERED && each.hasNext();) {
				Move move = each.next();
				if (fits(move)) {
					make(move, ordered);
					each.remove();
					progress = true;
				}
			}
			if (progress || pending.isEmpty()) {
				continue;
			}
			if (detours-- <= 0 || !detour(pending, ordered)) {
				Move stuck = pending.remove();
				make(new Move(stuck.service(), stuck.from(), stuck.to(), stuck.temporary(), false), ordered);
			}
		}
		return ordered;
	}

	/**
	 * Makes the move that saves most among those that fit, first of all one that leaves a
	 * host on which its service may not run.
	 */
	private boolean makeBest(Deque<Move> pending, List<Move> ordered) {
		Move best = null;
		double most = Double.NEGATIVE_INFINITY;
		for (Move move : pending) {
			double gain = mustLeave(move) ? Double.MAX_VALUE : this.gains.of(move);
			if (gain > most && fits(move)) {
				best = move;
				most = gain;
			}
		}
		if (best == null) {
			return false;
		}
		pending.remove(best);
		make(best, ordered);
		return true;
	}

	/** Whether a move leaves a host that is gone, drained or not allowed. */
	private boolean mustLeave(Move move) {
		return !move.from().isEmpty() && !possible(service(move.service()), this.hosts.get(move.from()));
	}

	/** Takes one of the moves that wait for each other out of the way. */
	private boolean detour(Deque<Move> pending, List<Move> ordered) {
		for (Move move : pending) {
			if (move.from().isEmpty() || this.aside.contains(move)) {
				continue;
			}
			for (String third : this.hosts.keySet()) {
				Move aside = new Move(move.service(), move.from(), third, true, true);
				if (!third.equals(move.from()) && !third.equals(move.to()) && fits(aside)) {
					make(aside, ordered);
					pending.remove(move);
					Move rest = new Move(move.service(), third, move.to(), false, true);
					this.aside.add(rest);
					pending.addLast(rest);
					return true;
				}
			}
		}
		return false;
	}

	private void make(Move move, List<Move> ordered) {
		if (!move.to().isEmpty()) {
			change(move.service(), move.to(), 1);
		}
		if (!move.from().isEmpty()) {
			change(move.service(), move.from(), -1);
		}
		ordered.add(move.saving(this.gains.of(move)));
		this.gains.make(move);
	}

	private void change(String service, String host, int by) {
		this.running.getOrDefault(host, new TreeMap<>()).merge(service, by, Integer::sum);
		Set<String> places = this.places.computeIfAbsent(service, (key) -> new HashSet<>());
		if (count(service, host) > 0) {
			places.add(host);
		}
		else {
			places.remove(host);
		}
		Map<String, Long> amounts = this.free.getOrDefault(host, new HashMap<>());
		service(service).demand()
			.amounts()
			.forEach((resource, amount) -> amounts.merge(resource, -by * amount, Long::sum));
	}

	private Service service(String name) {
		Service service = this.services.get(name);
		if (service == null) {
			throw new IllegalArgumentException(name);
		}
		return service;
	}

	private int count(String service, String host) {
		return this.running.getOrDefault(host, Map.of()).getOrDefault(service, 0);
	}

	/** The replica is started before the other one stops: both have to fit. */
	private boolean fits(Move move) {
		if (move.to().isEmpty()) {
			return true;
		}
		Service service = service(move.service());
		Host host = this.hosts.get(move.to());
		if (host == null || !service.mayRunOn(host)
				|| count(move.service(), move.to()) >= service.effectiveMaxPerHost()) {
			return false;
		}
		Map<String, Integer> there = this.running.getOrDefault(move.to(), Map.of());
		Map<String, Long> amounts = this.free.getOrDefault(move.to(), Map.of());
		boolean room = service.demand()
			.amounts()
			.entrySet()
			.stream()
			.allMatch((demand) -> demand.getValue() <= amounts.getOrDefault(demand.getKey(), 0L));
		boolean ports = service.ports().isEmpty() || there.entrySet()
			.stream()
			.noneMatch((other) -> other.getValue() > 0
					&& service(other.getKey()).ports().stream().anyMatch(service.ports()::contains));
		int replicas = there.values().stream().mapToInt(Integer::intValue).sum();
		return room && ports && replicas < host.maxReplicas() && separate(service, host, move.from())
				&& keepsSpread(move, service);
	}

	/**
	 * No move leaves a service on fewer hosts or zones than it used at the start, as far
	 * as it may still use as many, and can keep them.
	 */
	private boolean keepsSpread(Move move, Service service) {
		if (service.replicas() < 2 || this.model.mayConcentrate().contains(service.name())) {
			return true;
		}
		Set<String> then = new HashSet<>(this.places.getOrDefault(service.name(), Set.of()));
		then.add(move.to());
		if (count(service.name(), move.from()) <= 1) {
			then.remove(move.from());
		}
		Set<String> start = this.before.on(service.name()).keySet();
		int hosts = fewest(service, start, Host::name);
		int zones = fewest(service, start, Host::zone);
		if (this.lowered.contains(service.name())) {
			Set<String> end = this.after.on(service.name()).keySet();
			hosts = Math.min(hosts, used(end, Host::name));
			zones = Math.min(zones, used(end, Host::zone));
		}
		return then.size() >= hosts && used(then, Host::zone) >= zones;
	}

	private int fewest(Service service, Set<String> start, Function<Host, String> place) {
		int fewest = Math.min(service.replicas(), used(start, place));
		// All hosts need a look only where one of those in use is no longer possible.
		return start.stream().allMatch((name) -> possible(service, this.hosts.get(name))) ? fewest
				: Math.min(fewest, used(possible(service), place));
	}

	private static boolean possible(Service service, @Nullable Host host) {
		return host != null && service.mayRunOn(host) && CompiledModel.fits(service, host);
	}

	/** Names of the hosts that a replica may run on if they are empty. */
	private Set<String> possible(Service service) {
		return this.possible.computeIfAbsent(service.name(),
				(name) -> this.model.hosts()
					.stream()
					.filter((host) -> possible(service, host))
					.map(Host::name)
					.collect(Collectors.toSet()));
	}

	private int used(Set<String> names, Function<Host, String> place) {
		return (int) names.stream().map(this.hosts::get).filter(Objects::nonNull).map(place).distinct().count();
	}

	/**
	 * A replica that goes to another host of its zone shares that zone with nothing but
	 * itself. On one host both would run side by side.
	 */
	private boolean separate(Service service, Host host, String from) {
		for (Separation separation : this.separations.getOrDefault(service.name(), List.of())) {
			if (separation.maximum() > 1) {
				int there = separation.services().stream().mapToInt((other) -> count(other, host.name())).sum();
				if (there >= separation.maximum()) {
					return false;
				}
				continue;
			}
			boolean alone = separation.services().size() == 1;
			boolean byHost = separation.scope() == Separation.Scope.HOST;
			for (Host near : this.model.hosts()) {
				boolean shares = byHost ? near.equals(host) : near.zone().equals(host.zone());
				int itself = (alone && !byHost && near.name().equals(from)) ? 1 : 0;
				if (shares && separation.services()
					.stream()
					.anyMatch((other) -> (alone || !other.equals(service.name()))
							&& count(other, near.name()) > itself)) {
					return false;
				}
			}
		}
		return true;
	}

}
