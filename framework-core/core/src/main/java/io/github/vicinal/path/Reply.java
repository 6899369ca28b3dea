package io.github.vicinal.path;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Answer of a peer: the outcome that HTTP would have had.
 *
 * @since 0.1.0
 */
public sealed interface Reply {

	/**
	 * Returns the HTTP status code.
	 * @return a status code, 100 to 599
	 */
	int status();

	/**
	 * Returns the headers that the handler set.
	 * @return header names and values
	 */
	Map<String, List<String>> headers();

	/**
	 * The handler returned.
	 *
	 * @param status the HTTP status code, 2xx or 3xx
	 * @param headers headers that the handler set, mostly none
	 * @param body the value of the contract method's result type
	 * @since 0.1.0
	 */
	record Value(int status, Map<String, List<String>> headers, @Nullable Object body) implements Reply {
	}

	/**
	 * The handler failed, or answered with an error status: the response that the peer's
	 * web stack would have written.
	 *
	 * @param status the HTTP status code
	 * @param headers the response's headers, {@code Content-Type} among them
	 * @param body the response's body as it would have been on the wire
	 * @param remoteType the class name of the exception, empty if there was none
	 * @since 0.1.0
	 */
	@SuppressWarnings("ArrayRecordComponent")
	record Failure(int status, Map<String, List<String>> headers, byte[] body, String remoteType) implements Reply {

		/**
		 * The header of a reply whose body was cut off: HTTP clients would have lost the
		 * connection after the last of its bytes. The channel shows it to nobody.
		 */
		public static final String CUT_OFF_HEADER = "Vicinal-Cut-Off";

		/**
		 * Returns whether reading the body has to fail at its end.
		 * @return whether the body was cut off
		 */
		public boolean isCutOff() {
			return this.headers.containsKey(CUT_OFF_HEADER);
		}

	}

}
