package io.github.vicinal.samples.trainticket.station;

/**
 * The id of a station.
 *
 * @param value the id, such as "shanghai"
 */
public record StationId(String value) {
}
