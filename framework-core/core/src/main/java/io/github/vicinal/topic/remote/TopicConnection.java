package io.github.vicinal.topic.remote;

import java.io.IOException;
import java.nio.ByteBuffer;

import org.jspecify.annotations.Nullable;

/**
 * A connection between two hosts that carries the messages of one topic in one direction,
 * and what the other side says about them. Bytes arrive as they were sent, each in one
 * piece, in order and once. One thread sends and one thread receives at a time; any
 * thread may close.
 *
 * @since 0.1.0
 */
public interface TopicConnection extends AutoCloseable {

	/**
	 * Returns who is at the other end, for people.
	 * @return an address, and the name in the certificate if there is one
	 */
	String peer();

	/**
	 * Returns the maximum number of bytes that can be sent in one piece.
	 * @return bytes, the same on both sides or less here
	 */
	int maxBytes();

	/**
	 * Sends bytes in one piece. Blocks while the other side takes none.
	 * @param bytes what is sent, from position to limit; the buffer is the caller's again
	 * when this returns
	 * @throws IOException if the connection has ended
	 */
	void send(ByteBuffer bytes) throws IOException;

	/**
	 * Waits for the next piece.
	 * @param nanos maximum time to wait
	 * @return the bytes, which belong to the caller; {@code null} if the time has passed
	 * @throws IOException if the connection has ended and all pieces were received
	 */
	@Nullable ByteBuffer receive(long nanos) throws IOException;

	/**
	 * Returns whether the connection has not ended, as far as this side knows.
	 * @return whether bytes may still be sent
	 */
	boolean isOpen();

	/** Ends the connection when what was sent has left this process. Does not wait. */
	@Override
	void close();

}
