package io.github.vicinal.samples.trainticket.ticketinfo;

import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.samples.trainticket.basic.TravelQuery;
import io.github.vicinal.samples.trainticket.basic.TravelQuote;
import io.github.vicinal.samples.trainticket.station.StationId;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Contract of the service {@code ticketinfo}.
 */
@AffinityChannel
@HttpExchange("/api/v1/ticketinfoservice")
public interface TicketInfoApi {

	/**
	 * Returns the price of a trip between two stations.
	 * @param query the trip and the stations
	 * @return the prices and what they were computed from
	 */
	@PostExchange("/ticketinfo")
	TravelQuote ticketInfo(@RequestBody TravelQuery query);

	/**
	 * Finds the id of a station.
	 * @param name the name as people write it
	 * @return the id
	 */
	@GetExchange("/ticketinfo/{name}")
	StationId stationId(@PathVariable String name);

}
