package io.github.vicinal.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.github.vicinal.testkit.contract.ControlContract;
import io.github.vicinal.testkit.contract.KitContract;
import io.github.vicinal.testkit.server.Observations;
import io.github.vicinal.testkit.server.TraceHandler;
import org.assertj.core.api.Assertions;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedRuntimeException;

/**
 * One environment with what all behaviours need: warm proxies, the comparison with the
 * oracle, and a way to look behind the scenes of the server.
 */
final class Kit {

	/**
	 * Number of consecutive declined calls after which a client counts as declined for
	 * good.
	 */
	private static final int DECLINED_CALLS = 20;

	/**
	 * Maximum number of times that a call is made over HTTP again to see how it may end.
	 */
	private static final int WAYS = 20;

	private final KitEnvironment environment;

	private final Observations observations = new Observations();

	private final Map<Key, Object> proxies = new ConcurrentHashMap<>();

	/** Proxies that were given the time to be upgraded, in vain. */
	private final Set<Key> declined = ConcurrentHashMap.newKeySet();

	private final ControlContract control;

	Kit(KitEnvironment environment) {
		this.environment = environment;
		environment.observationRegistry()
			.observationConfig()
			.observationHandler(this.observations)
			.observationHandler(new TraceHandler());
		this.control = environment.overHttp(ControlContract.class, KitClient.BLOCKING);
	}

	KitEnvironment environment() {
		return this.environment;
	}

	Observations observations() {
		return this.observations;
	}

	ControlContract control() {
		return this.control;
	}

	<C> C http(Class<C> contract, KitClient client) {
		return contract.cast(this.proxies.computeIfAbsent(new Key(contract, client, false),
				(key) -> this.environment.overHttp(contract, client)));
	}

	<C extends KitContract> C path(Class<C> contract, KitClient client) {
		C proxy = contract.cast(this.proxies.computeIfAbsent(new Key(contract, client, true),
				(key) -> this.environment.onPath(contract, client)));
		warm(contract.getName(), proxy::ping, this.environment.expectedPath());
		return proxy;
	}

	/**
	 * Call until the expected path is reached, and fail if it never is.
	 */
	void warm(String contract, Runnable ping, String expectedPath) {
		List<CarriedCall> seen = new ArrayList<>();
		Awaitility.await("path " + expectedPath + " for " + contract)
			.atMost(this.environment.patience())
			.pollInterval(Duration.ofMillis(5))
			.ignoreExceptionsInstanceOf(NestedRuntimeException.class)
			.untilAsserted(() -> {
				this.environment.drainCalls();
				ping.run();
				seen.clear();
				seen.addAll(this.environment.drainCalls());
				Assertions.assertThat(seen)
					.as("calls of a ping to %s", contract)
					.isNotEmpty()
					.allSatisfy((call) -> Assertions.assertThat(call.path()).isEqualTo(expectedPath));
			});
	}

	/**
	 * Give a client that may be declined as a whole the time to be upgraded.
	 */
	<C extends KitContract> C lenientPath(Class<C> contract, KitClient client) {
		C proxy = contract.cast(this.proxies.computeIfAbsent(new Key(contract, client, true),
				(ignored) -> this.environment.onPath(contract, client)));
		Key key = new Key(contract, client, true);
		if (this.declined.contains(key)) {
			return proxy;
		}
		long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
		String path;
		int declinedInARow = 0;
		do {
			this.environment.drainCalls();
			proxy.ping();
			List<CarriedCall> calls = awaitCalls();
			CarriedCall last = calls.isEmpty() ? null : calls.get(calls.size() - 1);
			path = (last != null) ? last.path() : "";
			declinedInARow = (last != null && this.environment.isDeclined(last)) ? declinedInARow + 1 : 0;
		}
		while (!path.equals(this.environment.expectedPath()) && declinedInARow < DECLINED_CALLS
				&& System.nanoTime() < end);
		if (!path.equals(this.environment.expectedPath())) {
			this.declined.add(key);
		}
		return proxy;
	}

	/**
	 * Compare the outcome of a call of a client that may be declined as a whole, and that
	 * has got the time to be upgraded once.
	 */
	<C extends KitContract> Outcome compareSettled(Class<C> contract, KitClient client, Call<C> call) {
		Object known = this.proxies.get(new Key(contract, client, true));
		C proxy = (known != null) ? contract.cast(known) : lenientPath(contract, client);
		Outcome expected = outcome(() -> call.on(http(contract, client)));
		this.environment.drainCalls();
		Outcome actual = outcome(() -> call.on(proxy));
		assertCarried(Carriage.ANYWHERE, contract);
		actual.assertSameAs(expected);
		return expected;
	}

	<C extends KitContract> Outcome compare(Class<C> contract, KitClient client, Carriage carriage, Call<C> call) {
		C oracle = http(contract, client);
		Outcome expected = outcome(() -> call.on(oracle));
		C proxy = carriage.isAnywhere() ? lenientPath(contract, client) : path(contract, client);
		this.environment.drainCalls();
		Outcome actual = outcome(() -> call.on(proxy));
		assertCarried(carriage, contract);
		actual.assertSameAs(expected);
		return expected;
	}

	/**
	 * Compares as {@link #compare} does, for a call that HTTP itself ends in one of
	 * several ways, depending on what has arrived when the server closes the connection:
	 * the path has to end it in one of them.
	 */
	<C extends KitContract> Outcome compareVarying(Class<C> contract, Call<C> call) {
		C oracle = http(contract, KitClient.BLOCKING);
		Outcome expected = outcome(() -> call.on(oracle));
		C proxy = lenientPath(contract, KitClient.BLOCKING);
		this.environment.drainCalls();
		Outcome actual = outcome(() -> call.on(proxy));
		assertCarried(Carriage.ANYWHERE, contract);
		for (int i = 0; i < WAYS && !actual.isSameAs(expected); i++) {
			expected = outcome(() -> call.on(oracle));
		}
		actual.assertSameAs(expected);
		return expected;
	}

	/**
	 * Compare the outcome of a call on the path under test that takes long, and make the
	 * same call over HTTP meanwhile.
	 */
	<C extends KitContract> Outcome compareAtOnce(Class<C> contract, KitClient client, Call<C> call) {
		C oracle = http(contract, client);
		C proxy = path(contract, client);
		this.environment.drainCalls();
		CompletableFuture<Outcome> expected = CompletableFuture.supplyAsync(() -> outcome(() -> call.on(oracle)),
				(task) -> new Thread(task, "kit-oracle").start());
		Outcome actual = outcome(() -> call.on(proxy));
		assertCarried(Carriage.ON_PATH, contract);
		actual.assertSameAs(expected.join());
		return actual;
	}

	Outcome outcome(Callable<? extends @Nullable Object> call) {
		return Outcome.of(call, this.environment.privateResponseHeaders());
	}

	List<CarriedCall> awaitCalls() {
		List<CarriedCall> calls = new ArrayList<>();
		long end = System.nanoTime() + this.environment.patience().dividedBy(4).toNanos();
		do {
			calls.addAll(this.environment.drainCalls());
			if (calls.isEmpty()) {
				Thread.onSpinWait();
			}
		}
		while (calls.isEmpty() && System.nanoTime() < end);
		return calls;
	}

	private void assertCarried(Carriage carriage, Class<?> contract) {
		if (carriage == Carriage.NOT_AT_ALL) {
			Assertions.assertThat(this.environment.drainCalls()).as("calls that should not have left").isEmpty();
			return;
		}
		List<CarriedCall> calls = awaitCalls();
		Assertions.assertThat(calls)
			.as("calls carried")
			.isNotEmpty()
			.allSatisfy((call) -> Assertions.assertThat(call.contract()).isEqualTo(contract.getName()));
		if (carriage != Carriage.SEVERAL && carriage != Carriage.SEVERAL_ANYWHERE) {
			Assertions.assertThat(calls).as("one call carried once").hasSize(1);
		}
		for (CarriedCall call : calls) {
			if (!call.path().equals(this.environment.expectedPath())) {
				Assertions.assertThat(carriage.isAnywhere())
					.as("%s went by %s because %s", contract.getSimpleName(), call.path(), call.reason())
					.isTrue();
				Assertions.assertThat(call.reason()).as("reason for %s", call.path()).isNotBlank();
			}
		}
	}

	/**
	 * Paths that a call may take.
	 */
	enum Carriage {

		/** One call, on the path under test. */
		ON_PATH,

		/** One or more calls, all on the path under test. */
		SEVERAL,

		/** One call, on the path under test or, with a reason, on another one. */
		ANYWHERE,

		/**
		 * One or more calls, each on the path under test or, with a reason, on another.
		 */
		SEVERAL_ANYWHERE,

		/** It fails before anything is sent. */
		NOT_AT_ALL;

		boolean isAnywhere() {
			return this == ANYWHERE || this == SEVERAL_ANYWHERE;
		}

	}

	/**
	 * A call, or a few, whose result or exception is compared.
	 *
	 * @param <C> the contract
	 */
	@FunctionalInterface
	interface Call<C> {

		@Nullable Object on(C client) throws Exception;

	}

	private record Key(Class<?> contract, KitClient client, boolean path) {

	}

}
