package io.github.vicinal.placement.solver;

/**
 * A switch that ends a search from another thread. The search returns its best placement
 * so far. Thread-safe; once cancelled, it stays so.
 *
 * @since 0.1.0
 */
public final class Cancellation {

	private volatile boolean cancelled;

	/** Ends all searches whose budget has this switch, within milliseconds. */
	public void cancel() {
		this.cancelled = true;
	}

	/**
	 * Returns whether {@link #cancel} was called.
	 * @return whether searches end
	 */
	public boolean cancelled() {
		return this.cancelled;
	}

}
