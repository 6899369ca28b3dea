package io.github.vicinal.samples.trainticket.seat;

import io.github.vicinal.samples.trainticket.order.SeatQuery;

import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Contract of the service {@code seat}.
 */
@HttpExchange("/api/v1/seatservice")
public interface SeatApi {

	/**
	 * Counts the tickets that can still be sold for a section of a train's route.
	 * @param query train, day, section and class
	 * @return the number
	 */
	@PostExchange("/seats/left_tickets")
	LeftTickets leftTickets(@RequestBody SeatQuery query);

}
