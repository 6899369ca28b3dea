package io.github.vicinal.samples.trainticket.travel;

import java.time.LocalDate;

/**
 * Asks for one trip between two stations.
 *
 * @param tripId the trip
 * @param travelDate the day
 * @param from name of the station where the passenger gets on
 * @param to name of the station where the passenger gets off
 */
public record TripDetailQuery(String tripId, LocalDate travelDate, String from, String to) {
}
