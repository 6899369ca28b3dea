package io.github.vicinal.cache.jcache;

/**
 * A value with the time at which it expires. Equal only to itself.
 *
 * @param <V> the type of values
 */
final class Held<V> {

	/** The deadline of what does not expire. */
	static final long NEVER = Long.MAX_VALUE;

	private final V value;

	/** A {@link System#nanoTime()}, or {@link #NEVER}. */
	private volatile long deadline;

	/** Whether listeners were notified of it; guarded by the key's lock. */
	private boolean published;

	/** Whether listeners were notified of its end; guarded by the key's lock. */
	private boolean ended;

	Held(V value, long deadline) {
		this.value = value;
		this.deadline = deadline;
	}

	V value() {
		return this.value;
	}

	long deadline() {
		return this.deadline;
	}

	void expireAt(long time) {
		this.deadline = time;
	}

	boolean isPublished() {
		return this.published;
	}

	void published() {
		this.published = true;
	}

	/**
	 * Notes that the entry was removed, was replaced or has expired: the first is
	 * published.
	 * @return whether this is the first
	 */
	boolean end() {
		boolean first = !this.ended;
		this.ended = true;
		return first;
	}

	boolean isExpired() {
		return this.deadline != NEVER && this.deadline - System.nanoTime() <= 0;
	}

	/** Returns the nanoseconds that are left. */
	long remaining() {
		return (this.deadline == NEVER) ? NEVER : this.deadline - System.nanoTime();
	}

}
