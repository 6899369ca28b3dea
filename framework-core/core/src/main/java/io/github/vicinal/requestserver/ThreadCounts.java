package io.github.vicinal.requestserver;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Counts of one thread at one server. Only that thread changes them, without
 * synchronization, except for {@link #returnedElsewhere}.
 */
final class ThreadCounts {

	private static final int TAKEN = 0;

	/** Permits of the thread that other threads have returned. */
	private static final int RETURNED_ELSEWHERE = 1;

	private static final int BRIEF = 2;

	private static final int COUNT = 3;

	private ThreadCounts() {
	}

	static AtomicIntegerArray create() {
		return new AtomicIntegerArray(COUNT);
	}

	/** Returns whether the thread has a permit. Nested ones do not count. */
	static boolean hasPermit(AtomicIntegerArray counts) {
		return counts.getPlain(TAKEN) != counts.getOpaque(RETURNED_ELSEWHERE);
	}

	static void taken(AtomicIntegerArray counts) {
		counts.setPlain(TAKEN, counts.getPlain(TAKEN) + 1);
	}

	static void returned(AtomicIntegerArray counts) {
		counts.setPlain(TAKEN, counts.getPlain(TAKEN) - 1);
	}

	/** Called by any thread other than the one that took the permit. */
	static void returnedElsewhere(AtomicIntegerArray counts) {
		counts.getAndIncrement(RETURNED_ELSEWHERE);
	}

	/** Counts a brief permit, and returns the number of them. */
	static int brief(AtomicIntegerArray counts) {
		int brief = counts.getPlain(BRIEF) + 1;
		counts.setPlain(BRIEF, brief);
		return brief;
	}

}
