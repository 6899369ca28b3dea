/**
 * Ranks the trips of both trip services: cheapest, quickest or fewest stops first.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.routeplan;

import org.jspecify.annotations.NullMarked;
