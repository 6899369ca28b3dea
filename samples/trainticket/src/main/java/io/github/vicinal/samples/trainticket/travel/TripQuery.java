package io.github.vicinal.samples.trainticket.travel;

import java.time.LocalDate;

/**
 * Asks for trips between two stations.
 *
 * @param startingPlace name of the station where the passenger gets on
 * @param endPlace name of the station where the passenger gets off
 * @param departureTime the day
 */
public record TripQuery(String startingPlace, String endPlace, LocalDate departureTime) {
}
