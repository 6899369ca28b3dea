/**
 * Logins and tokens. Only this service signs and checks tokens, so the key never leaves
 * it.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.auth;

import org.jspecify.annotations.NullMarked;
