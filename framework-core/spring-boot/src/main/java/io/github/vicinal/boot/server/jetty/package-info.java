/**
 * Exchanges into an embedded Jetty 12: what stands in for its connections, its parser of
 * HTTP/1.1 and its generator of responses.
 */
@NullMarked
package io.github.vicinal.boot.server.jetty;

import org.jspecify.annotations.NullMarked;
