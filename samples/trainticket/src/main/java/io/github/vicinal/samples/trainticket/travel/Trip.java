package io.github.vicinal.samples.trainticket.travel;

import java.time.LocalDateTime;

/**
 * A trip that a train makes every day.
 *
 * @param id the id, such as "G1234"
 * @param trainTypeId the train type
 * @param routeId the route
 * @param startingStationId id of the first station
 * @param terminalStationId id of the last station
 * @param startingTime when it leaves the first station; the day is that of the time-table
 */
public record Trip(String id, String trainTypeId, String routeId, String startingStationId, String terminalStationId,
		LocalDateTime startingTime) {

	/**
	 * Returns which of the two trip services knows a trip.
	 * @param tripId id of the trip
	 * @return whether it is a high-speed trip; all others belong to {@code travel2}
	 */
	public static boolean isHighSpeed(String tripId) {
		return tripId.startsWith("G") || tripId.startsWith("D");
	}

}
