/**
 * The server side: the contracts that this process offers and the services behind them.
 * <p>
 * A {@link io.github.vicinal.server.ServiceRegistry} maps contracts to
 * {@linkplain io.github.vicinal.server.Service services}; a
 * {@link io.github.vicinal.server.PathServer} accepts calls over one kind of path and
 * hands them to the registry.
 */
@NullMarked
package io.github.vicinal.server;

import org.jspecify.annotations.NullMarked;
