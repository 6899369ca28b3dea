package io.github.vicinal.samples.trainticket.travel;

/**
 * A trip and what it offers between two stations.
 *
 * @param trip the trip
 * @param offer what it offers
 */
public record TripDetail(Trip trip, TripOffer offer) {
}
