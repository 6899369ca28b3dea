package io.github.vicinal.boot.exchange;

/** Filters on Jetty that work on after the response. */
class JettyFilterAfterResponseTests extends FilterAfterResponseTests {

}
