/**
 * The compatibility kit: one list of behaviours that every path has to show, with plain
 * HTTP through Spring as the oracle.
 * <p>
 * The author of a path extends {@link io.github.vicinal.testkit.ChannelCompatibilityKit}
 * and answers one question in it: which {@link io.github.vicinal.testkit.KitEnvironment}
 * hosts the kit's server and hands out client proxies. Each behaviour runs the same call
 * twice, once over HTTP and once on the path, and compares the two
 * {@linkplain io.github.vicinal.testkit.Outcome outcomes}: same value or same exception,
 * the arguments unharmed in the same way, and the path under test really used. A path may
 * decline a call that it cannot carry faithfully, as long as the call then goes over HTTP
 * and says why.
 * <p>
 * The contracts are in {@link io.github.vicinal.testkit.contract}, the application that
 * implements them in {@link io.github.vicinal.testkit.server}. Nothing here depends on
 * Vicinal or on Spring Boot.
 *
 * @since 0.1.0
 */
@NullMarked
package io.github.vicinal.testkit;

import org.jspecify.annotations.NullMarked;
