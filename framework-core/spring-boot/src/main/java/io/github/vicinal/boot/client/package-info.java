/**
 * The client side: how calls of annotated HTTP interfaces enter a channel, and how their
 * outcome leaves it.
 * <p>
 * A call enters at the client's proxy, or, where a circuit breaker decorates the client,
 * at the exchange adapter inside of it. A channel that has no better path lets the call
 * go on to the HTTP client; the request factory at its end adds the header that asks the
 * peer for its paths, and reads the answer. An error that came by a typed path is
 * replayed through the HTTP client, so that status handlers see it and raise what they
 * always raise.
 */
@NullMarked
package io.github.vicinal.boot.client;

import org.jspecify.annotations.NullMarked;
