package io.github.vicinal.transport.shm.bell;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.Semaphore;

/** Hears the rings of {@link SocketBells}. Thread-safe. */
interface BellReader {

	/**
	 * Reads a channel from now on, which becomes non-blocking.
	 * @param channel what to read
	 * @param operation what to wait for
	 * @param listener notified whenever that can be done
	 */
	void add(SelectableChannel channel, int operation, Listener listener) throws IOException;

	/** Lets go of channels that were closed: their descriptors are kept until then. */
	void forget();

	/**
	 * Sleeps until a bell is rung, or a time has passed. May return for no reason.
	 * @param rings of the bell, which listeners release
	 * @param nanos how long, or {@link Bell#FOREVER}
	 */
	void sleep(Semaphore rings, long nanos) throws InterruptedException;

	/** Called after a bell was rung by another thread than the reader's. */
	void rungHere();

	/** Called when the bells of a pair are closed. */
	void closed();

	/** Notified by the thread of the reader, which must not be held up. */
	interface Listener {

		void ready();

		void failed(Throwable cause);

	}

}
