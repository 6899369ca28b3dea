package io.github.vicinal.boot.cache;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import io.github.vicinal.boot.autoconfigure.InvalidChannelException;
import io.github.vicinal.boot.client.CallCachesAccess;
import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.cache.Cache;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.channel.AffinityChannel.Idempotence;
import io.github.vicinal.channel.CacheableCall;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.report.ChannelReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.core.io.Resource;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.util.UriBuilderFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Layers between a contract method and its calls. */
class CachedCallTests {

	private final EngineCallCaches caches = caches(null, List.of());

	private final AtomicInteger calls = new AtomicInteger();

	private static EngineCallCaches caches(Duration refreshAfterWrite, List<CacheCustomizer> customizers) {
		CacheProperties properties = new CacheProperties(true, "LRU", 100L, null, null, null, refreshAfterWrite, true,
				true, null, false, Map.of());
		return new EngineCallCaches(
				new CacheBuilders(properties, (name) -> null, (name) -> null, () -> customizers, () -> null),
				() -> new Codecs(JsonMapper.builder().build(), true), List::of,
				() -> RequestAdditions.Application.NOTHING, null, (cache) -> {
				}, (cache) -> {
				});
	}

	private Cached cache(String method) {
		return cache(this.caches, "prices", Prices.class, method);
	}

	private static Cached cache(EngineCallCaches caches, String channel, Class<?> type, String method) {
		Contract contract = ExchangeContractReader.contract(type);
		ContractMethod found = contract.methods()
			.stream()
			.filter((candidate) -> candidate.method().getName().equals(method))
			.findFirst()
			.orElseThrow();
		EngineCallCache cache = (EngineCallCache) CallCachesAccess.cache(caches, channel, contract, type, found);
		assertThat(cache).isNotNull();
		cache.client(RequestAdditions.Found.NOTHING);
		return new Cached(cache);
	}

	/** Behaviour of an HTTP client. */
	@FunctionalInterface
	private interface Original {

		Object proceed() throws Throwable;

	}

	/** A cache whose calls are answered with status 200 and no headers. */
	private record Cached(EngineCallCache cache) {

		Object call(Object[] arguments, Original original) throws Throwable {
			return this.cache.call(arguments, (answer) -> {
				CallCachesAccess.received(answer, 200, Map.of());
				return original.proceed();
			});
		}

		ChannelReport.CachedMethod report() {
			return this.cache.report();
		}

	}

	@Test
	void immutableValuesAreShared() throws Throwable {
		Cached cache = cache("price");
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
		Cached cache = cache("search");
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

	/** Equal arguments that are different requests. */
	@Test
	void argumentsWithALooseEqualityAreKeysByTheirContents() throws Throwable {
		Cached byName = cache("byName");
		assertThat(new Name("anna")).isEqualTo(new Name("ANNA"));
		assertThat(byName.call(new Object[] { new Name("anna") }, () -> "anna's")).isEqualTo("anna's");
		assertThat(byName.call(new Object[] { new Name("ANNA") }, () -> "ANNA's")).isEqualTo("ANNA's");
		assertThat(byName.call(new Object[] { new Name("anna") }, () -> "again")).isEqualTo("anna's");
		Cached byLink = cache("byLink");
		assertThat(byLink.call(new Object[] { URI.create("http://a/x") }, () -> "of a")).isEqualTo("of a");
		assertThat(byLink.call(new Object[] { URI.create("http://A/x") }, () -> "of A")).isEqualTo("of A");
		assertThat(byLink.call(new Object[] { URI.create("http://a/x") }, () -> "again")).isEqualTo("of a");
	}

	/** The first caller and all others get the value that the server sent. */
	@ParameterizedTest
	@ValueSource(strings = { "account", "accounts" })
	void resultsOfWhichACopyWouldLackSomethingAreNotKept(String method) throws Throwable {
		Cached cache = cache(method);
		for (int i = 1; i <= 3; i++) {
			Account account = new Account("anna", "pass" + i);
			Object result = method.equals("account") ? account : List.of(account);
			assertThat(cache.call(new Object[] { 1L }, () -> result)).isSameAs(result);
		}
		assertThat(cache.report().values()).startsWith("not kept: ").contains("not like the original");
		Cached other = cache("order");
		Order order = new Order();
		order.items = List.of("tea");
		assertThat(((Order) other.call(new Object[] { 1L }, () -> order)).items).containsExactly("tea");
		assertThat(((Order) other.call(new Object[] { 1L }, () -> null)).items).containsExactly("tea");
	}

	@Test
	void aResultThatCannotBeWrittenIsForItsCaller() throws Throwable {
		Cached cache = cache("unwritable");
		Unwritable result = new Unwritable();
		assertThat(cache.call(new Object[] { 1L }, () -> result)).isSameAs(result);
		assertThat(cache.call(new Object[] { 1L }, () -> result)).isSameAs(result);
		assertThat(cache.report().values()).startsWith("not kept: ").contains("cannot be copied");
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
	void channelsOfOneContractDoNotMixTheirEntries() throws Throwable {
		Cached one = cache(this.caches, "prices-one", Prices.class, "named");
		Cached other = cache(this.caches, "prices-other", Prices.class, "named");
		assertThat(one.call(new Object[] { 1L }, () -> "of one")).isEqualTo("of one");
		assertThat(other.call(new Object[] { 1L }, () -> "of the other")).isEqualTo("of the other");
		assertThat(one.call(new Object[] { 1L }, () -> "again")).isEqualTo("of one");
		assertThat(other.call(new Object[] { 1L }, () -> "again")).isEqualTo("of the other");
		assertThat(this.caches.caches()).hasSize(1);
	}

	/** They have the same method, whose values are shared here and encoded there. */
	@Test
	void contractsWithACommonParentDoNotMixTheirEntries() throws Throwable {
		Cached users = cache(this.caches, "users", Users.class, "get");
		Cached orders = cache(this.caches, "orders", Orders.class, "get");
		assertThat(users.call(new Object[] { 1L }, () -> new User("anna"))).isEqualTo(new User("anna"));
		Order order = new Order();
		order.items = List.of("tea");
		assertThat(((Order) orders.call(new Object[] { 1L }, () -> order)).items).containsExactly("tea");
		assertThat(users.call(new Object[] { 1L }, () -> null)).isEqualTo(new User("anna"));
		assertThat(((Order) orders.call(new Object[] { 1L }, () -> null)).items).containsExactly("tea");
		assertThat(users.report().values()).contains("shared");
		assertThat(orders.report().values()).contains("copied");
		assertThat(this.caches.caches()).singleElement().satisfies((cache) -> {
			assertThat(cache.name()).isEqualTo("entities");
			assertThat(cache.estimatedSize()).isEqualTo(2);
		});
	}

	@Test
	void methodsOfOneCacheMustAgreeOnItsTime() {
		cache("named");
		assertThatExceptionOfType(InvalidChannelException.class).isThrownBy(() -> cache("namedForLonger"))
			.withMessageContaining("'names'")
			.withMessageContaining("\"1m\"")
			.withMessageContaining("\"2m\"")
			.withMessageContaining("namedForLonger")
			.satisfies((ex) -> assertThat(ex.action()).contains("@CacheableCall(cache ="));
		// The same time in other words is no difference.
		assertThat(cache("namedInOtherWords")).isNotNull();
	}

	@Test
	void overloadsShareACacheAndSoMustAgree() {
		Contract contract = ExchangeContractReader.contract(Overloaded.class);
		List<ContractMethod> methods = contract.methods();
		CallCachesAccess.cache(this.caches, "overloaded", contract, Overloaded.class, methods.get(0));
		assertThatExceptionOfType(InvalidChannelException.class)
			.isThrownBy(
					() -> CallCachesAccess.cache(this.caches, "overloaded", contract, Overloaded.class, methods.get(1)))
			.withMessageContaining("'overloaded.price'");
	}

	@Test
	void anInterruptedWaiterGetsWhatTheHttpClientWouldRaise() throws Exception {
		Cached cache = cache("price");
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		CompletableFuture<Object> first = CompletableFuture.supplyAsync(() -> call(cache, () -> {
			started.countDown();
			release.await();
			return new Price("a", 1);
		}));
		assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<Throwable> raised = new CompletableFuture<>();
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		Thread waiter = new Thread(() -> {
			try {
				cache.call(new Object[] { 1L }, () -> new Price("b", 2));
			}
			catch (Throwable ex) {
				interrupted.complete(Thread.currentThread().isInterrupted());
				raised.complete(ex);
			}
		});
		waiter.start();
		waiter.interrupt();
		assertThat(raised.get(30, TimeUnit.SECONDS)).isInstanceOf(ResourceAccessException.class)
			.hasMessageContaining("GET")
			.hasCauseInstanceOf(InterruptedIOException.class);
		assertThat(interrupted.get(30, TimeUnit.SECONDS)).isTrue();
		release.countDown();
		assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo(new Price("a", 1));
	}

	private static Object call(Cached cache, Original original) {
		try {
			return cache.call(new Object[] { 1L }, original);
		}
		catch (Throwable ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Caches whose values are refreshed when they are older than half a minute. */
	private static final class Refreshing {

		final AtomicLong clock = new AtomicLong();

		final List<Runnable> tasks = new ArrayList<>();

		final EngineCallCaches caches = caches(Duration.ofSeconds(30), List
			.of((name, builder) -> builder.ticker(this.clock::get).executor(this.tasks::add).recordStatistics()));

		void pass(Duration time) {
			this.clock.addAndGet(time.toNanos());
		}

		/** Runs what waits on threads of its own, as an executor would. */
		void runTasks() throws InterruptedException {
			for (Runnable task : this.tasks) {
				Thread thread = new Thread(task);
				thread.start();
				thread.join();
			}
			this.tasks.clear();
		}

	}

	@Test
	void oldAnswersAreRefreshedInTheBackground() throws Throwable {
		Refreshing refreshing = new Refreshing();
		Cached cache = cache(refreshing.caches, "prices", Prices.class, "price");
		assertThat(cache.call(new Object[] { 1L }, () -> new Price("a", 1))).isEqualTo(new Price("a", 1));
		refreshing.pass(Duration.ofSeconds(31));
		assertThat(cache.call(new Object[] { 1L }, () -> new Price("a", 2))).isEqualTo(new Price("a", 1));
		assertThat(refreshing.tasks).hasSize(1);
		refreshing.runTasks();
		assertThat(cache.call(new Object[] { 1L }, () -> new Price("a", 3))).isEqualTo(new Price("a", 2));
		assertThat(refreshing.tasks).isEmpty();
		assertThat(cache.report().hits()).isEqualTo(2);
		assertThat(cache.report().misses()).isEqualTo(1);
		refreshing.pass(Duration.ofSeconds(31));
		cache.call(new Object[] { 1L }, () -> {
			throw new IOException("as wanted");
		});
		refreshing.runTasks();
		assertThat(cache.call(new Object[] { 1L }, () -> null)).isEqualTo(new Price("a", 2));
	}

	/** The answer to the changed arguments would be kept for those of before. */
	@Test
	void argumentsThatAreChangedAreNotUsedForARefresh() throws Throwable {
		Refreshing refreshing = new Refreshing();
		Cached cache = cache(refreshing.caches, "prices", Prices.class, "search");
		Object[] before = { List.of("x") };
		cache.call(before, () -> List.of(new Price("x", 1)));
		refreshing.pass(Duration.ofSeconds(31));
		List<String> mine = new ArrayList<>(List.of("x"));
		cache.call(new Object[] { mine }, () -> List.of(new Price(String.join("+", mine), 2)));
		mine.add("y");
		refreshing.runTasks();
		assertThat(cache.call(before, () -> List.of())).isEqualTo(List.of(new Price("x", 1)));
		// The call has started another attempt; the arguments are changed during it.
		refreshing.tasks.clear();
		refreshing.caches.caches().forEach(Cache::invalidateAll);
		cache.call(before, () -> List.of(new Price("x", 3)));
		refreshing.pass(Duration.ofSeconds(31));
		List<String> again = new ArrayList<>(List.of("x"));
		cache.call(new Object[] { again }, () -> {
			again.add("z");
			return List.of(new Price(String.join("+", again), 4));
		});
		refreshing.runTasks();
		assertThat(cache.call(before, () -> List.of())).isEqualTo(List.of(new Price("x", 3)));
		refreshing.runTasks();
		assertThat(cache.call(before, () -> List.of(new Price("x", 5)))).isEqualTo(List.of());
	}

	@Test
	void anOldAnswerThatStartsARefreshIsAHit() throws Throwable {
		Refreshing refreshing = new Refreshing();
		for (String method : List.of("future", "mono")) {
			Cached cache = cache(refreshing.caches, "prices", Prices.class, method);
			for (int i = 1; i <= 3; i++) {
				Price price = new Price("a", i);
				Object answer = cache.call(new Object[] { 1L },
						() -> method.equals("mono") ? Mono.just(price) : CompletableFuture.completedFuture(price));
				CompletableFuture<?> future = (answer instanceof Mono<?> mono) ? mono.toFuture()
						: (CompletableFuture<?>) answer;
				assertThat(future.get(5, TimeUnit.SECONDS)).isEqualTo(new Price("a", Math.max(1, i - 1)));
				refreshing.pass(Duration.ofSeconds(31));
			}
			assertThat(cache.report().misses()).as(method).isEqualTo(1);
			assertThat(cache.report().hits()).as(method).isEqualTo(2);
		}
	}

	/** A pool that makes calls may refresh on the thread that called. */
	@Test
	void argumentsThatAreChangedAreNotUsedForARefreshByTheCallersThread() throws Throwable {
		Refreshing refreshing = new Refreshing();
		Cached cache = cache(refreshing.caches, "prices", Prices.class, "search");
		Object[] before = { List.of("x") };
		cache.call(before, () -> List.of(new Price("x", 1)));
		refreshing.pass(Duration.ofSeconds(31));
		List<String> mine = new ArrayList<>(List.of("x"));
		cache.call(new Object[] { mine }, () -> List.of(new Price(String.join("+", mine), 2)));
		mine.add("y");
		refreshing.tasks.remove(0).run();
		assertThat(cache.call(before, () -> List.of())).isEqualTo(List.of(new Price("x", 1)));
	}

	@Test
	void theAnswerToChangedArgumentsIsForTheirCallerAlone() throws Throwable {
		Cached cache = cache("futureOf");
		List<String> mine = new ArrayList<>(List.of("x"));
		CompletableFuture<Object> answer = new CompletableFuture<>();
		CompletableFuture<?> first = (CompletableFuture<?>) cache.call(new Object[] { mine }, () -> answer);
		CompletableFuture<?> joined = (CompletableFuture<?>) cache.call(new Object[] { List.of("x") },
				() -> CompletableFuture.completedFuture(new Price("x", 2)));
		assertThat(joined).isNotDone();
		mine.add("y");
		answer.complete(new Price("x+y", 1));
		assertThat(first.get(5, TimeUnit.SECONDS)).isEqualTo(new Price("x+y", 1));
		assertThat(joined.get(5, TimeUnit.SECONDS)).isEqualTo(new Price("x", 2));
		CompletableFuture<?> later = (CompletableFuture<?>) cache.call(new Object[] { List.of("x") },
				() -> CompletableFuture.completedFuture(null));
		assertThat(later.get(5, TimeUnit.SECONDS)).isEqualTo(new Price("x", 2));
		CompletableFuture<?> failing = (CompletableFuture<?>) cache.call(new Object[] { List.of("z") },
				() -> CompletableFuture.failedFuture(new IOException("as wanted")));
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> failing.get(5, TimeUnit.SECONDS))
			.withCauseInstanceOf(IOException.class);
	}

	/** The refresh has begun when the old answer expires, and is of no use to others. */
	@Test
	void aWaiterForARefreshWithChangedArgumentsMakesItsOwnCall() throws Throwable {
		Refreshing refreshing = new Refreshing();
		Cached cache = cache(refreshing.caches, "prices", Prices.class, "search");
		Object[] before = { List.of("x") };
		cache.call(before, () -> List.of(new Price("x", 1)));
		refreshing.pass(Duration.ofSeconds(31));
		List<String> mine = new ArrayList<>(List.of("x"));
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		cache.call(new Object[] { mine }, () -> {
			started.countDown();
			release.await();
			return List.of(new Price("x+y", 2));
		});
		Thread refresh = new Thread(refreshing.tasks.remove(0));
		refresh.start();
		assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
		mine.add("y");
		refreshing.pass(Duration.ofSeconds(60));
		CompletableFuture<Object> waiting = new CompletableFuture<>();
		Thread waiter = new Thread(() -> {
			try {
				waiting.complete(cache.call(before, () -> List.of(new Price("x", 3))));
			}
			catch (Throwable ex) {
				waiting.completeExceptionally(ex);
			}
		});
		waiter.start();
		await().until(() -> waiter.getState() == Thread.State.WAITING);
		release.countDown();
		assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(List.of(new Price("x", 3)));
		refresh.join();
		assertThat(cache.call(before, () -> List.of())).isEqualTo(List.of(new Price("x", 3)));
	}

	@Test
	void failuresAndNullAreNotKept() throws Throwable {
		Cached cache = cache("price");
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
		Cached cache = cache("price");
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
		Cached cache = cache("future");
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
		Cached cache = cache("mono");
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
			save     | POST must not be repeated
			nothing  | returns nothing
			entity   | not an entity
			anything | its argument 1 of type
			filtered | its argument 1 of type
			mapped   | its argument 1 of type
			streamed | its body is a stream
			controlled | the header cache-control
			stream   | stream
			forever  | not a positive duration
			""")
	void aMethodThatCannotBeCachedIsRefused(String method, String reason) {
		assertThatExceptionOfType(InvalidChannelException.class).isThrownBy(() -> cache(method))
			.withMessageContaining(reason)
			.withMessageContaining("Prices." + method)
			.satisfies((ex) -> assertThat(ex.action()).isNotBlank());
	}

	/**
	 * A caller that wants no answer of a cache gets none, and is not answered for others.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "Cache-Control", "cache-control", "Pragma" })
	void headersForCachesInAMapAreHonoured(String name) throws Throwable {
		Cached cache = cache("headed");
		Map<String, String> plain = Map.of("X-A", "1");
		for (int i = 0; i < 2; i++) {
			assertThat(cache.call(new Object[] { plain }, () -> "#" + this.calls.incrementAndGet())).isEqualTo("#1");
		}
		Object[] controlled = { Map.of("X-A", "1", name, "no-cache") };
		for (int i = 2; i < 4; i++) {
			assertThat(cache.call(controlled, () -> "#" + this.calls.incrementAndGet())).isEqualTo("#" + i);
		}
		assertThat(cache.call(new Object[] { plain }, () -> "#" + this.calls.incrementAndGet())).isEqualTo("#1");
	}

	/** Requests name the constants of an enum, and JSON may not tell them apart. */
	@Test
	void constantsAreToldApartThatJsonWritesAlike() throws Throwable {
		for (String method : List.of("byRoles", "byRolesInAMap", "byRoleAndBody")) {
			Cached cache = cache(method);
			for (Role role : List.of(Role.ADMIN, Role.CLERK, Role.ADMIN)) {
				Object[] arguments = switch (method) {
					case "byRoles" -> new Object[] { List.of(role) };
					case "byRolesInAMap" -> new Object[] { Map.of("role", role) };
					default -> new Object[] { new ArrayList<>(List.of("x")), role };
				};
				assertThat(cache.call(arguments, role::name)).as(method).isEqualTo(role.name());
			}
		}
	}

	/** The text of a date in a request is that of the caller's locale. */
	@Test
	void callersOfAnotherLocaleMakeCallsOfTheirOwn() throws Throwable {
		Cached cache = cache("on");
		Object[] arguments = { LocalDate.of(2026, 3, 4) };
		try {
			for (Locale locale : List.of(Locale.US, Locale.GERMANY, Locale.US)) {
				LocaleContextHolder.setLocale(locale);
				assertThat(cache.call(arguments, locale::toString)).isEqualTo(locale.toString());
			}
		}
		finally {
			LocaleContextHolder.resetLocaleContext();
		}
		Cached number = cache("named");
		LocaleContextHolder.setLocale(Locale.GERMANY);
		try {
			number.call(new Object[] { 1L }, () -> "one");
		}
		finally {
			LocaleContextHolder.resetLocaleContext();
		}
		assertThat(number.call(new Object[] { 1L }, () -> "another")).isEqualTo("one");
	}

	@Test
	void withoutTheEngineTheAnnotationIsRefused() {
		Contract contract = ExchangeContractReader.contract(Prices.class);
		ContractMethod method = contract.methods().get(0);
		assertThatExceptionOfType(InvalidChannelException.class)
			.isThrownBy(() -> CallCachesAccess.cache(null, "prices", contract, Prices.class, method))
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

		@CacheableCall(expireAfterWrite = "2m", cache = "names")
		@GetExchange("/{id}/longer")
		String namedForLonger(@PathVariable long id);

		@CacheableCall(expireAfterWrite = "60s", cache = "names")
		@GetExchange("/{id}/words")
		String namedInOtherWords(@PathVariable long id);

		@CacheableCall(expireAfterWrite = "1m")
		@AffinityChannel(idempotent = Idempotence.YES)
		@PostExchange("/future")
		CompletableFuture<Price> futureOf(@RequestBody List<String> names);

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

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/anything")
		String anything(UriBuilderFactory uris);

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/controlled")
		String controlled(@RequestHeader("Cache-Control") String control);

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/headed")
		String headed(@RequestHeader Map<String, String> headers);

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/filtered")
		String filtered(@RequestParam Order filter);

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/mapped")
		String mapped(@RequestParam Map<String, ?> parameters);

		@CacheableCall(expireAfterWrite = "1m")
		@AffinityChannel(idempotent = Idempotence.YES)
		@PostExchange("/streamed")
		String streamed(@RequestBody Resource body);

		@CacheableCall(expireAfterWrite = "1m")
		@AffinityChannel(idempotent = Idempotence.YES)
		@PostExchange("/name")
		String byName(@RequestBody Name name);

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/link")
		String byLink(@RequestParam URI link);

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/{id}/account")
		Account account(@PathVariable long id);

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/{id}/accounts")
		List<Account> accounts(@PathVariable long id);

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/{id}/order")
		Order order(@PathVariable long id);

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/{id}/unwritable")
		Unwritable unwritable(@PathVariable long id);

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/roles")
		String byRoles(@RequestParam List<Role> roles);

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/roles/map")
		String byRolesInAMap(@RequestParam Map<String, Role> roles);

		@CacheableCall(expireAfterWrite = "1m")
		@AffinityChannel(idempotent = Idempotence.YES)
		@PostExchange("/roles/body")
		String byRoleAndBody(@RequestBody List<String> names, @RequestParam Role role);

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/on")
		String on(@RequestParam LocalDate date);

		@CacheableCall(expireAfterWrite = "0s")
		@GetExchange("/forever")
		Price forever();

	}

	record User(String name) {
	}

	enum Role {

		ADMIN, CLERK;

		@JsonValue
		String group() {
			return "staff";
		}

	}

	record Name(String value) {

		@Override
		public boolean equals(Object other) {
			return other instanceof Name name && name.value.equalsIgnoreCase(this.value);
		}

		@Override
		public int hashCode() {
			return this.value.toLowerCase(Locale.ROOT).hashCode();
		}

	}

	/** Its password is read and not written. */
	static class Account {

		public String name;

		@JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
		public String password;

		Account() {
		}

		Account(String name, String password) {
			this.name = name;
			this.password = password;
		}

	}

	static class Unwritable {

		public String getName() {
			throw new IllegalStateException("not yet");
		}

	}

	static class Order {

		public List<String> items = List.of();

	}

	interface Crud<T> {

		@CacheableCall(expireAfterWrite = "1m", cache = "entities")
		@GetExchange("/{id}")
		T get(@PathVariable long id);

	}

	@AffinityChannel
	@HttpExchange("/users")
	interface Users extends Crud<User> {

	}

	@AffinityChannel
	@HttpExchange("/orders")
	interface Orders extends Crud<Order> {

	}

	@AffinityChannel
	interface Overloaded {

		@CacheableCall(expireAfterWrite = "1m")
		@GetExchange("/{id}")
		Price price(@PathVariable long id);

		@CacheableCall(expireAfterWrite = "2m")
		@GetExchange("/named/{name}")
		Price price(@PathVariable String name);

	}

}
