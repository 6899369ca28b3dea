package io.github.vicinal.channel;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The instances that have answered at one address, from which it is inferred whether
 * several instances share the address. Guarded by the peer's lock.
 */
final class InstanceHistory {

	/** Maximum number of instance ids that are remembered. */
	private static final int MAX_INSTANCES = 64;

	/**
	 * Number of times that answers return to an instance which others had followed,
	 * within {@link #RETURNS_NANOS}, after which the address is taken to be shared by
	 * several instances. One return may be a roll-back.
	 */
	private static final int MAX_RETURNS = 2;

	/** Period in which returns are counted. */
	private static final long RETURNS_NANOS = TimeUnit.SECONDS.toNanos(30);

	/**
	 * Initial time for which calls to a shared address use HTTP; doubled each time.
	 */
	private static final long SHARED_NANOS = TimeUnit.MINUTES.toNanos(1);

	/** Maximum number of times that this period is doubled. */
	private static final int MAX_SHARED_DOUBLINGS = 4;

	/** The ids of instances that paths were to lead to, the latest ones last. */
	private final Set<String> instances = new LinkedHashSet<>();

	/** Returns to instances that others had followed, since {@link #firstReturnNanos}. */
	private int returns;

	private long firstReturnNanos;

	/** Times that the address was found to be shared. */
	private int timesShared;

	/** Whether the address is shared, until {@link #sharedUntilNanos}. */
	private boolean shared;

	private long sharedUntilNanos;

	/**
	 * Remembers an instance.
	 * @param instance its id
	 * @return whether it is not among those that were remembered before
	 */
	boolean remember(String instance) {
		boolean known = this.instances.remove(instance);
		this.instances.add(instance);
		if (this.instances.size() > MAX_INSTANCES) {
			this.instances.remove(this.instances.iterator().next());
		}
		return !known;
	}

	/** Returns whether instances may have been forgotten. */
	boolean isFull() {
		return this.instances.size() == MAX_INSTANCES;
	}

	/**
	 * Notes that an instance answers again after another one has.
	 * @param now the time
	 * @return whether that shows that the address is shared
	 */
	boolean returned(long now) {
		if (this.returns == 0 || now - this.firstReturnNanos > RETURNS_NANOS) {
			this.returns = 0;
			this.firstReturnNanos = now;
		}
		if (++this.returns >= MAX_RETURNS && !this.shared) {
			this.shared = true;
			this.sharedUntilNanos = now + (SHARED_NANOS << Math.min(this.timesShared++, MAX_SHARED_DOUBLINGS));
			return true;
		}
		return false;
	}

	boolean isShared(long now) {
		if (this.shared && now - this.sharedUntilNanos >= 0) {
			this.shared = false;
			this.returns = 0;
		}
		return this.shared;
	}

}
