/**
 * Reads contracts from Spring's {@code @HttpExchange} interfaces: what each argument is
 * to HTTP, and whether a typed path can carry it with the same effect.
 */
@NullMarked
package io.github.vicinal.boot.contract;

import org.jspecify.annotations.NullMarked;
