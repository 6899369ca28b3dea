/**
 * Observations of calls that take a typed path, and their names.
 * <p>
 * These observations come beside {@code http.client.requests} and
 * {@code http.server.requests}, which keep their series on every path.
 */
@NullMarked
package io.github.vicinal.observation;

import org.jspecify.annotations.NullMarked;
