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

	private final Map<String, String> zones;

	MoveGains(PlacementModel model, Plan before) {
		this.model = model;
		this.before = before;
		this.zones = model.zones();
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
			boolean calls = edge.from().equals(move.service());
			Map<String, Integer> other = on(calls ? edge.to() : edge.from());
			Map<String, Integer> here = on(move.service());
			Plan then = calls ? plan(moved, other) : plan(other, moved);
			Plan now = calls ? plan(here, other) : plan(other, here);
			gain += ((rate != null) ? rate : 0) * (waiting(now, bytes) - waiting(then, bytes));
		}
		return gain;
	}

	/** Time that a call waits for paths. */
	private double waiting(Plan plan, double bytes) {
		return RouteGain.waiting(this.model, plan, "from", "to", bytes, this.zones);
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

	private static Plan plan(Map<String, Integer> from, Map<String, Integer> to) {
		return new Plan(Map.of("from", from, "to", to));
	}

}
