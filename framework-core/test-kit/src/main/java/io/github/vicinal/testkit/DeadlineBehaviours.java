package io.github.vicinal.testkit;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.github.vicinal.testkit.contract.TimingContract;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A caller that stops waiting is released; the handler goes on as it would over HTTP.
 */
abstract class DeadlineBehaviours extends Behaviours {

	private static final KitClient IMPATIENT = KitClient.BLOCKING.withReadTimeout(Duration.ofMillis(700));

	@Test
	@DisplayName("a read timeout ends the call with the I/O exception of HTTP")
	void readTimeout() {
		Queue<String> gates = new ConcurrentLinkedQueue<>();
		Outcome outcome = sameAtOnce(TimingContract.class, IMPATIENT, (client) -> client.waitAt(newGate(gates)));
		gates.forEach(control()::open);
		outcome.failure(ResourceAccessException.class);
	}

	@Test
	@DisplayName("the exception of a timeout names the request, not its template")
	void timeoutNamesRequest() {
		String gate = newGate();
		TimingContract proxy = kit().path(TimingContract.class, IMPATIENT);
		assertThatExceptionOfType(ResourceAccessException.class).isThrownBy(() -> proxy.waitAt(gate))
			.withMessageStartingWith("I/O error on ")
			.withMessageContaining(gate);
		control().open(gate);
	}

	@Test
	@DisplayName("a handler whose caller timed out is executed once, is not interrupted, and ends")
	void handlerOutlivesTimeout() {
		Queue<String> gates = new ConcurrentLinkedQueue<>();
		sameAtOnce(TimingContract.class, IMPATIENT, (client) -> client.waitAt(newGate(gates)))
			.failure(ResourceAccessException.class);
		for (String gate : gates) {
			control().open(gate);
			assertThat(control().awaitDeparture(gate)).isEqualTo("completed");
			assertThat(control().arrivals(gate)).isEqualTo(1);
		}
	}

	@Test
	@DisplayName("the call after a timeout gets its own answer, not the late one")
	void callAfterTimeout() {
		Queue<String> gates = new ConcurrentLinkedQueue<>();
		sameAtOnce(TimingContract.class, IMPATIENT, (client) -> client.waitAt(newGate(gates)))
			.failure(ResourceAccessException.class);
		TimingContract proxy = kit().path(TimingContract.class, IMPATIENT);
		assertThat(proxy.ping()).isEqualTo("timing");
		gates.forEach(control()::open);
		for (int i = 0; i < 20; i++) {
			assertThat(proxy.ping()).isEqualTo("timing");
		}
	}

	@Test
	@DisplayName("a call that is faster than the read timeout is not disturbed by it")
	void inTime() {
		assertThat(same(TimingContract.class, KitClient.BLOCKING.withReadTimeout(Duration.ofSeconds(20)),
				(client) -> "got " + client.ping())
			.value()).isEqualTo("got timing");
	}

	@Test
	@DisplayName("a thread that is interrupted before the call fares as over HTTP")
	void interruptedBefore() {
		TimingContract proxy = path(TimingContract.class);
		// The JDK's client notices when it sends or when it reads: two exceptions.
		callInterrupted(http(TimingContract.class)).failure(RestClientException.class);
		callInterrupted(proxy).failure(RestClientException.class);
		assertThat(proxy.ping()).isEqualTo("timing");
	}

	@Test
	@DisplayName("a thread that is interrupted while it waits fares as over HTTP and keeps its flag")
	void interruptedWhileWaiting() throws Exception {
		TimingContract proxy = path(TimingContract.class);
		Outcome expected = waitInterrupted(http(TimingContract.class));
		waitInterrupted(proxy).assertSameAs(expected);
		assertThat(proxy.ping()).isEqualTo("timing");
	}

	@Test
	@DisplayName("a slow call does not hold up other calls of the same proxy")
	void slowCallBesideFastOnes() throws Exception {
		TimingContract proxy = path(TimingContract.class);
		String gate = newGate();
		CompletableFuture<String> slow = CompletableFuture.supplyAsync(() -> proxy.waitAt(gate),
				(task) -> new Thread(task, "kit-slow-call").start());
		assertThat(control().awaitArrival(gate)).isTrue();
		for (int i = 0; i < 50; i++) {
			assertThat(proxy.ping()).isEqualTo("timing");
		}
		assertThat(slow).isNotDone();
		control().open(gate);
		assertThat(slow.get(20, TimeUnit.SECONDS)).isEqualTo("passed");
	}

	/** The answer waits at a gate: one that is there at once is returned over HTTP. */
	private Outcome callInterrupted(TimingContract client) {
		String gate = newGate();
		Thread.currentThread().interrupt();
		try {
			return kit().outcome(() -> client.waitAt(gate));
		}
		finally {
			Thread.interrupted();
			control().open(gate);
		}
	}

	private Outcome waitInterrupted(TimingContract client) throws InterruptedException {
		String gate = newGate();
		AtomicReference<Outcome> outcome = new AtomicReference<>();
		CountDownLatch finished = new CountDownLatch(1);
		Thread caller = new Thread(() -> {
			Outcome call = kit().outcome(() -> client.waitAt(gate));
			boolean flag = Thread.interrupted();
			outcome.set(kit().outcome(() -> call + ", flag " + flag));
			finished.countDown();
		}, "kit-interrupted-caller");
		caller.start();
		assertThat(control().awaitArrival(gate)).isTrue();
		caller.interrupt();
		boolean early = finished.await(3, TimeUnit.SECONDS);
		control().open(gate);
		assertThat(finished.await(20, TimeUnit.SECONDS)).isTrue();
		String departure = control().awaitDeparture(gate);
		return kit().outcome(() -> outcome.get() + ", early " + early + ", handler " + departure);
	}

	private String newGate(Queue<String> gates) {
		String gate = newGate();
		gates.add(gate);
		return gate;
	}

}
