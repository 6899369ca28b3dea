/**
 * Trips of all trains that are not high-speed trains.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.travel2;

import org.jspecify.annotations.NullMarked;
