package io.github.vicinal.transport.shm.lane;

/**
 * Counts of one side's waits, by their end.
 *
 * @param awake waits that ended without sleep
 * @param asleep waits that ended in sleep
 * @param bans number of times that this side banned yielding
 */
public record WaitCounts(long awake, long asleep, long bans) {
}
