/**
 * The server side: which contracts the application's controllers implement, whether they
 * may be called past the servlet stack, and how such a call is made to have the outcome
 * that it would have had over HTTP.
 * <p>
 * Nothing here is built or started before the first client asks for it. Classes named
 * {@code Tomcat…}, {@code Jetty…} and {@code Netty…} are loaded only where that server
 * is.
 * <p>
 * Internal to Vicinal, but for documented interfaces: public types are for other packages
 * of its modules, and may change in any release.
 */
@NullMarked
package io.github.vicinal.boot.server;

import org.jspecify.annotations.NullMarked;
