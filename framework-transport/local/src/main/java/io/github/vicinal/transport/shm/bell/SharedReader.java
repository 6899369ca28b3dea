package io.github.vicinal.transport.shm.bell;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.transport.wire.DaemonThread;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that hears the rings of all {@link SocketBells} of one side, over a
 * selector. It starts with the first channel and ends after the last one. Thread-safe.
 */
final class SharedReader implements BellReader {

	private static final Logger logger = LoggerFactory.getLogger(SharedReader.class);

	/** {@code null} while no thread runs. Guarded by this. */
	private @Nullable Selector selector;

	@Override
	public synchronized void add(SelectableChannel channel, int operation, Listener listener) throws IOException {
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

	@Override
	public synchronized void forget() {
		Selector open = this.selector;
		if (open != null) {
			open.wakeup();
		}
	}

	@Override
	public void sleep(Semaphore rings, long nanos) throws InterruptedException {
		if (nanos == Bell.FOREVER) {
			rings.acquire();
		}
		else {
			rings.tryAcquire(nanos, TimeUnit.NANOSECONDS);
		}
	}

	@Override
	public void rungHere() {
		// The ring itself wakes the sleeper.
	}

	@Override
	public void closed() {
		// Others use it.
	}

	private void run(Selector open) {
		try {
			while (!ended(open)) {
				open.select(SharedReader::ready);
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

}
