package io.github.vicinal.placement.model;

/**
 * Prices of hosts and processors, with which savings are shown as money.
 *
 * @param currency name of the currency, such as {@code EUR}
 * @param perCoreHour price of a processor for an hour, 0 if processors are not paid for
 * @param perHostHour price of a host for an hour, 0 if hosts are not paid for
 * @since 0.1.0
 */
public record Prices(String currency, double perCoreHour, double perHostHour) {

	public Prices {
		if (currency.isBlank() || currency.length() > 16) {
			throw new InvalidModelException(
					"The currency of the prices is '%s'; name it in 1 to 16 characters, such as EUR"
						.formatted(currency));
		}
		for (double price : new double[] { perCoreHour, perHostHour }) {
			if (!(price >= 0 && price <= Edge.MAX_FIGURE)) {
				throw new InvalidModelException("A price is %s; it must be between 0 and 1e30".formatted(price));
			}
		}
	}

}
