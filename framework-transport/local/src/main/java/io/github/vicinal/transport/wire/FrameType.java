package io.github.vicinal.transport.wire;

import org.jspecify.annotations.Nullable;

/** Type of a frame; its number travels in the frame. */
public enum FrameType {

	/** Client: the first frame of a connection. */
	HELLO(1),

	/** Server: the answer to HELLO. */
	WELCOME(2),

	/** Client: gives a contract a number on this connection. */
	BIND(3),

	/** Server: the answer to BIND, with the codec. */
	BOUND(4),

	/** Server: the answer to anything that it does not accept. */
	REFUSED(5),

	/** Client: a call. */
	CALL(6),

	/** Server: the handler returned. */
	REPLY_VALUE(7),

	/** Server: the handler failed. */
	REPLY_FAILURE(8),

	/**
	 * Either side: this connection ends. With {@link FrameDescriptor#FLAG_CLOSING} it is
	 * the last frame, and names the calls of which some may have been executed: no other
	 * call without an answer was.
	 */
	GOODBYE(9),

	/** Client: offers a segment of shared memory. */
	ATTACH(10),

	/** Server: the answer to ATTACH. */
	ATTACHED(11),

	/** Either side: has made more shared memory. */
	ARENA(12),

	/**
	 * Either side: the answer to ARENA, once it can read there or knows that it never
	 * will.
	 */
	MAPPED(13),

	/**
	 * Either side: wakes the threads that sleep at a bell which this side cannot ring.
	 */
	RING(14),

	/** Client: has waited for an answer for so long that something may be wrong. */
	CHECK(15),

	/** Either side: asks whether the other side is still there. */
	PING(16),

	/** Either side: the answer to PING. */
	PONG(17),

	/**
	 * Either side: part of a topic. As the first frame of a connection it says that the
	 * connection carries a topic, not calls.
	 */
	TOPIC(18),

	/**
	 * Client: nobody waits for the answer to a call any more. Sent only to a server that
	 * has said {@link FrameDescriptor#FLAG_CANCELS}, and never answered.
	 */
	CANCEL(19);

	private static final FrameType[] VALUES = values();

	private final byte number;

	FrameType(int number) {
		this.number = (byte) number;
	}

	public byte number() {
		return this.number;
	}

	public static @Nullable FrameType of(byte number) {
		return (number >= 1 && number <= VALUES.length) ? VALUES[number - 1] : null;
	}

}
