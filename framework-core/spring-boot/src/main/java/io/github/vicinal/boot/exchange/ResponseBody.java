package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
import java.util.Objects;

import io.github.vicinal.exchange.ClientExchange;

/** The body of a response, read in parts as it comes. */
class ResponseBody extends InputStream {

	private final ClientExchange exchange;

	ResponseBody(ClientExchange exchange) {
		this.exchange = exchange;
	}

	@Override
	public int read() throws IOException {
		byte[] one = new byte[1];
		return (read(one, 0, 1) < 0) ? -1 : one[0] & 0xFF;
	}

	@Override
	public int read(byte[] target, int offset, int length) throws IOException {
		Objects.checkFromIndexSize(offset, length, target.length);
		try {
			return (length == 0) ? 0 : this.exchange.read(target, offset, length);
		}
		catch (SocketException ex) {
			throw cutOff(ex);
		}
	}

	/**
	 * Returns what an HTTP library raises when a connection ends in the middle of a
	 * response.
	 * @param failure why there is no more
	 */
	IOException cutOff(SocketException failure) {
		return new IOException("The connection was closed in the middle of the response", failure);
	}

	@Override
	public int available() {
		return this.exchange.available();
	}

	/** Gives up what has not been read. */
	@Override
	public void close() {
		this.exchange.close();
	}

}
