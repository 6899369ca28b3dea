package io.github.vicinal.transport.wire;

/** The other side sent something that is refused. */
@SuppressWarnings("serial")
public final class WireException extends Exception {

	private static final int SHOWN_CHARS = 400;

	private final Refusal refusal;

	public WireException(Refusal refusal, String message) {
		// Made for each bad frame that anybody sends: no stack trace, no suppression.
		super(message, null, false, false);
		this.refusal = refusal;
	}

	public Refusal refusal() {
		return this.refusal;
	}

	/** Text of a foreign process must not forge lines in a log. */
	public static String printable(String text) {
		String shown = (text.length() > SHOWN_CHARS) ? text.substring(0, SHOWN_CHARS) : text;
		return shown.replaceAll("[^\\x20-\\x7e]", "?");
	}

	public String text() {
		return String.valueOf(getMessage());
	}

}
