package io.github.vicinal.requestserver;

/**
 * Tells a standing queue from a burst: there is overload once no request of a whole
 * interval waited for less than the target, and until one does. After CoDel (RFC 8289),
 * which looks at the smallest sojourn, as that is what a good queue brings back to zero.
 * Not thread-safe.
 */
final class OverloadDetector {

	private final long intervalNanos;

	/** When overload begins, unless a request waits for less than the target. */
	private long beginsAt;

	private boolean standing;

	private boolean overloaded;

	private long episodes;

	OverloadDetector(long intervalNanos) {
		this.intervalNanos = intervalNanos;
	}

	/**
	 * Notes that a request is taken from the queue.
	 * @param sojournNanos how long it waited
	 * @param targetNanos how long waiting is not yet a sign of overload
	 * @param now the time
	 */
	void taken(long sojournNanos, long targetNanos, long now) {
		if (sojournNanos <= targetNanos) {
			empty();
		}
		else if (!this.standing) {
			this.standing = true;
			this.beginsAt = now + this.intervalNanos;
		}
		else if (!this.overloaded && now - this.beginsAt >= 0) {
			this.overloaded = true;
			this.episodes++;
		}
	}

	/** Notes that nothing waits. */
	void empty() {
		this.standing = false;
		this.overloaded = false;
	}

	boolean overloaded() {
		return this.overloaded;
	}

	/** Returns how often overload has begun. */
	long episodes() {
		return this.episodes;
	}

}
