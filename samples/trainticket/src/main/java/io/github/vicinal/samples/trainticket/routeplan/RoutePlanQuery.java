package io.github.vicinal.samples.trainticket.routeplan;

import java.time.LocalDate;

/**
 * Asks for the best trips between two stations.
 *
 * @param fromStationName name of the station where the passenger gets on
 * @param toStationName name of the station where the passenger gets off
 * @param travelDate the day
 * @param limit how many trips or routes at most
 */
public record RoutePlanQuery(String fromStationName, String toStationName, LocalDate travelDate, int limit) {
}
