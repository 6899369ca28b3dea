package io.github.vicinal.transport.shm.lane;

/**
 * How often one side of a segment waited how.
 *
 * @param awake waits that ended without sleep
 * @param asleep waits that ended in sleep
 * @param bans how often this side banned yielding
 */
public record WaitCounts(long awake, long asleep, long bans) {
}
