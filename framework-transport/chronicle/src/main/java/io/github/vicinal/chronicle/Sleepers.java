package io.github.vicinal.chronicle;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;

/**
 * Tells the publishers of a topic whether a subscriber may be asleep: a word in a file
 * that all processes of the topic map. While subscribers read, nobody rings.
 * <p>
 * A subscriber that has found no message announces itself, looks once more, and only then
 * sleeps. A publisher appends first, then takes the announcement and rings. Each side
 * writes before it reads, with a full fence in between, so either the subscriber sees the
 * message or the publisher sees the announcement. One ring wakes all subscribers, and
 * each announces itself anew before it sleeps. A publisher that is killed before it rings
 * leaves them to their next look without a bell. Thread-safe.
 */
final class Sleepers {

	private static final long MAGIC = 0x5649_4344_534C_5001L;

	private static final int ANNOUNCED = 1;

	private static final int WORDS = 2;

	private final Words words;

	private Sleepers(Words words) {
		this.words = words;
	}

	/**
	 * Opens the word of a topic.
	 * @param file its file, which is made if it is not there
	 * @param drafts directory in which the file is made
	 */
	static Sleepers open(Path file, Path drafts) throws IOException {
		return new Sleepers(Words.open(file, WORDS, MAGIC, drafts));
	}

	/** Says that a subscriber is going to sleep unless there is a message now. */
	void announce() {
		if (this.words.get(ANNOUNCED) == 0) {
			this.words.set(ANNOUNCED, 1);
		}
		VarHandle.fullFence();
	}

	/**
	 * Returns whether somebody may be asleep, to a caller that has just appended a
	 * message.
	 */
	boolean isAnnounced() {
		VarHandle.fullFence();
		return this.words.get(ANNOUNCED) != 0;
	}

	/** Takes the announcement, right before the bell is rung. */
	void take() {
		this.words.set(ANNOUNCED, 0);
	}

}
