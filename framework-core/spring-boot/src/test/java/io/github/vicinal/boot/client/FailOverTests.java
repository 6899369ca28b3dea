package io.github.vicinal.boot.client;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelSettings;
import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.replica.ReplicaReport;
import io.github.vicinal.requestserver.Rejection;
import io.github.vicinal.transport.uds.UdsPathProvider;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpHeaders;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.PostExchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Calls that go on at another replica, however their caller waits. */
@Timeout(60)
class FailOverTests {

	private static final URI BASE = URI.create("http://shop/shop");

	private static final List<String> REPLICAS = List.of("198.51.100.1:80", "198.51.100.2:80", "198.51.100.3:80");

	/** Behaviour of replicas; the others answer. */
	private final Map<String, Behaviour> behaviours = new ConcurrentHashMap<>();

	/** Replicas that got a request, in order. */
	private final List<String> met = Collections.synchronizedList(new ArrayList<>());

	/** Fails the requests to replicas that wait for it. */
	private final CompletableFuture<String> asked = new CompletableFuture<>();

	private final HttpLegs legs = new HttpLegs();

	private final AsyncCalls calls = new AsyncCalls(Runnable::run, 8);

	private final FakePath path = new FakePath();

	private final Channel channel = new Channel(
			new ChannelSettings("shop", List.of(UdsPathProvider.KIND), null, Duration.ofSeconds(1), false),
			ExchangeContractReader.contract(Shop.class), List.of(new FakeProvider()), Runnable::run, Clock.systemUTC());

	private final ReplicaBalancer replicas = ReplicaBalancer.among(
			REPLICAS.stream().map((replica) -> URI.create("http://" + replica)).toList(),
			new ReplicaLocator(this.channel, () -> null, null, Runnable::run), false, new ReplicaSelection.Holder());

	private final ClientChannel client = AsyncCallsTests.reactive(this.channel, this.legs, CallTargets.FIXED,
			this.replicas, this.calls);

	@AfterEach
	void close() {
		this.client.close();
	}

	/** Reaction of a replica to a request. */
	private enum Behaviour {

		GONE, BREAKS, REFUSES, BUSY, BUSY_AS_VALUE, HANGS, BREAKS_LATER, FAILS_WHEN_ASKED

	}

	/** Ways of a caller to wait. */
	private enum Caller {

		BLOCKING, FUTURE, MONO, FLUX

	}

	interface Shop {

		@GetExchange("/shop")
		String getBLOCKING();

		@PostExchange("/shop")
		String postBLOCKING();

		@GetExchange("/shop")
		CompletableFuture<String> getFUTURE();

		@PostExchange("/shop")
		CompletableFuture<String> postFUTURE();

		@GetExchange("/shop")
		Mono<String> getMONO();

		@PostExchange("/shop")
		Mono<String> postMONO();

		@GetExchange("/shop")
		Flux<String> getFLUX();

		@PostExchange("/shop")
		Flux<String> postFLUX();

	}

	private Object get(Caller caller) throws Exception {
		return call(caller, "get");
	}

	private Object post(Caller caller) throws Exception {
		return call(caller, "post");
	}

	/** Makes a call and waits for what comes of it. */
	private Object call(Caller caller, String verb) throws Exception {
		Object made = made(caller, verb);
		try {
			return switch (caller) {
				case BLOCKING -> made;
				case FUTURE -> ((CompletableFuture<?>) made).get();
				case MONO -> ((Mono<?>) made).toFuture().get();
				case FLUX -> String.join(" ", ((Flux<?>) made).cast(String.class).collectList().toFuture().get());
			};
		}
		catch (ExecutionException ex) {
			throw (Exception) ex.getCause();
		}
	}

	private Object made(Caller caller, String verb) throws Exception {
		MethodPlan plan = this.client.plan(Shop.class.getMethod(verb + caller));
		assertThat(plan).isNotNull();
		try {
			return invoke(plan, switch (caller) {
				case BLOCKING -> () -> respond(sent(this.legs.current())).block();
				case FUTURE -> () -> respond(sent(this.legs.current())).toFuture();
				case MONO -> () -> Mono.deferContextual((context) -> respond(sent(context.get(HttpLeg.class))));
				case FLUX -> () -> Flux.deferContextual((context) -> {
					HttpLeg leg = sent(context.get(HttpLeg.class));
					return (this.behaviours.get(host(leg)) == Behaviour.BREAKS_LATER) ? breaks(leg)
							: Flux.just("some").filter((each) -> false).concatWith(respond(leg));
				});
			});
		}
		catch (Exception | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new IllegalStateException(ex);
		}
	}

	private Object invoke(MethodPlan plan, HttpLegs.Original original) throws Throwable {
		return new ClientCall(this.client, plan, plan.shape().timing(), new Object[0], original).make();
	}

	private static String host(HttpLeg leg) {
		return HttpAddress.of(leg.target(BASE));
	}

	private HttpLeg sent(HttpLeg leg) {
		leg.sending(BASE, new HttpHeaders());
		this.met.add(host(leg));
		return leg;
	}

	private Mono<String> respond(HttpLeg leg) {
		Behaviour behaviour = this.behaviours.get(host(leg));
		if (behaviour == null) {
			leg.answered(BASE, 200, new HttpHeaders());
			return Mono.just(host(leg));
		}
		return switch (behaviour) {
			case GONE -> failed(new ConnectException("Connection refused"));
			case BREAKS, BREAKS_LATER -> failed(new EOFException("closed"));
			case REFUSES -> unavailable(leg, true);
			case BUSY -> unavailable(leg, false);
			case BUSY_AS_VALUE -> unavailable(leg, false).onErrorReturn("busy");
			case HANGS -> Mono.never();
			case FAILS_WHEN_ASKED -> Mono.fromFuture(this.asked, true);
		};
	}

	private static Mono<String> failed(IOException cause) {
		return Mono.error(() -> new ResourceAccessException("I/O error", cause));
	}

	private static Mono<String> unavailable(HttpLeg leg, boolean refused) {
		HttpHeaders headers = new HttpHeaders();
		if (refused) {
			headers.set(Rejection.HEADER, "overload");
		}
		leg.answered(BASE, 503, headers);
		return Mono.error(() -> new IllegalStateException("503"));
	}

	private static Flux<String> breaks(HttpLeg leg) {
		leg.answered(BASE, 200, new HttpHeaders());
		return Flux.just("first").concatWith(failed(new EOFException("closed")));
	}

	private List<String> met() {
		List<String> latest = List.copyOf(this.met);
		this.met.clear();
		return latest;
	}

	private void assertNothingInFlight() {
		assertThat(this.replicas.report()).extracting(ReplicaReport::inFlight).containsOnly(0);
		assertThat(REPLICAS).allSatisfy((replica) -> assertThat(this.channel.peer(replica).inFlight()).isZero());
	}

	@ParameterizedTest
	@EnumSource
	void aCallWhoseReplicaIsGoneIsAnsweredByAnother(Caller caller) throws Exception {
		this.behaviours.put(REPLICAS.get(0), Behaviour.GONE);
		this.behaviours.put(REPLICAS.get(1), Behaviour.GONE);
		for (int i = 0; i < 6; i++) {
			assertThat(get(caller)).isEqualTo(REPLICAS.get(2));
			assertThat(post(caller)).as("not idempotent, but never sent").isEqualTo(REPLICAS.get(2));
			assertNothingInFlight();
		}
		assertThat(this.met).contains(REPLICAS.get(0), REPLICAS.get(1));
	}

	@ParameterizedTest
	@EnumSource
	void eachReplicaIsMetOnceAndTheLastFailureIsRaised(Caller caller) {
		REPLICAS.forEach((replica) -> this.behaviours.put(replica, Behaviour.GONE));
		for (int i = 0; i < 6; i++) {
			assertThatThrownBy(() -> get(caller)).isInstanceOf(ResourceAccessException.class)
				.hasCauseInstanceOf(ConnectException.class);
			assertThat(met()).containsExactlyInAnyOrderElementsOf(REPLICAS);
			assertNothingInFlight();
		}
	}

	@ParameterizedTest
	@EnumSource
	void callsThatMayHaveBeenExecutedAreRepeatedOnlyIfIdempotent(Caller caller) throws Exception {
		REPLICAS.subList(0, 2).forEach((replica) -> this.behaviours.put(replica, Behaviour.BREAKS));
		int failed = 0;
		for (int i = 0; i < 6; i++) {
			assertThat(get(caller)).isEqualTo(REPLICAS.get(2));
			met();
			try {
				assertThat(post(caller)).isEqualTo(REPLICAS.get(2));
			}
			catch (ResourceAccessException ex) {
				assertThat(ex).hasCauseInstanceOf(EOFException.class);
				failed++;
			}
			assertThat(met()).as("replicas that a call met").hasSize(1);
		}
		assertThat(failed).isPositive();
		assertNothingInFlight();
	}

	@ParameterizedTest
	@EnumSource
	void anAnswerThatSaysItWasRefusedLetsAnyCallGoOn(Caller caller) throws Exception {
		this.behaviours.put(REPLICAS.get(0), Behaviour.REFUSES);
		for (int i = 0; i < 6; i++) {
			assertThat(post(caller)).isNotEqualTo(REPLICAS.get(0));
		}
		assertThat(this.met).contains(REPLICAS.get(0));
		assertNothingInFlight();
	}

	@ParameterizedTest
	@EnumSource
	void another503LetsOnlyIdempotentCallsGoOn(Caller caller) throws Exception {
		REPLICAS.forEach((replica) -> this.behaviours.put(replica, Behaviour.BUSY));
		assertThatThrownBy(() -> post(caller)).hasMessage("503");
		assertThat(met()).hasSize(1);
		assertThatThrownBy(() -> get(caller)).hasMessage("503");
		assertThat(met()).containsExactlyInAnyOrderElementsOf(REPLICAS);
		assertNothingInFlight();
	}

	/** A client may be configured to raise nothing for an error. */
	@ParameterizedTest
	@EnumSource
	void theValueOf503IsNotDeliveredIfTheCallGoesOn(Caller caller) throws Exception {
		REPLICAS.subList(0, 2).forEach((replica) -> this.behaviours.put(replica, Behaviour.BUSY_AS_VALUE));
		for (int i = 0; i < 6; i++) {
			assertThat(get(caller)).isEqualTo(REPLICAS.get(2));
		}
		REPLICAS.forEach((replica) -> this.behaviours.put(replica, Behaviour.BUSY_AS_VALUE));
		met();
		assertThat(get(caller)).isEqualTo("busy");
		assertThat(met()).containsExactlyInAnyOrderElementsOf(REPLICAS);
		assertNothingInFlight();
	}

	@Test
	void aStreamOfWhichElementsWereDeliveredIsNotRepeated() throws Exception {
		REPLICAS.forEach((replica) -> this.behaviours.put(replica, Behaviour.BREAKS_LATER));
		assertThatThrownBy(() -> get(Caller.FLUX)).isInstanceOf(ResourceAccessException.class);
		assertThat(met()).hasSize(1);
		assertNothingInFlight();
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "BLOCKING")
	void aCallThatIsCancelledDoesNotGoOn(Caller caller) throws Exception {
		REPLICAS.forEach((replica) -> this.behaviours.put(replica, Behaviour.HANGS));
		Object made = made(caller, "get");
		CompletableFuture<?> future = (made instanceof CompletableFuture<?> own) ? own
				: Flux.from((org.reactivestreams.Publisher<?>) made).collectList().toFuture();
		assertThat(met()).hasSize(1);
		future.cancel(true);
		assertThat(met()).isEmpty();
		assertNothingInFlight();
	}

	/** The caller goes just before the call is at the next replica. */
	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "BLOCKING")
	void aCallThatIsCancelledBetweenTwoReplicasHoldsNone(Caller caller) throws Exception {
		REPLICAS.forEach((replica) -> this.behaviours.put(replica, Behaviour.FAILS_WHEN_ASKED));
		Leaving leaving = new Leaving();
		ContextRegistry.getInstance().registerThreadLocalAccessor(leaving);
		try {
			Object made = made(caller, "get");
			CompletableFuture<?> future = (made instanceof CompletableFuture<?> own) ? own
					: Flux.from((org.reactivestreams.Publisher<?>) made).collectList().toFuture();
			assertThat(future).isNotDone();
			leaving.leave = () -> future.cancel(true);
			this.asked.completeExceptionally(
					new ResourceAccessException("I/O error", new ConnectException("Connection refused")));
			assertThat(future).isCancelled();
			assertThat(leaving.leave).as("asked to restore what the caller carries").isNull();
			assertNothingInFlight();
		}
		finally {
			ContextRegistry.getInstance().removeThreadLocalAccessor("leaving");
		}
	}

	/** Something that callers carry. Does something when it is restored. */
	private static final class Leaving implements ThreadLocalAccessor<String> {

		private Runnable leave;

		@Override
		public Object key() {
			return "leaving";
		}

		@Override
		public String getValue() {
			return "carried";
		}

		@Override
		public void setValue(String value) {
			Runnable now = this.leave;
			this.leave = null;
			if (now != null) {
				now.run();
			}
		}

		@Override
		public void setValue() {
			throw new UnsupportedOperationException();
		}

	}

	/** Each subscription is a call of its own. */
	@Test
	void aPublisherCanBeSubscribedToAgain() throws Exception {
		this.behaviours.put(REPLICAS.get(0), Behaviour.GONE);
		Mono<?> made = (Mono<?>) made(Caller.MONO, "get");
		for (int i = 0; i < 6; i++) {
			assertThat(made.toFuture().get()).isNotEqualTo(REPLICAS.get(0));
			assertThat(met()).doesNotHaveDuplicates();
		}
	}

	/**
	 * The second attempt is made by whichever thread learned that the first one failed.
	 */
	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "BLOCKING")
	void theNextAttemptSeesWhatTheCallerCarries(Caller caller) throws Exception {
		ThreadLocal<String> user = new ThreadLocal<>();
		ContextRegistry.getInstance().registerThreadLocalAccessor("user", user);
		try {
			List<String> seen = Collections.synchronizedList(new ArrayList<>());
			CompletableFuture<String> first = new CompletableFuture<>();
			MethodPlan plan = this.client.plan(Shop.class.getMethod("get" + caller));
			user.set("ann");
			Supplier<Mono<String>> next = () -> {
				seen.add(user.get());
				return (seen.size() == 1) ? Mono.fromFuture(first) : Mono.just("answer");
			};
			Object made;
			try {
				made = invoke(plan, switch (caller) {
					case FUTURE -> () -> next.get().toFuture();
					case MONO -> () -> Mono.defer(next);
					default -> () -> Flux.defer(next);
				});
			}
			catch (Throwable ex) {
				throw new IllegalStateException(ex);
			}
			CompletableFuture<?> future = (made instanceof CompletableFuture<?> own) ? own
					: Flux.from((org.reactivestreams.Publisher<?>) made).last().toFuture();
			Thread other = new Thread(() -> first
				.completeExceptionally(new ResourceAccessException("I/O error", new ConnectException("refused"))));
			other.start();
			other.join();
			assertThat(future.get()).isEqualTo("answer");
			assertThat(seen).containsExactly("ann", "ann");
		}
		finally {
			ContextRegistry.getInstance().removeThreadLocalAccessor("user");
		}
	}

	/** Over a typed path, too. */
	@ParameterizedTest
	@EnumSource
	void aCallThatATypedPathLosesGoesOnIfItMay(Caller caller) throws Exception {
		REPLICAS.forEach((replica) -> this.channel.peer(replica)
			.announced(new PeerAnnouncement(PeerIdentity.create(""), Set.of("uds"), this.channel.contract().hash(), ""),
					System.nanoTime()));
		assertThat(get(caller)).isEqualTo("typed");
		assertThat(met()).as("over HTTP").isEmpty();
		this.path.failure = new PathException(PathException.Reason.IO, true, "closed", null);
		assertThatThrownBy(() -> post(caller)).hasRootCauseMessage("closed");
		assertThat(met()).as("over HTTP").isEmpty();
		REPLICAS.subList(0, 2).forEach((replica) -> this.behaviours.put(replica, Behaviour.GONE));
		for (int i = 0; i < 3; i++) {
			assertThat(get(caller)).isEqualTo(REPLICAS.get(2));
			assertThat(met()).doesNotHaveDuplicates();
		}
		this.path.failure = null;
		this.path.refuses = true;
		int before = this.path.calls;
		REPLICAS.forEach((replica) -> this.behaviours.put(replica, Behaviour.REFUSES));
		assertThatThrownBy(() -> post(caller));
		assertThat(this.path.calls - before).isLessThanOrEqualTo(REPLICAS.size());
		assertNothingInFlight();
	}

	private final class FakeProvider implements PathProvider {

		@Override
		public PathKind kind() {
			return UdsPathProvider.KIND;
		}

		@Override
		public Attempt connect(Contract contract, PeerAnnouncement peer) {
			return new Connected(FailOverTests.this.path);
		}

		@Override
		public void close() {
		}

	}

	private static final class FakePath implements CallPath {

		private volatile PathException failure;

		private volatile boolean refuses;

		private volatile int calls;

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
			this.calls++;
			if (this.failure != null) {
				throw this.failure;
			}
			if (this.refuses) {
				return new Reply.Failure(503, Map.of(Rejection.HEADER, List.of("overload")), new byte[0], "");
			}
			boolean list = frame.method().signature().contains("FLUX");
			return new Reply.Value(200, Map.of(), list ? List.of("typed") : "typed");
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
