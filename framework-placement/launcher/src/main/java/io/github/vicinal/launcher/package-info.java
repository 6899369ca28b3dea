/**
 * Runs several unmodified Spring Boot applications in one JVM.
 * <p>
 * A <em>layout</em> is a directory that {@code copackage build} has written: the jars of
 * all applications, each once, and {@code copackage.json}, which says what belongs to
 * which application. Each <em>hosted application</em> gets a class loader, a thread
 * group, system properties and lines of output of its own:
 *
 * <pre>
 * platform loader                  the JDK
 *   shared loader                  where neighbours meet, and nothing else
 *     loader of application A      its classes and its jars
 *     loader of application B
 * </pre>
 *
 * A thread <em>belongs</em> to the application whose loader is, or is above, its context
 * loader; where it has none, to the application of its thread group.
 */
@NullMarked
package io.github.vicinal.launcher;

import org.jspecify.annotations.NullMarked;
