package io.github.vicinal.transport.shm.topic;

import java.util.concurrent.TimeUnit;

import io.github.vicinal.transport.wire.WireException;

/**
 * Takes records of a stream. A thread says which record it is about to take, in one of
 * its slots, and takes it if it is the one that moves the claim behind it. What it has
 * taken stays said until it is released. Used by one thread.
 */
final class StreamClaim {

	static final long NOTHING = -1;

	/**
	 * Interval between looks of a thread that sleeps. A message wakes one thread, whose
	 * process may be stopped.
	 */
	static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final TopicLog log;

	private final PairMemory pair;

	private boolean redelivered;

	StreamClaim(TopicLog log, PairMemory pair) {
		this.log = log;
		this.pair = pair;
	}

	/** Returns whether a subscriber that has ended had the record that was taken last. */
	boolean isRedelivered() {
		return this.redelivered;
	}

	/** Returns whether there is a record that nobody has, in one order with all words. */
	boolean hasMore() {
		return hasUnclaimed() || hasRedelivery();
	}

	boolean hasUnclaimed() {
		return this.log.claim() < this.log.publishedInOrder();
	}

	private boolean hasRedelivery() {
		for (int slot = 0; slot < TopicLog.REDELIVERIES; slot++) {
			if (this.log.redelivery(slot) != NOTHING) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Takes a record that nobody has.
	 * @param holder slot that holds it until {@link PairMemory#release}
	 * @return its position, or {@link #NOTHING}
	 */
	long take(int holder) throws WireException {
		long again = takeRedelivery(holder);
		if (again != NOTHING) {
			return again;
		}
		this.redelivered = false;
		while (true) {
			long claim = this.log.claim();
			if (claim >= this.log.publishedInOrder()) {
				this.pair.release(holder);
				return NOTHING;
			}
			this.pair.hold(holder, claim);
			int length = this.log.length(claim);
			boolean data = this.log.kind(claim) == TopicLog.DATA;
			if (this.log.claim(claim, claim + length)) {
				this.log.requireLength(claim, length);
				if (data) {
					return claim;
				}
			}
		}
	}

	private long takeRedelivery(int holder) {
		for (int slot = 0; slot < TopicLog.REDELIVERIES; slot++) {
			long position = this.log.redelivery(slot);
			if (position != NOTHING) {
				this.pair.hold(holder, position);
				if (this.log.takeRedelivery(slot, position)) {
					this.redelivered = true;
					return position;
				}
				this.pair.release(holder);
			}
		}
		return NOTHING;
	}

}
