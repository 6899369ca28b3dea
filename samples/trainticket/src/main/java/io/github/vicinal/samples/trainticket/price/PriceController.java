package io.github.vicinal.samples.trainticket.price;

import io.github.vicinal.samples.trainticket.common.Problems;

import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@link PriceApi}.
 */
@RestController
class PriceController implements PriceApi {

	private final PriceStore prices;

	PriceController(PriceStore prices) {
		this.prices = prices;
	}

	@Override
	public PriceRate rate(String route, String train) {
		return this.prices.find(route, train)
			.orElseThrow(() -> Problems.notFound("price for train type " + train + " on route", route));
	}

}
