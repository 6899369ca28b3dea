package io.github.vicinal.exchange;

import java.nio.ByteBuffer;

import org.jspecify.annotations.Nullable;

/**
 * A message of an exchange. Its bytes are never changed once it exists; a reader takes a
 * duplicate of the buffer.
 *
 * @since 0.1.0
 */
public sealed interface ExchangeMessage {

	/** The longest part of a body, in bytes. */
	int PART_BYTES = 256 * 1024;

	/**
	 * The beginning of an exchange.
	 *
	 * @param head the head of the request
	 * @param body the first part of the body, mostly all of it
	 * @param last whether that is all of it
	 */
	record Begin(RequestHead head, ByteBuffer body, boolean last) implements ExchangeMessage {
	}

	/**
	 * A further part of a request.
	 *
	 * @param exchange the number that the server gave to the exchange
	 * @param body the part
	 * @param last whether no further one follows
	 */
	record Push(long exchange, ByteBuffer body, boolean last) implements ExchangeMessage {
	}

	/**
	 * A question for the next part of a response.
	 *
	 * @param exchange the number that the server gave to the exchange
	 */
	record Pull(long exchange) implements ExchangeMessage {
	}

	/**
	 * The end of an exchange that nobody waits for any more.
	 *
	 * @param exchange the number that the server gave to the exchange
	 */
	record Abort(long exchange) implements ExchangeMessage {
	}

	/**
	 * An answer of the server.
	 *
	 * @param exchange the number of the exchange, 0 if nothing follows
	 * @param head the head of the response, {@code null} before it is known and after it
	 * was sent
	 * @param body a part of the response's body, maybe empty
	 * @param end whether something follows
	 */
	record Answer(long exchange, @Nullable ResponseHead head, ByteBuffer body, End end) implements ExchangeMessage {
	}

	/** Whether something follows an answer. */
	enum End {

		/** The response goes on, or has not begun. */
		OPEN,

		/**
		 * Same as {@link #OPEN}, but without room for a further part of the request yet.
		 */
		FULL,

		/** The response is complete. */
		COMPLETE,

		/** The server gave the response up: over HTTP, the connection would be lost. */
		CUT_OFF,

		/** The server does not know the exchange, or has given it up. */
		UNKNOWN

	}

}
