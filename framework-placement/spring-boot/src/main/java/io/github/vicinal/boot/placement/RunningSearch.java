package io.github.vicinal.boot.placement;

import java.time.Duration;

import io.github.vicinal.placement.solver.Cancellation;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.Value;
import org.jspecify.annotations.Nullable;

/**
 * Shows where the search stands that is running, and ends it with its best plan so far.
 * Thread-safe.
 */
final class RunningSearch implements Progress {

	private volatile State state = new State(true, 0, 0, null, null);

	private final Cancellation cancellation = new Cancellation();

	/**
	 * State of a search.
	 *
	 * @param running whether one is running
	 * @param elapsedMillis time since its start, in ms
	 * @param iterations iterations so far
	 * @param objective best objective so far, {@code null} before the first report
	 * @param fits whether that plan breaks no rule, {@code null} before the first report
	 */
	public record State(boolean running, long elapsedMillis, long iterations, @Nullable Double objective,
			@Nullable Boolean fits) {

		/** No search is running. */
		static final State IDLE = new State(false, 0, 0, null, null);

	}

	@Override
	public boolean report(Duration elapsed, long iterations, Value best) {
		this.state = new State(true, elapsed.toMillis(), iterations, best.objective(), best.feasible());
		return !this.cancellation.cancelled();
	}

	/** Returns what ends the search at once, between two reports, too. */
	Cancellation cancellation() {
		return this.cancellation;
	}

	State state() {
		return this.state;
	}

	void cancel() {
		this.cancellation.cancel();
	}

}
