package io.github.vicinal.samples.trainticket.travel;

import java.util.List;

import io.github.vicinal.samples.trainticket.route.Route;
import io.github.vicinal.samples.trainticket.train.TrainType;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Searches that both trip services answer. Each has a contract of its own that extends
 * this interface and adds the path under which it answers.
 */
public interface TripSearchApi {

	/**
	 * Searches the trips between two stations that still have seats. This is the basic
	 * search of the user interface.
	 * @param query stations and day
	 * @return the trips
	 */
	@PostExchange("/trips/left")
	List<TripOffer> tripsLeft(@RequestBody TripQuery query);

	/**
	 * Returns all details of one trip between two stations.
	 * @param query trip, stations and day
	 * @return the trip and its offer
	 */
	@PostExchange("/trip_detail")
	TripDetail tripDetail(@RequestBody TripDetailQuery query);

	/**
	 * Lists the trips of several routes.
	 * @param routeIds ids of the routes
	 * @return for each route its trips, in the order of the ids
	 */
	@PostExchange("/trips/routes")
	List<List<Trip>> tripsByRoutes(@RequestBody List<String> routeIds);

	/**
	 * Finds the route of a trip.
	 * @param trip id of the trip
	 * @return the route
	 */
	@GetExchange("/routes/{trip}")
	Route route(@PathVariable String trip);

	/**
	 * Finds the train type of a trip.
	 * @param trip id of the trip
	 * @return the train type
	 */
	@GetExchange("/train_types/{trip}")
	TrainType trainType(@PathVariable String trip);

}
