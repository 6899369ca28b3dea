/**
 * Replacement policies, and the parts for writing one.
 * <p>
 * A policy orders <em>slots</em>: small numbers that stand for the entries of a cache. It
 * never sees keys or values, only a hash of the key. So the same class orders a million
 * entries of a cache and the few hundred of a simulation (a <em>ghost</em>), in arrays
 * without objects.
 * <p>
 * Policies run in one thread at a time; the cache ensures that.
 */
@NullMarked
package io.github.vicinal.cache.policy;

import org.jspecify.annotations.NullMarked;
