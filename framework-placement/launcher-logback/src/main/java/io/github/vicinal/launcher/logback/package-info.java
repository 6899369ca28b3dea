/**
 * Logs of applications that share the classes of SLF4J and Logback.
 * <p>
 * SLF4J knows one logger factory per class loader. Where a launcher loads it once for
 * several applications, the provider of this package answers with the logger context of
 * the application that asks: levels, appenders and patterns remain each application's
 * own. A logger that a shared class keeps in a static field decides at each call which
 * application's log it writes to.
 */
@NullMarked
package io.github.vicinal.launcher.logback;

import org.jspecify.annotations.NullMarked;
