package io.github.vicinal.boot.exchange;

/** Handlers on Jetty that write their responses themselves. */
class JettyWrittenInPartsTests extends WrittenInPartsTests {

}
