package io.github.vicinal.boot.exchange;

/** Details of HTTP libraries, of Jetty and of its request log. */
class JettyDetailTests extends ExchangeDetailTests {

	@Override
	Class<?> server() {
		return JettyDetails.class;
	}

	/** Jetty resets a connection, with which clients may lose the beginning, too. */
	@Override
	boolean varies(String name) {
		return name.equals("a failure in the middle");
	}

}
