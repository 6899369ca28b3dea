package io.github.vicinal.samples.trainticket.config;

import io.github.vicinal.channel.AffinityChannel;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;

/**
 * Contract of the service {@code config}.
 */
@AffinityChannel
@HttpExchange("/api/v1/configservice")
public interface ConfigApi {

	/**
	 * Name of the share of seats that is kept for those who travel the whole route.
	 */
	String DIRECT_TICKET_SHARE = "DirectTicketAllocationProportion";

	/**
	 * Finds a named value.
	 * @param name the name
	 * @return the value and what it means
	 */
	@GetExchange("/configs/{name}")
	ConfigEntry config(@PathVariable String name);

}
