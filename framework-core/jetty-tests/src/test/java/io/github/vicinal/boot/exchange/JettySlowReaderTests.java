package io.github.vicinal.boot.exchange;

/** Clients of Jetty that read slowly. */
class JettySlowReaderTests extends SlowReaderTests {

}
