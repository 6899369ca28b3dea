package io.github.vicinal.boot;

/** Many requests in a small heap, on Jetty. */
class JettySmallHeapTests extends SmallHeapTests {

}
