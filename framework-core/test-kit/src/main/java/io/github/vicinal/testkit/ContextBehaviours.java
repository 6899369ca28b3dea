package io.github.vicinal.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import io.github.vicinal.testkit.contract.ContextContract;
import io.github.vicinal.testkit.contract.ErrorsContract;
import io.github.vicinal.testkit.contract.KitContract;
import io.github.vicinal.testkit.contract.ResultsContract;
import io.github.vicinal.testkit.contract.TimingContract;
import io.github.vicinal.testkit.server.CallerThread;
import io.github.vicinal.testkit.server.TraceHandler;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.http.HttpHeaders;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The context of a call at one side does not leak to the other, and context that travels
 * over HTTP travels on every path.
 */
abstract class ContextBehaviours extends Behaviours {

	private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

	@Test
	@DisplayName("the caller's MDC is not seen by the callee and is there after the call")
	void mdcOfTheCaller() {
		assertThat(same(ContextContract.class, (client) -> {
			MDC.put("kit", "caller's");
			try {
				return client.mdc("kit") + " then " + MDC.get("kit");
			}
			finally {
				MDC.remove("kit");
			}
		}).value()).isIn("null then caller's", "null then null");
	}

	@Test
	@DisplayName("the caller does not see values that the callee leaves in its MDC")
	void mdcOfTheCallee() {
		assertThat(same(ContextContract.class, (client) -> {
			client.leaveInMdc("kit-left", "callee's");
			String left = String.valueOf(MDC.get("kit-left"));
			MDC.remove("kit-left");
			return left;
		}).value()).isEqualTo("null");
	}

	@Test
	@DisplayName("the caller's thread-locals, inheritable ones, too, are not seen by the callee")
	void threadLocalsOfTheCaller() {
		CallerThread.PLAIN.set("caller's");
		CallerThread.INHERITED.set("caller's");
		try {
			assertThat(
					same(ContextContract.class, (client) -> client.threadLocals() + " then " + CallerThread.PLAIN.get())
						.value())
				.isEqualTo("plain null, inherited null then caller's");
		}
		finally {
			CallerThread.PLAIN.remove();
			CallerThread.INHERITED.remove();
		}
	}

	@Test
	@DisplayName("the caller does not see values that the callee leaves in thread-locals")
	void threadLocalsOfTheCallee() {
		assertThat(sameSeveral(ContextContract.class, (client) -> {
			for (int i = 0; i < 3; i++) {
				client.leaveInThreadLocals("");
			}
			return CallerThread.PLAIN.get() + " " + CallerThread.INHERITED.get();
		}).value()).isEqualTo("null null");
	}

	@Test
	@DisplayName("the callee's context class loader is its application's")
	void contextClassLoaderOfTheCallee() {
		assertThat(same(ContextContract.class, (client) -> {
			Thread thread = Thread.currentThread();
			ClassLoader before = thread.getContextClassLoader();
			thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
			try {
				return client.seesServerClassLoader();
			}
			finally {
				thread.setContextClassLoader(before);
			}
		}).value()).isEqualTo(true);
	}

	@Test
	@DisplayName("the caller's context class loader is its own again after the call")
	void contextClassLoaderOfTheCaller() {
		assertThat(same(ContextContract.class, (client) -> {
			ClassLoader before = Thread.currentThread().getContextClassLoader();
			client.leaveClassLoader();
			return Thread.currentThread().getContextClassLoader() == before;
		}).value()).isEqualTo(true);
	}

	@Test
	@DisplayName("the caller's transaction is not the callee's")
	void transactionOfTheCaller() {
		TransactionSynchronizationManager.initSynchronization();
		TransactionSynchronizationManager.setActualTransactionActive(true);
		TransactionSynchronizationManager.setCurrentTransactionName("caller's");
		TransactionSynchronizationManager.bindResource("kit", "caller's");
		try {
			assertThat(same(ContextContract.class,
					(client) -> client.transaction() + ", then "
							+ TransactionSynchronizationManager.isSynchronizationActive())
				.value()).isEqualTo("synchronisation false, actual false, name null, resource false, then true");
		}
		finally {
			TransactionSynchronizationManager.unbindResource("kit");
			TransactionSynchronizationManager.clear();
		}
	}

	@Test
	@DisplayName("a transactional resource that the callee leaves bound is not seen by the caller")
	void transactionOfTheCallee() {
		assertThat(same(ContextContract.class, (client) -> {
			client.leaveTransactionResource();
			return TransactionSynchronizationManager.unbindResourceIfPossible("kit-left");
		}).value()).isNull();
	}

	@Test
	@DisplayName("the caller's locale is not the callee's")
	void localeOfTheCaller() {
		Outcome outcome = withLocale(Locale.forLanguageTag("fr-CA"),
				() -> same(ContextContract.class, ContextContract::locale));
		assertThat(outcome.value()).isEqualTo(Locale.getDefault().toLanguageTag());
	}

	@Test
	@DisplayName("the callee's locale is the one of the header Accept-Language, as argument or client default")
	void localeOfTheHeader() {
		assertThat(sameAnywhere(ContextContract.class, (client) -> client.localeAsked("da, en;q=0.5")).value())
			.isEqualTo("da for da, en;q=0.5");
		KitClient client = KitClient.BLOCKING
			.withRestClient((builder) -> builder.defaultHeader(HttpHeaders.ACCEPT_LANGUAGE, "it-CH"));
		assertThat(sameAnywhere(ContextContract.class, client, ContextContract::locale).value()).isEqualTo("it-CH");
	}

	@Test
	@DisplayName("a locale that the callee sets does not become the caller's")
	void localeOfTheCallee() {
		Outcome outcome = withLocale(Locale.JAPAN, () -> same(ContextContract.class,
				(client) -> client.leaveLocale("sv") + " then " + LocaleContextHolder.getLocale()));
		assertThat(outcome.value()).isEqualTo("sv then ja_JP");
	}

	@Test
	@DisplayName("a web request that the caller is handling is not the callee's")
	void requestOfTheCaller() {
		RequestContextHolder.setRequestAttributes(new CallerRequest());
		try {
			assertThat(sameAnywhere(ContextContract.class, (client) -> client.requestAttributes("kit")).value())
				.isEqualTo("attribute null");
			assertThat(RequestContextHolder.getRequestAttributes()).isInstanceOf(CallerRequest.class);
		}
		finally {
			RequestContextHolder.resetRequestAttributes();
		}
	}

	@Test
	@DisplayName("a callee that asks for its web request gets the true values")
	void requestOfTheCallee() {
		assertThat(sameAnywhere(ContextContract.class, (client) -> client.currentRequest("a b")).value())
			.isEqualTo("GET /kit/context/request-seen?value=a%20b");
		assertThat(sameAnywhere(ContextContract.class, ContextContract::principal).value()).isEqualTo("principal null");
	}

	@Test
	@DisplayName("an interrupt that the callee sets on its thread does not reach the caller")
	void interruptOfTheCallee() {
		ContextContract proxy = path(ContextContract.class);
		// Number of calls after which every path has chosen its short way.
		for (int i = 0; i < 100; i++) {
			Outcome outcome = kit().outcome(proxy::interruptsItself);
			assertThat(Thread.interrupted()).isFalse();
			if (!outcome.returned()) {
				outcome.failure(ResourceAccessException.class);
			}
		}
		assertThat(same(ContextContract.class, ContextContract::interrupted).value()).isEqualTo(false);
	}

	@Test
	@DisplayName("the caller's thread keeps its name, whatever the callee does to its own")
	void threadName() {
		assertThat(same(ContextContract.class, (client) -> {
			String before = Thread.currentThread().getName();
			try {
				client.renameThread("kit-renamed");
				return Thread.currentThread().getName().equals(before);
			}
			finally {
				Thread.currentThread().setName(before);
			}
		}).value()).isEqualTo(true);
	}

	@Test
	@DisplayName("the trace of the caller continues at the callee")
	void trace() {
		TraceHandler.setCaller(TRACE);
		try {
			assertThat(same(ContextContract.class, ContextContract::trace).value()).isEqualTo(TRACE);
		}
		finally {
			TraceHandler.setCaller(null);
		}
		assertThat(same(ContextContract.class, ContextContract::trace).value()).isEqualTo("none");
	}

	@Test
	@DisplayName("the callee's current observation is the server's, also within one of the caller")
	void currentObservation() {
		ObservationRegistry registry = kit().environment().observationRegistry();
		Observation observation = Observation.start("kit.caller", registry);
		try (Observation.Scope scope = observation.openScope()) {
			assertThat(scope.getCurrentObservation()).isSameAs(observation);
			assertThat(same(ContextContract.class, ContextContract::observed).value())
				.isEqualTo("http.server.requests");
			assertThat(registry.getCurrentObservation()).isSameAs(observation);
		}
		finally {
			observation.stop();
		}
	}

	@Test
	@DisplayName("http.client.requests and http.server.requests have the same series on every path")
	void httpObservations() {
		assertThat(sameObservations(ResultsContract.class, (client) -> client.primitiveInt(1)))
			.anySatisfy((line) -> assertThat(line).contains("http.client.requests", "/kit/results/int", "status=200"))
			.anySatisfy((line) -> assertThat(line).contains("http.server.requests", "/kit/results/int"));
	}

	@Test
	@DisplayName("errors have the same series on every path, with template, status and exception")
	void httpObservationsOfErrors() {
		assertThat(sameObservations(ErrorsContract.class, (client) -> client.fail("advised")))
			.anySatisfy((line) -> assertThat(line).contains("http.client.requests", "{how}", "status=409"))
			.anySatisfy((line) -> assertThat(line).contains("http.server.requests", "{how}", "status=409"));
		assertThat(sameObservations(ErrorsContract.class, (client) -> client.fail("anything")))
			.anySatisfy((line) -> assertThat(line).contains("status=500"));
	}

	@Test
	@DisplayName("errors of a reactive client have the same series on every path, once")
	void httpObservationsOfReactiveErrors() {
		assertThat(sameObservations(ErrorsContract.class, KitClient.REACTIVE, (client) -> client.fail("advised")))
			.anySatisfy((line) -> assertThat(line).contains("http.client.requests", "status=409"));
		assertThat(sameObservations(TimingContract.class, KitClient.REACTIVE,
				(client) -> client.monoFails("advised").block()))
			.anySatisfy((line) -> assertThat(line).contains("http.client.requests", "status=409"));
		assertThat(sameObservations(TimingContract.class, KitClient.REACTIVE,
				(client) -> client.futureFails("advised").get()))
			.anySatisfy((line) -> assertThat(line).contains("http.client.requests", "status=409"));
	}

	private <C extends KitContract> List<String> sameObservations(Class<C> contract, Kit.Call<C> call) {
		return sameObservations(contract, KitClient.BLOCKING, call);
	}

	private <C extends KitContract> List<String> sameObservations(Class<C> contract, KitClient client,
			Kit.Call<C> call) {
		C proxy = kit().path(contract, client);
		List<String> expected = observations(() -> call.on(kit().http(contract, client)));
		List<String> actual = observations(() -> call.on(proxy));
		assertThat(actual).containsExactlyInAnyOrderElementsOf(expected);
		return expected;
	}

	private List<String> observations(Callable<?> call) {
		Awaitility.await().atMost(kit().environment().patience()).until(() -> {
			kit().observations().clear();
			control().forgetObservations();
			return kit().observations().lines().stream().noneMatch((line) -> !line.contains("/kit/control"));
		});
		kit().outcome(call);
		return Awaitility.await()
			.atMost(kit().environment().patience())
			.until(this::collected, (lines) -> lines.size() >= 2);
	}

	private List<String> collected() {
		List<String> lines = new ArrayList<>();
		kit().observations().lines().stream().filter((line) -> line.startsWith("http.client")).forEach(lines::add);
		control().observations().stream().filter((line) -> line.startsWith("http.server")).forEach(lines::add);
		// A server observes the end of the call by which a client connects later.
		lines.removeIf((line) -> line.contains("/kit/control") || line.contains("/ping}"));
		return lines;
	}

	private static Outcome withLocale(Locale locale, Supplier<Outcome> call) {
		LocaleContextHolder.setLocale(locale);
		try {
			return call.get();
		}
		finally {
			LocaleContextHolder.resetLocaleContext();
		}
	}

	/** A request of the caller, with an attribute that must not be found elsewhere. */
	private static final class CallerRequest implements RequestAttributes {

		private final Map<String, Object> attributes = Map.of("kit", "caller's");

		@Override
		public Object getAttribute(String name, int scope) {
			return this.attributes.getOrDefault(name, "unknown");
		}

		@Override
		public void setAttribute(String name, Object value, int scope) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void removeAttribute(String name, int scope) {
			throw new UnsupportedOperationException();
		}

		@Override
		public String[] getAttributeNames(int scope) {
			return this.attributes.keySet().toArray(new String[0]);
		}

		@Override
		public void registerDestructionCallback(String name, Runnable callback, int scope) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Object resolveReference(String key) {
			return this;
		}

		@Override
		public String getSessionId() {
			return "none";
		}

		@Override
		public Object getSessionMutex() {
			return this;
		}

	}

}
