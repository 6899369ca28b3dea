package io.github.vicinal.samples.trainticket.train;

/**
 * A train type.
 *
 * @param id the id, such as "GaoTieOne"
 * @param comfortSeats number of seats in first class
 * @param economySeats number of seats in second class
 * @param averageSpeed km per hour
 */
public record TrainType(String id, int comfortSeats, int economySeats, int averageSpeed) {
}
