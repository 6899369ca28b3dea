package io.github.vicinal.transport.multiplex;

import java.util.Map;
import java.util.function.Predicate;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.transport.wire.WireLimits;
import org.jspecify.annotations.Nullable;

/** The client's end of a connection, which any number of calls share. Thread-safe. */
public interface ClientEnd {

	/**
	 * Gives a contract a number of its own on this connection.
	 * @return the number
	 */
	int nextBinding();

	/**
	 * Sends a frame that executes nothing, and waits for the answer.
	 * @param out holds the frame, and belongs to the connection from now on
	 * @return the answer
	 * @throws ConnectionException if there is none
	 */
	ReceivedFrame ask(EncodeBuffer out) throws ConnectionException;

	/**
	 * Sends a frame.
	 * @param out holds the frame, and belongs to the connection from now on
	 * @param executable whether the other side may execute something
	 * @return what waits for the answer
	 * @throws ConnectionException if it cannot be sent; the frame is the caller's again,
	 * and another connection may send it
	 */
	PendingCall send(EncodeBuffer out, boolean executable) throws ConnectionException;

	/**
	 * Waits for an answer on this thread.
	 * @param call what {@link #send} returned
	 * @param deadlineNanos the {@link System#nanoTime()} until which to wait
	 * @return the answer
	 * @throws ConnectionException if there is none in time
	 */
	ReceivedFrame await(PendingCall call, long deadlineNanos) throws ConnectionException;

	/**
	 * Lets a call fail at its deadline without a thread that waits.
	 * @param call what {@link #send} returned
	 * @param deadlineNanos the {@link System#nanoTime()} at which it fails
	 */
	void expire(PendingCall call, long deadlineNanos);

	/**
	 * Lets a call fail whose caller does not wait any more, and lets the other side know
	 * if it can be told.
	 * @param call what {@link #send} returned
	 */
	void abandon(PendingCall call);

	/**
	 * Returns a further connection to the same peer that sends the next call sooner than
	 * this one does. A contract must be bound there before its first call. What the two
	 * sides have agreed on is the same on both connections.
	 * @param bound whether the contract of the call is bound on a further connection; may
	 * begin to bind it
	 * @return a connection, or {@code null} if this one is to carry the call; always so
	 * unless overridden
	 */
	default @Nullable ClientEnd further(Predicate<ClientEnd> bound) {
		return null;
	}

	/**
	 * Returns whether there can be further calls.
	 * @return {@code false} once the connection has ended, or is about to
	 */
	boolean isOpen();

	/**
	 * Returns why a new connection should take the place of this one although the other
	 * side is well.
	 * @return the reason, for people; empty unless the connection ends for that
	 */
	default String reasonToRenew() {
		return "";
	}

	/**
	 * Returns the longest frame that both sides accept.
	 * @return bytes after the fixed part
	 */
	int maxRequestBytes();

	/**
	 * Returns from which length calls are compressed.
	 * @return bytes, {@link Integer#MAX_VALUE} for never: the sides have not agreed on it
	 */
	default int compressedFromBytes() {
		return Integer.MAX_VALUE;
	}

	/**
	 * Returns what this side accepts.
	 * @return limits
	 */
	WireLimits limits();

	/**
	 * Describes the connection, for people.
	 * @return values by name, in order
	 */
	Map<String, Object> details();

	/**
	 * Ends the connection, because no path uses it any more, once the calls in flight
	 * have ended.
	 */
	void leave();

	/** Ends the connection. Calls in flight fail. */
	void close();

}
