package io.github.vicinal.boot.exchange;

import java.util.Map;
import java.util.function.Supplier;

/** Exchanges into Jetty behave as requests over HTTP. */
class JettyBehaviourTests extends ExchangeBehaviourTests {

	private static final int TRIES = 20;

	/**
	 * Beginnings of responses that clients rarely or never get over HTTP. Jetty closes
	 * the connection when it has responded to a request whose body it has not read, and
	 * the client that still writes may lose the response. Apache HttpClient takes no
	 * lines of more than 8,192 characters.
	 */
	private static final Map<String, String> BETTER = Map.of("nobody, 2 MB", "401 ", "body that is not read", "413 ",
			"Expect, not read", "413 ", "a field of 9,000 characters", "200 ");

	/**
	 * Over HTTP it depends on the packets that have arrived whether Jetty finds the
	 * body's end, and with it whether it closes the connection and how it frames the
	 * response.
	 */
	@Override
	boolean isRightToo(String name, String observed, Supplier<String> overHttp) {
		for (int i = 0; i < TRIES; i++) {
			if (observed.equals(overHttp.get())) {
				return true;
			}
		}
		String better = BETTER.get(name);
		return better != null && observed.startsWith(better);
	}

	/** URIs that Jetty's parser could object to, and fields of 10 KB, go over HTTP. */
	@Override
	int maxOverHttp() {
		return 100;
	}

}
