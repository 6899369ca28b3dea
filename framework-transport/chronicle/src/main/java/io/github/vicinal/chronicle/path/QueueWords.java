package io.github.vicinal.chronicle.path;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;

import io.github.vicinal.chronicle.Words;
import io.github.vicinal.topic.TopicException;

/**
 * Facts about the two queues of a pair that both processes see: whether the reader of a
 * queue sleeps, and which files it has read. What the other process has written may be
 * any number. Thread-safe.
 */
final class QueueWords {

	private static final String FILE = "words";

	private static final long MAGIC = 0x5649_4344_4341_4C01L;

	/** Words of different writers lie on different cache lines, also for prefetchers. */
	private static final int STRIDE = 16;

	private static final int WORDS = 5 * STRIDE;

	private final Words words;

	private QueueWords(Words words) {
		this.words = words;
	}

	/**
	 * Opens the words of a pair, which are made if they are not there.
	 * @param pair directory of the pair
	 */
	static QueueWords open(Path pair) throws IOException {
		try {
			return new QueueWords(Words.open(pair.resolve(FILE), WORDS, MAGIC, pair));
		}
		catch (TopicException ex) {
			throw new IOException(ex.getMessage(), ex);
		}
	}

	private static int asleep(PairQueue queue) {
		return STRIDE * (1 + 2 * queue.ordinal());
	}

	private static int read(PairQueue queue) {
		return STRIDE * (2 + 2 * queue.ordinal());
	}

	/**
	 * Announces that the reader of a queue is about to sleep. It must look at the queue
	 * once more before it does.
	 */
	void sleeps(PairQueue queue) {
		this.words.set(asleep(queue), 1);
	}

	void isAwake(PairQueue queue) {
		this.words.set(asleep(queue), 0);
	}

	/**
	 * Returns whether the caller must wake the reader of a queue, to which it has
	 * appended. Of several callers one must.
	 */
	boolean mustWake(PairQueue queue) {
		// Chronicle publishes a record without a full fence: without this one the word
		// could be read before the record is visible to a reader that falls asleep.
		VarHandle.fullFence();
		return this.words.get(asleep(queue)) != 0 && this.words.compareAndSet(asleep(queue), 1, 0);
	}

	/** Notes that the reader of a queue needs no file up to this cycle any more. */
	void hasRead(PairQueue queue, int cycle) {
		this.words.set(read(queue), cycle);
	}

	/** Returns the last cycle that the reader of a queue has read, as it says. */
	long hasRead(PairQueue queue) {
		return this.words.get(read(queue));
	}

}
