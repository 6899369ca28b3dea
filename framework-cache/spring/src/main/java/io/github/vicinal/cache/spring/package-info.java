/**
 * Spring's cache abstraction on the engines of {@code io.github.vicinal.cache}.
 * <p>
 * A {@link io.github.vicinal.cache.spring.VicinalCacheManager} makes a
 * {@link io.github.vicinal.cache.spring.VicinalCache} for each name. Loading is
 * single-flight for {@code @Cacheable(sync = true)} and for asynchronous and reactive
 * methods alike.
 */
@NullMarked
package io.github.vicinal.cache.spring;

import org.jspecify.annotations.NullMarked;
