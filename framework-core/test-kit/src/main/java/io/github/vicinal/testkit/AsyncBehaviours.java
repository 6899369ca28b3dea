package io.github.vicinal.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.testkit.Kit.Call;
import io.github.vicinal.testkit.Kit.Carriage;
import io.github.vicinal.testkit.contract.ErrorsContract;
import io.github.vicinal.testkit.contract.TimingContract;
import io.github.vicinal.testkit.contract.TimingContract.Later;
import io.github.vicinal.testkit.server.TraceHandler;
import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.client.WebClientResponseException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Results that come later, at the client over a {@code WebClient}, at the server through
 * asynchronous request processing.
 */
abstract class AsyncBehaviours extends Behaviours {

	private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

	@Test
	@DisplayName("a future is completed with the result")
	void future() {
		assertThat(sameAsync((client) -> client.future("text").get()).value()).isEqualTo(new Later("text"));
	}

	@Test
	@DisplayName("a future of a response entity is completed with status, headers and body")
	void futureEntity() {
		ResponseEntity<?> entity = sameAsync((client) -> client.futureEntity("text").get()).value(ResponseEntity.class);
		assertThat(entity.getStatusCode()).isEqualTo(HttpStatus.ACCEPTED);
		assertThat(entity.getBody()).isEqualTo(new Later("text"));
	}

	@Test
	@DisplayName("a response entity that comes later is written in its content type, or fails as Spring fails")
	void laterEntityInAnotherType() {
		for (String type : List.of("application/json", "application/problem+json", "application/xml", "text/html",
				"no media type")) {
			sameAsync((client) -> client.futureEntityAs(type).get());
			sameAsync((client) -> client.futureTextAs(type).get());
			sameAsync((client) -> client.monoEntityAs(type).block());
		}
	}

	@Test
	@DisplayName("a future that fails at the server fails at the client with the mapped status")
	void futureFails() {
		for (String how : List.of("advised", "status-class", "response-status", "anything", "assertion")) {
			sameAsync((client) -> client.futureFails(how).get()).failure(WebClientResponseException.class);
			sameAsync((client) -> client.futureThrows(how).get()).failure(WebClientResponseException.class);
		}
	}

	@Test
	@DisplayName("a future that fails at the client does so in the future, not in the call")
	void futureCarriesTheFailure() {
		Outcome outcome = sameAsync((client) -> {
			CompletableFuture<Later> future = client.futureFails("advised");
			return future.handle((value, ex) -> (ex != null) ? ex.getClass().getName() : "no failure").get();
		});
		assertThat(outcome.value()).asString().contains("WebClientResponseException");
	}

	@Test
	@DisplayName("a future that is completed with null gives null")
	void futureOfNull() {
		assertThat(sameAsync((client) -> client.futureNull().get()).value()).isNull();
	}

	@Test
	@DisplayName("a future is under way before anybody asks it")
	void futureIsHot() {
		for (TimingContract client : List.of(httpAsync(), pathAsync())) {
			String gate = newGate();
			CompletableFuture<String> future = client.futureWaitAt(gate);
			assertThat(control().awaitArrival(gate)).isTrue();
			control().open(gate);
			assertThat(future).succeedsWithin(Duration.ofSeconds(20)).isEqualTo("passed");
			assertThat(control().arrivals(gate)).isEqualTo(1);
		}
	}

	@Test
	@DisplayName("a Mono gives its value, nothing, or its failure")
	void mono() {
		assertThat(sameAsync((client) -> client.mono("text").block()).value()).isEqualTo(new Later("text"));
		assertThat(sameAsync((client) -> client.monoEmpty().hasElement().block()).value()).isEqualTo(false);
		sameAsync((client) -> client.monoFails("advised").block()).failure(WebClientResponseException.Conflict.class);
		sameAsync((client) -> client.monoFails("anything").block())
			.failure(WebClientResponseException.InternalServerError.class);
	}

	@Test
	@DisplayName("a Mono of a response entity, also of one with a Flux in it, carries status and headers")
	void monoEntity() {
		ResponseEntity<?> entity = sameAsync((client) -> client.monoEntity("text").block()).value(ResponseEntity.class);
		assertThat(entity.getStatusCode()).isEqualTo(HttpStatus.ACCEPTED);
		assertThat(entity.getHeaders().getFirst("X-Kit-One")).isEqualTo("1");
		compare(Carriage.ANYWHERE,
				(client) -> client.entityOfFlux(3)
					.flatMap((result) -> Objects.requireNonNull(result.getBody())
						.collectList()
						.map((list) -> result.getStatusCode() + " " + list))
					.block());
	}

	@Test
	@DisplayName("a result that comes after the handler has used the response ends as over HTTP")
	void written() {
		for (String how : List.of("status", "type", "header", "writer", "stream", "flushed", "written and flushed",
				"writer, empty", "stream, empty", "flushed, empty", "type, empty", "writer, fails", "flushed, fails",
				"written and flushed, fails", "type, fails")) {
			compare(Carriage.SEVERAL_ANYWHERE, (client) -> client.writtenMono(how).block());
		}
		for (String how : List.of("status", "header", "writer", "stream", "flushed", "written and flushed")) {
			compare(Carriage.SEVERAL_ANYWHERE, (client) -> client.writtenFuture(how).get());
			compare(Carriage.SEVERAL_ANYWHERE, (client) -> client.writtenMonoEntity(how).block());
			compare(Carriage.SEVERAL_ANYWHERE, (client) -> client.writtenFlux(how).collectList().block());
		}
	}

	@Test
	@DisplayName("a Mono calls when it is subscribed to, and once for each subscriber")
	void monoIsCold() {
		for (TimingContract client : List.of(httpAsync(), pathAsync())) {
			String key = newGate();
			Mono<Void> mono = client.monoVoid(key);
			assertThat(control().arrivals(key)).isZero();
			mono.block();
			mono.block();
			assertThat(control().arrivals(key)).isEqualTo(2);
		}
	}

	@Test
	@DisplayName("the trace of the caller or subscriber continues at the callee")
	void trace() {
		TraceHandler.setCaller(TRACE);
		try {
			assertThat(sameAsync((client) -> client.futureTrace().get()).value()).isEqualTo(TRACE);
			assertThat(sameAsync((client) -> client.monoTrace().block()).value()).isEqualTo(TRACE);
		}
		finally {
			TraceHandler.setCaller(null);
		}
		assertThat(sameAsync((client) -> client.futureTrace().get()).value()).isEqualTo("none");
	}

	@Test
	@DisplayName("the trace continues of the observation in the subscriber's context")
	void traceOfTheSubscriber() {
		Observation parent = TraceHandler.caller(kit().environment().observationRegistry(), TRACE);
		assertThat(sameAsync((client) -> client.monoTrace()
			.contextWrite((context) -> context.put(ObservationThreadLocalAccessor.KEY, parent))
			.block()).value()).isEqualTo(TRACE);
	}

	@Test
	@DisplayName("a Mono as body ends as over HTTP")
	void monoBody() {
		compare(Carriage.ANYWHERE, (client) -> client.monoBody(Mono.just(new Later("text"))).block());
	}

	@Test
	@DisplayName("a Flux gives its elements in order, also none")
	void flux() {
		for (int count : new int[] { 0, 1, 500 }) {
			List<?> list = compare(Carriage.ANYWHERE, (client) -> client.flux(count).collectList().block())
				.value(List.class);
			assertThat(list).hasSize(count);
		}
	}

	@Test
	@DisplayName("a Mono can be retried and gives a new call each time")
	void monoCanBeRetried() {
		Outcome outcome = kit().compare(TimingContract.class, KitClient.REACTIVE, Carriage.SEVERAL,
				(client) -> client.monoFails("advised").retry(2).block());
		outcome.failure(WebClientResponseException.Conflict.class);
	}

	@Test
	@DisplayName("cancelling a subscription frees the client, and the handler ends as over HTTP")
	void cancelledMono() {
		Queue<String> departures = new ConcurrentLinkedQueue<>();
		for (TimingContract client : List.of(httpAsync(), pathAsync())) {
			String gate = newGate();
			Disposable subscription = client.monoWaitAt(gate).subscribe();
			assertThat(control().awaitArrival(gate)).isTrue();
			subscription.dispose();
			assertThat(client.ping()).isEqualTo("timing");
			control().open(gate);
			departures.add(control().awaitDeparture(gate));
			assertThat(control().arrivals(gate)).isEqualTo(1);
		}
		assertThat(departures).containsOnly(Objects.requireNonNull(departures.peek()));
	}

	@Test
	@DisplayName("cancelling a future frees the client and does not repeat the call")
	void cancelledFuture() {
		for (TimingContract client : List.of(httpAsync(), pathAsync())) {
			String gate = newGate();
			CompletableFuture<String> future = client.futureWaitAt(gate);
			assertThat(control().awaitArrival(gate)).isTrue();
			assertThat(future.cancel(true)).isTrue();
			assertThat(client.ping()).isEqualTo("timing");
			control().open(gate);
			assertThat(control().awaitDeparture(gate)).isEqualTo("completed");
			assertThat(control().arrivals(gate)).isEqualTo(1);
		}
	}

	@Test
	@DisplayName("a timeout of the subscriber ends the wait and nothing else")
	void monoTimeout() {
		Outcome outcome = sameAtOnce(TimingContract.class, KitClient.REACTIVE, (client) -> {
			String gate = newGate();
			try {
				return client.monoWaitAt(gate)
					.timeout(Duration.ofMillis(700))
					.onErrorMap((ex) -> new IllegalStateException(ex.getClass().getSimpleName()))
					.block();
			}
			finally {
				// The handler goes on; a path may be occupied until it returns.
				control().open(gate);
			}
		});
		assertThat(outcome.failure(IllegalStateException.class)).hasMessage("TimeoutException");
	}

	@Test
	@DisplayName("a read timeout of the client ends a Mono with the I/O exception of HTTP")
	void readTimeout() {
		KitClient impatient = KitClient.REACTIVE.withReadTimeout(Duration.ofMillis(700));
		Queue<String> gates = new ConcurrentLinkedQueue<>();
		Outcome outcome = sameAtOnce(TimingContract.class, impatient, (client) -> {
			String gate = newGate();
			gates.add(gate);
			return client.monoWaitAt(gate).block();
		});
		gates.forEach(control()::open);
		outcome.failure(WebClientRequestException.class);
	}

	@Test
	@DisplayName("blocking methods of a reactive client throw the exceptions of WebClient")
	void blockingMethodsOfReactiveClient() {
		Outcome outcome = same(ErrorsContract.class, KitClient.REACTIVE, (client) -> client.fail("local"));
		outcome.failure(WebClientResponseException.UnprocessableContent.class);
	}

	@Test
	@DisplayName("a filter of the reactive client sees or changes the call as over HTTP")
	void filter() {
		KitClient client = KitClient.REACTIVE.withWebClient(
				(builder) -> builder.defaultStatusHandler((status) -> status.value() == 409, (response) -> Mono
					.just(new IllegalStateException("turned by the client from " + response.statusCode().value()))));
		Outcome outcome = kit().compare(TimingContract.class, client, Carriage.ANYWHERE,
				(timing) -> timing.monoFails("advised").block());
		assertThat(outcome.failure(IllegalStateException.class)).hasMessage("turned by the client from 409");
	}

	@Test
	@DisplayName("a hundred futures at once each get their own result")
	void manyFutures() throws Exception {
		TimingContract client = pathAsync();
		List<CompletableFuture<Later>> futures = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			futures.add(client.future("text " + i));
		}
		for (int i = 0; i < 100; i++) {
			assertThat(futures.get(i).get(30, TimeUnit.SECONDS)).isEqualTo(new Later("text " + i));
		}
	}

	private TimingContract httpAsync() {
		return kit().http(TimingContract.class, KitClient.REACTIVE);
	}

	private TimingContract pathAsync() {
		return kit().path(TimingContract.class, KitClient.REACTIVE);
	}

	private Outcome sameAsync(Call<TimingContract> call) {
		return compare(Carriage.ON_PATH, call);
	}

	private Outcome compare(Carriage carriage, Call<TimingContract> call) {
		return kit().compare(TimingContract.class, KitClient.REACTIVE, carriage, call);
	}

}
