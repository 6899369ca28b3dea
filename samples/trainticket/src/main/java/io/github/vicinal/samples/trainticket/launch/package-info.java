/**
 * The launcher: starts any choice of the services in one JVM, by name or from a plan
 * file.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.launch;

import org.jspecify.annotations.NullMarked;
