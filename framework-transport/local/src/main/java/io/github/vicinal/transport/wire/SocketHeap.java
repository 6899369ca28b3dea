package io.github.vicinal.transport.wire;

/**
 * Heap for the large frames of one peer that travel over sockets. Thread-safe.
 * <p>
 * Half of it is for frames that are sent and half for frames that are received. With one
 * budget for both, a client that holds a call and a server that holds a reply could each
 * wait until the other one reads.
 */
public final class SocketHeap {

	private final HeapBudget sent;

	private final HeapBudget received;

	/**
	 * Creates a budget.
	 * @param maxBytes how much may be used at a time
	 */
	public SocketHeap(long maxBytes) {
		this.sent = new HeapBudget(maxBytes / 2);
		this.received = new HeapBudget(maxBytes / 2);
	}

	public HeapBudget sent() {
		return this.sent;
	}

	public HeapBudget received() {
		return this.received;
	}

	/**
	 * Returns how much heap is in use.
	 * @return bytes
	 */
	public long bytes() {
		return this.sent.bytes() + this.received.bytes();
	}

}
