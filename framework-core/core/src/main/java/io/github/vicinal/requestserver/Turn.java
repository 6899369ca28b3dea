package io.github.vicinal.requestserver;

/**
 * A thread's turn at a {@link RequestServer}, which ends when it is closed. Used by the
 * thread that got it.
 *
 * @since 0.1
 */
public final class Turn implements AutoCloseable {

	private final RequestServer server;

	private final String channel;

	private final long arrivedNanos;

	private final long startedNanos;

	private final long cpuNanos;

	/** The same thread had a turn already, which lasts longer than this one. */
	private final boolean nested;

	private boolean closed;

	Turn(RequestServer server, String channel, long arrivedNanos, long startedNanos, long cpuNanos, boolean nested) {
		this.server = server;
		this.channel = channel;
		this.arrivedNanos = arrivedNanos;
		this.startedNanos = startedNanos;
		this.cpuNanos = cpuNanos;
		this.nested = nested;
	}

	/** Gives the turn to whoever is next. */
	@Override
	public void close() {
		if (!this.closed) {
			this.closed = true;
			if (!this.nested) {
				this.server.leave(this.channel, this.arrivedNanos, this.startedNanos, this.cpuNanos);
			}
		}
	}

}
