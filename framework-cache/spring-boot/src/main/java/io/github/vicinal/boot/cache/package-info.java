/**
 * Caches of an application by properties: those of Spring's cache abstraction and those
 * of calls, their meters, and the invalidation of other instances.
 */
@NullMarked
package io.github.vicinal.boot.cache;

import org.jspecify.annotations.NullMarked;
