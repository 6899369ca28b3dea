package io.github.vicinal.codec;

import org.jspecify.annotations.Nullable;

/**
 * A value could not be encoded, or bytes are not what the contract says.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class CodecException extends RuntimeException {

	public CodecException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
