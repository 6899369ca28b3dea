package io.github.vicinal.boot.exchange;

/** Handlers on Jetty that respond to clients that do not read. */
class JettyUnreadResponseTests extends UnreadResponseTests {

}
