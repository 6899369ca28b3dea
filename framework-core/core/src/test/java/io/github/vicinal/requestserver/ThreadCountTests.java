package io.github.vicinal.requestserver;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.vicinal.requestserver.RequestServerSettings.Threads;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("every-jdk")
class ThreadCountTests {

	private static final long SERVICE = TimeUnit.MILLISECONDS.toNanos(5);

	/** 1,000 requests a second of 5 ms each: 5 are under way. */
	private static void second(ThreadCount count, long start) {
		for (int i = 0; i < 1_000; i++) {
			count.arrived(SERVICE, start + i * TimeUnit.MILLISECONDS.toNanos(1));
		}
	}

	@Test
	void waitingHandlersGetWhatLittlesLawAsksFor() {
		ThreadCount count = new ThreadCount(new Threads.Auto(1, 100), 2, 0);
		for (int i = 0; i < 100; i++) {
			count.cpu(SERVICE / 100, SERVICE);
		}
		second(count, 0);
		// 5 * 1.25, rounded up, and one to spare
		assertThat(count.count()).isEqualTo(8);
	}

	@Test
	void busyHandlersGetNoMoreThanTheProcessorsCanDo() {
		ThreadCount count = new ThreadCount(new Threads.Auto(1, 100), 2, 0);
		for (int i = 0; i < 100; i++) {
			count.cpu(SERVICE, SERVICE);
		}
		second(count, 0);
		assertThat(count.count()).isEqualTo(3);
	}

	/** 0.95 ms of the mean of 5.95 ms are spent on a processor. */
	@Test
	void fewLongWaitsCountByTheirTimeAndNotByTheirNumber() {
		ThreadCount count = new ThreadCount(new Threads.Auto(1, 100), 2, 0);
		long milli = TimeUnit.MILLISECONDS.toNanos(1);
		for (int i = 0; i < 2_000; i++) {
			count.cpu((i % 20 == 0) ? 0 : milli, (i % 20 == 0) ? 100 * milli : milli);
		}
		second(count, 0);
		assertThat(count.count()).isEqualTo(8);
	}

	@Test
	void theRangeHolds() {
		ThreadCount count = new ThreadCount(new Threads.Auto(4, 6), 2, 0);
		count.cpu(0, SERVICE);
		second(count, 0);
		assertThat(count.count()).isBetween(4, 6);
		// One request a second.
		for (int i = 2; i < 20; i++) {
			count.arrived(SERVICE, TimeUnit.SECONDS.toNanos(i));
		}
		assertThat(count.count()).isEqualTo(4);
	}

	@Test
	void beforeARequestHasEndedTheCountStays() {
		ThreadCount count = new ThreadCount(new Threads.Auto(1, 100), 4, 0);
		for (int i = 1; i < 20; i++) {
			count.arrived(0, TimeUnit.SECONDS.toNanos(i));
			assertThat(count.count()).isEqualTo(4);
		}
	}

	@Test
	void fixedStaysFixed() {
		ThreadCount count = new ThreadCount(new Threads.Fixed(7), 2, 0);
		second(count, 0);
		assertThat(count.count()).isEqualTo(7);
	}

}
