package io.github.vicinal.samples.trainticket.travel;

import java.math.BigDecimal;
import java.time.LocalDateTime;

/**
 * Offer of a trip between two stations.
 *
 * @param tripId the trip
 * @param trainTypeId its train type
 * @param startingStation name of the station where the passenger gets on
 * @param terminalStation name of the station where the passenger gets off
 * @param startingTime when the train leaves
 * @param endTime when it arrives
 * @param economyClass seats left in second class
 * @param comfortClass seats left in first class
 * @param priceForEconomyClass price of a seat in second class
 * @param priceForComfortClass price of a seat in first class
 */
public record TripOffer(String tripId, String trainTypeId, String startingStation, String terminalStation,
		LocalDateTime startingTime, LocalDateTime endTime, int economyClass, int comfortClass,
		BigDecimal priceForEconomyClass, BigDecimal priceForComfortClass) {
}
