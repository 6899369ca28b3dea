/**
 * The client side: how calls of annotated HTTP interfaces enter a channel, and how their
 * outcome leaves it.
 * <p>
 * A call enters at the client's proxy, or, where a circuit breaker decorates the client,
 * at the exchange adapter inside of it; that of a Feign client enters at the handler of
 * its method ({@code FeignChannels}). It becomes a {@code ClientCall}, which goes through
 * the stages cache, replica, path, attempt, outcome and HTTP, whether its caller waits
 * ({@code BlockingCalls}), takes a future ({@code FutureCalls}) or a publisher
 * ({@code ReactiveCalls}).
 * <p>
 * Without a better path the call goes on to the HTTP client. The request factory at its
 * end, or the client at the end of Feign, adds the header that asks the peer for its
 * paths, and reads the answer. An error that came by a typed path is replayed through the
 * HTTP client, so that status handlers see it and raise what they always raise. A call on
 * its way through an HTTP client is an {@code HttpLeg}.
 * <p>
 * Internal to Vicinal, but for documented interfaces: public types are for other packages
 * of its modules, and may change in any release.
 */
@NullMarked
package io.github.vicinal.boot.client;

import org.jspecify.annotations.NullMarked;
