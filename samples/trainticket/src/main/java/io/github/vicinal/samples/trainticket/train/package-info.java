/**
 * Train types: number of seats and average speed.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.train;

import org.jspecify.annotations.NullMarked;
