package io.github.vicinal.placement.recommend;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;

/**
 * Waiting that single moves save, with the moves before them made. The sum over all moves
 * is the gain of the plan.
 */
final class MoveGains {

	private final PlacementModel model;

	private final Map<String, List<Edge>> edges = new HashMap<>();

	private final Map<String, Map<String, Integer>> running = new HashMap<>();

	private final Plan before;

	MoveGains(PlacementModel model, Plan before) {
		this.model = model;
		this.before = before;
		for (Edge edge : model.edges()) {
			boolean runs = before.total(edge.from()) > 0 && before.total(edge.to()) > 0;
			if (edge.callsPerSecond() != null && runs) {
				this.edges.computeIfAbsent(edge.from(), (name) -> new ArrayList<>()).add(edge);
				this.edges.computeIfAbsent(edge.to(), (name) -> new ArrayList<>()).add(edge);
			}
		}
	}

	private Map<String, Integer> on(String service) {
		return this.running.getOrDefault(service, this.before.on(service));
	}

	/**
	 * Returns what a move saves next.
	 * @param move the move
	 * @return waiting saved, in us per second
	 */
	double of(Move move) {
		List<Edge> all = this.edges.getOrDefault(move.service(), List.of());
		if (all.isEmpty()) {
			return 0;
		}
		Map<String, Integer> moved = after(move);
		double gain = 0;
		for (Edge edge : all) {
			Double rate = edge.callsPerSecond();
			Double known = edge.bytesPerCall();
			double bytes = (known != null) ? known : 0;
			double cost = this.model.pathCosts().otherHost().latency(bytes)
					- this.model.pathCosts().sameHost().latency(bytes);
			boolean calls = edge.from().equals(move.service());
			Map<String, Integer> other = on(calls ? edge.to() : edge.from());
			double then = calls ? share(moved, other) : share(other, moved);
			double now = calls ? share(on(move.service()), other) : share(other, on(move.service()));
			gain += ((rate != null) ? rate : 0) * cost * (then - now);
		}
		return gain;
	}

	/**
	 * Makes a move.
	 * @param move the move
	 */
	void make(Move move) {
		this.running.put(move.service(), after(move));
	}

	private Map<String, Integer> after(Move move) {
		Map<String, Integer> on = new TreeMap<>(on(move.service()));
		if (!move.to().isEmpty()) {
			on.merge(move.to(), 1, Integer::sum);
		}
		if (!move.from().isEmpty()) {
			on.computeIfPresent(move.from(), (host, count) -> (count > 1) ? count - 1 : null);
		}
		return on;
	}

	private double share(Map<String, Integer> from, Map<String, Integer> to) {
		return new Plan(Map.of("from", from, "to", to)).localShare("from", "to", this.model.objective().routing());
	}

}
