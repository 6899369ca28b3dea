package io.github.vicinal.requestserver;

/**
 * A thread's permit at a {@link RequestServer}, which ends when it is closed. Used by the
 * thread that got it.
 *
 * @since 0.1.0
 */
public final class Permit implements AutoCloseable {

	/** The same thread had a permit already, which lasts longer than this one. */
	static final int NESTED = -1;

	/** Nobody looked at the clock when it began. */
	static final int UNTIMED = 0;

	private final RequestServer server;

	private final String channel;

	private final long arrivedNanos;

	private final long startedNanos;

	private final int weight;

	private boolean closed;

	/**
	 * Creates a permit.
	 * @param weight for how many permits its times count, or one of the constants
	 */
	Permit(RequestServer server, String channel, long arrivedNanos, long startedNanos, int weight) {
		this.server = server;
		this.channel = channel;
		this.arrivedNanos = arrivedNanos;
		this.startedNanos = startedNanos;
		this.weight = weight;
	}

	/** Gives the permit to whoever is next. */
	@Override
	public void close() {
		if (!this.closed) {
			this.closed = true;
			if (this.weight != NESTED) {
				this.server.leave(this.channel, this.arrivedNanos, this.startedNanos, this.weight);
			}
		}
	}

}
