package io.github.vicinal.exchange;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The thread that looks at what is kept. */
@Timeout(60)
class SweeperTests {

	private static final String NAME = "vicinal-exchange-sweep";

	private final AtomicInteger looks = new AtomicInteger();

	private final AtomicBoolean kept = new AtomicBoolean(true);

	private final Sweeper sweeper = new Sweeper(() -> {
		this.looks.incrementAndGet();
		this.seen = Thread.currentThread();
		return this.kept.get();
	});

	private volatile Thread seen;

	@Test
	void looksWhileSomethingIsKept() {
		assertThat(this.looks).hasValue(0);
		this.sweeper.need();
		this.sweeper.need();
		await().untilAsserted(() -> assertThat(this.looks).hasValueGreaterThan(1));
		assertThat(this.seen.getName()).isEqualTo(NAME);
		assertThat(this.seen.isDaemon()).isTrue();
		this.sweeper.close();
		await().until(() -> !this.seen.isAlive());
		this.sweeper.need();
		await().until(() -> Thread.getAllStackTraces().keySet().stream().noneMatch(this::isOfSweeper));
	}

	private boolean isOfSweeper(Thread thread) {
		return thread.getName().equals(NAME);
	}

	@Test
	void aLookThatFailsIsNotTheLast() {
		AtomicInteger failing = new AtomicInteger();
		Sweeper other = new Sweeper(() -> {
			if (failing.incrementAndGet() == 1) {
				throw new IllegalStateException("for the test");
			}
			return false;
		});
		other.need();
		await().untilAsserted(() -> assertThat(failing).hasValueGreaterThan(1));
		other.close();
	}

	@Test
	void endsWhenNothingIsKeptAndBeginsAgain() {
		this.sweeper.need();
		await().until(() -> this.seen != null);
		Thread first = this.seen;
		this.kept.set(false);
		await().atMost(Duration.ofSeconds(30)).until(() -> !first.isAlive());
		this.sweeper.need();
		await().until(() -> this.seen != first);
		this.sweeper.close();
		Thread second = this.seen;
		await().until(() -> !second.isAlive());
	}

}
