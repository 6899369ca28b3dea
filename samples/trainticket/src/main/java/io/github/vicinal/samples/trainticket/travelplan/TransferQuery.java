package io.github.vicinal.samples.trainticket.travelplan;

import java.time.LocalDate;

/**
 * Asks for trips with one change of train.
 *
 * @param fromStationName name of the station where the passenger gets on
 * @param viaStationName name of the station where the passenger changes
 * @param toStationName name of the station where the passenger gets off
 * @param travelDate the day
 */
public record TransferQuery(String fromStationName, String viaStationName, String toStationName, LocalDate travelDate) {
}
