package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.transport.shm.lane.LaneClient;
import io.github.vicinal.transport.wire.Watchdog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the server about calls whose callers have slept for a second, and each second from
 * then on. If the peer has written where it must not, a request, an answer or a wake-up
 * may have got lost; nobody would notice, and a caller without a deadline would sleep for
 * ever. The server does again what was lost, or ends the pair.
 */
final class SleepWatch implements Watchdog.Watched {

	private static final Logger logger = LoggerFactory.getLogger(SleepWatch.class);

	private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

	/**
	 * Slightly shorter, so that the first check finds the caller that has requested it.
	 */
	private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

	private final LaneClient client;

	private final ControlChannel control;

	private final Watchdog watchdog;

	private volatile long next = Watchdog.NEVER;

	SleepWatch(LaneClient client, ControlChannel control, Watchdog watchdog) {
		this.client = client;
		this.control = control;
		this.watchdog = watchdog;
	}

	/** Called by each caller before it sleeps. */
	void arm() {
		if (this.next == Watchdog.NEVER) {
			long time = this.watchdog.now() + INTERVAL_NANOS;
			this.next = time;
			try {
				this.watchdog.lookAt(time);
			}
			catch (OutOfMemoryError ex) {
				// No thread is available: the next caller that sleeps asks again.
				this.next = Watchdog.NEVER;
			}
		}
	}

	@Override
	public long look(long now) {
		long time = this.next;
		if (time > now) {
			return time;
		}
		// First, so that a caller that falls asleep after this check requests another
		// one.
		this.next = Watchdog.NEVER;
		if (this.client.whyEnded() == null && ask()) {
			this.next = now + INTERVAL_NANOS;
		}
		return this.next;
	}

	/** Returns whether anybody sleeps. */
	private boolean ask() {
		return this.client.forEachSleeper(System.nanoTime() - LONG_NANOS, this::ask);
	}

	private void ask(int lane, long sequence) {
		try {
			this.control.check(lane, sequence);
		}
		catch (IOException ex) {
			// The thread that listens to the peer notices it, too.
			logger.debug("A peer could not be asked for its state: {}", ex.toString());
		}
	}

}
