package io.github.vicinal.samples.trainticket.routeplan;

import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.List;

/**
 * One of the best trips between two stations.
 *
 * @param tripId the trip
 * @param trainTypeId its train type
 * @param fromStationName name of the station where the passenger gets on
 * @param toStationName name of the station where the passenger gets off
 * @param stopStations ids of all stations of the route
 * @param priceForSecondClassSeat price in second class
 * @param priceForFirstClassSeat price in first class
 * @param startingTime when the train leaves
 * @param endTime when it arrives
 */
public record RankedTrip(String tripId, String trainTypeId, String fromStationName, String toStationName,
		List<String> stopStations, BigDecimal priceForSecondClassSeat, BigDecimal priceForFirstClassSeat,
		LocalDateTime startingTime, LocalDateTime endTime) {
}
