package io.github.vicinal.boot.client;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.boot.cache.CacheBuilders;
import io.github.vicinal.boot.cache.CacheProperties;
import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.channel.AffinityChannel.Idempotence;
import io.github.vicinal.channel.CacheableCall;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.PostExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What stands between a contract method and its calls. */
class CachedCallTests {

	private final EngineCallCaches caches = new EngineCallCaches(
			new CacheBuilders(
					new CacheProperties(true, "LRU", 100L, null, null, null, null, true, true, null, false, Map.of()),
					(name) -> null, List::of, () -> null),
			() -> new Codecs(JsonMapper.builder().build(), true), (cache) -> {
			});

	private final AtomicInteger calls = new AtomicInteger();

	private CallCache cache(String method) {
		Contract contract = ExchangeContractReader.contract(Prices.class);
		ContractMethod found = contract.methods()
			.stream()
			.filter((candidate) -> candidate.method().getName().equals(method))
			.findFirst()
			.orElseThrow();
		CallCache cache = CallCaches.of(this.caches, "prices", contract, new MethodPlan(Prices.class, found));
		assertThat(cache).isNotNull();
		return cache;
	}

	@Test
	void immutableValuesAreShared() throws Throwable {
		CallCache cache = cache("price");
		Price first = (Price) cache.call(new Object[] { 1L }, () -> new Price("a", this.calls.incrementAndGet()));
		assertThat(cache.call(new Object[] { 1L }, () -> new Price("b", 0))).isSameAs(first);
		assertThat(cache.call(new Object[] { 2L }, () -> new Price("b", 0))).isEqualTo(new Price("b", 0));
		assertThat(cache.report().values()).contains("shared");
		assertThat(cache.report().hits()).isEqualTo(1);
		assertThat(cache.report().misses()).isEqualTo(2);
		assertThat(cache.report().cache()).isEqualTo("prices.price");
	}

	@Test
	@SuppressWarnings("unchecked")
	void mutableValuesAreNeverShared() throws Throwable {
		CallCache cache = cache("search");
		List<Price> made = new ArrayList<>(List.of(new Price("a", 1)));
		List<String> argument = new ArrayList<>(List.of("x"));
		List<Price> first = (List<Price>) cache.call(new Object[] { argument }, () -> made);
		argument.add("y");
		made.clear();
		first.clear();
		List<Price> second = (List<Price>) cache.call(new Object[] { List.of("x") }, () -> List.of());
		assertThat(second).containsExactly(new Price("a", 1));
		second.clear();
		assertThat((List<Price>) cache.call(new Object[] { List.of("x") }, () -> List.of()))
			.containsExactly(new Price("a", 1));
		assertThat((List<Price>) cache.call(new Object[] { List.of("x", "y") }, () -> List.of())).isEmpty();
		assertThat(cache.report().values()).contains("copied");
	}

	@Test
	void methodsOfOneCacheDoNotMixTheirEntries() throws Throwable {
		assertThat(cache("named").call(new Object[] { 1L }, () -> "named")).isEqualTo("named");
		assertThat(cache("alsoNamed").call(new Object[] { 1L }, () -> "also")).isEqualTo("also");
		assertThat(this.caches.caches()).singleElement().satisfies((cache) -> {
			assertThat(cache.name()).isEqualTo("names");
			assertThat(cache.estimatedSize()).isEqualTo(2);
		});
	}

	@Test
	void failuresAndNullAreNotKept() throws Throwable {
		CallCache cache = cache("price");
		Exception failure = new IOException("as wanted");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> cache.call(new Object[] { 1L }, () -> {
			throw failure;
		})).isSameAs(failure);
		assertThat(cache.call(new Object[] { 1L }, () -> null)).isNull();
		assertThat(cache.call(new Object[] { 1L }, () -> new Price("a", 1))).isEqualTo(new Price("a", 1));
		assertThat(cache.report().hits()).isZero();
	}

	@Test
	void callsAtTheSameTimeAreMadeOnce() throws Exception {
		CallCache cache = cache("price");
		ExecutorService threads = Executors.newFixedThreadPool(50);
		try {
			List<Future<Object>> results = new ArrayList<>();
			for (int i = 0; i < 50; i++) {
				results.add(threads.submit(() -> {
					try {
						return cache.call(new Object[] { 5L }, () -> new Price("a", this.calls.incrementAndGet()));
					}
					catch (Throwable ex) {
						throw new IllegalStateException(ex);
					}
				}));
			}
			for (Future<Object> result : results) {
				assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo(new Price("a", 1));
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(this.calls).hasValue(1);
	}

	@Test
	void futuresAreSharedWhileTheyAreUnderWay() throws Throwable {
		CallCache cache = cache("future");
		CompletableFuture<Object> answer = new CompletableFuture<>();
		CompletableFuture<?> first = (CompletableFuture<?>) cache.call(new Object[] { 1L }, () -> {
			this.calls.incrementAndGet();
			return answer;
		});
		CompletableFuture<?> second = (CompletableFuture<?>) cache.call(new Object[] { 1L }, () -> {
			this.calls.incrementAndGet();
			return answer;
		});
		first.cancel(true);
		answer.complete(new Price("a", 1));
		assertThat(second.get(5, TimeUnit.SECONDS)).isEqualTo(new Price("a", 1));
		assertThat(this.calls).hasValue(1);
	}

	@Test
	void publishersCallWhenTheyAreSubscribedTo() throws Throwable {
		CallCache cache = cache("mono");
		Mono<?> mono = (Mono<?>) cache.call(new Object[] { 1L }, () -> Mono
			.deferContextual((context) -> Mono.just(new Price(context.get("who"), this.calls.incrementAndGet()))));
		assertThat(this.calls).hasValue(0);
		for (int i = 0; i < 2; i++) {
			Object price = mono.contextWrite((context) -> context.put("who", "me")).block(Duration.ofSeconds(5));
			assertThat(price).isEqualTo(new Price("me", 1));
		}
		assertThat(this.calls).hasValue(1);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			save     | POST may not be repeated
			nothing  | returns nothing
			entity   | not an entity
			stream   | stream
			forever  | not a positive duration
			""")
	void whatCannotBeCachedIsRefused(String method, String reason) {
		assertThatExceptionOfType(InvalidChannelException.class).isThrownBy(() -> cache(method))
			.withMessageContaining(reason)
			.withMessageContaining("Prices." + method)
			.satisfies((ex) -> assertThat(ex.action()).isNotBlank());
	}

	@Test
	void withoutTheEngineTheAnnotationIsRefused() {
		Contract contract = ExchangeContractReader.contract(Prices.class);
		ContractMethod method = contract.methods().get(0);
		assertThatExceptionOfType(InvalidChannelException.class)
			.isThrownBy(() -> CallCaches.of(null, "prices", contract, new MethodPlan(Prices.class, method)))
			.satisfies((ex) -> assertThat(ex.action()).contains("vicinal-cache"));
	}

	record Price(String currency, int cents) {
	}

	@AffinityChannel
	interface Prices {

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/{id}")
		Price price(@PathVariable long id);

		@CacheableCall(expireAfterWrite = "1m")
		@AffinityChannel(idempotent = Idempotence.YES)
		@PostExchange("/search")
		List<Price> search(@RequestBody List<String> names);

		@CacheableCall(expireAfterWrite = "1m", cache = "names")
		@GetExchange("/{id}/name")
		String named(@PathVariable long id);

		@CacheableCall(expireAfterWrite = "1m", cache = "names")
		@GetExchange("/{id}/other")
		String alsoNamed(@PathVariable long id);

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/{id}/future")
		CompletableFuture<Price> future(@PathVariable long id);

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/{id}/mono")
		Mono<Price> mono(@PathVariable long id);

		@CacheableCall(expireAfterWrite = "1m")
		@PostExchange
		Price save(@RequestBody Price price);

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/nothing")
		void nothing();

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/entity")
		ResponseEntity<Price> entity();

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/stream")
		Flux<Price> stream();

		@CacheableCall(expireAfterWrite = "0s")
		@GetExchange("/forever")
		Price forever();

	}

}
