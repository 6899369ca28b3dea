package io.github.vicinal.transport.shm.bell;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntUnaryOperator;

/**
 * The words that sleepers sleep on.
 *
 * @param memory the segment
 * @param server offset of the receiver's word
 * @param poller offset of the poller's word
 * @param lane offset of the word of each lane
 * @param lanes number of lanes
 */
public record BellWords(ByteBuffer memory, int server, int poller, IntUnaryOperator lane, int lanes) {

	private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

	/** Returns whether the word at an offset says that a thread sleeps at its bell. */
	boolean sayAsleep(int offset) {
		return (int) INT.getVolatile(this.memory, offset) == 1;
	}

}
