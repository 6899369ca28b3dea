package io.github.vicinal.transport.shm.topic;

/**
 * Position at which a subscriber of all messages left off.
 *
 * @param epoch of the log
 * @param position in it
 * @param sequence of the next message
 */
record Resume(long epoch, long position, long sequence) {

	/** The subscriber comes for the first time. */
	static final Resume NONE = new Resume(0, -1, 0);

	boolean isFor(long other) {
		return this.position >= 0 && this.epoch == other;
	}

}
