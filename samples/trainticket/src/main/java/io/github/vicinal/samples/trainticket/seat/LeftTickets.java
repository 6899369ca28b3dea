package io.github.vicinal.samples.trainticket.seat;

/**
 * How many tickets can still be sold.
 *
 * @param count the number
 */
public record LeftTickets(int count) {
}
