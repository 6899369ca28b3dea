package io.github.vicinal.transport.rdma;

/**
 * Way in which a connection waits for completions.
 *
 * @since 0.1.0
 */
public enum CompletionMode {

	/**
	 * Polls for some microseconds, yields, and then sleeps until the device reports an
	 * event. Polls less while that finds nothing, and not at all on hosts with one or two
	 * processors.
	 */
	ADAPTIVE,

	/** Sleeps until the device reports an event. Takes the least processor time. */
	EVENT,

	/**
	 * Polls all the time. Has the shortest latency, and takes a processor for each
	 * connection.
	 */
	POLL

}
