package io.github.vicinal.transport.wire;

import java.util.Locale;

import io.github.vicinal.path.PathException.Reason;

/**
 * Why something was refused. The number travels in the {@code code} field of a REFUSED
 * frame; the {@link #id()} is the value of a metric tag.
 */
public enum Refusal {

	/** The bytes are no frame, or a frame that has no place here. */
	MALFORMED(1, Reason.PROTOCOL, false),

	/** The other side speaks another version of the protocol. */
	VERSION(2, Reason.PROTOCOL, false),

	/** A frame, or its header block, is larger than the limit. */
	TOO_LARGE(3, Reason.PROTOCOL, false),

	/** The socket belongs to another instance than the client wants. */
	WRONG_INSTANCE(4, Reason.PEER_GONE, false),

	/** The other process runs as another user, or did not prove who it is. */
	STRANGER(5, Reason.REFUSED, false),

	/** The server does not offer the contract. */
	UNKNOWN_CONTRACT(6, Reason.REFUSED, false),

	/** The contract has another hash on the other side. */
	CONTRACT_DIFFERS(7, Reason.REFUSED, false),

	/** The service wants its calls by HTTP. */
	SERVICE_REFUSES(8, Reason.REFUSED, false),

	/** The contract has no method of that index. */
	UNKNOWN_METHOD(9, Reason.PROTOCOL, false),

	/** A value could not be encoded or decoded, or the sides chose different codecs. */
	CODEC(10, Reason.CODEC, false),

	/** The server has as many connections as it may. */
	CONNECTIONS(11, Reason.EXHAUSTED, true),

	/** The deadline had passed before the call was executed. */
	DEADLINE(12, Reason.TIMEOUT, true),

	/** The other side did not send the rest of a frame in time. */
	STALLED(13, Reason.TIMEOUT, true),

	/** The server ends. */
	SHUTTING_DOWN(14, Reason.REFUSED, true),

	/** The service broke its promise never to throw. */
	FAILED(15, Reason.REFUSED, true),

	/** The service can answer this call only as an HTTP request. */
	HTTP_REQUIRED(16, Reason.HTTP_REQUIRED, true);

	private static final Refusal[] VALUES = values();

	private final int number;

	private final Reason reason;

	private final boolean retryable;

	Refusal(int number, Reason reason, boolean retryable) {
		this.number = number;
		this.reason = reason;
		this.retryable = retryable;
	}

	public int number() {
		return this.number;
	}

	public Reason reason() {
		return this.reason;
	}

	public boolean retryable() {
		return this.retryable;
	}

	public String id() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/** A newer server may have reasons that are not known here. */
	public static Refusal of(int number) {
		return (number >= 1 && number <= VALUES.length) ? VALUES[number - 1] : FAILED;
	}

}
