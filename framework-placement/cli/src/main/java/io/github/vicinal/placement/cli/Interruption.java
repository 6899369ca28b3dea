package io.github.vicinal.placement.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C: ends the search, and keeps the JVM alive until the best plan so far is written.
 */
final class Interruption {

	/** Maximum time that the JVM waits for a result. */
	private static final long GRACE_SECONDS = 20;

	private final Thread searching;

	private final CountDownLatch written = new CountDownLatch(1);

	private Interruption(Thread searching) {
		this.searching = searching;
	}

	/**
	 * Registers the end of a search with the JVM.
	 * @param searching the thread that searches and writes
	 * @return the hook, which must be notified of the end of the search
	 */
	static Interruption install(Thread searching) {
		Interruption interruption = new Interruption(searching);
		Runtime.getRuntime().addShutdownHook(new Thread(interruption::end, "placement-interruption"));
		return interruption;
	}

	/** Notes that all results are written. */
	void written() {
		this.written.countDown();
	}

	private void end() {
		if (this.written.getCount() == 0) {
			return;
		}
		this.searching.interrupt();
		try {
			boolean ended = this.written.await(GRACE_SECONDS, TimeUnit.SECONDS);
			if (!ended) {
				System.err.println("The search did not end in time; no plan is printed");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
