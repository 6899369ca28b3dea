/**
 * Prices: what a kilometre costs on a route with a train type.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.price;

import org.jspecify.annotations.NullMarked;
