package io.github.vicinal.transport.tcp;

import org.junit.jupiter.api.Test;

import static io.github.vicinal.transport.tcp.SendQueueWatch.DELAY_NANOS;
import static io.github.vicinal.transport.tcp.SendQueueWatch.MIN_FRAMES;
import static io.github.vicinal.transport.tcp.SendQueueWatch.WINDOWS;
import static io.github.vicinal.transport.tcp.SendQueueWatch.WINDOW_NANOS;
import static org.assertj.core.api.Assertions.assertThat;

class SendQueueWatchTests {

	/** Near the end of the range, where comparisons of times go wrong. */
	private long now = Long.MAX_VALUE - WINDOW_NANOS;

	private final SendQueueWatch watch = new SendQueueWatch(this.now);

	/**
	 * Sends frames, evenly over windows.
	 * @return how often the watch said that the connection is the bottleneck
	 */
	private int windows(int windows, int frames, boolean behindOthers, long waitedNanos) {
		int said = 0;
		for (int i = 0; i < windows * frames; i++) {
			said += this.watch.sent(behindOthers, waitedNanos, this.now) ? 1 : 0;
			this.now += (WINDOW_NANOS + frames - 1) / frames;
		}
		return said;
	}

	@Test
	void framesThatWaitBehindOthersInSeveralWindowsShowABottleneck() {
		assertThat(windows(WINDOWS, MIN_FRAMES, true, DELAY_NANOS)).isZero();
		assertThat(windows(1, MIN_FRAMES, true, DELAY_NANOS)).isOne();
	}

	@Test
	void aBottleneckIsSaidAgainOnlyAfterAsManyWindows() {
		assertThat(windows(1 + 4 * WINDOWS, MIN_FRAMES, true, DELAY_NANOS)).isEqualTo(4);
	}

	@Test
	void framesThatWaitForNoOthersShowNone() {
		assertThat(windows(10 * WINDOWS, MIN_FRAMES, false, 100 * DELAY_NANOS)).isZero();
	}

	@Test
	void shortWaitsShowNone() {
		assertThat(windows(10 * WINDOWS, 1000, true, DELAY_NANOS - 1)).isZero();
	}

	@Test
	void fewFramesShowNone() {
		assertThat(windows(10 * WINDOWS, MIN_FRAMES - 1, true, 100 * DELAY_NANOS)).isZero();
	}

	@Test
	void oneDelayedWindowAsAfterAPauseShowsNone() {
		for (int i = 0; i < 10; i++) {
			assertThat(windows(WINDOWS - 1, MIN_FRAMES, true, DELAY_NANOS)).isZero();
			assertThat(windows(1, MIN_FRAMES, true, 0)).isZero();
		}
	}

	@Test
	void windowsWithoutAnyFrameShowNone() {
		for (int i = 0; i < 10; i++) {
			assertThat(windows(WINDOWS - 1, MIN_FRAMES, true, DELAY_NANOS)).isZero();
			this.now += 2 * WINDOW_NANOS;
		}
	}

	@Test
	void halfOfTheFramesIsEnough() {
		int said = 0;
		for (int i = 0; i < (WINDOWS + 1) * MIN_FRAMES; i++) {
			said += this.watch.sent(i % 2 == 0, DELAY_NANOS, this.now) ? 1 : 0;
			this.now += WINDOW_NANOS / MIN_FRAMES;
		}
		assertThat(said).isOne();
	}

}
