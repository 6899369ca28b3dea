package io.github.vicinal.boot.client;

import java.io.InterruptedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.github.vicinal.boot.client.ClientChannels.ClientFacts;
import io.github.vicinal.boot.client.ClientChannels.Toolbox;
import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelInterceptor;
import io.github.vicinal.channel.ChannelSettings;
import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.observation.DefaultChannelObservationConvention;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.uds.UdsPathProvider;
import io.micrometer.context.ContextRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.client.observation.DefaultClientRequestObservationConvention;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.service.annotation.GetExchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Calls whose caller does not wait: the threads they get, and those that get none. */
@Timeout(60)
@Tag("every-jdk")
class AsyncCallsTests {

	private static final String ADDRESS = "198.51.100.1:80";

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private static final Attempt ANSWER = new Attempt.Answered("answer");

	/** Calls that have not got their thread yet. */
	private final Deque<Runnable> waiting = new ArrayDeque<>();

	private final FakePath path = new FakePath();

	private final CountDownLatch mayEnd = new CountDownLatch(1);

	private final List<AsyncCalls> made = new ArrayList<>();

	@AfterEach
	void end() {
		this.mayEnd.countDown();
		this.made.forEach(AsyncCalls::close);
	}

	private AsyncCalls calls(Executor executor, int most) {
		return made(new AsyncCalls(executor, most));
	}

	private AsyncCalls made(AsyncCalls calls) {
		this.made.add(calls);
		return calls;
	}

	private void runWaiting() {
		while (!this.waiting.isEmpty()) {
			this.waiting.poll().run();
		}
	}

	private Attempt hang() {
		try {
			this.mayEnd.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("interrupted", ex);
		}
		return ANSWER;
	}

	private static CompletableFuture<Attempt> submit(AsyncCalls calls, Supplier<Attempt> call) {
		return calls.submit(call, ClientObservation.Call.NOOP);
	}

	@Test
	void aCallThatWaitsForItsThreadEndsWhenTheApplicationDoes() throws Throwable {
		ClientChannel channel = channel(calls(this.waiting::add, 2));
		CompletableFuture<String> future = future(channel, "http");
		CompletableFuture<String> reactive = mono(channel, "http").toFuture();
		assertThat(this.waiting).hasSize(2);

		channel.close();

		for (CompletableFuture<String> ended : List.of(future, reactive)) {
			assertThat(ended).isCompletedExceptionally();
			assertThatThrownBy(ended::join).hasCauseInstanceOf(WebClientRequestException.class)
				.hasRootCauseMessage("the application is shutting down")
				.cause()
				.hasCauseInstanceOf(InterruptedIOException.class);
		}
		runWaiting();
		assertThat(this.path.deadlines).isEmpty();
	}

	@Test
	void aCallThatRunsIsInterruptedWhenTheApplicationEnds() throws Exception {
		AsyncCalls calls = made(new AsyncCalls());
		CountDownLatch runs = new CountDownLatch(1);
		CompletableFuture<Attempt> future = submit(calls, () -> {
			runs.countDown();
			return hang();
		});
		assertThat(runs.await(20, TimeUnit.SECONDS)).isTrue();
		calls.close();
		assertThatThrownBy(() -> future.get(20, TimeUnit.SECONDS)).hasRootCauseInstanceOf(InterruptedException.class);
	}

	@Test
	void callsAfterTheEndGoByHttp() throws Throwable {
		ClientChannel channel = channel(made(new AsyncCalls()));
		ClientCall call = call(channel, "future", () -> null);
		assertThat(call.route(null, null)).isTrue();
		channel.close();
		assertThat(this.made.get(0).attempt(call, CallerContext.ofThread()).join())
			.isEqualTo(new Attempt.GoOn("the application is shutting down"));
	}

	@Test
	void aCallBeyondTheMostGoesByHttpAndSaysWhy() throws Throwable {
		ClientChannel channel = channel(calls(this.waiting::add, 1));
		CompletableFuture<String> first = future(channel, "http");
		assertThat(future(channel, "http")).isCompletedWithValue("http");
		assertThat(mono(channel, "http").block()).isEqualTo("http");
		assertThat(channel.report().leftToHttp()).containsEntry(
				"there is no thread for another asynchronous call; at most 1 are in flight over typed paths", 2L);
		runWaiting();
		assertThat(first).isCompletedWithValue("typed");
	}

	@Test
	void aCallForWhichThereIsNoThreadGoesByHttp() throws Throwable {
		for (Executor executor : List.<Executor>of((task) -> {
			throw new RejectedExecutionException();
		}, (task) -> {
			throw new OutOfMemoryError("unable to create native thread");
		})) {
			ClientChannel channel = channel(calls(executor, 1));
			for (int i = 0; i < 3; i++) {
				assertThat(future(channel, "http")).isCompletedWithValue("http");
			}
		}
	}

	@Test
	void whateverBecomesOfACallAnotherOneMayFollow() {
		AsyncCalls calls = calls(this.waiting::add, 1);
		for (Supplier<Attempt> call : List.<Supplier<Attempt>>of(() -> ANSWER, () -> {
			throw new IllegalStateException("failed");
		})) {
			CompletableFuture<Attempt> future = submit(calls, call);
			assertThat(submit(calls, call)).isNull();
			CompletableFuture<Object> next = future.handle((value, ex) -> submit(calls, () -> ANSWER));
			runWaiting();
			assertThat(next.join()).isNotNull();
		}
		CompletableFuture<Attempt> cancelled = submit(calls, () -> ANSWER);
		cancelled.cancel(true);
		assertThat(submit(calls, () -> ANSWER)).isNull();
		runWaiting();
		assertThat(submit(calls, () -> ANSWER)).isNotNull();
	}

	/** The only thread waits for the next call, which waits for nobody. */
	@Test
	void aDependentStageMayWaitForAnotherCall() throws Exception {
		ExecutorService one = AsyncCalls.platformThreads(1);
		ClientChannel channel = channel(calls(one, 1));
		CountDownLatch runs = new CountDownLatch(1);
		CompletableFuture<Attempt> first = submit(this.made.get(0), () -> {
			runs.countDown();
			return hang();
		});
		CompletableFuture<Object> next = first.thenApply((attempt) -> {
			assertThat(this.made.get(0).noRoom()).contains("no thread");
			try {
				return future(channel, "http").join();
			}
			catch (Throwable ex) {
				throw new IllegalStateException(ex);
			}
		});
		assertThat(runs.await(20, TimeUnit.SECONDS)).isTrue();
		this.mayEnd.countDown();
		assertThat(next.get(20, TimeUnit.SECONDS)).isEqualTo("http");
	}

	@Test
	void toCancelInterruptsTheCallAndNotWhatFollowsOnItsThread() throws Exception {
		ExecutorService one = Executors.newSingleThreadExecutor();
		AsyncCalls calls = calls(one, 2);
		CountDownLatch runs = new CountDownLatch(1);
		CompletableFuture<Throwable> seen = new CompletableFuture<>();
		CompletableFuture<Attempt> future = submit(calls, () -> {
			runs.countDown();
			try {
				return hang();
			}
			catch (IllegalStateException ex) {
				seen.complete(ex.getCause());
				throw ex;
			}
		});
		assertThat(runs.await(20, TimeUnit.SECONDS)).isTrue();
		future.cancel(true);
		assertThat(seen.get(20, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		submit(calls, () -> {
			interrupted.complete(Thread.currentThread().isInterrupted());
			return ANSWER;
		});
		assertThat(interrupted.get(20, TimeUnit.SECONDS)).isFalse();
		one.shutdown();
	}

	/** The caller waits from when it asks, not from when the call gets a thread. */
	@Test
	void theDeadlineCountsFromTheCall() throws Throwable {
		ClientChannel channel = channel(calls(this.waiting::add, 2));
		Mono<String> reactive = mono(channel, "http");
		CompletableFuture<String> future = future(channel, "http");
		long asked = System.nanoTime();
		CompletableFuture<String> subscribed = reactive.toFuture();
		long waits = System.nanoTime();
		await().pollDelay(Duration.ZERO).until(() -> System.nanoTime() > waits);

		runWaiting();

		assertThat(future).isCompletedWithValue("typed");
		assertThat(subscribed).isCompletedWithValue("typed");
		assertThat(this.path.deadlines.get(0) - asked).isLessThanOrEqualTo(TIMEOUT.toNanos());
		assertThat(this.path.deadlines.get(1) - asked).isGreaterThanOrEqualTo(TIMEOUT.toNanos());
		assertThat(this.path.deadlines.get(1) - waits).isLessThanOrEqualTo(TIMEOUT.toNanos());
	}

	@Test
	void aServiceThatHangsHoldsNoCallToAnother() throws Exception {
		AsyncCalls slow = made(new AsyncCalls());
		int most = (Runtime.version().feature() >= 21) ? AsyncCalls.MOST_IN_FLIGHT : 64;
		for (int i = 0; i < most; i++) {
			assertThat(submit(slow, this::hang)).isNotNull();
		}
		assertThat(submit(slow, this::hang)).isNull();
		assertThat(slow.noRoom()).contains("at most " + most);
		assertThat(submit(made(new AsyncCalls()), () -> ANSWER).get(20, TimeUnit.SECONDS)).isSameAs(ANSWER);
	}

	/** The next call on such a thread may be another user's. */
	@Test
	void threadsOfAPoolInheritNothingFromTheirFirstCaller() throws Exception {
		AsyncCalls calls = calls(AsyncCalls.platformThreads(1), 1);
		ClassLoader application = Thread.currentThread().getContextClassLoader();
		InheritableThreadLocal<String> user = new InheritableThreadLocal<>();
		CompletableFuture<String> seen = new CompletableFuture<>();
		CompletableFuture<ClassLoader> loader = new CompletableFuture<>();
		user.set("first");
		Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
		try {
			submit(calls, () -> {
				seen.complete(user.get());
				loader.complete(Thread.currentThread().getContextClassLoader());
				return ANSWER;
			});
		}
		finally {
			Thread.currentThread().setContextClassLoader(application);
		}
		assertThat(seen.get(20, TimeUnit.SECONDS)).isNull();
		assertThat(loader.get(20, TimeUnit.SECONDS)).isSameAs(application);
	}

	@Test
	void threadsAreVirtualWhereThereAreAny() throws Exception {
		CompletableFuture<String> thread = new CompletableFuture<>();
		submit(made(new AsyncCalls()), () -> {
			thread.complete(Thread.currentThread().toString());
			return ANSWER;
		});
		assertThat(thread.get(20, TimeUnit.SECONDS)).contains("vicinal-async-call-")
			.startsWith((Runtime.version().feature() >= 21) ? "VirtualThread[" : "Thread[");
	}

	/** They are notified of the call on another thread than their caller's. */
	@Test
	void interceptorsSeeWhatTheCallerCarries() throws Throwable {
		ThreadLocal<String> user = new ThreadLocal<>();
		ContextRegistry.getInstance().registerThreadLocalAccessor("user", user);
		try {
			List<String> seen = new ArrayList<>();
			ClientChannel channel = channel(calls(this.waiting::add, 3), (name, frame, next) -> {
				seen.add(user.get());
				return next.call(frame);
			});
			user.set("one");
			CompletableFuture<String> future = future(channel, "http");
			user.set("two");
			CompletableFuture<String> subscribed = mono(channel, "http").toFuture();
			CompletableFuture<String> within = mono(channel, "http")
				.contextWrite((context) -> context.put("user", "three"))
				.toFuture();
			user.remove();
			runWaiting();
			assertThat(seen).containsExactly("one", "two", "three");
			assertThat(user.get()).isNull();
			for (CompletableFuture<String> ended : List.of(future, subscribed, within)) {
				assertThat(ended).isCompletedWithValue("typed");
			}
		}
		finally {
			ContextRegistry.getInstance().removeThreadLocalAccessor("user");
		}
	}

	/** A call that a path could not carry goes over HTTP for the same caller. */
	@Test
	void theCallOverHttpSeesWhatTheCallerCarries() throws Throwable {
		ThreadLocal<String> user = new ThreadLocal<>();
		ContextRegistry.getInstance().registerThreadLocalAccessor("user", user);
		try {
			ClientChannel channel = channel(calls(this.waiting::add, 2));
			this.path.failure = new PathException(PathException.Reason.REFUSED, false, "refused", null);
			user.set("one");
			CompletableFuture<String> future = invoke(channel, "future",
					() -> CompletableFuture.completedFuture(user.get()));
			CompletableFuture<String> subscribed = AsyncCallsTests.<Mono<String>>invoke(channel, "mono", () -> {
				String assembled = user.get();
				return Mono.fromSupplier(() -> assembled + " " + user.get());
			}).toFuture();
			user.remove();
			runWaiting();
			assertThat(future).isCompletedWithValue("one");
			assertThat(subscribed).isCompletedWithValue("one one");
		}
		finally {
			ContextRegistry.getInstance().removeThreadLocalAccessor("user");
		}
	}

	@Test
	void toCancelEndsTheCallOverHttpThatFollowed() throws Throwable {
		ClientChannel channel = channel(calls(this.waiting::add, 1));
		this.path.failure = new PathException(PathException.Reason.REFUSED, false, "refused", null);
		CompletableFuture<String> overHttp = new CompletableFuture<>();
		CompletableFuture<String> future = invoke(channel, "future", () -> overHttp);
		runWaiting();
		assertThat(future).isNotDone();
		future.cancel(true);
		assertThat(overHttp).isCancelled();
	}

	/** The path has not answered yet, and no thread waits for it. */
	@Test
	void aCallNeedsNoThreadWhereThePathNeedsNone() throws Throwable {
		this.path.later = new ArrayDeque<>();
		ClientChannel channel = channel(calls((task) -> {
			throw new RejectedExecutionException("there is no thread");
		}, 1));
		CompletableFuture<String> future = future(channel, "http");
		CompletableFuture<String> reactive = mono(channel, "http").toFuture();
		CompletableFuture<String> failing = future(channel, "http");
		assertThat(this.path.later).hasSize(3);
		for (CompletableFuture<String> waits : List.of(future, reactive, failing)) {
			assertThat(waits).isNotDone();
		}

		this.path.later.poll().complete(new Reply.Value(200, Map.of(), "typed"));
		this.path.later.poll().complete(new Reply.Value(200, Map.of(), "typed"));
		this.path.later.poll()
			.completeExceptionally(new PathException(PathException.Reason.TIMEOUT, true, "late", null));

		assertThat(future).isCompletedWithValue("typed");
		assertThat(reactive).isCompletedWithValue("typed");
		assertThatThrownBy(failing::join).hasCauseInstanceOf(WebClientRequestException.class);
		assertThat(channel.report().leftToHttp()).isEmpty();
	}

	@Test
	void callsThatHoldThreadsDoNotKeepOthersFromAPathThatNeedsNone() throws Throwable {
		AsyncCalls calls = calls(this.waiting::add, 1);
		ClientChannel channel = channel(calls);
		assertThat(submit(calls, () -> ANSWER)).isNotNull();
		assertThat(calls.noRoom()).contains("at most 1");
		this.path.later = new ArrayDeque<>();
		CompletableFuture<String> future = future(channel, "http");
		CompletableFuture<String> reactive = mono(channel, "http").toFuture();
		this.path.later.forEach((call) -> call.complete(new Reply.Value(200, Map.of(), "typed")));
		assertThat(future).isCompletedWithValue("typed");
		assertThat(reactive).isCompletedWithValue("typed");
	}

	@Test
	void aCallThatAPathRefusesLaterGoesByHttpForTheSameCaller() throws Throwable {
		ThreadLocal<String> user = new ThreadLocal<>();
		ContextRegistry.getInstance().registerThreadLocalAccessor("user", user);
		try {
			this.path.later = new ArrayDeque<>();
			ClientChannel channel = channel(calls(this.waiting::add, 1));
			user.set("one");
			CompletableFuture<String> future = invoke(channel, "future",
					() -> CompletableFuture.completedFuture(user.get()));
			user.remove();
			this.path.later.poll()
				.completeExceptionally(new PathException(PathException.Reason.REFUSED, false, "refused", null));
			assertThat(future).isCompletedWithValue("one");
			assertThat(user.get()).isNull();
		}
		finally {
			ContextRegistry.getInstance().removeThreadLocalAccessor("user");
		}
	}

	/** A path that throws instead of completing a stage. */
	@Test
	void aCallEndsWithTheExceptionOfItsPath() throws Throwable {
		this.path.later = new ArrayDeque<>() {

			@Override
			public boolean add(CompletableFuture<Reply> call) {
				throw new IllegalStateException("broken");
			}

		};
		ClientChannel channel = channel(calls(this.waiting::add, 1));
		CompletableFuture<String> future = future(channel, "http");
		assertThat(future).isCompletedExceptionally();
		assertThatThrownBy(future::join).hasCauseInstanceOf(IllegalStateException.class).hasRootCauseMessage("broken");
	}

	/** Interceptors may block, before and after the call. */
	@Test
	void interceptorsGetAThread() throws Throwable {
		this.path.later = new ArrayDeque<>();
		ClientChannel channel = channel(calls(this.waiting::add, 1), (name, frame, next) -> next.call(frame));
		CompletableFuture<String> future = future(channel, "http");
		assertThat(this.path.later).isEmpty();
		runWaiting();
		assertThat(future).isCompletedWithValue("typed");
	}

	@Test
	void toCancelACallThatCompletesLaterEndsIt() throws Throwable {
		this.path.later = new ArrayDeque<>();
		ClientChannel channel = channel(calls(this.waiting::add, 1));
		CompletableFuture<String> future = future(channel, "http");
		future.cancel(true);
		assertThat(this.path.later.poll()).isCompletedExceptionally();
		assertThat(future).isCancelled();
		Disposable subscription = mono(channel, "http").subscribe((value) -> {
			throw new AssertionError(value);
		});
		subscription.dispose();
		assertThat(this.path.later.poll()).isCompletedExceptionally();
	}

	@Test
	void aCallThatIsCancelledTooLateIsLeftAlone() throws Throwable {
		this.path.later = new ArrayDeque<>();
		ClientChannel channel = channel(calls(this.waiting::add, 1));
		CompletableFuture<String> future = future(channel, "http");
		CompletableFuture<Reply> call = this.path.later.poll();
		call.complete(new Reply.Value(200, Map.of(), "typed"));
		assertThat(future.cancel(true)).isFalse();
		assertThat(call).isCompleted();
		assertThat(future).isCompletedWithValue("typed");
	}

	interface Shop {

		@GetExchange("/future")
		CompletableFuture<String> future();

		@GetExchange("/mono")
		Mono<String> mono();

	}

	/** Returns the channel of a reactive client whose peer has one typed path. */
	private ClientChannel channel(AsyncCalls calls, ChannelInterceptor... interceptors) {
		Contract contract = ExchangeContractReader.contract(Shop.class);
		Channel channel = new Channel(
				new ChannelSettings("shop", List.of(UdsPathProvider.KIND), null, Duration.ofSeconds(1), false),
				contract, List.of(new FakeProvider()), Runnable::run, Clock.systemUTC());
		channel.peer(ADDRESS)
			.announced(new PeerAnnouncement(PeerIdentity.create(""), Set.of("uds"), contract.hash(), ""),
					System.nanoTime());
		return reactive(channel, new HttpLegs(), ADDRESS, calls, interceptors);
	}

	/** Returns a client that a request has shown to be a reactive one. */
	static ClientChannel reactive(Channel channel, HttpLegs legs, String address, AsyncCalls calls,
			ChannelInterceptor... interceptors) {
		return reactive(channel, legs, () -> address, null, calls, interceptors);
	}

	/**
	 * Returns a client that a request has shown to be a reactive one.
	 * @param replicas chooses among replicas, or {@code null}
	 */
	static ClientChannel reactive(Channel channel, HttpLegs legs, CallTargets targets, ReplicaBalancer replicas,
			AsyncCalls calls, ChannelInterceptor... interceptors) {
		ClientTraits traits = new ClientTraits("shop", false, List.of());
		traits.inspect(true, null, List.of());
		Toolbox tools = new Toolbox(List::of, legs,
				new ClientObservation(ObservationRegistry.NOOP, new DefaultClientRequestObservationConvention(),
						new DefaultChannelObservationConvention(), () -> null),
				() -> List.of(interceptors), List::of, () -> null, () -> null, null, List::of, JsonMapper::new,
				(path) -> path, Runnable::run, Clock.systemUTC());
		return new ClientChannel(channel, new ClientFacts(null, "shop", true, targets, null, false, null, List.of()),
				tools, traits, TIMEOUT, replicas, calls);
	}

	private static MethodPlan plan(ClientChannel channel, String method) {
		try {
			return channel.plan(Shop.class.getMethod(method));
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static CompletableFuture<String> future(ClientChannel channel, String overHttp) throws Throwable {
		return invoke(channel, "future", () -> CompletableFuture.completedFuture(overHttp));
	}

	private static Mono<String> mono(ClientChannel channel, String overHttp) throws Throwable {
		return invoke(channel, "mono", () -> Mono.just(overHttp));
	}

	@SuppressWarnings("unchecked")
	private static <T> T invoke(ClientChannel channel, String method, HttpLegs.Original overHttp) throws Throwable {
		return (T) call(channel, method, overHttp).make();
	}

	private static ClientCall call(ClientChannel channel, String method, HttpLegs.Original overHttp) {
		MethodPlan plan = plan(channel, method);
		return new ClientCall(channel, plan, plan.shape().timing(), new Object[0], overHttp);
	}

	private final class FakeProvider implements PathProvider {

		@Override
		public PathKind kind() {
			return UdsPathProvider.KIND;
		}

		@Override
		public Attempt connect(Contract contract, PeerAnnouncement peer) {
			return new Connected(AsyncCallsTests.this.path);
		}

		@Override
		public void close() {
		}

	}

	private static final class FakePath implements CallPath {

		private final List<Long> deadlines = new ArrayList<>();

		private PathException failure;

		/** The calls that wait for their answer, if the path completes them later. */
		private Deque<CompletableFuture<Reply>> later;

		@Override
		public CompletionStage<Reply> callLater(CallFrame frame, Executor executor) {
			if (this.later == null) {
				return CallPath.super.callLater(frame, executor);
			}
			CompletableFuture<Reply> call = new CompletableFuture<>();
			frame.whenAbandoned(() -> call.completeExceptionally(
					new PathException(PathException.Reason.INTERRUPTED, true, "the caller has given up", null)));
			this.later.add(call);
			return call;
		}

		@Override
		public boolean callsLater() {
			return this.later != null;
		}

		@Override
		public PathKind kind() {
			return UdsPathProvider.KIND;
		}

		@Override
		public CodecChoice codec() {
			return new Codecs(new JsonMapper(), false).choose(ExchangeContractReader.contract(Shop.class),
					Set.of("jackson"));
		}

		@Override
		public Reply call(CallFrame frame) throws PathException {
			this.deadlines.add(frame.deadlineNanos());
			if (this.failure != null) {
				throw this.failure;
			}
			return new Reply.Value(200, Map.of(), "typed");
		}

		@Override
		public boolean isOpen() {
			return true;
		}

		@Override
		public long bytesCarried() {
			return 0;
		}

		@Override
		public void close() {
		}

	}

}
