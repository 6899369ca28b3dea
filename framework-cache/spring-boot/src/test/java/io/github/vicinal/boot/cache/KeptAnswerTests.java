package io.github.vicinal.boot.cache;

import java.lang.ref.WeakReference;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.github.vicinal.boot.autoconfigure.InvalidChannelException;
import io.github.vicinal.boot.client.CallCache;
import io.github.vicinal.boot.client.CallCachesAccess;
import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.cache.Cache;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.channel.CacheableCall;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.service.annotation.GetExchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Which answers are kept, for whom, and how many of them. */
class KeptAnswerTests {

	private static final RequestAddition USER = new RequestAddition("balances", "request interceptor UserInterceptor",
			Runnable.class);

	private static final RequestAddition UNKNOWN = new RequestAddition("balances", "RestClient of someone", null);

	private final AtomicInteger calls = new AtomicInteger();

	/** The caller. */
	private final ThreadLocal<String> user = new ThreadLocal<>();

	private final CallCacheKeyContributor contributor = new CallCacheKeyContributor() {
		@Override
		public boolean covers(RequestAddition addition) {
			return addition.isFrom(Runnable.class);
		}

		@Override
		public Object part(String channel, java.lang.reflect.Method method) {
			return KeptAnswerTests.this.user.get();
		}
	};

	private static EngineCallCaches caches(CacheProperties properties, List<CallCacheKeyContributor> contributors) {
		return new EngineCallCaches(
				new CacheBuilders(properties, (name) -> null, (name) -> null, () -> List.of(), () -> null),
				() -> new Codecs(JsonMapper.builder().build(), true), () -> contributors,
				() -> RequestAdditions.Application.NOTHING, null, (cache) -> {
				}, (cache) -> {
				});
	}

	private static CacheProperties properties(Long maximumSize, Map<String, CacheProperties.Single> caches) {
		return new CacheProperties(true, null, maximumSize, null, null, null, null, true, true, null, false, caches);
	}

	private static EngineCallCache cache(EngineCallCaches caches, String method) {
		Contract contract = ExchangeContractReader.contract(Balances.class);
		ContractMethod found = contract.methods()
			.stream()
			.filter((candidate) -> candidate.method().getName().equals(method))
			.findFirst()
			.orElseThrow();
		EngineCallCache cache = (EngineCallCache) CallCachesAccess.cache(caches, "balances", contract, Balances.class,
				found);
		assertThat(cache).isNotNull();
		return cache;
	}

	private static RequestAdditions.Found found(RequestAddition... additions) {
		return new RequestAdditions.Found(List.of(additions), Map.of(), List.of());
	}

	/** As those of a request scope, which are made with the user's token. */
	@Test
	void clientsThatDifferInDefaultHeadersAreNotServed() throws Throwable {
		EngineCallCache cache = cache("balance");
		cache
			.client(new RequestAdditions.Found(List.of(), Map.of("defaultHeaders", "Authorization: alice"), List.of()));
		cache
			.client(new RequestAdditions.Found(List.of(), Map.of("defaultHeaders", "Authorization: alice"), List.of()));
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#1");
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#1");
		cache.client(new RequestAdditions.Found(List.of(), Map.of("defaultHeaders", "Authorization: bob"), List.of()));
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#2");
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#3");
		assertThat(cache.report().values()).contains("several clients").doesNotContain("alice");
	}

	/** Each request of a request scope has a client of its own. */
	@Test
	void listsOfClientsThatAreGoneAreNotKept() {
		EngineCallCache cache = cache("balance");
		WeakReference<List<Object>> gone = withList(cache);
		await().until(() -> {
			System.gc();
			return gone.get() == null;
		});
		cache.client(found());
		assertThat(cache.report().values()).doesNotContain("changed");
	}

	private static WeakReference<List<Object>> withList(EngineCallCache cache) {
		List<Object> interceptors = new ArrayList<>();
		cache.client(new RequestAdditions.Found(List.of(), Map.of(),
				List.of(new RequestAdditions.Watched("request interceptors", interceptors))));
		interceptors.add(USER);
		assertThat(cache.report().values()).contains("request interceptors of the HTTP client were changed");
		return new WeakReference<>(interceptors);
	}

	private EngineCallCache cache(String method) {
		return cache(caches(properties(null, Map.of()), List.of()), method);
	}

	private CallCache.Call answering(Map<String, List<String>> headers) {
		return (answer) -> {
			CallCachesAccess.sending(answer);
			CallCachesAccess.received(answer, 200, headers);
			return "#" + this.calls.incrementAndGet();
		};
	}

	@Test
	void nothingIsKeptBeforeAClientIsKnown() throws Throwable {
		EngineCallCache cache = cache("balance");
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#1");
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#2");
		assertThat(cache.report().values()).contains("not kept");
		cache.client(found());
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#3");
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#3");
	}

	@Test
	void aClientThatAddsTheCallerIsRefused() {
		assertThatExceptionOfType(InvalidChannelException.class).isThrownBy(() -> cache("balance").client(found(USER)))
			.withMessageContaining("Balances.balance")
			.withMessageContaining("UserInterceptor")
			.withMessageContaining("'balances'")
			.satisfies((ex) -> assertThat(ex.action()).contains(CallCacheKeyContributor.class.getName())
				.contains("sharedByAllCallers = true")
				.contains("vicinal.cache.caches.balances.balance.shared-by-all-callers=true"));
	}

	/** Not even if an application goes on after the refusal. */
	@Test
	void aRefusedCacheStaysOff() throws Throwable {
		EngineCallCache cache = cache("balance");
		assertThatExceptionOfType(InvalidChannelException.class).isThrownBy(() -> cache.client(found(USER)));
		cache.client(found());
		cache.call(new Object[] { 1L }, answering(Map.of()));
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#2");
	}

	@Test
	void aClientThatCannotBeLookedIntoIsNotServed() throws Throwable {
		for (List<RequestAddition> second : List.of(List.<RequestAddition>of(), List.of(UNKNOWN))) {
			EngineCallCache cache = cache("balance");
			cache.client(found(UNKNOWN));
			cache.client(found(second.toArray(RequestAddition[]::new)));
			Object first = cache.call(new Object[] { 1L }, answering(Map.of()));
			assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isNotEqualTo(first);
			assertThat(cache.report().values()).contains("RestClient of someone");
		}
	}

	@Test
	void annotationOrPropertyMaySayThatAnswersAreTheSameForAll() throws Throwable {
		EngineCallCache annotated = cache("shared");
		EngineCallCache configured = cache(caches(
				properties(null,
						Map.of("balances.balance",
								new CacheProperties.Single(null, null, null, null, null, null, null, true))),
				List.of()), "balance");
		for (EngineCallCache cache : List.of(annotated, configured)) {
			cache.client(found(USER, UNKNOWN));
			Object first = cache.call(new Object[] { 1L }, answering(Map.of()));
			assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo(first);
			// The server's directive still counts.
			for (Map<String, List<String>> headers : List.of(Map.of("Cache-Control", List.of("private")),
					Map.of("Vary", List.of("Authorization")), Map.of("Set-Cookie", List.of("a=b")))) {
				Object other = cache.call(new Object[] { 2L }, answering(headers));
				assertThat(cache.call(new Object[] { 2L }, answering(headers))).isNotEqualTo(other);
			}
		}
	}

	@Test
	void aContributorGivesEachCallerItsOwnAnswers() throws Throwable {
		EngineCallCache cache = cache(caches(properties(null, Map.of()), List.of(this.contributor)), "balance");
		cache.client(found(USER));
		Map<String, List<String>> headers = Map.of("Cache-Control", List.of("private, max-age=60"), "Vary",
				List.of("Authorization"));
		this.user.set("alice");
		assertThat(cache.call(new Object[] { 1L }, answering(headers))).isEqualTo("#1");
		this.user.set("bob");
		assertThat(cache.call(new Object[] { 1L }, answering(headers))).isEqualTo("#2");
		assertThat(cache.call(new Object[] { 1L }, answering(headers))).isEqualTo("#2");
		this.user.set("alice");
		assertThat(cache.call(new Object[] { 1L }, answering(headers))).isEqualTo("#1");
		this.user.remove();
		assertThat(cache.call(new Object[] { 1L }, answering(headers))).as("nobody knows who").isEqualTo("#3");
		assertThat(cache.call(new Object[] { 1L }, answering(headers))).isEqualTo("#4");
	}

	@Test
	void eachAdditionMustBeCovered() {
		EngineCallCache cache = cache(caches(properties(null, Map.of()), List.of(this.contributor)), "balance");
		RequestAddition tenant = new RequestAddition("balances", "request initializer Tenants", Readable.class);
		assertThatExceptionOfType(InvalidChannelException.class).isThrownBy(() -> cache.client(found(USER, tenant)))
			.withMessageContaining("Tenants")
			.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("UserInterceptor"));
	}

	@Test
	void monosAreDistinguishedWhenTheyAreSubscribedTo() throws Throwable {
		EngineCallCache cache = cache(caches(properties(null, Map.of()), List.of(this.contributor)), "mono");
		cache.client(found(USER));
		Mono<?> mono = (Mono<?>) cache.call(new Object[] { 1L }, (answer) -> Mono.fromSupplier(() -> {
			CallCachesAccess.received(answer, 200, Map.of());
			return this.user.get() + " #" + this.calls.incrementAndGet();
		}));
		this.user.set("alice");
		assertThat((Object) mono.block()).isEqualTo("alice #1");
		assertThat((Object) mono.block()).isEqualTo("alice #1");
		this.user.set("bob");
		assertThat((Object) mono.block()).isEqualTo("bob #2");
		this.user.remove();
		assertThat((Object) mono.block()).isEqualTo("null #3");
		assertThat((Object) mono.block()).isEqualTo("null #4");
	}

	/** The thread of a refresh may carry another user, or none. */
	@Test
	void aRefreshIsNotMadeForAnotherCaller() throws Throwable {
		AtomicReference<Runnable> refresh = new AtomicReference<>();
		CacheProperties refreshing = new CacheProperties(true, null, null, null, null, null, Duration.ofNanos(1), true,
				true, null, false, Map.of());
		EngineCallCaches caches = new EngineCallCaches(
				new CacheBuilders(refreshing, (name) -> null, (name) -> null, () -> List.of(), () -> refresh::set),
				() -> new Codecs(JsonMapper.builder().build(), true), () -> List.of(this.contributor),
				() -> RequestAdditions.Application.NOTHING, null, (cache) -> {
				}, (cache) -> {
				});
		EngineCallCache cache = cache(caches, "balance");
		cache.client(found(USER));
		this.user.set("alice");
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#1");
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#1");
		this.user.set("bob");
		refresh.get().run();
		assertThat(this.calls).hasValue(1);
		this.user.set("alice");
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#1");
		refresh.get().run();
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#2");
	}

	/** An executor does not hand a trace on by itself. */
	@Test
	void aRefreshIsNotMadeWithOtherBaggage() throws Throwable {
		AtomicReference<Runnable> refresh = new AtomicReference<>();
		CacheProperties refreshing = new CacheProperties(true, null, null, null, null, null, Duration.ofNanos(1), true,
				true, null, false, Map.of());
		EngineCallCaches caches = new EngineCallCaches(
				new CacheBuilders(refreshing, (name) -> null, (name) -> null, () -> List.of(), () -> refresh::set),
				() -> new Codecs(JsonMapper.builder().build(), true), () -> List.of(),
				() -> RequestAdditions.Application.NOTHING,
				() -> (this.user.get() != null) ? Map.of("tenant", this.user.get()) : Map.of(), (cache) -> {
				}, (cache) -> {
				});
		EngineCallCache cache = cache(caches, "balance");
		cache.client(found());
		this.user.set("alice");
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#1");
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#1");
		for (String carried : new String[] { null, "bob" }) {
			this.user.set(carried);
			refresh.get().run();
			assertThat(this.calls).hasValue(1);
			this.user.set("alice");
			assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#1");
		}
		refresh.get().run();
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#2");
		this.user.set("bob");
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#3");
	}

	/** RFC 9111, section 4: only what could be stored may answer several requests. */
	@Test
	void aWaiterForAnAnswerThatIsNotKeptMakesACallOfItsOwn() throws Throwable {
		EngineCallCache cache = cache("balance");
		cache.client(found());
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		CompletableFuture<Object> first = new CompletableFuture<>();
		Map<String, List<String>> headers = Map.of("Cache-Control", List.of("no-store"));
		new Thread(() -> complete(first, cache, (answer) -> {
			started.countDown();
			release.await();
			return answering(headers).proceed(answer);
		})).start();
		assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<Object> second = new CompletableFuture<>();
		Thread waiter = new Thread(() -> complete(second, cache, answering(headers)));
		waiter.start();
		await().until(() -> waiter.getState() == Thread.State.WAITING);
		release.countDown();
		assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("#1");
		assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo("#2");
		// From now on nobody waits: this call is made within another of the same key.
		assertThat(cache.call(new Object[] { 1L }, (answer) -> {
			Object inner = cache.call(new Object[] { 1L }, answering(headers));
			return inner + " in " + answering(headers).proceed(answer);
		})).isEqualTo("#3 in #4");
		// Once an answer could be kept, the next one is.
		cache.call(new Object[] { 1L }, answering(Map.of()));
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#6");
		assertThat(cache.call(new Object[] { 1L }, answering(Map.of()))).isEqualTo("#6");
	}

	/** A server may refuse one caller, and one caller may be interrupted. */
	@ParameterizedTest
	@ValueSource(strings = { "refused", "interrupted" })
	void whoWaitsForACallThatFailsForItsCallerMakesACallOfItsOwn(String failure) throws Throwable {
		EngineCallCache cache = cache("shared");
		cache.client(found(USER));
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		CompletableFuture<Object> first = new CompletableFuture<>();
		Thread caller = new Thread(() -> complete(first, cache, (answer) -> {
			started.countDown();
			if (failure.equals("refused")) {
				release.await();
				CallCachesAccess.received(answer, 403, Map.of());
				throw new IllegalStateException("403 for the first caller");
			}
			try {
				release.await();
				throw new AssertionError("not interrupted");
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("I/O error: interrupted");
			}
		}));
		caller.start();
		assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<Object> second = new CompletableFuture<>();
		Thread waiter = new Thread(() -> complete(second, cache, answering(Map.of())));
		waiter.start();
		await().until(() -> waiter.getState() == Thread.State.WAITING);
		if (failure.equals("refused")) {
			release.countDown();
		}
		else {
			caller.interrupt();
		}
		assertThatThrownBy(() -> first.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(IllegalStateException.class);
		assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo("#1");
	}

	@Test
	void whoWaitsForACallThatGetsNoAnswerIsToldSo() throws Throwable {
		EngineCallCache cache = cache("balance");
		cache.client(found());
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		CompletableFuture<Object> first = new CompletableFuture<>();
		new Thread(() -> complete(first, cache, (answer) -> {
			started.countDown();
			release.await();
			throw new SocketTimeoutException("timed out");
		})).start();
		assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<Object> second = new CompletableFuture<>();
		Thread waiter = new Thread(() -> complete(second, cache, answering(Map.of())));
		waiter.start();
		await().until(() -> waiter.getState() == Thread.State.WAITING);
		release.countDown();
		for (CompletableFuture<Object> caller : List.of(first, second)) {
			assertThatThrownBy(() -> caller.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(SocketTimeoutException.class);
		}
		assertThat(this.calls).hasValue(0);
	}

	@Test
	void futuresThatFailForTheirCallerAreNotShared() throws Throwable {
		EngineCallCache cache = cache("future");
		cache.client(found());
		for (boolean answered : new boolean[] { true, false }) {
			CompletableFuture<Object> pending = new CompletableFuture<>();
			CompletableFuture<?> first = (CompletableFuture<?>) cache.call(new Object[] { 1L }, (answer) -> {
				if (answered) {
					CallCachesAccess.received(answer, 403, Map.of());
				}
				return pending;
			});
			CompletableFuture<?> second = (CompletableFuture<?>) cache.call(new Object[] { 1L }, (answer) -> {
				CallCachesAccess.received(answer, 200, Map.of("Cache-Control", List.of("no-store")));
				return CompletableFuture.completedFuture("mine");
			});
			assertThat(second).isNotDone();
			pending.completeExceptionally(new IllegalStateException("for the first caller"));
			assertThatThrownBy(() -> first.get(5, TimeUnit.SECONDS)).hasCauseInstanceOf(IllegalStateException.class);
			if (answered) {
				assertThat((Object) second.get(5, TimeUnit.SECONDS)).isEqualTo("mine");
				// Answers of this method may be kept again.
				cache.call(new Object[] { 2L }, (answer) -> {
					CallCachesAccess.received(answer, 200, Map.of());
					return CompletableFuture.completedFuture("kept");
				});
			}
			else {
				assertThatThrownBy(() -> second.get(5, TimeUnit.SECONDS))
					.hasCauseInstanceOf(IllegalStateException.class);
			}
		}
	}

	private static void complete(CompletableFuture<Object> result, EngineCallCache cache, CallCache.Call call) {
		try {
			result.complete(cache.call(new Object[] { 1L }, call));
		}
		catch (Throwable ex) {
			result.completeExceptionally(ex);
		}
	}

	@Test
	void futuresThatAreNotKeptAreNotShared() throws Throwable {
		EngineCallCache cache = cache("future");
		cache.client(found());
		CompletableFuture<Object> pending = new CompletableFuture<>();
		CompletableFuture<?> first = (CompletableFuture<?>) cache.call(new Object[] { 1L }, (answer) -> {
			CallCachesAccess.received(answer, 200, Map.of("Cache-Control", List.of("no-store")));
			return pending;
		});
		CompletableFuture<?> second = (CompletableFuture<?>) cache.call(new Object[] { 1L }, (answer) -> {
			CallCachesAccess.received(answer, 200, Map.of("Cache-Control", List.of("no-store")));
			return CompletableFuture.completedFuture("mine");
		});
		assertThat(second).isNotDone();
		pending.complete("another's");
		assertThat((Object) first.get(5, TimeUnit.SECONDS)).isEqualTo("another's");
		assertThat((Object) second.get(5, TimeUnit.SECONDS)).isEqualTo("mine");
	}

	@Test
	void anAnswerWithoutFactsIsNotKept() throws Throwable {
		EngineCallCache cache = cache("balance");
		cache.client(found());
		for (int i = 1; i <= 3; i++) {
			assertThat(cache.call(new Object[] { 1L }, (answer) -> "#" + this.calls.incrementAndGet()))
				.isEqualTo("#" + i);
		}
	}

	@Test
	void anAnswerIsUsedNoLongerThanItsServerSays() throws Throwable {
		EngineCallCache cache = cache("balance");
		cache.client(found());
		Map<String, List<String>> almostOld = Map.of("Cache-Control", List.of("max-age=1"));
		assertThat(cache.call(new Object[] { 1L }, answering(almostOld))).isEqualTo("#1");
		await()
			.untilAsserted(() -> assertThat(cache.call(new Object[] { 1L }, answering(almostOld))).isNotEqualTo("#1"));
	}

	@Test
	void bytesAreBoundedByDefault() throws Throwable {
		EngineCallCaches caches = caches(properties(null, Map.of()), List.of());
		EngineCallCache cache = cache(caches, "balance");
		cache.client(found());
		String megabyte = "x".repeat(1 << 20);
		for (long i = 0; i < 64; i++) {
			cache.call(new Object[] { i }, (answer) -> {
				CallCachesAccess.received(answer, 200, Map.of());
				return megabyte;
			});
		}
		Cache<Object, Object> engine = caches.caches().get(0);
		engine.cleanUp();
		assertThat(engine.estimatedSize()).isBetween(1L, 16L);
		assertThat(engine.report().maximum()).isEqualTo(16 << 20);
		EngineCallCaches counted = caches(properties(100L, Map.of()), List.of());
		cache(counted, "balance");
		assertThat(counted.caches().get(0).report().maximum()).isEqualTo(100);
	}

	@AffinityChannel
	interface Balances {

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/{id}")
		String balance(@PathVariable long id);

		@CacheableCall(expireAfterWrite = "1m", sharedByAllCallers = true)
		@GetExchange("/{id}/shared")
		String shared(@PathVariable long id);

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/{id}/future")
		CompletableFuture<String> future(@PathVariable long id);

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/{id}/mono")
		Mono<String> mono(@PathVariable long id);

	}

}
