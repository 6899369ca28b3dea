package io.github.vicinal.boot.exchange;

/** Details of HTTP libraries, of Jetty and of its request log. */
class JettyDetailTests extends ExchangeDetailTests {

	@Override
	Class<?> server() {
		return JettyDetails.class;
	}

}
