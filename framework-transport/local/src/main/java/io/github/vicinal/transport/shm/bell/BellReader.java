package io.github.vicinal.transport.shm.bell;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

import io.github.vicinal.transport.wire.DaemonThread;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that hears the rings of all {@link SocketBells} of one side, over a
 * selector. It starts with the first channel and ends after the last one. Thread-safe.
 */
final class BellReader {

	private static final Logger logger = LoggerFactory.getLogger(BellReader.class);

	/** {@code null} while no thread runs. Guarded by this. */
	private @Nullable Selector selector;

	/**
	 * Reads a channel from now on, which becomes non-blocking.
	 * @param channel what to read
	 * @param operation what to wait for
	 * @param listener notified whenever that can be done
	 */
	synchronized void add(SelectableChannel channel, int operation, Listener listener) throws IOException {
		channel.configureBlocking(false);
		Selector open = this.selector;
		if (open == null) {
			open = start();
		}
		channel.register(open, operation, listener);
		open.wakeup();
	}

	private Selector start() throws IOException {
		Selector open = Selector.open();
		boolean started = false;
		try {
			Thread thread = DaemonThread.create("vicinal-shm-bells", () -> run(open));
			thread.start();
			started = true;
			this.selector = open;
			return open;
		}
		finally {
			if (!started) {
				open.close();
			}
		}
	}

	/** Lets go of channels that were closed: their descriptors are kept until then. */
	synchronized void forget() {
		Selector open = this.selector;
		if (open != null) {
			open.wakeup();
		}
	}

	private void run(Selector open) {
		try {
			while (!ended(open)) {
				open.select(BellReader::ready);
			}
		}
		catch (IOException | RuntimeException | Error ex) {
			logger.error("The thread that reads bells failed", ex);
			fail(open, ex);
		}
		finally {
			close(open);
		}
	}

	private static void close(Selector open) {
		try {
			open.close();
		}
		catch (IOException ex) {
			logger.debug("A selector could not be closed: {}", ex.toString());
		}
	}

	/** A failure of one pair must not keep the rings of others from being read. */
	private static void ready(SelectionKey key) {
		Listener listener = (Listener) key.attachment();
		try {
			listener.ready();
		}
		catch (RuntimeException | Error ex) {
			listener.failed(ex);
		}
	}

	private synchronized boolean ended(Selector open) {
		// Keys of channels that were closed are not valid.
		if (open.keys().stream().anyMatch(SelectionKey::isValid)) {
			return false;
		}
		this.selector = null;
		return true;
	}

	private synchronized void fail(Selector open, Throwable cause) {
		this.selector = null;
		for (SelectionKey key : open.keys()) {
			((Listener) key.attachment()).failed(cause);
		}
	}

	/** Notified by the thread of the reader, which must not be held up. */
	interface Listener {

		void ready();

		void failed(Throwable cause);

	}

}
