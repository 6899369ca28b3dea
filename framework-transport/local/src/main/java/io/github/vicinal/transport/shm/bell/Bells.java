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

	/** Wakes nobody any more, and frees what the bells hold. Never throws. */
	@Override
	void close();

}
