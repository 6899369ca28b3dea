package io.github.vicinal.transport.shm.bell;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.vicinal.transport.testing.Async;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Bells of one sleeper that hears the rings itself. */
@Tag("every-jdk")
@Timeout(60)
class SleeperBellsTests {

	private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

	private final BellSupport support = BellSupport.socketOnly();

	private Path directory;

	private SocketBells publisher;

	private SocketBells subscriber;

	@BeforeEach
	void connect() throws Exception {
		this.directory = Files.createTempDirectory("vicinal-bells");
		this.publisher = this.support.listen(this.directory, 1, Bell.FOREVER, (channel) -> {
		}, (cause) -> {
		});
		this.subscriber = this.support.connectSleeper(this.directory, this.publisher.socketName(), (channel) -> {
		}, this.failures::add);
		assertThat(this.publisher.awaitClient(TimeUnit.SECONDS.toNanos(20))).isTrue();
	}

	@AfterEach
	void close() throws IOException {
		this.subscriber.close();
		this.publisher.close();
		Files.delete(this.directory);
	}

	private Bell bell() {
		return this.subscriber.lane(0);
	}

	/** Returns when a sleep has ended. */
	private CompletableFuture<Boolean> sleep() {
		return Async.call(() -> {
			bell().await(Bell.FOREVER);
			return Thread.interrupted();
		});
	}

	@Test
	void aRingThatComesFirstIsNotLost() throws Exception {
		this.publisher.lane(0).ring();
		assertThat(sleep().get(20, TimeUnit.SECONDS)).isFalse();
		assertThat(this.failures).isEmpty();
	}

	@Test
	void eachRingWakesTheSleeper() throws Exception {
		for (int i = 0; i < 200; i++) {
			CompletableFuture<Boolean> sleep = sleep();
			if (i % 2 == 0) {
				Async.await(() -> Async.isSomebodyIn("SleeperReader.sleep"));
			}
			this.publisher.lane(0).ring();
			assertThat(sleep.get(20, TimeUnit.SECONDS)).isFalse();
		}
	}

	@Test
	void timePasses() {
		long before = System.nanoTime();
		bell().await(TimeUnit.MILLISECONDS.toNanos(5));
		assertThat(System.nanoTime() - before).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(4));
	}

	@Test
	void anInterruptEndsTheSleepAndNothingElse() throws Exception {
		AtomicBoolean interrupted = new AtomicBoolean();
		Thread sleeper = new Thread(() -> {
			bell().await(Bell.FOREVER);
			interrupted.set(Thread.currentThread().isInterrupted());
		});
		sleeper.start();
		Async.await(() -> Async.isSomebodyIn("SleeperReader.sleep"));
		sleeper.interrupt();
		sleeper.join();
		assertThat(interrupted).isTrue();
		CompletableFuture<Boolean> sleep = sleep();
		this.publisher.lane(0).ring();
		assertThat(sleep.get(20, TimeUnit.SECONDS)).isFalse();
		assertThat(this.failures).isEmpty();
	}

	@Test
	void itsOwnProcessWakesIt() throws Exception {
		CompletableFuture<Boolean> sleep = sleep();
		Async.await(() -> Async.isSomebodyIn("SleeperReader.sleep"));
		this.subscriber.ringHere(0);
		assertThat(sleep.get(20, TimeUnit.SECONDS)).isFalse();
	}

	/** Rings that nobody heard while the sleeper was busy are heard at once. */
	@Test
	void manyRingsEndOneSleepOrAFew() throws Exception {
		for (int i = 0; i < 100; i++) {
			this.publisher.lane(0).ring();
		}
		int sleeps = 0;
		long before = System.nanoTime();
		bell().await(TimeUnit.SECONDS.toNanos(20));
		assertThat(System.nanoTime() - before).isLessThan(TimeUnit.SECONDS.toNanos(10));
		// Those that are kept end a sleep each.
		for (long took = 0; took < TimeUnit.MILLISECONDS.toNanos(90); sleeps++) {
			before = System.nanoTime();
			bell().await(TimeUnit.MILLISECONDS.toNanos(100));
			took = System.nanoTime() - before;
		}
		assertThat(sleeps).isBetween(1, 66);
	}

	@Test
	void theEndOfThePublisherIsReportedAndKeepsNobodyBusy() throws Exception {
		CompletableFuture<Boolean> sleep = sleep();
		Async.await(() -> Async.isSomebodyIn("SleeperReader.sleep"));
		this.publisher.close();
		Async.await(() -> !this.failures.isEmpty());
		assertThat(this.failures.poll()).isInstanceOf(IOException.class);
		sleep.get(20, TimeUnit.SECONDS);
		CompletableFuture<Boolean> next = sleep();
		Async.await(() -> Async.isSomebodyIn("SleeperReader.sleep") || next.isDone());
		this.subscriber.ringHere(0);
		next.get(20, TimeUnit.SECONDS);
	}

	@Test
	void closingWakesTheSleeperForGood() throws Exception {
		CompletableFuture<Boolean> sleep = sleep();
		Async.await(() -> Async.isSomebodyIn("SleeperReader.sleep"));
		this.subscriber.close();
		sleep.get(20, TimeUnit.SECONDS);
		sleep().get(20, TimeUnit.SECONDS);
		assertThat(this.failures).isEmpty();
	}

}
