package io.github.vicinal.boot.client;

import java.io.IOException;
import java.lang.reflect.Constructor;

import io.netty.handler.timeout.ReadTimeoutException;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.netty.http.client.PrematureCloseException;

/** Failures of Reactor Netty's client. Loaded only where it is. */
public final class NettyFailures {

	private NettyFailures() {
	}

	/** Returns what blocking callers see after the library's time-out. */
	public static IOException timedOut() {
		return new IOException(null, ReadTimeoutException.INSTANCE);
	}

	/** Returns what blocking callers see if the time-out passes in a response's body. */
	public static RuntimeException bodyTimedOut() {
		return ReadTimeoutException.INSTANCE;
	}

	/**
	 * Returns what the library raises when a connection has ended.
	 * @param during whether a part of the response was there
	 */
	public static IOException lost(boolean during) {
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

	/**
	 * Returns what Spring's blocking responses raise when their body ends early. It is
	 * unchecked, and its cause is that of the library.
	 * @param failure why there is no more, or {@code null}
	 */
	public static RuntimeException bodyLost(@Nullable Exception failure) {
		IOException lost = lost(true);
		if (failure != null) {
			lost.addSuppressed(failure);
		}
		return Exceptions.propagate(lost);
	}

}
