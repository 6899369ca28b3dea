package io.github.vicinal.requestserver;

/**
 * Receives the times of a {@link RequestServer}'s requests, such as for a histogram.
 * Called by the threads of the requests, so implementations must be thread-safe, quick,
 * and must not throw.
 *
 * @since 0.1.0
 */
public interface RequestTimes {

	/**
	 * A request that was handed over has been accepted.
	 * @param nanos time from its arrival until then, in nanoseconds
	 */
	void postDelay(long nanos);

	/**
	 * A thread has waited for its permit, whether or not it got one.
	 * @param nanos time that it waited, in nanoseconds
	 */
	void waited(long nanos);

	/**
	 * Requests have ended. Of requests that take less than 20 microseconds only one of 16
	 * is timed, for 16.
	 * @param nanos time from arrival until the end of the timed request, in nanoseconds
	 * @param requests number of requests that the time stands for
	 */
	void response(long nanos, int requests);

}
