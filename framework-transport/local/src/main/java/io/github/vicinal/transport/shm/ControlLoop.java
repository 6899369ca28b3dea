package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.transport.wire.DaemonThread;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that waits for what the other sides of all pairs say over their sockets, so
 * that an idle pair costs no thread. Its thread and its selector are there from the first
 * pair on. Thread-safe.
 */
final class ControlLoop implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(ControlLoop.class);

	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final String name;

	private @Nullable Selector selector;

	private boolean closed;

	/**
	 * Creates a loop.
	 * @param name of the thread
	 */
	ControlLoop(String name) {
		this.name = name;
	}

	/**
	 * Waits for bytes, or for the end of the stream.
	 * @param channel from now on does not block, and is to be closed through the
	 * registration
	 * @param listener called by the loop's thread, once after each
	 * {@link Registration#resume()}, when there is something to read
	 * @return what to resume or close
	 * @throws IOException if the loop is closed, or no file descriptor is left
	 */
	Registration add(SocketChannel channel, Runnable listener) throws IOException {
		Selector running = selector();
		channel.configureBlocking(false);
		try {
			return new Registration(channel, channel.register(running, 0, listener));
		}
		catch (ClosedSelectorException ex) {
			throw new IOException("the path was closed", ex);
		}
	}

	private synchronized Selector selector() throws IOException {
		if (this.closed) {
			throw new IOException("the path was closed");
		}
		Selector running = this.selector;
		if (running != null) {
			return running;
		}
		Selector opened = Selector.open();
		boolean started = false;
		try {
			Thread thread = DaemonThread.create(this.name, () -> run(opened));
			thread.start();
			started = true;
		}
		finally {
			if (!started) {
				opened.close();
			}
		}
		this.selector = opened;
		return opened;
	}

	private void run(Selector running) {
		try (running) {
			while (!closed()) {
				// An interrupt of this thread is ignored, because a selector would not
				// sleep with it.
				Thread.interrupted();
				select(running);
			}
		}
		catch (IOException | RuntimeException ex) {
			logger.error("The ends of other processes are no longer noticed", ex);
		}
	}

	private static void select(Selector running) {
		try {
			running.select(ControlLoop::ready);
		}
		catch (IOException | OutOfMemoryError ex) {
			logger.warn("The sockets of other processes could not be watched for a moment: {}", ex.toString());
			LockSupport.parkNanos(running, PAUSE_NANOS);
		}
	}

	private synchronized boolean closed() {
		return this.closed;
	}

	private static void ready(SelectionKey key) {
		try {
			key.interestOps(0);
			((Runnable) key.attachment()).run();
		}
		catch (CancelledKeyException ex) {
			// Closed in this moment.
		}
		catch (RuntimeException | Error ex) {
			// All other pairs need this thread.
			logger.error("A frame of another process could not be handled", ex);
		}
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		Selector running = this.selector;
		if (running != null) {
			running.wakeup();
		}
	}

	/** One socket. */
	static final class Registration implements AutoCloseable {

		private final SocketChannel channel;

		private final SelectionKey key;

		Registration(SocketChannel channel, SelectionKey key) {
			this.channel = channel;
			this.key = key;
		}

		/** Calls the listener again when there is something to read. */
		void resume() {
			try {
				this.key.interestOps(SelectionKey.OP_READ);
				this.key.selector().wakeup();
			}
			catch (CancelledKeyException ex) {
				// Closed meanwhile: there is nothing to read.
			}
		}

		/** Closes the socket. The kernel learns of it when the loop's thread does. */
		@Override
		public void close() {
			try {
				this.channel.close();
			}
			catch (IOException ex) {
				// Closed all the same.
			}
			this.key.selector().wakeup();
		}

	}

}
