package io.github.vicinal.samples.trainticket.route;

import java.util.List;

import io.github.vicinal.channel.AffinityChannel;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;

/**
 * Contract of the service {@code route}.
 */
@AffinityChannel
@HttpExchange("/api/v1/routeservice")
public interface RouteApi {

	/**
	 * Finds a route.
	 * @param id the id
	 * @return the route
	 */
	@GetExchange("/routes/{id}")
	Route route(@PathVariable String id);

	/**
	 * Finds the routes that lead from one station to another, directly or with stops.
	 * @param from id of the station to start from
	 * @param to id of the station to reach
	 * @return the routes, none if there is no way
	 */
	@GetExchange("/routes/{from}/{to}")
	List<Route> routes(@PathVariable String from, @PathVariable String to);

}
