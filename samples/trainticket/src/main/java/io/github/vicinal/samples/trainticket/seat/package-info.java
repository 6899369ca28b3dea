/**
 * Seats that are left: asks the trip, order and config services four questions for each
 * answer.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.seat;

import org.jspecify.annotations.NullMarked;
