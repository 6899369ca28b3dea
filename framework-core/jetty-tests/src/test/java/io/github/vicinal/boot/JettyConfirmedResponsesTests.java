package io.github.vicinal.boot;

/** The same with Jetty. */
class JettyConfirmedResponsesTests extends ConfirmedResponsesTests {

}
