package io.github.vicinal.placement.recommend;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Routing;

/**
 * Waiting that single moves save, with the moves before them made. The sum over all moves
 * is the gain of the plan.
 */
final class MoveGains {

	private final Map<String, List<Talk>> talks = new HashMap<>();

	private final Map<String, Replicas> replicas = new HashMap<>();

	private final Map<String, String> zones;

	private final boolean uniform;

	/** Gains that hold until a service moves that the moved one talks to. */
	private final Map<Move, Double> known = new HashMap<>();

	private final Map<String, List<Move>> knownOf = new HashMap<>();

	/**
	 * An edge as one of its ends sees it.
	 *
	 * @param name name of the other end
	 * @param other replicas of the other end
	 * @param local waiting that is saved if all calls stay on a host, in us per second
	 * @param near waiting that is saved on top if all calls stay in a zone
	 */
	private record Talk(String name, Replicas other, double local, double near) {
	}

	/** Where the replicas of a service run. */
	private static final class Replicas {

		final Map<String, Integer> onHost = new HashMap<>();

		final Map<String, Integer> inZone = new HashMap<>();

		int total;

		private void add(String host, String zone, int count) {
			this.onHost.merge(host, count, Integer::sum);
			this.inZone.merge(zone, count, Integer::sum);
			this.total += count;
		}

	}

	MoveGains(PlacementModel model, Plan before) {
		this.zones = model.zones();
		this.uniform = model.objective().routing() == Routing.UNIFORM;
		before.replicas().forEach((service, on) -> {
			Replicas replicas = replicas(service);
			on.forEach((host, count) -> replicas.add(host, zone(host), count));
		});
		PathCosts costs = model.pathCosts();
		for (Edge edge : model.edges()) {
			Double rate = edge.callsPerSecond();
			Replicas from = replicas(edge.from());
			Replicas to = replicas(edge.to());
			if (rate == null || from.total == 0 || to.total == 0) {
				continue;
			}
			Double known = edge.bytesPerCall();
			double bytes = (known != null) ? known : 0;
			double far = costs.otherHost().latency(bytes);
			double local = rate * (far - costs.sameHost().latency(bytes));
			double near = (costs.otherZone() == null) ? 0 : rate * (costs.farthest().latency(bytes) - far);
			this.talks.computeIfAbsent(edge.from(), (name) -> new ArrayList<>())
				.add(new Talk(edge.to(), to, local, near));
			this.talks.computeIfAbsent(edge.to(), (name) -> new ArrayList<>())
				.add(new Talk(edge.from(), from, local, near));
		}
	}

	private Replicas replicas(String service) {
		return this.replicas.computeIfAbsent(service, (name) -> new Replicas());
	}

	/**
	 * Hosts whose zone has no name are in one zone, and one that is gone is alone. None
	 * of these names is empty: that stands for a replica that does not run.
	 */
	private String zone(String host) {
		String zone = this.zones.get(host);
		return (zone != null) ? "zone " + zone : "host " + host;
	}

	/**
	 * Returns what a move saves next.
	 * @param move the move
	 * @return waiting saved, in us per second
	 */
	double of(Move move) {
		Double known = this.known.get(move);
		if (known != null) {
			return known;
		}
		Replicas own = replicas(move.service());
		String from = move.from().isEmpty() ? "" : zone(move.from());
		String to = move.to().isEmpty() ? "" : zone(move.to());
		double gain = 0;
		for (Talk talk : this.talks.getOrDefault(move.service(), List.of())) {
			Replicas other = talk.other();
			gain += talk.local() * more(own.onHost, own.total, other.onHost, other.total, move.from(), move.to());
			if (talk.near() != 0) {
				gain += talk.near() * more(own.inZone, own.total, other.inZone, other.total, from, to);
			}
		}
		this.known.put(move, gain);
		this.knownOf.computeIfAbsent(move.service(), (name) -> new ArrayList<>()).add(move);
		return gain;
	}

	/**
	 * By which part more calls stay at a place if a replica goes from one to another.
	 */
	private double more(Map<String, Integer> own, int owned, Map<String, Integer> other, int others, String from,
			String to) {
		if (from.equals(to)) {
			return 0;
		}
		if (from.isEmpty() || to.isEmpty()) {
			Map<String, Integer> then = new HashMap<>(own);
			then.merge(from.isEmpty() ? to : from, from.isEmpty() ? 1 : -1, Integer::sum);
			return share(then, owned + (from.isEmpty() ? 1 : -1), other, others) - share(own, owned, other, others);
		}
		int there = other.getOrDefault(to, 0);
		int here = other.getOrDefault(from, 0);
		if (there == 0 && here == 0) {
			return 0;
		}
		int ownThere = own.getOrDefault(to, 0);
		int ownHere = own.getOrDefault(from, 0);
		return share(ownThere + 1, owned, there, others) - share(ownThere, owned, there, others)
				+ share(ownHere - 1, owned, here, others) - share(ownHere, owned, here, others);
	}

	private double share(Map<String, Integer> own, int owned, Map<String, Integer> other, int others) {
		double share = 0;
		for (Map.Entry<String, Integer> place : own.entrySet()) {
			share += share(place.getValue(), owned, other.getOrDefault(place.getKey(), 0), others);
		}
		return share;
	}

	/** The part of the calls between two services that stays at one place. */
	private double share(int own, int owned, int other, int others) {
		double one = (double) own / Math.max(1, owned);
		double two = (double) other / Math.max(1, others);
		return this.uniform ? one * two : Math.min(one, two);
	}

	/**
	 * Makes a move.
	 * @param move the move
	 */
	void make(Move move) {
		Replicas own = replicas(move.service());
		if (!move.to().isEmpty()) {
			own.add(move.to(), zone(move.to()), 1);
		}
		if (!move.from().isEmpty()) {
			own.add(move.from(), zone(move.from()), -1);
		}
		forget(move.service());
		this.talks.getOrDefault(move.service(), List.of()).forEach((talk) -> forget(talk.name()));
	}

	private void forget(String service) {
		List<Move> known = this.knownOf.remove(service);
		if (known != null) {
			known.forEach(this.known::remove);
		}
	}

}
