package io.github.vicinal.transport.shm.bell;

import java.nio.ByteBuffer;
import java.util.function.IntUnaryOperator;

/**
 * The words that sleepers sleep on.
 *
 * @param memory the segment
 * @param server offset of the receiver's word
 * @param poller offset of the poller's word
 * @param lane offset of the word of each lane
 * @param lanes how many lanes there are
 */
public record BellWords(ByteBuffer memory, int server, int poller, IntUnaryOperator lane, int lanes) {
}
