package io.github.vicinal.transport.direct;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.path.PathException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

@Timeout(60)
class RunningCallsTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final int ROUNDS = 200_000;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final RunningCalls calls = new RunningCalls(this.threads);

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
	}

	/** More than there are slots in a table. */
	@ParameterizedTest
	@ValueSource(ints = { 1, 3, 200 })
	void callsAreCutOff(int count) throws Exception {
		CountDownLatch begun = new CountDownLatch(count);
		AtomicInteger interrupted = new AtomicInteger();
		List<Future<Boolean>> ended = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			ended.add(this.threads.submit(() -> {
				this.calls.begin();
				begun.countDown();
				try {
					new CountDownLatch(1).await();
				}
				catch (InterruptedException ex) {
					interrupted.incrementAndGet();
				}
				return this.calls.end() && !Thread.currentThread().isInterrupted();
			}));
		}
		begun.await();
		assertThat(this.calls.await(Duration.ZERO)).isFalse();
		this.calls.cutOff();
		assertThat(this.calls.await(PATIENCE)).isTrue();
		for (Future<Boolean> each : ended) {
			assertThat(each.get()).isTrue();
		}
		assertThat(interrupted).hasValue(count);
	}

	/** A thread is never interrupted after its call. */
	@Test
	void anInterruptDoesNotOutliveItsCall() throws Exception {
		AtomicBoolean over = new AtomicBoolean();
		AtomicInteger cut = new AtomicInteger();
		List<Future<?>> callers = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			callers.add(this.threads.submit(() -> {
				// The closing thread may come late.
				for (int j = 0; j < ROUNDS || cut.get() == 0; j++) {
					this.calls.begin();
					boolean seen = (j & 1) == 0 && Thread.interrupted();
					boolean cutOff = this.calls.end();
					if (cutOff) {
						cut.incrementAndGet();
					}
					assertThat(seen && !cutOff).as("interrupted without being cut off").isFalse();
					assertThat(Thread.interrupted()).as("interrupted after a call").isFalse();
				}
				return null;
			}));
		}
		Future<?> closing = this.threads.submit(() -> {
			while (!over.get()) {
				this.calls.cutOff();
			}
		});
		for (Future<?> each : callers) {
			each.get();
		}
		over.set(true);
		closing.get();
		assertThat(this.calls.await(Duration.ZERO)).isTrue();
	}

	@Test
	void anInterruptOfAnotherStays() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch both = new CountDownLatch(1);
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		Future<Boolean> call = this.threads.submit(() -> {
			thread.complete(Thread.currentThread());
			this.calls.begin();
			begun.countDown();
			while (both.getCount() > 0) {
				Thread.onSpinWait();
			}
			return this.calls.end() && Thread.currentThread().isInterrupted();
		});
		begun.await();
		thread.get().interrupt();
		this.calls.cutOff();
		both.countDown();
		assertThat(call.get()).isTrue();
	}

	@Test
	void nestedCallsOfOneThreadAreCounted() {
		this.calls.begin();
		this.calls.begin();
		assertThat(this.calls.end()).isFalse();
		assertThat(this.calls.end()).isFalse();
		assertThat(this.calls.await(Duration.ZERO)).isTrue();
	}

	@Test
	void theCallerOfACallThatWasHandedOffIsReleased() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		HandOff<String> call = new HandOff<>(() -> {
			begun.countDown();
			awaitWhateverHappens(release);
			return "late";
		});
		this.calls.execute(call);
		begun.await();
		this.calls.cutOff();
		PathException failure = catchThrowableOfType(PathException.class,
				() -> call.await(TimeUnit.SECONDS.toNanos(10)));
		assertThat(failure.reason()).isEqualTo(PathException.Reason.PEER_GONE);
		assertThat(failure.maybeExecuted()).isTrue();
		assertThat(this.calls.await(Duration.ZERO)).isFalse();
		release.countDown();
		assertThat(this.calls.await(PATIENCE)).isTrue();
	}

	@Test
	void aCallThatHasNotBegunIsNeverExecuted() throws Exception {
		List<Runnable> queue = new ArrayList<>();
		RunningCalls queued = new RunningCalls(queue::add);
		AtomicBoolean executed = new AtomicBoolean();
		HandOff<String> call = new HandOff<>(() -> {
			executed.set(true);
			return "executed";
		});
		queued.execute(call);
		queued.cutOff();
		PathException failure = catchThrowableOfType(PathException.class,
				() -> call.await(TimeUnit.SECONDS.toNanos(10)));
		assertThat(failure.maybeExecuted()).isFalse();
		queue.forEach(Runnable::run);
		assertThat(executed).isFalse();
		assertThat(queued.await(Duration.ZERO)).isTrue();
	}

	private static void awaitWhateverHappens(CountDownLatch latch) {
		boolean over = false;
		while (!over) {
			try {
				latch.await();
				over = true;
			}
			catch (InterruptedException ex) {
				assertThat(latch.getCount()).isPositive();
			}
		}
	}

}
