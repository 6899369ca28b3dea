package io.github.vicinal.samples.trainticket.order;

/**
 * A sold ticket.
 *
 * @param seatNumber the seat
 * @param fromStationId where the passenger gets on
 * @param toStationId where the passenger gets off
 */
public record SoldTicket(int seatNumber, String fromStationId, String toStationId) {
}
