package io.github.vicinal.testing;

import java.time.Duration;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Tests of {@link EarlyPolling}. */
class EarlyPollingTests {

	@Test
	void pausesDoubleUpToThatOfAwaitility() {
		assertThat(Stream.iterate(Duration.ZERO, EarlyPolling::next).limit(8).map(Duration::toMillis))
			.containsExactly(0L, 5L, 10L, 20L, 40L, 80L, 100L, 100L);
	}

	/** The second look would come too late with Awaitility's own pauses. */
	@Test
	void isInForce() {
		long start = System.nanoTime();
		await().atMost(Duration.ofMillis(90)).until(() -> System.nanoTime() > start);
	}

}
