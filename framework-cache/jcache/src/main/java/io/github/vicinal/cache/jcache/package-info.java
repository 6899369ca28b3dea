/**
 * A JCache (JSR 107) provider on the engines of {@code io.github.vicinal.cache}.
 * <p>
 * {@link io.github.vicinal.cache.jcache.VicinalCachingProvider} is found by
 * {@code Caching.getCachingProvider()};
 * {@link io.github.vicinal.cache.jcache.VicinalConfiguration} has the settings that
 * JCache lacks: the replacement policy and the bound.
 * <p>
 * Terms: an entry is <em>held</em> with the time at which it expires. A <em>copier</em>
 * makes the copies that store-by-value needs. Operations that JCache requires to be
 * atomic for a key, with the cache writer or an entry processor in the middle, run under
 * the <em>key's lock</em>; other keys are not delayed, and look-ups of present entries
 * take no lock.
 */
@NullMarked
package io.github.vicinal.cache.jcache;

import org.jspecify.annotations.NullMarked;
