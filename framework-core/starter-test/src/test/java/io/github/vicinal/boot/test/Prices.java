package io.github.vicinal.boot.test;

import org.springframework.stereotype.Component;

/** Client under test. */
@Component
class Prices {

	private final Quotes quotes;

	Prices(Quotes quotes) {
		this.quotes = quotes;
	}

	long twice(String symbol) {
		return 2 * this.quotes.quote(symbol).cents();
	}

}
