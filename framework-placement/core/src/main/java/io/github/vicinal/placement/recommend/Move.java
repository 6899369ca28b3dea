package io.github.vicinal.placement.recommend;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.github.vicinal.placement.model.Plan;

/**
 * One step on the way to a plan: start a replica, and then stop another one.
 *
 * @param service name of the service
 * @param from the host that the replica leaves, empty if it did not run
 * @param to the host that it goes to, empty if it only stops
 * @param temporary whether it goes there to make room, and moves on later
 * @param fits whether everything fits after this step; if not, the step has to be made in
 * one go with those that follow until one fits
 * @param latencyMicrosPerSecond waiting that the step saves after those before it, in us
 * per second of all traffic; negative for one that only makes room
 * @since 0.1.0
 */
public record Move(String service, String from, String to, boolean temporary, boolean fits,
		double latencyMicrosPerSecond) {

	Move(String service, String from, String to, boolean temporary, boolean fits) {
		this(service, from, to, temporary, fits, 0);
	}

	/**
	 * Makes moves.
	 * @param before where replicas run
	 * @param moves the moves, in order
	 * @return where they run then
	 */
	static Plan made(Plan before, List<Move> moves) {
		Map<String, Map<String, Integer>> replicas = new TreeMap<>();
		before.replicas().forEach((service, on) -> replicas.put(service, new TreeMap<>(on)));
		for (Move move : moves) {
			Map<String, Integer> on = replicas.computeIfAbsent(move.service, (name) -> new TreeMap<>());
			if (!move.to.isEmpty()) {
				on.merge(move.to, 1, Integer::sum);
			}
			if (!move.from.isEmpty()) {
				on.computeIfPresent(move.from, (host, running) -> (running > 1) ? running - 1 : null);
			}
		}
		return new Plan(replicas);
	}

	Move saving(double latencyMicrosPerSecond) {
		return new Move(this.service, this.from, this.to, this.temporary, this.fits, latencyMicrosPerSecond);
	}

}
