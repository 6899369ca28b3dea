package io.github.vicinal.samples.trainticket.order;

import java.time.LocalDate;

/**
 * Number of seats that are sold.
 *
 * @param travelDate the day
 * @param tripId the trip
 * @param firstClass sold seats in first class
 * @param secondClass sold seats in second class
 */
public record SoldSeats(LocalDate travelDate, String tripId, int firstClass, int secondClass) {
}
