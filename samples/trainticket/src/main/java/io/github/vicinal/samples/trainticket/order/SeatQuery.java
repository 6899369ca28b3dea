package io.github.vicinal.samples.trainticket.order;

import java.time.LocalDate;

/**
 * Asks for the seats of one train on one day.
 *
 * @param travelDate the day
 * @param tripId the trip
 * @param fromStationId where the passenger gets on
 * @param toStationId where the passenger gets off
 * @param seatClass where the passenger sits
 */
public record SeatQuery(LocalDate travelDate, String tripId, String fromStationId, String toStationId,
		SeatClass seatClass) {
}
