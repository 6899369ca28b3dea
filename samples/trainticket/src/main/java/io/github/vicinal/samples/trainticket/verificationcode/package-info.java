/**
 * Codes that a person copies from the login page, so that a machine cannot guess
 * passwords at its own speed.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.verificationcode;

import org.jspecify.annotations.NullMarked;
