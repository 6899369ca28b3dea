package io.github.vicinal.samples.trainticket.order;

import java.time.LocalDate;

/**
 * A paid order for one seat.
 *
 * @param travelDate the day
 * @param tripId the trip
 * @param seatClass where the passenger sits
 * @param ticket seat and section
 */
public record Order(LocalDate travelDate, String tripId, SeatClass seatClass, SoldTicket ticket) {
}
