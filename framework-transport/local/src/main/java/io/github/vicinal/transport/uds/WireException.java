package io.github.vicinal.transport.uds;

/** The other side sent something that is refused. */
@SuppressWarnings("serial")
final class WireException extends Exception {

	private final Refusal refusal;

	WireException(Refusal refusal, String message) {
		// Made for each bad frame that anybody sends: no stack trace, no suppression.
		super(message, null, false, false);
		this.refusal = refusal;
	}

	Refusal refusal() {
		return this.refusal;
	}

	String text() {
		return String.valueOf(getMessage());
	}

}
