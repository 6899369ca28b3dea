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

	/** Whether what is seen in the arena's window was not claimed yet. */
	private boolean open;

	private int offset;

	private int length;

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
		this.open = true;
		this.offset = offset;
		this.length = length;
		return window.clear().limit(offset + length).position(offset);
	}

	/** Nobody looks through the windows any more. */
	void close() {
		Memory memory = this.arenaMemory;
		if (this.open && memory != null) {
			this.open = false;
			memory.claim(this.offset, this.length);
		}
	}

}
