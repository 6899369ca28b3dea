package io.github.vicinal.channel;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BackOffTests {

	private static final long DELAY = Duration.ofHours(1).toNanos();

	private final BackOff backOff = new BackOff(DELAY);

	private boolean isOverAfter(int delays) {
		// Some more, since the delay began a little later.
		return this.backOff.isOver(System.nanoTime() + delays * DELAY + DELAY / 2);
	}

	@Test
	void eachPathThatIsLostDoublesTheDelay() {
		for (int delays = 1; delays <= 64; delays *= 2) {
			this.backOff.attempted();
			this.backOff.lost();
			assertThat(isOverAfter(delays - 1)).isFalse();
			assertThat(isOverAfter(delays)).isTrue();
		}
		this.backOff.lost();
		assertThat(isOverAfter(64)).isTrue();
	}

	/** A peer whose keys are replaced is not one that crashes in a loop. */
	@Test
	void pathsThatAreRenewedAreTriedAtOnceButNotInALoop() {
		for (int i = 0; i < 10; i++) {
			this.backOff.attempted();
			this.backOff.lost();
		}
		this.backOff.renewed();
		assertThat(this.backOff.isOver(System.nanoTime())).isFalse();
		assertThat(isOverAfter(1)).isTrue();
		BackOff longAgo = new BackOff(1);
		longAgo.attempted();
		longAgo.renewed();
		assertThat(longAgo.isOver(System.nanoTime())).isTrue();
	}

	@Test
	void anotherInstanceIsTriedAtOnce() {
		this.backOff.attempted();
		this.backOff.failed(false);
		assertThat(isOverAfter(62)).isFalse();
		this.backOff.beginAnew(false);
		assertThat(this.backOff.isOver(System.nanoTime())).isTrue();
	}

}
