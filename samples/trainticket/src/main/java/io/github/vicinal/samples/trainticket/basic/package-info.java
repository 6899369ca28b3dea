/**
 * Puts together what a trip costs, from station, train, route and price.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.basic;

import org.jspecify.annotations.NullMarked;
