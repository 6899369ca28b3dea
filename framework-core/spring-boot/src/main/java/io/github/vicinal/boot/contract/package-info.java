/**
 * Reads contracts from Spring's {@code @HttpExchange} interfaces: what each argument is
 * to HTTP, and whether a typed path can carry it with the same effect.
 * <p>
 * Internal to Vicinal: types are public for other packages of its modules, and may change
 * in any release.
 */
@NullMarked
package io.github.vicinal.boot.contract;

import org.jspecify.annotations.NullMarked;
