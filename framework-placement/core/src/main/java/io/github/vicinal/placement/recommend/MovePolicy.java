package io.github.vicinal.placement.recommend;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Rule for when moving pays: the gain expected over the horizon, reduced by its standard
 * error, must exceed loss * (1 + hysteresis).
 *
 * @param horizon for how long the traffic is expected to stay as it was observed
 * @param lossPerMoveMicros what moving one replica costs in time that its callers lose,
 * in us: start-up, cold caches, failed calls
 * @param hysteresis by which part the gain must exceed the loss
 * @since 0.1.0
 */
public record MovePolicy(Duration horizon, double lossPerMoveMicros, double hysteresis) {

	public MovePolicy {
		if (horizon.isNegative() || horizon.isZero() || !(lossPerMoveMicros >= 0 && hysteresis >= 0)
				|| Double.isInfinite(lossPerMoveMicros) || Double.isInfinite(hysteresis)) {
			throw new IllegalArgumentException(
					"A horizon is positive, loss and hysteresis are finite and at least 0: %s, %s us, %s"
						.formatted(horizon, lossPerMoveMicros, hysteresis));
		}
	}

	/**
	 * Returns the policy that recommendations start with.
	 * @return a horizon of one day, 30 s of lost time per move, a quarter of hysteresis
	 */
	public static MovePolicy defaults() {
		return new MovePolicy(Duration.ofDays(1), 30_000_000, 0.25);
	}

	/**
	 * Decides.
	 * @param gain what the plan saves
	 * @param moves how many replicas it moves
	 * @return whether the gain exceeds what the moves cost
	 */
	public boolean pays(Gain gain, int moves) {
		return gainOverHorizon(gain) > loss(moves) * (1 + this.hysteresis);
	}

	/**
	 * Returns the number of first moves that are worth making: those up to the point
	 * where what they save exceeds what they cost by most. A point in the middle of moves
	 * that wait for each other does not count.
	 * @param gain what all moves save
	 * @param moves all moves, in order
	 * @param needed number of first moves that are made whatever they save
	 * @return at least the number of those that are needed
	 */
	int worthwhile(Gain gain, List<Move> moves, int needed) {
		double all = gain.latencyMicrosPerSecond();
		double certain = (all > 0) ? Math.max(0, 1 - gain.latencyErrorMicrosPerSecond() / all) : 0;
		Set<String> aside = new HashSet<>();
		double saved = 0;
		double most = (needed > 0) ? Double.NEGATIVE_INFINITY : 0;
		int best = 0;
		for (int i = 0; i < moves.size(); i++) {
			Move move = moves.get(i);
			saved += move.latencyMicrosPerSecond();
			aside.remove(move.service() + '\n' + move.from());
			if (move.temporary()) {
				aside.add(move.service() + '\n' + move.to());
			}
			double net = certain * saved * this.horizon.toMillis() / 1000 - loss(i + 1) * (1 + this.hysteresis);
			if (i + 1 >= needed && move.fits() && aside.isEmpty() && net > most) {
				most = net;
				best = i + 1;
			}
		}
		return (best > 0 || needed == 0) ? best : moves.size();
	}

	double gainOverHorizon(Gain gain) {
		return (gain.latencyMicrosPerSecond() - gain.latencyErrorMicrosPerSecond()) * this.horizon.toMillis() / 1000;
	}

	double loss(int moves) {
		return moves * this.lossPerMoveMicros;
	}

}
