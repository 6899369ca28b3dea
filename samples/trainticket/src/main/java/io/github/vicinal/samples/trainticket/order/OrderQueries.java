package io.github.vicinal.samples.trainticket.order;

import java.time.LocalDate;
import java.util.List;

import org.springframework.format.annotation.DateTimeFormat;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Queries that both order services answer. Each has a contract of its own that extends
 * this interface and adds the path under which it answers.
 */
public interface OrderQueries {

	/**
	 * Lists the tickets that are sold for a train on a day.
	 * @param query train, day and section in question
	 * @return the sold tickets
	 */
	@PostExchange("/order/tickets")
	List<SoldTicket> soldTickets(@RequestBody SeatQuery query);

	/**
	 * Counts the seats that are sold for a train on a day.
	 * @param date the day
	 * @param trip id of the trip
	 * @return the numbers
	 */
	@GetExchange("/order/{date}/{trip}")
	SoldSeats soldSeats(@PathVariable @DateTimeFormat(iso = DateTimeFormat.ISO.DATE) LocalDate date,
			@PathVariable String trip);

}
