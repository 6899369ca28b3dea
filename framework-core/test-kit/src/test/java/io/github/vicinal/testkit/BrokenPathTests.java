package io.github.vicinal.testkit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedMethod;

/**
 * The kit is worth what it catches: paths that are broken on purpose fail by name.
 */
class BrokenPathTests {

	@Test
	@DisplayName("a path that hands over references fails every test of mutation")
	void byReferenceAndMutation() {
		EngineExecutionResults results = run(
				selectNestedClass(List.of(ByReference.class), ChannelCompatibilityKit.Mutation.class));
		assertThat(failed(results)).contains("calleeChangesBean", "calleeChangesList", "calleeChangesFixedList",
				"calleeChangesArray", "calleeChangesPartsOfRecord", "callerChangesBean", "callerChangesList",
				"callerChangesMap", "callerChangesArray", "callerChangesResult", "callerChangesPartsOfResult",
				"echoIsACopy", "resultsAreNotShared");
	}

	@Test
	@DisplayName("a path that hands over references and exceptions fails the tests of bodies and errors that JSON shapes")
	void byReferenceAndShape() {
		EngineExecutionResults results = run(
				selectNestedClass(List.of(ByReference.class), ChannelCompatibilityKit.Bodies.class),
				selectNestedClass(List.of(ByReference.class), ChannelCompatibilityKit.Errors.class),
				selectNestedClass(List.of(ByReference.class), ChannelCompatibilityKit.Context.class),
				selectNestedClass(List.of(ByReference.class), ChannelCompatibilityKit.Interfaces.class));
		assertThat(failed(results)).contains("richerThanDeclared", "looselyTyped", "hiddenFields", "sharedReference",
				"fixedCollections", "times", "mixIn", "unreadableBody", "emptyStrings", "uncaught", "checkedException",
				"errors", "localHandler", "adviceHandler", "recovered", "downstreamFailure", "everyStatus",
				"mdcOfTheCaller", "mdcOfTheCallee", "threadLocalsOfTheCaller", "transactionOfTheCaller",
				"localeOfTheCaller", "contextClassLoaderOfTheCaller", "interruptOfTheCallee", "threadName", "trace",
				"httpObservations", "defaultMethods");
		assertThat(succeeded(results)).contains("records", "genericRecord", "overloads");
	}

	@Test
	@DisplayName("a path that matches classes by identity fails for a foreign class loader, and one that finds any bean for no peer")
	void byReferenceDeployedTogether() {
		EngineExecutionResults results = run(
				selectNestedClass(List.of(ByReference.class), ChannelCompatibilityKit.CoDeployment.class));
		assertThat(failed(results)).contains("dubbo14346ForeignClassLoader", "dubbo3638OnlyTheAddressedPeerAnswers");
	}

	@Test
	@DisplayName("a path that executes calls twice is caught")
	void executesTwice() {
		EngineExecutionResults results = run(
				selectNestedMethod(List.of(Twice.class), ChannelCompatibilityKit.Interfaces.class, "executedOnce"));
		assertThat(failed(results)).containsExactly("executedOnce");
	}

	@Test
	@DisplayName("a path that silently leaves calls to HTTP is caught")
	void silentFallback() {
		EngineExecutionResults results = run(
				selectNestedMethod(List.of(Silent.class), ChannelCompatibilityKit.Results.class, "nothing"),
				selectNestedMethod(List.of(Silent.class), ChannelCompatibilityKit.Results.class, "resource"));
		assertThat(failed(results)).containsExactlyInAnyOrder("nothing", "resource");
	}

	/**
	 * Run in a thread of its own: what such a path leaves behind in its thread is one of
	 * the things that are wrong with it.
	 */
	private static EngineExecutionResults run(DiscoverySelector... selectors) {
		CompletableFuture<EngineExecutionResults> results = new CompletableFuture<>();
		Runnable engine = () -> results.complete(EngineTestKit.engine("junit-jupiter").selectors(selectors).execute());
		new Thread(engine, "broken-path").start();
		return results.orTimeout(5, TimeUnit.MINUTES).join();
	}

	private static Set<String> failed(EngineExecutionResults results) {
		return names(results.testEvents().failed().list());
	}

	private static Set<String> succeeded(EngineExecutionResults results) {
		return names(results.testEvents().succeeded().list());
	}

	private static Set<String> names(List<Event> events) {
		Set<String> names = new TreeSet<>();
		for (Event event : events) {
			names.add(event.getTestDescriptor().getLegacyReportingName().replace("()", ""));
		}
		return names;
	}

	static class ByReference extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return new BrokenEnvironment() {
				@Override
				Object call(Class<?> contract, Object http, Method method, Object[] arguments) throws Throwable {
					record(new CarriedCall(contract.getName(), "direct", null));
					return invoke(server().getBean(contract), method, arguments);
				}
			};
		}

	}

	static class Twice extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return new BrokenEnvironment() {
				@Override
				Object call(Class<?> contract, Object http, Method method, Object[] arguments) throws Throwable {
					record(new CarriedCall(contract.getName(), "direct", null));
					invoke(http, method, arguments);
					return invoke(http, method, arguments);
				}
			};
		}

	}

	static class Silent extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return new BrokenEnvironment() {
				@Override
				Object call(Class<?> contract, Object http, Method method, Object[] arguments) throws Throwable {
					String path = (method.getName().equals("ping")) ? "direct" : "http";
					record(new CarriedCall(contract.getName(), path, null));
					return invoke(http, method, arguments);
				}
			};
		}

	}

	/**
	 * An environment whose path is a proxy that does something simple and wrong.
	 */
	abstract static class BrokenEnvironment extends HttpKitEnvironment {

		@Override
		public String expectedPath() {
			return "direct";
		}

		@Override
		public Duration patience() {
			return Duration.ofSeconds(2);
		}

		@Override
		public <T> T onPath(Class<T> contract, KitClient client) {
			Object http = overHttp(contract, client);
			return contract.cast(Proxy.newProxyInstance(contract.getClassLoader(), new Class<?>[] { contract },
					(proxy, method, arguments) -> (method.getDeclaringClass() == Object.class)
							? objectMethod(proxy, method, arguments) : call(contract, http, method, arguments)));
		}

		abstract Object call(Class<?> contract, Object http, Method method, Object[] arguments) throws Throwable;

		static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
			try {
				return method.invoke(target, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getCause();
			}
		}

		private static Object objectMethod(Object proxy, Method method, Object[] arguments) {
			return switch (method.getName()) {
				case "equals" -> proxy == arguments[0];
				case "hashCode" -> System.identityHashCode(proxy);
				default -> "broken";
			};
		}

	}

}
