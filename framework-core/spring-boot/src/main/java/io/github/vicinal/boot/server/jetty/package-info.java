/**
 * Exchanges into an embedded Jetty 12: what stands in for its connections, its parser of
 * HTTP/1.1 and its generator of responses.
 * <p>
 * Internal to Vicinal: types are public for other packages of its modules, and may change
 * in any release.
 */
@NullMarked
package io.github.vicinal.boot.server.jetty;

import org.jspecify.annotations.NullMarked;
