package io.github.vicinal.transport.direct;

import java.util.concurrent.atomic.AtomicReferenceArray;

import io.github.vicinal.codec.EncodeBuffer;

/**
 * A few buffers for copies, striped by thread. Not thread-local: that would keep buffers
 * and class loaders of applications that are gone. Thread-safe.
 */
final class BufferPool {

	/** A power of two, some times the cores of a usual machine. */
	private static final int STRIPES = 64;

	/** Keeps stripes of different threads on different cache lines. */
	private static final int SPACING = 16;

	private static final int FIRST_BYTES = 1024;

	private static final int KEEP_BYTES = 64 * 1024;

	private final AtomicReferenceArray<EncodeBuffer> buffers = new AtomicReferenceArray<>(STRIPES * SPACING);

	/** Returns an empty buffer; a call within a call gets another one. */
	EncodeBuffer take() {
		EncodeBuffer buffer = this.buffers.getAndSet(stripe(), null);
		return (buffer != null) ? buffer : new EncodeBuffer(FIRST_BYTES);
	}

	void giveBack(EncodeBuffer buffer) {
		buffer.clear(KEEP_BYTES);
		this.buffers.lazySet(stripe(), buffer);
	}

	private static int stripe() {
		long id = currentId();
		return (int) (id & (STRIPES - 1)) * SPACING;
	}

	@SuppressWarnings("deprecation") // threadId() is there from 19 on
	private static long currentId() {
		return Thread.currentThread().getId();
	}

}
