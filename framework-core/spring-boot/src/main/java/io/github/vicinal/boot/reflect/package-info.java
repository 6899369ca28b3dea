/**
 * Reads what libraries keep to themselves and have no accessor for: how an HTTP client is
 * set up, what a web server is made of. Where a library does not look as it did when this
 * was written, the caller is told, and leaves things to HTTP.
 */
@NullMarked
package io.github.vicinal.boot.reflect;

import org.jspecify.annotations.NullMarked;
