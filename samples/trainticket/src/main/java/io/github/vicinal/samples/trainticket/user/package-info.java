/**
 * User profiles. Reading one requires a token.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.user;

import org.jspecify.annotations.NullMarked;
