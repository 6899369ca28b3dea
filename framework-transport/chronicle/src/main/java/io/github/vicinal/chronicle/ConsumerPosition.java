package io.github.vicinal.chronicle;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * The stored position of one consumer in publish/subscribe: four words with what the file
 * is, the last message that was handled, the last one that was begun, and the process
 * that is subscribed.
 */
final class ConsumerPosition {

	private static final long MAGIC = 0x5649_4344_504F_5301L;

	private static final int HANDLED = 1;

	private static final int BEGUN = 2;

	private static final int OWNER = 3;

	private static final int WORDS = 4;

	private final Words words;

	private ConsumerPosition(Words words) {
		this.words = words;
	}

	/**
	 * Opens a position, which is made if it is not there.
	 * @param file its file
	 * @param drafts directory in which the file is made
	 * @param begin returns what a position that is made has handled
	 */
	static ConsumerPosition open(Path file, Path drafts, LongSupplier begin) throws IOException {
		return new ConsumerPosition(
				Words.open(file, WORDS, MAGIC, drafts, (made) -> made.set(HANDLED, begin.getAsLong())));
	}

	/**
	 * Opens a position that is there; {@code null} if it is not. Somebody who only reads
	 * it must not make one: nobody would ever move it.
	 */
	static @Nullable ConsumerPosition find(Path file) throws IOException {
		Words words = Words.find(file, WORDS, MAGIC);
		return (words != null) ? new ConsumerPosition(words) : null;
	}

	/** Takes the position for this process, unless a living one has it. */
	boolean own(Alive alive) {
		return this.words.own(OWNER, alive);
	}

	void release(Alive alive) {
		this.words.compareAndSet(OWNER, alive.id(), 0);
	}

	long handled() {
		return this.words.get(HANDLED);
	}

	void handled(long index) {
		this.words.setInOrder(HANDLED, index);
	}

	/**
	 * Notes that a message is about to be handled; returns whether it was before. All
	 * messages of a batch are begun before the first one of them is handled.
	 */
	boolean begin(long index) {
		if (this.words.get(BEGUN) >= index) {
			return true;
		}
		this.words.setInOrder(BEGUN, index);
		return false;
	}

	void move(long index) {
		this.words.set(BEGUN, 0);
		this.words.set(HANDLED, index);
	}

}
