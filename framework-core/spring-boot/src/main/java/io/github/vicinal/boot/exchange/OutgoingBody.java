package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.io.OutputStream;

/** The body of a request that is about to be sent. */
interface OutgoingBody {

	/** Writes the body. */
	void writeTo(OutputStream out) throws IOException;

	/** Returns whether it can be written once more. */
	boolean isRepeatable();

}
