package io.github.vicinal.exchange;

/**
 * The part of a response that precedes its body.
 *
 * @param status the HTTP status code, 100 to 999
 * @param reason the text behind it in the status line, empty with servers that send none
 * @param fields the header fields
 * @since 0.1.0
 */
public record ResponseHead(int status, String reason, HttpFields fields) {

	/** Smallest status code. */
	static final int MIN_STATUS = 100;

	/** Largest status code: web servers send any number of three digits. */
	static final int MAX_STATUS = 999;

	public ResponseHead {
		if (status < MIN_STATUS || status > MAX_STATUS) {
			throw new IllegalArgumentException("A status has three digits and begins with 1 to 9: " + status);
		}
	}

	/**
	 * Creates a head without a text for its status.
	 * @param status the HTTP status code, 100 to 999
	 * @param fields the header fields
	 */
	public ResponseHead(int status, HttpFields fields) {
		this(status, "", fields);
	}

}
