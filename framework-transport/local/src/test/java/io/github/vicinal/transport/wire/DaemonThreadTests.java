package io.github.vicinal.transport.wire;

import java.util.concurrent.ScheduledThreadPoolExecutor;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DaemonThreadTests {

	/** Its thread starts on that of some caller, perhaps of another application. */
	@Test
	void aTimerRetainsNothingOfItsFirstCaller() throws Exception {
		ScheduledThreadPoolExecutor timer = DaemonThread.timer("any-timer");
		try {
			Thread thread = timer.submit(Thread::currentThread).get();
			assertThat(thread.getName()).isEqualTo("any-timer");
			assertThat(thread.isDaemon()).isTrue();
			assertThat(thread.getContextClassLoader()).isNull();
		}
		finally {
			timer.shutdownNow();
		}
	}

}
