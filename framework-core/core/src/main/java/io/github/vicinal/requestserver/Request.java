package io.github.vicinal.requestserver;

/**
 * A piece of work for a {@link RequestServer}: either {@link #run} or {@link #rejected}
 * is called, once. Used for one execution only.
 *
 * @since 0.1.0
 */
public abstract class Request {

	private final String channel;

	private final Priority priority;

	private final long arrivedNanos;

	/**
	 * Creates a request that arrives now.
	 * @param channel what it counts for: requests of one channel share a bulkhead
	 * @param priority how much it matters
	 */
	protected Request(String channel, Priority priority) {
		this(channel, priority, System.nanoTime());
	}

	/**
	 * Creates a request that arrived a while ago.
	 * @param channel what it counts for
	 * @param priority how much it matters
	 * @param arrivedNanos when it arrived, by {@link System#nanoTime()}
	 */
	protected Request(String channel, Priority priority, long arrivedNanos) {
		this.channel = channel;
		this.priority = priority;
		this.arrivedNanos = arrivedNanos;
	}

	String channel() {
		return this.channel;
	}

	Priority priority() {
		return this.priority;
	}

	long arrivedNanos() {
		return this.arrivedNanos;
	}

	/**
	 * Executes the request. Exceptions are logged and counted, and affect no other
	 * request.
	 */
	protected abstract void run();

	/**
	 * Answers a request that is not executed, on the thread that brought it or on one of
	 * the server's; must not block.
	 * @param rejection why
	 */
	protected abstract void rejected(Rejection rejection);

}
