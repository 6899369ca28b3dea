package io.github.vicinal.path;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractReader.MethodDescription;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Callers that give up. */
@Timeout(60)
class CallFrameTests {

	interface Echo {

		String echo(String text);

	}

	private final Contract contract = Contract.of(Echo.class,
			(type, method) -> new MethodDescription(Arrays.asList(method.getGenericParameterTypes()),
					method.getGenericReturnType(), false, null));

	private final CallFrame frame = frame();

	private final AtomicInteger runs = new AtomicInteger();

	private CallFrame frame() {
		return new CallFrame(this.contract, this.contract.methods().get(0), new Object[] { "x" }, CallFrame.NO_DEADLINE,
				Map.of());
	}

	@Test
	void theTaskThatWasSetLastRunsOnce() {
		this.frame.whenAbandoned(() -> this.runs.addAndGet(100));
		this.frame.whenAbandoned(this.runs::incrementAndGet);
		assertThat(this.frame.isAbandoned()).isFalse();
		this.frame.abandon();
		this.frame.abandon();
		assertThat(this.frame.isAbandoned()).isTrue();
		assertThat(this.runs).hasValue(1);
		this.frame.whenAbandoned(this.runs::incrementAndGet);
		assertThat(this.runs).as("at once").hasValue(2);
	}

	@Test
	void aThreadThatWaitsIsInterruptedAndNoOther() {
		assertThat(this.frame.endWaiting()).as("a thread that never waited").isTrue();
		this.frame.beginWaiting();
		this.frame.abandon();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		assertThat(this.frame.endWaiting()).isFalse();
		assertThat(Thread.currentThread().isInterrupted()).as("after the wait").isFalse();
		this.frame.beginWaiting();
		assertThat(Thread.interrupted()).as("a wait that begins too late").isTrue();
		assertThat(this.frame.endWaiting()).isFalse();
	}

	@Test
	void afterAWaitNobodyIsInterrupted() {
		this.frame.beginWaiting();
		assertThat(this.frame.endWaiting()).isTrue();
		this.frame.abandon();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	/** An interrupt of the wait must not reach what the thread does next. */
	@Test
	void noInterruptOutlastsItsWait() throws Exception {
		ExecutorService other = Executors.newSingleThreadExecutor();
		try {
			for (int i = 0; i < 20_000; i++) {
				CallFrame raced = frame();
				CountDownLatch ready = new CountDownLatch(1);
				CompletableFuture<Void> abandoned = CompletableFuture.runAsync(() -> {
					ready.countDown();
					raced.abandon();
				}, other);
				ready.await();
				raced.beginWaiting();
				raced.endWaiting();
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
				abandoned.get(20, TimeUnit.SECONDS);
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
			}
		}
		finally {
			List<Runnable> left = other.shutdownNow();
			assertThat(left).isEmpty();
		}
	}

}
