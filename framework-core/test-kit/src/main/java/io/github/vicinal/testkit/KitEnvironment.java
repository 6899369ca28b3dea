package io.github.vicinal.testkit;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.github.vicinal.testkit.server.KitPeers;
import io.github.vicinal.testkit.server.KitServerConfiguration;
import io.micrometer.observation.ObservationRegistry;

/**
 * Environment that the author of a path supplies to run the kit: a running server and
 * client proxies.
 * <p>
 * The <em>server</em> is a Spring MVC application that imports
 * {@link KitServerConfiguration}, offers a {@link KitPeers} bean and has its observations
 * switched on (a bean of type {@link ObservationRegistry} that calls every
 * {@code ObservationHandler} bean, and Spring's {@code ServerHttpObservationFilter}). It
 * may run in this JVM or in another process. It must keep its address over
 * {@link #stopServer} and {@link #startServer}, and must not wait for running requests
 * when it is stopped. The server is up when the kit gets the environment.
 * <p>
 * The <em>proxies</em> are made as an application makes them: a {@code RestClient} (or
 * {@code WebClient}) builder to which {@link KitClient#customize} was applied, the read
 * timeout of the {@link KitClient} set in the way of the application, and an
 * {@code HttpServiceProxyFactory}. The two kinds differ in nothing but the path.
 * <p>
 * Methods are called from several threads.
 *
 * @since 0.1.0
 */
public interface KitEnvironment extends AutoCloseable {

	/**
	 * Name of the path under test, as it appears in {@link CarriedCall#path()}.
	 * @return the name, for example {@code direct}
	 */
	String expectedPath();

	/**
	 * Create a proxy whose calls may use the path under test. The kit itself makes calls
	 * until the path is reached, so the proxy need not be warm.
	 * @param <T> the contract
	 * @param contract the contract interface, possibly of a foreign class loader
	 * @param client how the client is configured
	 * @return a new proxy
	 */
	<T> T onPath(Class<T> contract, KitClient client);

	/**
	 * Create a proxy as plain Spring makes it, always over HTTP: the oracle.
	 * @param <T> the contract
	 * @param contract the contract interface
	 * @param client how the client is configured
	 * @return a new proxy
	 */
	<T> T overHttp(Class<T> contract, KitClient client);

	/**
	 * The base URL of the server, which all clients have.
	 * @return for example {@code http://localhost:8080}
	 */
	String baseUrl();

	/**
	 * Return and forget the calls that the proxies of {@link #onPath} made since this
	 * method was last asked, in the order in which they ended. A call that failed before
	 * anything was sent (a required argument is missing) is not a call. A call that was
	 * tried on one path and carried by another is one call, of the latter path.
	 * @return the calls
	 */
	List<CarriedCall> drainCalls();

	/**
	 * Returns how long the kit waits until clients use the path under test; for calls
	 * that have ended to be listed it waits a quarter of that.
	 * @return 20 seconds unless overridden
	 */
	default Duration patience() {
		return Duration.ofSeconds(20);
	}

	/**
	 * Returns whether a call went by another path although the path under test was open,
	 * for a reason that is the client's own. If that happens repeatedly, the kit stops
	 * waiting for the client's upgrade.
	 * @param call the call
	 * @return {@code false} where that is not known
	 */
	default boolean isDeclined(CarriedCall call) {
		return false;
	}

	/**
	 * Returns the number of calls that 64 threads make together, to find rare failures.
	 * @return 10,000 unless overridden
	 */
	default int concurrentCalls() {
		return 10_000;
	}

	/**
	 * The registry that observes the clients of this environment, on both kinds of
	 * proxies.
	 * @return the same registry at each call
	 */
	ObservationRegistry observationRegistry();

	/**
	 * Stop the server, running requests included, and return when it no longer answers.
	 * @param manner whether the server may say goodbye
	 */
	void stopServer(Ending manner);

	/**
	 * Start the server again at the same address and return when it answers over HTTP.
	 */
	void startServer();

	/**
	 * Names of response headers (lower case) that the environment adds for its own
	 * purposes and that an application would not look at.
	 * @return the names, empty unless overridden
	 */
	default Set<String> privateResponseHeaders() {
		return Set.of();
	}

	/**
	 * Returns whether the HTTP library of {@link #overHttp} lists the values of a header
	 * once for each spelling of its name in the exceptions of errors. Paths list them
	 * once.
	 * @return {@code false} unless overridden
	 */
	default boolean repeatsValuesBySpelling() {
		return false;
	}

	/**
	 * Stop everything that the environment started.
	 */
	@Override
	void close();

	/**
	 * Manner of a server's end.
	 */
	enum Ending {

		/** The application context is closed. */
		ORDERLY,

		/**
		 * A server with a process of its own is killed, so that only the operating system
		 * closes its resources; otherwise it ends as abruptly as the environment can.
		 */
		ABRUPT

	}

}
