package io.github.vicinal.samples.trainticket.travelplan;

import java.util.List;

import io.github.vicinal.samples.trainticket.travel.TripOffer;

/**
 * Trips with one change of train.
 *
 * @param firstSection trips before the change
 * @param secondSection trips after the change
 */
public record TransferTrips(List<TripOffer> firstSection, List<TripOffer> secondSection) {
}
