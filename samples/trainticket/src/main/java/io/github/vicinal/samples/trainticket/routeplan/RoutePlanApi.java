package io.github.vicinal.samples.trainticket.routeplan;

import java.util.List;

import io.github.vicinal.channel.AffinityChannel;

import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Contract of the service {@code route-plan}.
 */
@AffinityChannel
@HttpExchange("/api/v1/routeplanservice")
public interface RoutePlanApi {

	/**
	 * Ranks trips by price.
	 * @param query stations, day and number of trips
	 * @return the cheapest trips, cheapest first
	 */
	@PostExchange("/routePlan/cheapestRoute")
	List<RankedTrip> cheapest(@RequestBody RoutePlanQuery query);

	/**
	 * Ranks trips by duration.
	 * @param query stations, day and number of trips
	 * @return the quickest trips, quickest first
	 */
	@PostExchange("/routePlan/quickestRoute")
	List<RankedTrip> quickest(@RequestBody RoutePlanQuery query);

	/**
	 * Ranks trips by number of stops.
	 * @param query stations, day and number of routes
	 * @return the trips of the routes with the fewest stops, fewest first
	 */
	@PostExchange("/routePlan/minStopStations")
	List<RankedTrip> fewestStops(@RequestBody RoutePlanQuery query);

}
