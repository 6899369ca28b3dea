package io.github.vicinal.transport.wire;

import io.github.vicinal.codec.EncodeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A buffer for frames that are sent over a socket. A budget covers its heap before it
 * grows. Used by one thread at a time.
 */
public final class OutBuffer {

	/** Says what to do, for people. */
	public static final String HEAP_IN_USE = "the heap for large calls and replies of one peer "
			+ "(vicinal.shm.max-heap-per-peer) was in use by other calls for too long";

	private static final int FIRST_BYTES = 4 * 1024;

	private final EncodeBuffer bytes = new EncodeBuffer(FIRST_BYTES, this::beforeGrowth);

	private HeapBudget.@Nullable Lease heap;

	private int maxFrameBytes;

	private long patienceNanos;

	private @Nullable WireException refusal;

	/**
	 * Sets what covers large frames. Before that, none can be written.
	 * @param budget covers them
	 */
	public void heap(HeapBudget budget) {
		this.heap = budget.lease();
	}

	/**
	 * Begins to write: empties the buffer.
	 * @param maxFrameBytes the longest frame that the other side accepts
	 * @param patienceNanos maximum time to wait for heap
	 * @return the buffer
	 */
	public EncodeBuffer begin(int maxFrameBytes, long patienceNanos) {
		this.maxFrameBytes = maxFrameBytes;
		this.patienceNanos = patienceNanos;
		this.refusal = null;
		this.bytes.size(0);
		return this.bytes;
	}

	public EncodeBuffer bytes() {
		return this.bytes;
	}

	/**
	 * Returns why the buffer did not grow since {@link #begin}, in which case the codec
	 * that wrote to it has failed.
	 * @return the reason, or {@code null}
	 */
	public @Nullable WireException refusal() {
		return this.refusal;
	}

	private void beforeGrowth(int grown) {
		if (grown <= HeapBudget.SMALL_BYTES) {
			return;
		}
		long held = this.bytes.array().length;
		long most = (long) this.maxFrameBytes + FrameDescriptor.HEADER_BYTES;
		// A buffer that grows by more than twice grows to what is written exactly.
		if (this.bytes.size() > most || (grown > most && grown > 2 * held)) {
			throw refused(Refusal.TOO_LARGE,
					"the frame is larger than the limit of %d bytes".formatted(this.maxFrameBytes));
		}
		HeapBudget.Lease covered = this.heap;
		if (covered == null || !covered.cover(grown + held, this.patienceNanos)) {
			throw refused(Refusal.CONNECTIONS, HEAP_IN_USE);
		}
	}

	private IllegalStateException refused(Refusal reason, String text) {
		WireException why = new WireException(reason, text);
		this.refusal = why;
		return new IllegalStateException(text, why);
	}

	/** Empties the buffer, and gives back what a large frame took. */
	public void clear() {
		this.bytes.clear(FrameChannel.KEEP_BYTES);
		HeapBudget.Lease covered = this.heap;
		if (covered != null) {
			covered.reduce(0);
		}
	}

}
