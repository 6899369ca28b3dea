package io.github.vicinal.boot.server;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;
import io.github.vicinal.requestserver.Permit;
import io.github.vicinal.requestserver.Priority;
import io.github.vicinal.requestserver.RejectedRequestException;
import io.github.vicinal.requestserver.Rejection;
import io.github.vicinal.requestserver.Rejection.Reason;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.requestserver.RequestServerSettings;
import io.github.vicinal.requestserver.RequestServerSettings.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.GetExchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class RequestPermitsTests {

	/** Clients that were rejected together must not come back together. */
	@Test
	void whenToTryAgainIsSpreadOverUpToTwiceTheTime() {
		Set<String> said = new TreeSet<>();
		for (int i = 0; i < 1_000; i++) {
			Reply.Failure failure = RequestPermits
				.failure(new Rejection(Reason.OVERLOAD, () -> "too much", Duration.ofMillis(1_500)));
			said.add(failure.headers().get("Retry-After").get(0));
		}
		assertThat(said).containsExactly("2", "3", "4");
	}

	/** Nobody reads the answer, as after the end of a connection. */
	@Test
	void aCallWhoseCallerGivesUpWhileItWaitsGetsNoPermit() throws Exception {
		try (RequestServer server = new RequestServer(RequestServerSettings.of("test", new Threads.Fixed(1)))) {
			RequestPermits permits = new RequestPermits(server, Map.of(), null);
			Permit held = enter(permits, frame());
			CallFrame waiting = frame();
			CompletableFuture<Rejection> rejected = CompletableFuture.supplyAsync(() -> rejection(permits, waiting),
					(task) -> new Thread(task).start());
			await().until(() -> server.report().waiting() == 1);
			waiting.abandon();
			assertThat(rejected.get(20, TimeUnit.SECONDS).reason()).isEqualTo(Reason.INTERRUPTED);
			assertThat(server.report().waiting()).isZero();
			held.close();
			CallFrame late = frame();
			late.abandon();
			assertThat(rejection(permits, late).reason()).isEqualTo(Reason.INTERRUPTED);
			assertThat(server.report().running()).as("permits that are not given back").isZero();
			enter(permits, frame()).close();
		}
	}

	/** It would be a service time of nothing, by which limits are set. */
	@Test
	void aPermitThatIsNotUsedCountsInNoTime() throws Exception {
		try (RequestServer server = new RequestServer(RequestServerSettings.of("test", new Threads.Fixed(1)))) {
			RequestPermits permits = new RequestPermits(server, Map.of(), null);
			for (int i = 0; i < 100; i++) {
				CallFrame late = frame();
				late.abandon();
				assertThat(rejection(permits, late).reason()).isEqualTo(Reason.INTERRUPTED);
			}
			assertThat(server.report().completed()).isZero();
			assertThat(server.report().responseMicros().count()).isZero();
			assertThat(server.report().serviceMicros()).isZero();
			enter(permits, frame()).close();
			assertThat(server.report().completed()).isOne();
		}
	}

	@Test
	void withoutPermitsACallWhoseCallerHasGivenUpIsNotExecuted() {
		RequestPermits permits = new RequestPermits(null, Map.of(), null);
		assertThat(enter(permits, frame())).isNull();
		CallFrame late = frame();
		late.abandon();
		assertThat(rejection(permits, late).reason()).isEqualTo(Reason.INTERRUPTED);
	}

	private static Permit enter(RequestPermits permits, CallFrame call) {
		return permits.enter("echo", Priority.NORMAL, new MockHttpServletRequest(), call, call::beginWaiting);
	}

	private static Rejection rejection(RequestPermits permits, CallFrame call) {
		try {
			throw new AssertionError(enter(permits, call));
		}
		catch (RejectedRequestException ex) {
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			return ex.rejection();
		}
	}

	private static CallFrame frame() {
		Contract contract = ExchangeContractReader.contract(Echo.class);
		return new CallFrame(contract, contract.methods().get(0), new Object[] { "x" }, CallFrame.NO_DEADLINE,
				Map.of());
	}

	interface Echo {

		@GetExchange("/echo")
		String echo(@RequestParam String text);

	}

}
