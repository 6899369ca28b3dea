package io.github.vicinal.transport.shm.lane;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The thread that looks after the receivers of all pairs. */
class ReceiverGuardTests {

	@Test
	void failureOfOneLookHarmsNoOther() throws Exception {
		CountDownLatch failures = new CountDownLatch(3);
		CountDownLatch looks = new CountDownLatch(3);
		try (ReceiverGuard guard = new ReceiverGuard("guard")) {
			guard.add((now) -> {
				failures.countDown();
				throw new OutOfMemoryError("unable to create native thread");
			});
			guard.add((now) -> looks.countDown());
			guard.look();
			assertThat(failures.await(20, TimeUnit.SECONDS)).isTrue();
			assertThat(looks.await(20, TimeUnit.SECONDS)).isTrue();
		}
	}

}
