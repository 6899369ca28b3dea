/**
 * Caches of an application by properties: those of Spring's cache abstraction and those
 * of calls, how both are metered, and how other instances are told of what is no longer
 * true.
 */
@NullMarked
package io.github.vicinal.boot.cache;

import org.jspecify.annotations.NullMarked;
