/**
 * In-process caches.
 * <p>
 * A {@link io.github.vicinal.cache.Cache} is made by a
 * {@link io.github.vicinal.cache.CacheBuilder}. Its
 * {@link io.github.vicinal.cache.CachePolicy} says which entries go when it is full, and
 * thereby which of three engines keeps them: Caffeine, a hash map whose policy runs in
 * one thread at a time behind lossy buffers, or a lock-free set-associative table.
 * Everything else (loading, refreshing, expiry, statistics, listeners) is the same on
 * each of them.
 * <p>
 * Terms: a <em>hit</em> is a look-up that found a value; to <em>load</em> is to compute a
 * value that is absent; an entry is <em>evicted</em> to keep the bound, <em>expires</em>
 * by time, and is <em>removed</em> by either or by the user.
 */
@NullMarked
package io.github.vicinal.cache;

import org.jspecify.annotations.NullMarked;
