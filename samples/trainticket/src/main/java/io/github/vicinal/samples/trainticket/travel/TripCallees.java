package io.github.vicinal.samples.trainticket.travel;

import io.github.vicinal.samples.trainticket.order.OrderQueries;
import io.github.vicinal.samples.trainticket.route.RouteApi;
import io.github.vicinal.samples.trainticket.seat.SeatApi;
import io.github.vicinal.samples.trainticket.ticketinfo.TicketInfoApi;
import io.github.vicinal.samples.trainticket.train.TrainApi;

/**
 * The services that a search for trips calls.
 *
 * @param ticketInfo station ids and prices
 * @param route routes
 * @param train train types
 * @param seat seats that are left
 * @param orders orders of the same kind of trains
 */
public record TripCallees(TicketInfoApi ticketInfo, RouteApi route, TrainApi train, SeatApi seat, OrderQueries orders) {
}
