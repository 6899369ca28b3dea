/**
 * Overload over HTTP: a Boot application in a JVM of its own, and a client that does not
 * wait for answers.
 */
@NullMarked
package io.github.vicinal.benchmarks.overload;

import org.jspecify.annotations.NullMarked;
