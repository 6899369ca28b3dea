package io.github.vicinal.transport.shm.topic;

import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.transport.shm.bell.Bell;
import io.github.vicinal.transport.shm.bell.Bells;
import org.jspecify.annotations.Nullable;

/** Bells of one thread of this process, which parks. Thread-safe. */
final class ThreadBells implements Bells, Bell {

	private volatile @Nullable Thread thread;

	/** Lets rings wake a thread. */
	void wakes(Thread sleeper) {
		this.thread = sleeper;
	}

	@Override
	public void await(long nanos) {
		if (nanos == FOREVER) {
			LockSupport.park(this);
		}
		else {
			LockSupport.parkNanos(this, nanos);
		}
	}

	@Override
	public void ring() {
		LockSupport.unpark(this.thread);
	}

	@Override
	public String kind() {
		return "thread";
	}

	@Override
	public Bell server() {
		return this;
	}

	@Override
	public Bell poller() {
		return this;
	}

	@Override
	public Bell lane(int lane) {
		return this;
	}

	@Override
	public int lanes() {
		return 1;
	}

	@Override
	public void close() {
		ring();
	}

}
