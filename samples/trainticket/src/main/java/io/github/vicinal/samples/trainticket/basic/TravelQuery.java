package io.github.vicinal.samples.trainticket.basic;

import java.time.LocalDate;

/**
 * Asks what a trip between two stations costs.
 *
 * @param tripId the trip
 * @param trainTypeId its train type
 * @param routeId its route
 * @param startingPlace name of the station where the passenger gets on
 * @param endPlace name of the station where the passenger gets off
 * @param departureTime the day
 */
public record TravelQuery(String tripId, String trainTypeId, String routeId, String startingPlace, String endPlace,
		LocalDate departureTime) {
}
