package io.github.vicinal.benchmarks.storm;

import io.github.vicinal.channel.AffinityChannel;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/** The contract that is called. Each call has a number of its own. */
@AffinityChannel
@HttpExchange("/receipts")
public interface Receipts {

	/**
	 * Issues a receipt. Not idempotent: each call is executed at most once.
	 * @param order what it is for
	 * @return the receipt
	 */
	@PostExchange
	Receipt issue(@RequestBody Order order);

	/**
	 * Reads a number. Idempotent.
	 * @param number any number
	 * @return its receipt, which is not issued
	 */
	@GetExchange("/{number}")
	Receipt peek(@PathVariable long number);

	/**
	 * Order of a receipt.
	 *
	 * @param number the number of the call
	 * @param text a text
	 */
	record Order(long number, String text) {
	}

	/**
	 * A receipt.
	 *
	 * @param number the number of the call
	 * @param proof computed from the number
	 */
	record Receipt(long number, long proof) {

		static Receipt of(long number) {
			return new Receipt(number, number * 0x9E3779B97F4A7C15L ^ (number >>> 7));
		}

	}

}
