package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.lang.reflect.Constructor;

import io.netty.handler.timeout.ReadTimeoutException;
import reactor.netty.http.client.PrematureCloseException;

/** Failures of Reactor Netty's client. Loaded only where it is. */
final class NettyFailures {

	private NettyFailures() {
	}

	/** Returns what blocking callers see after the library's time-out. */
	static IOException timedOut() {
		return new IOException(null, ReadTimeoutException.INSTANCE);
	}

	/**
	 * Returns what the library raises when a connection has ended.
	 * @param during whether a part of the response was there
	 */
	static IOException lost(boolean during) {
		String message = "Connection prematurely closed " + (during ? "DURING" : "BEFORE") + " response";
		try {
			Constructor<PrematureCloseException> constructor = PrematureCloseException.class
				.getDeclaredConstructor(String.class);
			constructor.setAccessible(true);
			return constructor.newInstance(message);
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			return new IOException(message);
		}
	}

}
