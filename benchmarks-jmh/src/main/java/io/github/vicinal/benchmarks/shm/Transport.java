package io.github.vicinal.benchmarks.shm;

import java.nio.file.Path;

/** One way to carry bytes to another process and back. */
public interface Transport {

	/**
	 * Opens the serving end, which returns the bytes of each request after
	 * {@link Work#run}.
	 * @param directory where both ends may make files
	 * @return ends the service
	 * @throws Exception if it cannot be opened
	 */
	AutoCloseable serve(Path directory) throws Exception;

	/**
	 * Opens the calling end.
	 * @param directory the same as the serving end's
	 * @return the calling end
	 * @throws Exception if it cannot be opened
	 */
	Client connect(Path directory) throws Exception;

	/** The calling end. Thread-safe. */
	interface Client extends AutoCloseable {

		/**
		 * Returns a caller.
		 * @param number number of the caller, from 0
		 * @return used by one thread at a time
		 * @throws Exception if it cannot be connected
		 */
		Caller caller(int number) throws Exception;

		@Override
		default void close() throws Exception {
		}

	}

	/** Makes one call at a time. */
	@FunctionalInterface
	interface Caller {

		/**
		 * Sends bytes and waits until as many have come back.
		 * @param body what is sent
		 * @return the number of bytes that came back
		 * @throws Exception if the call fails
		 */
		int call(byte[] body) throws Exception;

	}

}
