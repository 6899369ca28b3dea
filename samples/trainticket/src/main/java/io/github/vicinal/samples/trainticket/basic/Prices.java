package io.github.vicinal.samples.trainticket.basic;

import java.math.BigDecimal;

/**
 * Prices of one trip.
 *
 * @param economyClass second class
 * @param comfortClass first class
 */
public record Prices(BigDecimal economyClass, BigDecimal comfortClass) {
}
