package io.github.vicinal.samples.trainticket.train;

import io.github.vicinal.channel.AffinityChannel;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;

/**
 * Contract of the service {@code train}.
 */
@AffinityChannel
@HttpExchange("/api/v1/trainservice")
public interface TrainApi {

	/**
	 * Finds a train type.
	 * @param id the id, such as "GaoTieOne"
	 * @return the train type
	 */
	@GetExchange("/trains/{id}")
	TrainType trainType(@PathVariable String id);

}
