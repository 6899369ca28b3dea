/**
 * Reads private state of libraries that has no accessor, such as the settings of an HTTP
 * client and the parts of a web server. If a library does not have the expected fields,
 * the caller gets an exception and leaves the requests to HTTP.
 * <p>
 * Internal to Vicinal: types are public for other packages of its modules, and may change
 * in any release.
 */
@NullMarked
package io.github.vicinal.boot.reflect;

import org.jspecify.annotations.NullMarked;
