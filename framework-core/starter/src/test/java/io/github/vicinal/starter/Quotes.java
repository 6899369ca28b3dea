package io.github.vicinal.starter;

import io.github.vicinal.channel.AffinityChannel;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.service.annotation.GetExchange;

/** A contract. */
@AffinityChannel
public interface Quotes {

	@GetExchange("/quotes/{symbol}")
	Quote quote(@PathVariable String symbol);

	record Quote(String symbol, long cents, String servedBy) {
	}

}
