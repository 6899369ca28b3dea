package io.github.vicinal.benchmarks.placement;

import io.github.vicinal.channel.AffinityChannel;

import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.GetExchange;

/** Contract by which the applications of the restart measurement call each other. */
@AffinityChannel
public interface Piece {

	/**
	 * Returns a number.
	 * @param number the number
	 * @return the same
	 */
	@GetExchange("/piece")
	int piece(@RequestParam int number);

}
