package io.github.vicinal.boot.client;

import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.vicinal.boot.client.HttpLegs.Original;
import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelSettings;
import io.github.vicinal.path.PathKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.http.HttpHeaders;
import org.springframework.web.service.annotation.GetExchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** A call over HTTP is in flight from when it is sent until it ends, however it ends. */
@Timeout(60)
class HttpInFlightTests {

	private static final URI PEER = URI.create("http://198.51.100.1/shop");

	private static final URI OTHER = URI.create("http://198.51.100.2/shop");

	private final Channel channel = new Channel(
			new ChannelSettings("shop", List.of(PathKind.HTTP), null, Duration.ofSeconds(1), false),
			ExchangeContractReader.contract(Shop.class), List.of(), Runnable::run, Clock.systemUTC());

	private final HttpLegs legs = new HttpLegs();

	private final AsyncCalls calls = new AsyncCalls();

	private final ClientChannel client = AsyncCallsTests.reactive(this.channel, this.legs, HttpAddress.of(PEER),
			this.calls);

	@AfterEach
	void end() {
		this.calls.close();
	}

	private long inFlight() {
		return this.channel.peer(HttpAddress.of(PEER)).inFlight() + this.channel.peer(HttpAddress.of(OTHER)).inFlight();
	}

	private HttpLeg sent() {
		HttpLeg leg = this.legs.current();
		assertThat(leg).isNotNull();
		return sent(leg);
	}

	private HttpLeg sent(HttpLeg leg) {
		leg.sending(PEER, new HttpHeaders());
		assertThat(inFlight()).isEqualTo(1);
		return leg;
	}

	private Object call(String method, Original original) throws Throwable {
		MethodPlan plan = this.client.plan(Shop.class.getMethod(method));
		return new ClientCall(this.client, plan, plan.shape().timing(), new Object[0], original).make();
	}

	@Test
	void aCallThatIsAnsweredOrFails() throws Throwable {
		call("name", () -> {
			sent().answered(PEER, 200, new HttpHeaders());
			return "shop";
		});
		assertThat(inFlight()).isZero();
		assertThatIllegalStateException().isThrownBy(() -> call("name", () -> {
			sent();
			throw new IllegalStateException("broken");
		}));
		assertThat(inFlight()).isZero();
		assertThat(this.channel.report()
			.peers()
			.get(0)
			.paths()
			.stream()
			.filter((path) -> path.path().equals("http"))
			.findFirst()
			.orElseThrow()
			.calls()).isEqualTo(2);
	}

	@Test
	void aCallThatTheClientSendsAgainElsewhere() throws Throwable {
		call("name", () -> {
			sent().sending(OTHER, new HttpHeaders());
			assertThat(inFlight()).isEqualTo(1);
			assertThat(this.channel.peer(HttpAddress.of(OTHER)).inFlight()).isEqualTo(1);
			return "shop";
		});
		assertThat(inFlight()).isZero();
	}

	@Test
	void aFutureThatIsCompletedOrCancelled() throws Throwable {
		for (boolean cancelled : new boolean[] { false, true }) {
			CompletableFuture<String> answer = new CompletableFuture<>();
			call("future", () -> {
				sent();
				return answer;
			});
			assertThat(inFlight()).isEqualTo(1);
			if (cancelled) {
				answer.cancel(true);
			}
			else {
				answer.complete("shop");
			}
			assertThat(inFlight()).isZero();
		}
	}

	@Test
	void aFutureThatTheClientDoesNotReturn() {
		assertThatIllegalStateException().isThrownBy(() -> call("future", () -> {
			sent();
			throw new IllegalStateException("broken");
		}));
		assertThat(inFlight()).isZero();
	}

	@Test
	void publishersThatCompleteFailOrAreCancelled() throws Throwable {
		for (String method : List.of("mono", "flux")) {
			for (int end = 0; end < 3; end++) {
				Sinks.Many<Object> answer = Sinks.many().unicast().onBackpressureBuffer();
				Flux<Object> sending = Flux.deferContextual((context) -> {
					sent(context.get(HttpLeg.class));
					return answer.asFlux();
				});
				Object made = call(method, () -> method.equals("mono") ? sending.singleOrEmpty() : sending);
				assertThat(inFlight()).isZero();
				Disposable subscribed = Flux.from((org.reactivestreams.Publisher<?>) made)
					.onErrorComplete()
					.subscribe();
				assertThat(inFlight()).isEqualTo(1);
				switch (end) {
					case 0 -> answer.tryEmitComplete();
					case 1 -> answer.tryEmitError(new IllegalStateException("broken"));
					default -> subscribed.dispose();
				}
				assertThat(inFlight()).as("%s %d", method, end).isZero();
			}
		}
	}

	@Test
	void aCallThatIsSentWhenItHasEnded() throws Throwable {
		HttpLeg[] late = new HttpLeg[1];
		Mono<?> made = (Mono<?>) call("mono", () -> Mono.deferContextual((context) -> {
			late[0] = context.get(HttpLeg.class);
			return Mono.never();
		}));
		made.subscribe().dispose();
		late[0].sending(PEER, new HttpHeaders());
		assertThat(inFlight()).isZero();
	}

	interface Shop {

		@GetExchange("/shop")
		String name();

		@GetExchange("/shop")
		CompletableFuture<String> future();

		@GetExchange("/shop")
		Mono<String> mono();

		@GetExchange("/shop")
		Flux<String> flux();

	}

}
