/**
 * User profiles. Whoever reads one must show a token.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.user;

import org.jspecify.annotations.NullMarked;
