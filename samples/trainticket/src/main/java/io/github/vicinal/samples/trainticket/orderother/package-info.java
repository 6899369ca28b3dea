/**
 * Orders of all trains that are not high-speed trains.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.orderother;

import org.jspecify.annotations.NullMarked;
