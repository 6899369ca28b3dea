package io.github.vicinal.chronicle.path;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/** Waits for the threads of pairs, which delete files at their end. */
final class PairThreads {

	private PairThreads() {
	}

	/**
	 * Waits for a thread. Returns at once on that thread.
	 * @param thread the thread, {@code null} if there is none
	 * @param deadline the {@link System#nanoTime()} until which to wait
	 */
	static void awaitEnd(@Nullable Thread thread, long deadline) {
		if (thread == null || thread == Thread.currentThread()) {
			return;
		}
		try {
			TimeUnit.NANOSECONDS.timedJoin(thread, deadline - System.nanoTime());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
