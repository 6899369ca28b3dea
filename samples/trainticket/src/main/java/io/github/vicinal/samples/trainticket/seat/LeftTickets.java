package io.github.vicinal.samples.trainticket.seat;

/**
 * Number of tickets that can still be sold.
 *
 * @param count the number
 */
public record LeftTickets(int count) {
}
