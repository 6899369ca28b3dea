package io.github.vicinal.transport.shm.lane;

import java.nio.ByteBuffer;

import org.jspecify.annotations.Nullable;

/**
 * A lane's own windows on shared memory, moved for each call, so that none has to be
 * made. Used by whoever has the lane.
 */
final class Windows {

	private @Nullable ByteBuffer segment;

	private @Nullable ByteBuffer arena;

	private @Nullable Memory arenaMemory;

	ByteBuffer onSegment(Memory memory, int offset, int length) {
		ByteBuffer window = this.segment;
		if (window == null) {
			window = memory.buffer().asReadOnlyBuffer();
			this.segment = window;
		}
		return window.clear().limit(offset + length).position(offset);
	}

	/** Payloads of one size come from the same arena most of the time. */
	ByteBuffer onArena(Memory memory, int offset, int length) {
		ByteBuffer window = this.arena;
		if (window == null || this.arenaMemory != memory) {
			window = memory.buffer().asReadOnlyBuffer();
			this.arena = window;
			this.arenaMemory = memory;
		}
		return window.clear().limit(offset + length).position(offset);
	}

}
