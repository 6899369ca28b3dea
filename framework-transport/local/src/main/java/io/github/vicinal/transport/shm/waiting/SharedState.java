package io.github.vicinal.transport.shm.waiting;

/**
 * State of waiting that both sides of a channel share. All times are nanoseconds of the
 * kernel's monotonic clock. The other side may write anything at any time: readers bound
 * what they read. Thread-safe.
 */
public interface SharedState {

	/** Returns until when nobody yields the processor, 0 if that is allowed. */
	long bannedUntil();

	void bannedUntil(long nanos);

	/** Lets one caller try whether a ban can end, and extends it for all others. */
	boolean claimProbe(long expected, long nanos);

	/** Returns how long the last ban was, 0 if yields have come back in time since. */
	long banPeriod();

	void banPeriod(long nanos);

	/** Returns how late the yield came back that led to the last ban. */
	long lateness();

	void lateness(long nanos);

	/** Returns the number of calls that the server has served. */
	long served();

	void served(long calls);

	/** Returns the number of lanes that the server saw in use lately. */
	int activeLanes();

	void activeLanes(int lanes);

}
