package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.exchange.ClientExchange;
import io.github.vicinal.exchange.ExchangeClient;
import io.github.vicinal.exchange.ExchangeMessage;
import io.github.vicinal.exchange.RequestHead;
import io.github.vicinal.path.PathException;
import org.jspecify.annotations.Nullable;

/**
 * Sends the body of a request in parts, while it is written. A body that fits into one
 * part, and is written without a pause, is sent with the head, in one call. Bytes written
 * after the server has responded are dropped. Not thread-safe.
 */
final class PartsOutput extends OutputStream {

	private static final int FIRST_BYTES = 1024;

	/**
	 * Time after which a part is sent although it is not full: its body is written
	 * slowly.
	 */
	private static final long HELD_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	/** Number of bytes that are written one by one between looks at the clock. */
	private static final int UNTIMED_BYTES = 128;

	private final ExchangeClient.Route route;

	private final RequestHead head;

	private final long timeoutNanos;

	/** The part that is being written; a new array for each. */
	private byte[] part = new byte[FIRST_BYTES];

	private int size;

	/** Time of the first byte of the part. */
	private long begunNanos;

	/** Single bytes that may follow without a look at the clock. */
	private int untimed;

	private volatile @Nullable ClientExchange exchange;

	private @Nullable PathException untaken;

	private boolean ended;

	private boolean wanted = true;

	PartsOutput(ExchangeClient.Route route, RequestHead head, long timeoutNanos) {
		this.route = route;
		this.head = head;
		this.timeoutNanos = timeoutNanos;
	}

	ExchangeClient.Route route() {
		return this.route;
	}

	/** A clock costs more than a byte, so only some look at it. */
	@Override
	public void write(int value) throws IOException {
		if (this.untimed > 0 && this.size > 0 && this.size < this.part.length) {
			this.untimed--;
			this.part[this.size++] = (byte) value;
			return;
		}
		write(new byte[] { (byte) value }, 0, 1);
		this.untimed = UNTIMED_BYTES;
	}

	@Override
	public void write(byte[] bytes, int offset, int length) throws IOException {
		Objects.checkFromIndexSize(offset, length, bytes.length);
		this.untimed = 0;
		int from = offset;
		int left = length;
		if (this.size > 0 && System.nanoTime() - this.begunNanos > HELD_NANOS) {
			sendWritten();
		}
		if (this.size == 0) {
			this.begunNanos = System.nanoTime();
		}
		while (left > 0 && this.wanted) {
			if (this.size == ExchangeMessage.PART_BYTES) {
				send(false);
			}
			int count = Math.min(left, ExchangeMessage.PART_BYTES - this.size);
			if (this.size + count > this.part.length) {
				int grown = Math.max(this.size + count, Math.min(this.part.length * 2, ExchangeMessage.PART_BYTES));
				this.part = Arrays.copyOf(this.part, grown);
			}
			System.arraycopy(bytes, from, this.part, this.size, count);
			this.size += count;
			from += count;
			left -= count;
		}
	}

	/** The next byte looks at the clock: bytes that are flushed are written slowly. */
	@Override
	public void flush() {
		this.untimed = 0;
	}

	private void send(boolean last) throws IOException {
		if (this.untaken != null) {
			// Converters write the end of what they have begun. Only the first attempt
			// says whether the request may have been executed.
			throw new UnsentException(this.untaken);
		}
		ByteBuffer sent = ByteBuffer.wrap(this.part, 0, this.size);
		ClientExchange begun = this.exchange;
		if (begun == null) {
			try {
				this.exchange = ClientExchange.begin(this.route, this.head, sent, last, this.timeoutNanos);
			}
			catch (PathException ex) {
				this.untaken = ex;
				throw new UnsentException(ex);
			}
		}
		else {
			this.wanted = begun.push(sent, last);
		}
		if (!last) {
			boolean full = this.size == ExchangeMessage.PART_BYTES;
			this.part = new byte[!this.wanted ? 0 : full ? ExchangeMessage.PART_BYTES : FIRST_BYTES];
			this.size = 0;
			this.begunNanos = System.nanoTime();
		}
	}

	/** Sends what was written, although more will follow. */
	void sendWritten() throws IOException {
		if (this.wanted && this.size > 0) {
			send(false);
		}
	}

	/** Returns whether the server wants more; not if it has responded. */
	boolean isWanted() {
		return this.wanted;
	}

	/** Sends what is left, and returns the exchange. */
	ClientExchange end() throws IOException {
		this.ended = true;
		if (this.wanted) {
			send(true);
		}
		return Objects.requireNonNull(this.exchange);
	}

	/** Returns why the first part was not taken, {@code null} if it was not refused. */
	@Nullable PathException untaken() {
		return this.untaken;
	}

	/** Returns whether nothing was taken and all that was written is still here. */
	boolean isWhole() {
		return this.ended && this.exchange == null;
	}

	/** Returns what was written, if none of it was taken. */
	byte[] whole() {
		return Arrays.copyOf(this.part, this.size);
	}

	/** Gives the exchange up. */
	void abort() {
		ClientExchange begun = this.exchange;
		if (begun != null) {
			begun.close();
		}
	}

	/** The first part was not taken. */
	@SuppressWarnings("serial")
	static final class UnsentException extends IOException {

		private final PathException failure;

		UnsentException(PathException failure) {
			super(failure);
			this.failure = failure;
		}

		PathException failure() {
			return this.failure;
		}

	}

}
