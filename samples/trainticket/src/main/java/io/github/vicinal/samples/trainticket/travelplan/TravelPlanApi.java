package io.github.vicinal.samples.trainticket.travelplan;

import java.util.List;

import io.github.vicinal.samples.trainticket.travel.TripQuery;

import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Contract of the service {@code travel-plan}.
 */
@HttpExchange("/api/v1/travelplanservice")
public interface TravelPlanApi {

	/**
	 * Searches the cheapest trips.
	 * @param query stations and day
	 * @return up to 5 trips, cheapest first
	 */
	@PostExchange("/travelPlan/cheapest")
	List<PlannedTrip> cheapest(@RequestBody TripQuery query);

	/**
	 * Searches the quickest trips.
	 * @param query stations and day
	 * @return up to 5 trips, quickest first
	 */
	@PostExchange("/travelPlan/quickest")
	List<PlannedTrip> quickest(@RequestBody TripQuery query);

	/**
	 * Searches the trips with the fewest stops.
	 * @param query stations and day
	 * @return the trips of up to 5 routes, fewest stops first
	 */
	@PostExchange("/travelPlan/minStation")
	List<PlannedTrip> fewestStops(@RequestBody TripQuery query);

	/**
	 * Searches trips with one change of train.
	 * @param query stations and day
	 * @return trips before and after the change
	 */
	@PostExchange("/travelPlan/transferResult")
	TransferTrips transfer(@RequestBody TransferQuery query);

}
