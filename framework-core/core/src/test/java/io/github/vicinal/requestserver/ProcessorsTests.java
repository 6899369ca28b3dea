package io.github.vicinal.requestserver;

import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class ProcessorsTests {

	/** Less than a share is measured over, even on a slow machine. */
	private static final long MOMENT_NANOS = 50_000_000;

	/** A share of hardly any time would be 0 or 1 by chance. */
	@Test
	void theShareStaysForAMoment() {
		Processors processors = new Processors();
		double load = processors.load();
		int asked = 0;
		for (long start = System.nanoTime(); System.nanoTime() - start < MOMENT_NANOS; asked++) {
			double again = processors.load();
			if (System.nanoTime() - start < MOMENT_NANOS) {
				assertThat(again).isEqualTo(load);
			}
		}
		assertThat(asked).isPositive();
	}

	@Test
	void whatThisProcessUsesIsSeen() throws InterruptedException {
		Processors processors = new Processors();
		AtomicBoolean done = new AtomicBoolean();
		Thread[] threads = new Thread[processors.count()];
		for (int i = 0; i < threads.length; i++) {
			threads[i] = new Thread(() -> {
				while (!done.get()) {
					Thread.onSpinWait();
				}
			});
			threads[i].start();
		}
		try {
			await().until(() -> processors.load() > 0.3);
		}
		finally {
			done.set(true);
			for (Thread thread : threads) {
				thread.join();
			}
		}
	}

}
