package io.github.vicinal.samples.trainticket.price;

import io.github.vicinal.channel.AffinityChannel;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;

/**
 * Contract of the service {@code price}.
 */
@AffinityChannel
@HttpExchange("/api/v1/priceservice")
public interface PriceApi {

	/**
	 * Finds the price rates of a route with a train type.
	 * @param route id of the route
	 * @param train id of the train type
	 * @return the rates
	 */
	@GetExchange("/prices/{route}/{train}")
	PriceRate rate(@PathVariable String route, @PathVariable String train);

}
