/**
 * Stations: translates names to ids and back. The most called service of all: one
 * advanced search asks it 53 times.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.station;

import org.jspecify.annotations.NullMarked;
