package io.github.vicinal.codec;

import org.apache.fory.memory.MemoryBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Lets Fory write into an {@link EncodeBuffer}. Fory would replace an array that is full
 * by one of its own, which nobody bounds; so there is room for what is written next
 * before Fory writes it. Used by one thread at a time.
 */
final class ForyOutput {

	/** More than a value takes, or a flat record but for its texts. */
	static final int FEW_BYTES = 512;

	private final MemoryBuffer buffer;

	private @Nullable EncodeBuffer out;

	/** Where in the array Fory began to write. */
	private int start;

	ForyOutput(MemoryBuffer buffer) {
		this.buffer = buffer;
	}

	/** Begins to write behind what the target holds. */
	void begin(EncodeBuffer target) {
		this.out = target;
		this.start = target.size();
		target.ensureWritable(FEW_BYTES);
		this.buffer.pointTo(target.array(), this.start, target.array().length - this.start);
		this.buffer.writerIndex(0);
	}

	/**
	 * Makes room.
	 * @param bytes how many may be written next, at most
	 */
	void ensure(long bytes) {
		if (bytes > this.buffer.size() - this.buffer.writerIndex()) {
			grow(bytes);
		}
	}

	private void grow(long bytes) {
		EncodeBuffer target = this.out;
		if (target == null || this.buffer.getHeapMemory() != target.array()) {
			return;
		}
		if (bytes > Integer.MAX_VALUE) {
			throw new CodecException("A value of more than 2 GiB cannot be encoded", null);
		}
		int written = this.buffer.writerIndex();
		target.size(this.start + written);
		target.ensureWritable((int) bytes);
		target.size(this.start);
		this.buffer.pointTo(target.array(), this.start, target.array().length - this.start);
		this.buffer.writerIndex(written);
	}

	/** Ends writing: all of it is in the target. */
	void end(EncodeBuffer target) {
		int written = this.buffer.writerIndex();
		if (this.buffer.getHeapMemory() == target.array()) {
			target.size(target.size() + written);
		}
		else {
			// Fory has replaced the array by a larger one of its own.
			target.write(this.buffer.getHeapMemory(), this.buffer._unsafeHeapReaderIndex(), written);
		}
	}

	void forget() {
		this.out = null;
	}

}
