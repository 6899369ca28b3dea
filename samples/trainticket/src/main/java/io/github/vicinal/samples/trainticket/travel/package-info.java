/**
 * Trips of high-speed trains, and the search for trips that the sister service for other
 * trains uses too.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.travel;

import org.jspecify.annotations.NullMarked;
