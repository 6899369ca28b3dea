package io.github.vicinal.transport.shm.topic;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Pauses between attempts to connect to another host. Used by one thread. */
final class RemoteBackOff {

	private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long LAST_NANOS = TimeUnit.SECONDS.toNanos(2);

	private long next = FIRST_NANOS;

	/** The last attempt was successful. */
	void reset() {
		this.next = FIRST_NANOS;
	}

	/** Pauses, unless the caller is about to end. */
	void pause(Object blocker, boolean ending) {
		if (!ending) {
			LockSupport.parkNanos(blocker, this.next / 2 + ThreadLocalRandom.current().nextLong(this.next / 2));
			this.next = Math.min(2 * this.next, LAST_NANOS);
		}
	}

}
