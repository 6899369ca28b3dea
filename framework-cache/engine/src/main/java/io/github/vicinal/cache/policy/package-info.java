/**
 * Replacement policies, and what it takes to write one.
 * <p>
 * A policy orders <em>slots</em>: small numbers that stand for the entries of a cache. It
 * never sees keys or values, only a hash of the key. So the same class orders a million
 * entries of a cache and the few hundred of a simulation (a <em>ghost</em>) that tells
 * what the policy would have done, in arrays without objects.
 * <p>
 * Policies run in one thread at a time; the cache sees to that.
 */
@NullMarked
package io.github.vicinal.cache.policy;

import org.jspecify.annotations.NullMarked;
