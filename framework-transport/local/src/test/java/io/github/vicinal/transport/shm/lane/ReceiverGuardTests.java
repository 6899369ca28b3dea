package io.github.vicinal.transport.shm.lane;

import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.transport.testing.Async;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** The thread that looks after the receivers of all pairs. */
@Timeout(60)
class ReceiverGuardTests {

	private static final String NAME = "guard-under-test";

	/** A server that gets a call now and then must not pay for many looks at each. */
	@Test
	void sleepsSoonAfterACall() throws Exception {
		AtomicInteger looks = new AtomicInteger();
		try (ReceiverGuard guard = new ReceiverGuard(NAME)) {
			guard.add((now) -> {
				looks.incrementAndGet();
				return false;
			});
			for (int i = 1; i <= 3; i++) {
				guard.look();
				int calls = i;
				Async.await(() -> looks.get() >= 2 * calls - 1 && isAsleep());
				assertThat(looks).hasValueBetween(2 * i - 1, 4 * i);
			}
		}
	}

	/**
	 * There are no calls meanwhile: the handler that holds the receiver may be the last
	 * call.
	 */
	@Test
	void looksForAsLongAsAHandlerHasAReceiver() throws Exception {
		AtomicInteger looks = new AtomicInteger();
		try (ReceiverGuard guard = new ReceiverGuard(NAME)) {
			guard.add((now) -> looks.incrementAndGet() < 20);
			guard.look();
			Async.await(() -> looks.get() >= 20 && isAsleep());
		}
	}

	@Test
	void failureOfOneLookHarmsNoOther() throws Exception {
		AtomicInteger failures = new AtomicInteger();
		AtomicInteger looks = new AtomicInteger();
		try (ReceiverGuard guard = new ReceiverGuard(NAME)) {
			guard.add((now) -> {
				failures.incrementAndGet();
				throw new OutOfMemoryError("unable to create native thread");
			});
			guard.add((now) -> {
				looks.incrementAndGet();
				return false;
			});
			for (int i = 0; i < 3; i++) {
				int failuresBefore = failures.get();
				int looksBefore = looks.get();
				guard.look();
				Async.await(() -> failures.get() > failuresBefore && looks.get() > looksBefore);
			}
		}
	}

	/** Waits without a limit of time, unlike between two looks. */
	private static boolean isAsleep() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.anyMatch((thread) -> thread.getName().equals(NAME) && thread.getState() == Thread.State.WAITING);
	}

}
