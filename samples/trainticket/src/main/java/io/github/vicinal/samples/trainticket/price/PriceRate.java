package io.github.vicinal.samples.trainticket.price;

import java.math.BigDecimal;

/**
 * Price of a kilometre.
 *
 * @param routeId the route
 * @param trainTypeId the train type
 * @param economyRate price per km in second class
 * @param comfortRate price per km in first class
 */
public record PriceRate(String routeId, String trainTypeId, BigDecimal economyRate, BigDecimal comfortRate) {
}
