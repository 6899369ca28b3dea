/**
 * The server side: which contracts the application's controllers implement, whether they
 * may be called past the servlet stack, and how such a call is made to have the outcome
 * that it would have had over HTTP.
 * <p>
 * Nothing here is built or started before the first client asks for it.
 * <p>
 * Internal to Vicinal: types are public for other packages of its modules, and may change
 * in any release.
 */
@NullMarked
package io.github.vicinal.boot.server;

import org.jspecify.annotations.NullMarked;
