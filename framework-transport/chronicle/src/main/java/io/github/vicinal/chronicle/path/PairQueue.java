package io.github.vicinal.chronicle.path;

/** The queues of a pair, one for each direction. */
enum PairQueue {

	/** From the client to the server. */
	REQUESTS,

	/** From the server to the client. */
	REPLIES;

	/** Returns the name of the queue's directory within that of the pair. */
	String directory() {
		return (this == REQUESTS) ? "requests" : "replies";
	}

}
