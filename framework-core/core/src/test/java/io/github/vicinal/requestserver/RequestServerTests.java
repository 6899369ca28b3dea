package io.github.vicinal.requestserver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import io.github.vicinal.requestserver.Rejection.Reason;
import io.github.vicinal.requestserver.RequestServerSettings.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Timeout(60)
@SuppressWarnings("try")
class RequestServerTests {

	private static RequestServerSettings settings(Threads threads) {
		return RequestServerSettings.of("test", threads);
	}

	private static Rejection rejection(CompletableFuture<?> result) {
		try {
			result.join();
		}
		catch (CompletionException ex) {
			return ((RejectedRequestException) ex.getCause()).rejection();
		}
		throw new AssertionError("It was executed");
	}

	/** Keeps a thread of the server busy until it is to end. */
	private static CountDownLatch block(RequestServer server) throws InterruptedException {
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		server.submit("blocker", Priority.CRITICAL, () -> {
			started.countDown();
			return end.await(30, TimeUnit.SECONDS);
		});
		assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
		return end;
	}

	@Test
	void requestsAreTakenByPriorityAndArrival() throws InterruptedException {
		try (RequestServer server = new RequestServer(settings(new Threads.Fixed(1)))) {
			CountDownLatch end = block(server);
			List<String> taken = Collections.synchronizedList(new ArrayList<>());
			List<CompletableFuture<?>> all = new ArrayList<>();
			for (Priority priority : List.of(Priority.SHEDDABLE, Priority.NORMAL, Priority.CRITICAL)) {
				for (int i = 0; i < 3; i++) {
					String name = priority + " " + i;
					all.add(server.submit("test", priority, () -> taken.add(name)));
				}
			}
			end.countDown();
			all.forEach(CompletableFuture::join);
			assertThat(taken).containsExactly("CRITICAL 0", "CRITICAL 1", "CRITICAL 2", "NORMAL 0", "NORMAL 1",
					"NORMAL 2", "SHEDDABLE 0", "SHEDDABLE 1", "SHEDDABLE 2");
		}
	}

	@Test
	void aFullQueueRefusesAtOnce() throws InterruptedException {
		try (RequestServer server = new RequestServer(settings(new Threads.Fixed(1)).withQueueCapacity(2))) {
			CountDownLatch end = block(server);
			CompletableFuture<Integer> first = server.submit("test", Priority.NORMAL, () -> 1);
			CompletableFuture<Integer> second = server.submit("test", Priority.NORMAL, () -> 2);
			Rejection rejection = rejection(server.submit("test", Priority.NORMAL, () -> 3));
			assertThat(rejection.reason()).isEqualTo(Reason.QUEUE_FULL);
			assertThat(rejection.message()).contains("'test'").contains("full queue of 2");
			assertThat(rejection.retryAfter()).isPositive();
			end.countDown();
			assertThat(first.join() + second.join()).isEqualTo(3);
			assertThat(server.report().refused()).containsExactly(Map.entry(Reason.QUEUE_FULL, 1L));
		}
	}

	@Test
	void aFullQueueMakesRoomForAHigherPriority() throws InterruptedException {
		try (RequestServer server = new RequestServer(settings(new Threads.Fixed(1)).withQueueCapacity(2))) {
			CountDownLatch end = block(server);
			CompletableFuture<Integer> first = server.submit("test", Priority.NORMAL, () -> 1);
			CompletableFuture<Integer> second = server.submit("test", Priority.NORMAL, () -> 2);
			CompletableFuture<Integer> third = server.submit("test", Priority.CRITICAL, () -> 3);
			assertThat(rejection(second).reason()).isEqualTo(Reason.QUEUE_FULL);
			assertThat(server.report().waiting()).isEqualTo(2);
			end.countDown();
			assertThat(first.join() + third.join()).isEqualTo(4);
		}
	}

	/** Others need the lock while one is notified, and while its text is made. */
	@Test
	void rejectionsAreNotifiedOutsideTheLock() {
		PermitQueue queue = new PermitQueue(settings(new Threads.Fixed(1)).withQueueCapacity(1), () -> 0);
		assertThat(queue.tryEnter()).isTrue();
		List<String> texts = new ArrayList<>();
		Ticket first = new Ticket("test", List.of(), Priority.NORMAL, Ticket.NO_DEADLINE) {

			@Override
			void granted() {
				throw new IllegalStateException();
			}

			@Override
			void rejected(Rejection rejection) {
				CompletableFuture<Integer> other = CompletableFuture
					.supplyAsync(() -> queue.snapshot().refused().size());
				texts.add(rejection.message() + other.orTimeout(10, TimeUnit.SECONDS).join());
			}

		};
		assertThat(queue.enter(first)).isEqualTo(PermitQueue.Entry.QUEUED);
		assertThat(queue.enter(new ThreadTicket("test", List.of(), Priority.CRITICAL, Ticket.NO_DEADLINE)))
			.isEqualTo(PermitQueue.Entry.QUEUED);
		assertThat(texts).hasSize(1).allMatch((text) -> text.contains("full queue of 1"));
	}

	@Test
	void aChannelHasItsShareOnly() throws InterruptedException {
		try (RequestServer server = new RequestServer(settings(new Threads.Fixed(1)).withMaxPerChannel(2))) {
			CountDownLatch end = block(server);
			List<CompletableFuture<Integer>> greedy = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				greedy.add(server.submit("greedy", Priority.NORMAL, () -> 1));
			}
			CompletableFuture<Integer> modest = server.submit("modest", Priority.NORMAL, () -> 1);
			assertThat(server.report().channels())
				.containsExactlyInAnyOrderEntriesOf(Map.of("blocker", 1, "greedy", 2, "modest", 1));
			assertThat(rejection(greedy.get(2)).reason()).isEqualTo(Reason.BULKHEAD);
			end.countDown();
			assertThat(modest.join()).isOne();
			greedy.get(1).join();
			assertThat(server.submit("greedy", Priority.NORMAL, () -> 2).join()).isEqualTo(2);
		}
	}

	@Test
	void aFailingRequestEndsNothingElse() {
		try (RequestServer server = new RequestServer(settings(new Threads.Fixed(1)))) {
			CompletableFuture<Object> failing = server.submit("test", Priority.NORMAL, () -> {
				Thread.currentThread().interrupt();
				throw new StackOverflowError("on purpose");
			});
			assertThatExceptionOfType(CompletionException.class).isThrownBy(failing::join)
				.withCauseInstanceOf(StackOverflowError.class);
			server.execute(new Request("test", Priority.NORMAL) {

				@Override
				protected void run() {
					throw new IllegalStateException("on purpose");
				}

				@Override
				protected void rejected(Rejection rejection) {
					throw new AssertionError(rejection);
				}

			});
			assertThat(server.submit("test", Priority.NORMAL, Thread::interrupted).join()).isFalse();
			RequestServerReport report = server.report();
			assertThat(report.failed()).isOne();
			assertThat(report.threads()).isOne();
		}
	}

	@Test
	void receiversGetTheTimesOfTheReport() throws InterruptedException {
		AtomicLong clock = new AtomicLong();
		LongAdder responses = new LongAdder();
		LongAdder posts = new LongAdder();
		List<Long> waits = Collections.synchronizedList(new ArrayList<>());
		RequestTimes receiver = new RequestTimes() {

			@Override
			public void postDelay(long nanos) {
				posts.increment();
			}

			@Override
			public void waited(long nanos) {
				waits.add(nanos);
			}

			@Override
			public void response(long nanos, int requests) {
				responses.add(requests);
			}

		};
		try (RequestServer server = new RequestServer(settings(new Threads.Fixed(1)), clock::get)) {
			server.addReceiver(receiver);
			server.addReceiver(receiver);
			CountDownLatch end = block(server);
			CountDownLatch queued = new CountDownLatch(1);
			Thread waiting = new Thread(
					() -> server.enter("test", Priority.NORMAL, RequestServer.NO_DEADLINE, queued::countDown).close());
			waiting.start();
			queued.await();
			clock.addAndGet(3_000_000);
			end.countDown();
			waiting.join();
			for (int i = 0; i < 1000; i++) {
				server.enter("test", Priority.NORMAL).close();
			}
			assertThat(server.drain(Duration.ofSeconds(10))).isTrue();
			RequestServerReport report = server.report();
			assertThat(waits).containsExactly(3_000_000L, 3_000_000L);
			assertThat(posts.sum()).isEqualTo(2 * report.postDelayMicros().count());
			assertThat(responses.sum()).isEqualTo(2 * report.completed()).isGreaterThan(1000);
		}
	}

	@Test
	void drainingLetsAcceptedRequestsEnd() throws InterruptedException {
		RequestServer server = new RequestServer(settings(new Threads.Fixed(1)));
		CountDownLatch end = block(server);
		CompletableFuture<Integer> waits = server.submit("test", Priority.NORMAL, () -> 1);
		assertThat(server.drain(Duration.ofMillis(1))).isFalse();
		assertThat(rejection(waits).reason()).isEqualTo(Reason.SHUTTING_DOWN);
		Rejection late = rejection(server.submit("test", Priority.NORMAL, () -> 2));
		assertThat(late.reason()).isEqualTo(Reason.SHUTTING_DOWN);
		assertThat(late.retryAfter()).isEqualTo(Duration.ofSeconds(1));
		end.countDown();
		assertThat(server.drain(Duration.ofSeconds(10))).isTrue();
	}

	/**
	 * The clock moves with the work only: 100 requests of 5 ms come at once to one
	 * thread, which each bring another one. After a window of 32 the queue stands, and
	 * what waited for longer than its patience is refused.
	 */
	@Test
	void aStandingQueueIsShortened() throws InterruptedException {
		AtomicLong clock = new AtomicLong();
		try (RequestServer server = new RequestServer(settings(new Threads.Fixed(1)), clock::get)) {
			CountDownLatch end = block(server);
			List<CompletableFuture<Long>> others = Collections.synchronizedList(new ArrayList<>());
			List<CompletableFuture<Long>> burst = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				burst.add(server.submit("test", Priority.NORMAL, () -> {
					others.add(server.submit("test", Priority.NORMAL, () -> clock.addAndGet(5_000_000)));
					return clock.addAndGet(5_000_000);
				}));
			}
			end.countDown();
			List<Rejection> refusals = new ArrayList<>();
			for (CompletableFuture<Long> request : burst) {
				try {
					request.join();
				}
				catch (CompletionException ex) {
					refusals.add(((RejectedRequestException) ex.getCause()).rejection());
				}
			}
			assertThat(refusals).hasSizeBetween(60, 70).allMatch((rejection) -> rejection.reason() == Reason.OVERLOAD);
			assertThat(refusals.get(0).message()).contains("overloaded").contains("ms, more than 9.");
			assertThat(server.report().overloads()).isOne();
			assertThat(server.drain(Duration.ofSeconds(10))).isTrue();
		}
	}

	@Test
	void aThreadWithItsOwnWorkWaitsForItsPermit() throws InterruptedException {
		try (RequestServer server = new RequestServer(settings(new Threads.Fixed(1)))) {
			CountDownLatch end = block(server);
			AtomicInteger warned = new AtomicInteger();
			CompletableFuture<Thread> own = new CompletableFuture<>();
			Thread thread = new Thread(() -> {
				try (Permit permit = server.enter("own", Priority.NORMAL, RequestServer.NO_DEADLINE,
						warned::incrementAndGet)) {
					own.complete(Thread.currentThread());
				}
			});
			thread.start();
			await(() -> warned.get() == 1);
			assertThat(server.waiting()).isOne();
			assertThat(own).isNotDone();
			end.countDown();
			assertThat(own.join()).isSameAs(thread);
			thread.join(10_000);
			assertThat(server.drain(Duration.ofSeconds(10))).isTrue();
			assertThat(server.report().waitMicros().count()).isOne();
		}
	}

	private static void await(java.util.function.BooleanSupplier condition) throws InterruptedException {
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
		while (!condition.getAsBoolean()) {
			assertThat(System.nanoTime() - end).isNegative();
			Thread.onSpinWait();
		}
	}

	@Test
	void aPermitWithinAPermitIsGrantedAtOnce() {
		try (RequestServer server = new RequestServer(settings(new Threads.Fixed(1)))) {
			try (Permit outer = server.enter("test", Priority.NORMAL)) {
				try (Permit inner = server.enter("test", Priority.NORMAL)) {
					assertThat(server.running()).isOne();
				}
				assertThat(server.running()).isOne();
				outer.close();
				assertThat(server.running()).isZero();
			}
			assertThat(server.running()).isZero();
			assertThat(server.submit("test", Priority.NORMAL, () -> {
				try (Permit permit = server.enter("test", Priority.NORMAL)) {
					return server.running();
				}
			}).join()).isOne();
			assertThat(server.report().completed()).isBetween(1L, 2L);
		}
	}

	/** Neither thread has a permit afterwards. */
	@Test
	void anotherThreadMayCloseAPermit() throws Exception {
		ExecutorService other = Executors.newSingleThreadExecutor();
		try (RequestServer server = new RequestServer(settings(new Threads.Fixed(1)))) {
			for (int i = 0; i < 3; i++) {
				Permit permit = server.enter("test", Priority.NORMAL);
				other.submit(permit::close).get(10, TimeUnit.SECONDS);
				permit.close();
				assertThat(server.running()).isZero();
			}
			try (Permit permit = server.enter("test", Priority.NORMAL)) {
				assertThat(server.running()).isOne();
				try (Permit inner = server.enter("test", Priority.NORMAL)) {
					assertThat(server.running()).isOne();
				}
			}
			assertThat(other.submit(() -> {
				try (Permit permit = server.enter("test", Priority.NORMAL);
						Permit inner = server.enter("test", Priority.NORMAL)) {
					return server.running();
				}
			}).get(10, TimeUnit.SECONDS)).isOne();
			assertThat(server.drain(Duration.ofSeconds(10))).isTrue();
		}
		finally {
			other.shutdownNow();
		}
	}

	@Test
	void aPausedPermitThatAnotherThreadClosesEndsOnce() throws Exception {
		RequestServer server = new RequestServer(settings(new Threads.Fixed(1)));
		Permit permit = server.enter("test", Priority.NORMAL);
		assertThat(permit.pause()).isTrue();
		CompletableFuture.runAsync(permit::close).get(10, TimeUnit.SECONDS);
		permit.resume();
		permit.close();
		assertThat(server.running()).isZero();
		assertThat(server.drain(Duration.ofSeconds(10))).isTrue();
		server.close();
	}

	/** A time-out and the end of the work, at the same time. */
	@Test
	void aPermitThatTwoThreadsCloseAtOnceEndsOnce() throws Exception {
		ExecutorService other = Executors.newSingleThreadExecutor();
		try (RequestServer server = new RequestServer(settings(new Threads.Fixed(1)))) {
			for (int i = 0; i < 2_000; i++) {
				Permit permit = server.enter("test", Priority.NORMAL);
				CyclicBarrier start = new CyclicBarrier(2);
				Future<?> closing = other.submit(() -> {
					start.await(10, TimeUnit.SECONDS);
					permit.close();
					return null;
				});
				start.await(10, TimeUnit.SECONDS);
				if (permit.pause()) {
					permit.resume();
				}
				permit.close();
				closing.get(10, TimeUnit.SECONDS);
				assertThat(server.running()).isZero();
			}
			assertThat(server.drain(Duration.ofSeconds(10))).isTrue();
		}
		finally {
			other.shutdownNow();
		}
	}

	@Test
	void aRequestThatWaitsBeyondItsDeadlineIsNotServed() throws InterruptedException {
		try (RequestServer server = new RequestServer(settings(new Threads.Fixed(1)))) {
			CountDownLatch end = block(server);
			assertThatExceptionOfType(RejectedRequestException.class)
				.isThrownBy(() -> server.enter("test", Priority.NORMAL, System.nanoTime() + 1_000_000, () -> {
				}))
				.satisfies((ex) -> assertThat(ex.rejection().reason()).isEqualTo(Reason.DEADLINE));
			assertThat(server.waiting()).isZero();
			end.countDown();
			server.enter("test", Priority.NORMAL).close();
		}
	}

	@Test
	void anInterruptedRequestIsNotServed() throws InterruptedException {
		try (RequestServer server = new RequestServer(settings(new Threads.Fixed(1)))) {
			CountDownLatch end = block(server);
			CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
			Thread thread = new Thread(() -> {
				try (Permit permit = server.enter("test", Priority.NORMAL)) {
					interrupted.complete(false);
				}
				catch (RejectedRequestException ex) {
					interrupted.complete(ex.rejection().reason() == Reason.INTERRUPTED && Thread.interrupted());
				}
			});
			thread.start();
			await(() -> server.waiting() == 1);
			thread.interrupt();
			assertThat(interrupted.join()).isTrue();
			assertThat(server.waiting()).isZero();
			end.countDown();
		}
	}

	@Test
	void aFailureBeforeWaitingLosesNoPermit() throws InterruptedException {
		try (RequestServer server = new RequestServer(settings(new Threads.Fixed(1)))) {
			CountDownLatch end = block(server);
			assertThatExceptionOfType(IllegalStateException.class)
				.isThrownBy(() -> server.enter("test", Priority.NORMAL, RequestServer.NO_DEADLINE, () -> {
					end.countDown();
					throw new IllegalStateException("on purpose");
				}));
			assertThat(server.drain(Duration.ofSeconds(10))).isTrue();
		}
	}

	@Test
	void aThreadPoolThatGrowsTakesWaitingRequests() throws InterruptedException {
		try (RequestServer server = new RequestServer(settings(new Threads.Auto(1, 16)))) {
			CountDownLatch all = new CountDownLatch(1);
			List<CompletableFuture<Boolean>> results = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				results.add(server.submit("test", Priority.NORMAL, () -> {
					all.await(1, TimeUnit.MILLISECONDS);
					return true;
				}));
			}
			results.forEach((result) -> assertThat(result.join()).isTrue());
			assertThat(server.drain(Duration.ofSeconds(10))).isTrue();
		}
	}

	static List<Threads> threads() {
		return List.of(new Threads.Fixed(1), new Threads.Fixed(4), new Threads.Virtual(8), new Threads.Auto(1, 16));
	}

	@ParameterizedTest
	@MethodSource("threads")
	void eachRequestIsExecutedOrRefusedOnce(Threads threads) throws InterruptedException {
		int senders = 8;
		int each = 5_000;
		AtomicInteger executed = new AtomicInteger();
		AtomicInteger refused = new AtomicInteger();
		AtomicInteger twice = new AtomicInteger();
		RequestServer server = new RequestServer(settings(threads).withQueueCapacity(50).withMaxPerChannel(40));
		ExecutorService pool = Executors.newFixedThreadPool(senders);
		for (int i = 0; i < senders; i++) {
			String channel = "channel " + i % 3;
			pool.execute(() -> {
				for (int j = 0; j < each; j++) {
					Priority priority = Priority.values()[ThreadLocalRandom.current().nextInt(3)];
					server.execute(new Request(channel, priority) {

						private boolean over;

						@Override
						protected void run() {
							executed.incrementAndGet();
							once();
						}

						@Override
						protected void rejected(Rejection rejection) {
							refused.incrementAndGet();
							once();
						}

						private void once() {
							if (this.over) {
								twice.incrementAndGet();
							}
							this.over = true;
						}

					});
				}
			});
		}
		pool.shutdown();
		assertThat(pool.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
		assertThat(server.drain(Duration.ofSeconds(30))).isTrue();
		assertThat(executed.get() + refused.get()).isEqualTo(senders * each);
		assertThat(twice).hasValue(0);
		RequestServerReport report = server.report();
		assertThat(report.completed()).isEqualTo(executed.get());
		assertThat(report.refused().values().stream().mapToLong(Long::longValue).sum()).isEqualTo(refused.get());
		assertThat(report.running()).isZero();
		assertThat(report.waiting()).isZero();
		assertThat(report.channels()).isEmpty();
	}

	@Test
	void asManyThreadsAsConfiguredRunAtOnce() throws InterruptedException {
		try (RequestServer server = new RequestServer(settings(new Threads.Fixed(3)))) {
			CountDownLatch all = new CountDownLatch(3);
			List<CompletableFuture<Boolean>> results = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				results.add(server.submit("test", Priority.NORMAL, () -> {
					all.countDown();
					return all.await(10, TimeUnit.SECONDS);
				}));
			}
			results.forEach((result) -> assertThat(result.join()).isTrue());
			assertThat(server.report().postDelayMicros().max()).isPositive();
		}
	}

	static List<Runnable> impossible() {
		return List.of(() -> new Threads.Fixed(0), () -> new Threads.Virtual(-1), () -> new Threads.Auto(5, 4),
				() -> settings(new Threads.Fixed(1)).withQueueCapacity(0),
				() -> settings(new Threads.Fixed(1)).withQueueCapacity(Integer.MAX_VALUE),
				() -> settings(new Threads.Fixed(1)).withPatience(Double.NaN),
				() -> settings(new Threads.Fixed(1)).withMaxPerChannel(-1),
				() -> settings(new Threads.Fixed(1)).withBurst(-1),
				() -> settings(new Threads.Fixed(1)).withMaxPaused(-1),
				() -> settings(new Threads.Fixed(1)).withBurst(RequestServerSettings.MAX_QUEUE_CAPACITY),
				() -> settings(new Threads.Fixed(1)).withInterval(Duration.ofNanos(999_999)),
				() -> settings(new Threads.Fixed(1)).withInterval(Duration.ofMinutes(-1)),
				() -> settings(new Threads.Fixed(1)).withInterval(Duration.ofSeconds(61)),
				() -> RequestServerSettings.of(" ", new Threads.Fixed(1)));
	}

	@ParameterizedTest
	@MethodSource("impossible")
	void impossibleSettingsSayTheRuleAndTheRemedy(Runnable creation) {
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(creation::run)
			.withMessageMatching("The .* of a request server is .*, but must .*; .*");
	}

	/**
	 * Others run while a client is slow; a handler that goes on does not wait for them.
	 */
	@Test
	void aRequestThatPausesGivesItsPermitToOthers() throws InterruptedException {
		try (RequestServer server = new RequestServer(settings(new Threads.Fixed(1)))) {
			Permit slow = server.enter("slow", Priority.NORMAL);
			CompletableFuture<Integer> waiting = server.submit("test", Priority.NORMAL, () -> 1);
			assertThat(slow.pause()).isTrue();
			assertThat(slow.pause()).isFalse();
			assertThat(waiting.join()).isOne();
			CountDownLatch end = block(server);
			slow.resume();
			assertThat(server.report().running()).isEqualTo(2);
			CompletableFuture<Integer> next = server.submit("test", Priority.NORMAL, () -> 2);
			slow.close();
			assertThat(server.report().running()).isOne();
			assertThat(next).isNotDone();
			end.countDown();
			assertThat(next.join()).isEqualTo(2);
		}
	}

	@Test
	void drainingWaitsForPausedRequests() throws InterruptedException {
		RequestServer server = new RequestServer(settings(new Threads.Fixed(1)));
		Permit slow = server.enter("slow", Priority.NORMAL);
		assertThat(slow.pause()).isTrue();
		assertThat(server.drain(Duration.ofMillis(1))).isFalse();
		slow.close();
		assertThat(server.drain(Duration.ofSeconds(10))).isTrue();
		server.close();
	}

	@Test
	void nobodyBeginsToPauseWhileTheServerShutsDown() throws InterruptedException {
		RequestServer server = new RequestServer(settings(new Threads.Fixed(1)));
		Permit permit = server.enter("slow", Priority.NORMAL);
		assertThat(server.drain(Duration.ofMillis(1))).isFalse();
		assertThat(permit.pause()).isFalse();
		assertThat(server.drain(Duration.ofMillis(1))).isFalse();
		permit.close();
		assertThat(server.drain(Duration.ofSeconds(10))).isTrue();
		server.close();
	}

	@Test
	void onlyTheThreadThatHasThePermitPauses() {
		try (RequestServer server = new RequestServer(settings(new Threads.Fixed(1)))) {
			Permit outer = server.enter("test", Priority.NORMAL);
			Permit inner = server.enter("test", Priority.NORMAL);
			assertThat(inner.pause()).isFalse();
			assertThat(CompletableFuture.supplyAsync(outer::pause).join()).isFalse();
			inner.close();
			outer.close();
			assertThat(outer.pause()).isFalse();
			assertThat(server.report().running()).isZero();
		}
	}

	/** Each keeps the thread that brought it, so their number is bounded. */
	@Test
	void soManySlowClientsAndNoMoreGetOthersThePermit() {
		PermitQueue queue = new PermitQueue(settings(new Threads.Fixed(1)), System::nanoTime);
		for (int i = 0; i < 200; i++) {
			assertThat(queue.mayPause()).isTrue();
		}
		assertThat(queue.mayPause()).isFalse();
		queue.resume();
		assertThat(queue.mayPause()).isTrue();
	}

	/** They leave in any order. */
	@Test
	void aHundredThousandThatWaitLeaveAndNothingIsKept() {
		int many = 100_000;
		PermitQueue queue = new PermitQueue(settings(new Threads.Fixed(1)).withQueueCapacity(many), () -> 0);
		assertThat(queue.tryEnter()).isTrue();
		List<ThreadTicket> waiting = new ArrayList<>();
		for (int i = 0; i < many; i++) {
			ThreadTicket ticket = new ThreadTicket("test", List.of(), Priority.values()[i % 3], Ticket.NO_DEADLINE);
			assertThat(queue.enter(ticket)).isEqualTo(PermitQueue.Entry.QUEUED);
			waiting.add(ticket);
		}
		ThreadTicket last = new ThreadTicket("test", List.of(), Priority.SHEDDABLE, Ticket.NO_DEADLINE);
		assertThat(queue.enter(last)).isEqualTo(PermitQueue.Entry.REFUSED);
		Collections.shuffle(waiting, new Random(1));
		waiting.forEach((ticket) -> assertThat(queue.withdraw(ticket, Reason.DEADLINE)).isNotNull());
		assertThat(queue.waiting()).isZero();
		assertThat(waiting).allMatch((ticket) -> ticket.next == null && ticket.previous == null);
	}

	@Test
	void drainingMayTakeForEver() throws InterruptedException {
		RequestServer server = new RequestServer(settings(new Threads.Fixed(1)));
		server.enter("test", Priority.NORMAL).close();
		assertThat(server.drain(Duration.ofSeconds(Long.MAX_VALUE))).isTrue();
		server.close();
	}

	/** Its thread is the application's affair; the server ends without it. */
	@Test
	void aHandlerThatNeverReturnsKeepsNobodyAtShutdown() throws InterruptedException {
		RequestServer server = new RequestServer(settings(new Threads.Fixed(1)));
		CountDownLatch end = block(server);
		CompletableFuture<Integer> waits = server.submit("test", Priority.NORMAL, () -> 1);
		assertThat(server.drain(Duration.ofMillis(20))).isFalse();
		assertThat(rejection(waits).reason()).isEqualTo(Reason.SHUTTING_DOWN);
		server.close();
		assertThat(server.running()).isOne();
		end.countDown();
		assertThat(server.drain(Duration.ofSeconds(10))).isTrue();
	}

}
