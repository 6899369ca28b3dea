/**
 * The advanced search of the user interface: the best trips, and trips with a change of
 * train.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.travelplan;

import org.jspecify.annotations.NullMarked;
