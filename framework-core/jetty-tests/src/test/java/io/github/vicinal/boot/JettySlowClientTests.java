package io.github.vicinal.boot;

/** Clients that send or read slowly keep no permit of Jetty's from others, either. */
class JettySlowClientTests extends SlowClientTests {

}
