package io.github.vicinal.transport.shm.topic;

import java.io.IOException;

/**
 * A log that subscribers of this host attach to: that of a publisher of this process, or
 * the copy of one of another host. Thread-safe.
 */
interface ServedLog {

	/** Returns the log, which is made if need be. */
	TopicLog require();

	/** Returns the name of the file of the log. */
	String fileName();

	/** Returns the number by which subscribers know the log. */
	long epoch();

	/** Returns whether messages may be overwritten before they were handled. */
	boolean drops();

	/**
	 * Lets a subscriber take part: where it left off if its messages are still there,
	 * otherwise from now on.
	 */
	void attach(AttachedSubscriber subscriber, Resume resume) throws IOException;

	/** Ends that. */
	void detach(AttachedSubscriber subscriber);

}
