package io.github.vicinal.samples.trainticket.travelplan;

import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.List;

/**
 * One of the best trips between two stations, with everything that the page shows.
 *
 * @param tripId the trip
 * @param trainTypeId its train type
 * @param fromStationName name of the station where the passenger gets on
 * @param toStationName name of the station where the passenger gets off
 * @param stopStations names of all stations of the route
 * @param priceForSecondClassSeat price in second class
 * @param seatsLeftInSecondClass seats left in second class
 * @param priceForFirstClassSeat price in first class
 * @param seatsLeftInFirstClass seats left in first class
 * @param startingTime when the train leaves
 * @param endTime when it arrives
 */
public record PlannedTrip(String tripId, String trainTypeId, String fromStationName, String toStationName,
		List<String> stopStations, BigDecimal priceForSecondClassSeat, int seatsLeftInSecondClass,
		BigDecimal priceForFirstClassSeat, int seatsLeftInFirstClass, LocalDateTime startingTime,
		LocalDateTime endTime) {
}
