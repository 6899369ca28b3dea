package io.github.vicinal.samples.trainticket.price;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

/**
 * The price rates.
 */
class PriceStore {

	private final List<PriceRate> rates;

	PriceStore(List<PriceRate> rates) {
		this.rates = List.copyOf(rates);
	}

	Optional<PriceRate> find(String routeId, String trainTypeId) {
		return this.rates.stream()
			.filter((rate) -> rate.routeId().equals(routeId) && rate.trainTypeId().equals(trainTypeId))
			.findFirst();
	}

	/**
	 * The 10 price rates of the original.
	 * @return a store with the seed data
	 */
	static PriceStore seeded() {
		return new PriceStore(List.of(rate("92708982-77af-4318-be25-57ccb0ff69ad", "GaoTieOne", "0.38"),
				rate("aefcef3f-3f42-46e8-afd7-6cb2a928bd3d", "GaoTieOne", "0.5"),
				rate("a3f256c1-0e43-4f7d-9c21-121bf258101f", "GaoTieOne", "0.7"),
				rate("084837bb-53c8-4438-87c8-0321a4d09917", "GaoTieTwo", "0.6"),
				rate("f3d4d4ef-693b-4456-8eed-59c0d717dd08", "DongCheOne", "0.45"),
				rate("0b23bd3e-876a-4af3-b920-c50a90c90b04", "ZhiDa", "0.35"),
				rate("9fc9c261-3263-4bfa-82f8-bb44e06b2f52", "ZhiDa", "0.35"),
				rate("d693a2c5-ef87-4a3c-bef8-600b43f62c68", "ZhiDa", "0.32"),
				rate("20eb7122-3a11-423f-b10a-be0dc5bce7db", "TeKuai", "0.30"),
				rate("1367db1f-461e-4ab7-87ad-2bcc05fd9cb7", "KuaiSu", "0.2")));
	}

	private static PriceRate rate(String routeId, String trainTypeId, String economyRate) {
		return new PriceRate(routeId, trainTypeId, new BigDecimal(economyRate), new BigDecimal("1.0"));
	}

}
