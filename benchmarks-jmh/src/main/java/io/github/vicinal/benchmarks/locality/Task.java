package io.github.vicinal.benchmarks.locality;

import io.github.vicinal.channel.AffinityChannel;

import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.GetExchange;

/**
 * The contract that is called: it takes its time, and returns the replica that answered.
 */
@AffinityChannel
public interface Task {

	/**
	 * Takes one of the replica's servers for a while.
	 * @param micros for how long
	 * @return the replica
	 */
	@GetExchange("/task")
	Done run(@RequestParam int micros);

	/**
	 * Answer.
	 *
	 * @param by the replica
	 */
	record Done(String by) {
	}

}
