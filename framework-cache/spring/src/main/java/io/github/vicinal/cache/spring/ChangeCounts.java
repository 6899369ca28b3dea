package io.github.vicinal.cache.spring;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts changes of a cache, so that a value which was loaded before a change is not
 * stored after it. Keys share counters: a change of another key may look like one of
 * this. Thread-safe.
 */
final class ChangeCounts {

	private static final int COUNTERS = 256;

	private static final int SPREAD = 0x9E3779B1;

	private static final int SHIFT = 24;

	private final AtomicLongArray ofKeys = new AtomicLongArray(COUNTERS);

	private final AtomicLong ofAll = new AtomicLong();

	/** Notes that a key is about to change. */
	void change(Object key) {
		this.ofKeys.incrementAndGet(counter(key));
	}

	/** Notes that all keys are about to change. */
	void changeAll() {
		this.ofAll.incrementAndGet();
	}

	/** Returns a number that every change of the key increases. */
	long of(Object key) {
		return this.ofKeys.get(counter(key)) + this.ofAll.get();
	}

	private static int counter(Object key) {
		return (key.hashCode() * SPREAD) >>> SHIFT;
	}

}
