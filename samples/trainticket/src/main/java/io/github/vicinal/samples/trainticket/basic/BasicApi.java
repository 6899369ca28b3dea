package io.github.vicinal.samples.trainticket.basic;

import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.samples.trainticket.station.StationId;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Contract of the service {@code basic}.
 */
@AffinityChannel
@HttpExchange("/api/v1/basicservice")
public interface BasicApi {

	/**
	 * Returns the price of a trip between two stations.
	 * @param query the trip and the stations
	 * @return the prices and what they were computed from
	 */
	@PostExchange("/basic/travel")
	TravelQuote travel(@RequestBody TravelQuery query);

	/**
	 * Finds the id of a station.
	 * @param name the name as people write it
	 * @return the id
	 */
	@GetExchange("/basic/{name}")
	StationId stationId(@PathVariable String name);

}
