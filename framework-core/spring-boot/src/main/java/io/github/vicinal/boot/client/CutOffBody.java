package io.github.vicinal.boot.client;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A body that ends with the loss of its connection. */
final class CutOffBody extends FilterInputStream {

	private final String message;

	/**
	 * Creates a body.
	 * @param bytes what comes before the end
	 * @param message the message of the exception at the end
	 */
	CutOffBody(InputStream bytes, String message) {
		super(bytes);
		this.message = message;
	}

	private int checked(int read) throws IOException {
		if (read < 0) {
			throw new IOException(this.message);
		}
		return read;
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
