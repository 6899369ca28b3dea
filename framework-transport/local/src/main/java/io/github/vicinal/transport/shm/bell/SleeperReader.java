package io.github.vicinal.transport.shm.bell;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears the rings of one pair on the only thread that sleeps at its bells, so that a ring
 * passes through no other thread. It costs the pair a selector. An interrupt of the
 * sleeper ends its sleep and closes nothing.
 */
final class SleeperReader implements BellReader {

	private static final Logger logger = LoggerFactory.getLogger(SleeperReader.class);

	private final Selector selector;

	SleeperReader() throws IOException {
		this.selector = Selector.open();
	}

	@Override
	public void add(SelectableChannel channel, int operation, Listener listener) throws IOException {
		channel.configureBlocking(false);
		channel.register(this.selector, operation, listener);
	}

	@Override
	public void sleep(Semaphore rings, long nanos) {
		if (rings.tryAcquire()) {
			return;
		}
		try {
			if (nanos == Bell.FOREVER) {
				this.selector.select(SleeperReader::ready);
			}
			else {
				this.selector.select(SleeperReader::ready, Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
			}
		}
		catch (ClosedSelectorException ex) {
			// The bells were closed: who sleeps here finds out why.
		}
		catch (IOException ex) {
			failed(ex);
		}
		rings.tryAcquire();
	}

	private void failed(IOException cause) {
		try {
			this.selector.keys().forEach((key) -> ((Listener) key.attachment()).failed(cause));
		}
		catch (ClosedSelectorException ex) {
			// As above.
		}
	}

	private static void ready(SelectionKey key) {
		((Listener) key.attachment()).ready();
	}

	@Override
	public void rungHere() {
		this.selector.wakeup();
	}

	@Override
	public void forget() {
		this.selector.wakeup();
	}

	@Override
	public void closed() {
		try {
			this.selector.close();
		}
		catch (IOException ex) {
			logger.debug("The selector of bells could not be closed: {}", ex.toString());
		}
	}

}
