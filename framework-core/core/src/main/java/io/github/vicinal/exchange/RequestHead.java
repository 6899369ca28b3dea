package io.github.vicinal.exchange;

/**
 * The part of a request that precedes its body.
 *
 * @param method the HTTP method, as in a request line
 * @param target path and query, encoded as in a request line
 * @param fields the header fields, {@code Host} among them; {@code Content-Length} says
 * whether the length of the body is known
 * @since 0.1.0
 */
public record RequestHead(String method, String target, HttpFields fields) {

	/** The longest target, name or value that an exchange carries, in bytes. */
	public static final int MAX_TEXT_BYTES = 0xFFFF;

	/** Maximum number of fields that an exchange carries. */
	public static final int MAX_FIELDS = 4096;

	/**
	 * Returns whether an exchange can carry the request. A request that it cannot carry
	 * goes over HTTP, where the server judges it.
	 * @return whether all parts are within the limits
	 */
	public boolean fits() {
		if (this.fields.size() > MAX_FIELDS || this.target.length() > MAX_TEXT_BYTES || this.method.length() > 255) {
			return false;
		}
		for (int i = 0; i < this.fields.size(); i++) {
			if (this.fields.name(i).length() > MAX_TEXT_BYTES || this.fields.value(i).length() > MAX_TEXT_BYTES
					|| !isPlain(this.fields.name(i), "") || !isPlain(this.fields.value(i), " \t")) {
				return false;
			}
		}
		return true;
	}

	/** Each HTTP library refuses other characters, or writes them in a way of its own. */
	private static boolean isPlain(String text, String blanks) {
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if ((c <= ' ' || c > '~') && blanks.indexOf(c) < 0) {
				return false;
			}
		}
		return true;
	}

	@Override
	public String toString() {
		return this.method + " " + this.target;
	}

}
