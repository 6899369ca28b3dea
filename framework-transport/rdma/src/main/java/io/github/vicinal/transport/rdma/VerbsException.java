package io.github.vicinal.transport.rdma;

import org.jspecify.annotations.Nullable;

/** A provider of RDMA could not do what it was asked to. */
@SuppressWarnings("serial")
final class VerbsException extends Exception {

	VerbsException(String message) {
		this(message, null);
	}

	VerbsException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	String text() {
		return String.valueOf(getMessage());
	}

}
