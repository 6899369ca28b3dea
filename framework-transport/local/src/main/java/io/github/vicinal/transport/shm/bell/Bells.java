package io.github.vicinal.transport.shm.bell;

import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;

/** The bells of a segment. Thread-safe. */
public interface Bells extends AutoCloseable {

	/** The number of the server's bell. */
	int SERVER = -1;

	/** The number of the poller's bell. */
	int POLLER = -2;

	/**
	 * Returns the kind of bell, which both sides must agree on.
	 * @return a short name
	 */
	String kind();

	/** Returns the bell of the server's receiver. */
	Bell server();

	/** Returns the bell of the client's poller. */
	Bell poller();

	/** Returns the bell of the caller in a lane. */
	Bell lane(int lane);

	/**
	 * Wakes all threads that sleep at a bell in this process, on behalf of another
	 * process that cannot ring it. Never waits.
	 * @param number of a lane, {@link #SERVER} or {@link #POLLER}
	 * @throws WireException if there is no such bell
	 */
	default void ringHere(int number) throws WireException {
		// For kinds whose rings never wait and need nothing.
		bell(number).ring();
	}

	/**
	 * Returns a bell.
	 * @param number of a lane, {@link #SERVER} or {@link #POLLER}
	 * @return the bell
	 * @throws WireException if there is no such bell
	 */
	default Bell bell(int number) throws WireException {
		return switch (number) {
			case SERVER -> server();
			case POLLER -> poller();
			default -> {
				if (number < 0 || number >= lanes()) {
					throw new WireException(Refusal.MALFORMED, "there is no bell %d".formatted(number));
				}
				yield lane(number);
			}
		};
	}

	/** Returns the number of lanes that have a bell. */
	int lanes();

	/**
	 * Frees the resources of the bells. Sleepers that this wakes do not sleep again. Each
	 * kind decides whether it wakes them, and whether rings still wake a thread. No ring
	 * waits from now on, and one that did ends. Never waits for the other side, and never
	 * throws.
	 */
	@Override
	void close();

}
