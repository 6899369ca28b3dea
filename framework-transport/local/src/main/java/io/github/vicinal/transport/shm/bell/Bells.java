package io.github.vicinal.transport.shm.bell;

/** The bells of a segment. Thread-safe. */
public interface Bells extends AutoCloseable {

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
	 * Frees what the bells hold. Sleepers that this wakes do not sleep again; whether it
	 * does, and whether rings still wake somebody, is up to the kind. No ring waits from
	 * now on, and one that did ends. Never waits for the other side, and never throws.
	 */
	@Override
	void close();

}
