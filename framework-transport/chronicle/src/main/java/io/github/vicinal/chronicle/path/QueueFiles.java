package io.github.vicinal.chronicle.path;

import java.io.IOException;
import java.nio.file.Path;

import net.openhft.chronicle.core.time.TimeProvider;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;

/** Opens queues, and names them where Chronicle fails. */
final class QueueFiles {

	private QueueFiles() {
	}

	/**
	 * Opens a queue, which is made if it is not there.
	 * @param directory of the queue
	 * @param fileBytes bytes of a file, which is mapped as a whole
	 * @param clock says when a new file begins
	 * @throws IOException if Chronicle cannot open it
	 */
	static SingleChronicleQueue open(Path directory, int fileBytes, TimeProvider clock) throws IOException {
		try {
			return SingleChronicleQueueBuilder.single(directory.toFile())
				.rollCycle(CycleClock.ROLL)
				.timeProvider(clock)
				.blockSize(fileBytes)
				.build();
		}
		catch (Exception | AssertionError | InternalError ex) {
			throw failed(directory, "cannot be opened", ex);
		}
	}

	/** Chronicle throws checked exceptions that it does not declare, and errors. */
	static IOException failed(Path directory, String what, Throwable cause) {
		return new IOException("the queue in %s %s: %s".formatted(directory, what, cause), cause);
	}

}
