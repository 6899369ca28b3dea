package io.github.vicinal.chronicle;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock between processes, which one thread has at a time: a word that names the
 * process. The lock of a dead process is taken over. Thread-safe, not reentrant.
 */
final class ProcessLock {

	private static final long MAGIC = 0x5649_4344_4C4F_4301L;

	private static final int ONLY = 1;

	private static final long FREE = 0;

	private static final int SPINS = 100;

	private static final long FIRST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

	private static final long LAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final Words words;

	private final int word;

	private final Alive alive;

	/**
	 * Uses a word as lock.
	 * @param words the file
	 * @param word the number of the word, which is 0 while nobody has the lock
	 * @param alive this process
	 */
	ProcessLock(Words words, int word, Alive alive) {
		this.words = words;
		this.word = word;
		this.alive = alive;
	}

	/**
	 * Opens a lock that has a file of its own.
	 * @param file the file, which is made if it is not there
	 * @param drafts directory in which the file is made
	 * @param alive this process
	 */
	static ProcessLock open(Path file, Path drafts, Alive alive) throws IOException {
		return new ProcessLock(Words.open(file, ONLY + 1, MAGIC, drafts), ONLY, alive);
	}

	/**
	 * Waits for the lock.
	 * @param patience how long another process may have it
	 * @return whether this process has it now, and from whom
	 */
	Outcome lock(Duration patience) {
		long deadline = System.nanoTime() + patience.toNanos();
		long pause = FIRST_PAUSE_NANOS;
		for (int spins = 0; !this.words.compareAndSet(this.word, FREE, this.alive.id()); spins++) {
			if (spins < SPINS) {
				Thread.onSpinWait();
				continue;
			}
			boolean late = System.nanoTime() - deadline > 0;
			// The question wakes a thread of the owner, which may only be slow.
			if (late || pause == LAST_PAUSE_NANOS) {
				long owner = this.words.get(this.word);
				if (owner != FREE && this.alive.isDead(owner)
						&& this.words.compareAndSet(this.word, owner, this.alive.id())) {
					return Outcome.TAKEN_OVER;
				}
			}
			if (late) {
				return Outcome.HELD_BY_ANOTHER;
			}
			LockSupport.parkNanos(this, pause);
			pause = Math.min(LAST_PAUSE_NANOS, 2 * pause);
		}
		return Outcome.LOCKED;
	}

	void unlock() {
		this.words.set(this.word, FREE);
	}

	/** How waiting for the lock ended. */
	enum Outcome {

		/** The lock was free. */
		LOCKED,

		/** A process that is dead had the lock and may have left its work half done. */
		TAKEN_OVER,

		/** Another process has the lock, and lives. */
		HELD_BY_ANOTHER

	}

}
