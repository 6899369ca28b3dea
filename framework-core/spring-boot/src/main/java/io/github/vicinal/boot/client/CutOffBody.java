package io.github.vicinal.boot.client;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

import org.jspecify.annotations.Nullable;

/** A body that ends with the loss of its connection. */
final class CutOffBody extends FilterInputStream {

	/** Message of the exception, {@code null} for that of Reactor Netty. */
	private final @Nullable String message;

	private boolean raised;

	/**
	 * Creates a body.
	 * @param bytes what comes before the end
	 * @param message the message of the exception at the end, {@code null} for that of
	 * Reactor Netty
	 */
	CutOffBody(InputStream bytes, @Nullable String message) {
		super(bytes);
		this.message = message;
	}

	/**
	 * Returns a body that ends as that of Reactor Netty behind Spring's blocking factory:
	 * the exception is unchecked and raised once.
	 * @param bytes what comes before the end
	 */
	static CutOffBody ofNetty(InputStream bytes) {
		return new CutOffBody(bytes, null);
	}

	private int checked(int read) throws IOException {
		if (read >= 0 || (this.raised && this.message == null)) {
			return read;
		}
		this.raised = true;
		if (this.message == null) {
			throw NettyFailures.bodyLost(null);
		}
		throw new IOException(this.message);
	}

	@Override
	public int read() throws IOException {
		return checked(super.read());
	}

	@Override
	public int read(byte[] target, int offset, int length) throws IOException {
		return (length == 0) ? 0 : checked(super.read(target, offset, length));
	}

}
