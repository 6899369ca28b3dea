package io.github.vicinal.testapplications.stock.api;

import io.github.vicinal.channel.AffinityChannel;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/** The stock of a shop. */
@HttpExchange("/stock")
@AffinityChannel
public interface StockApi {

	@GetExchange("/{item}")
	Level level(@PathVariable String item);

	@PostExchange("/echo")
	String echo(@RequestBody String text);

	/**
	 * Stock of an item.
	 *
	 * @param item name of the item
	 * @param pieces number of pieces
	 * @param servedBy the class loader and thread that answered
	 */
	record Level(String item, int pieces, String servedBy) {
	}

}
