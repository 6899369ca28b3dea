package io.github.vicinal.chronicle;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

import io.github.vicinal.topic.TopicException;
import org.jspecify.annotations.Nullable;

/**
 * Shared state of the subscribers of a stream: the last message that one of them has
 * taken, and a slot for each message that is taken and not handled, with its owner. If
 * the owner of a slot is dead, another subscriber takes the message.
 * <p>
 * A subscriber that claims a message holds the word {@code LOCK}; the lock of a dead
 * process is taken over. The claim writes the message into a slot first and then as the
 * last one. A slot beyond the last message belongs to a process that was killed in
 * between, and is void.
 */
final class StreamClaims {

	/** Maximum number of messages of a stream that are taken and not handled. */
	static final int SLOTS = 256;

	private static final long MAGIC = 0x5649_4344_5354_5201L;

	private static final int LOCK = 1;

	private static final int LAST = 2;

	private static final int FIRST_SLOT = 8;

	private static final int SLOT_WORDS = 2;

	private static final int INDEX = 0;

	private static final int OWNER = 1;

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final Words words;

	private final Alive alive;

	private final ProcessLock lock;

	/** Excludes the other threads of this process. */
	private final ReentrantLock claiming = new ReentrantLock();

	private StreamClaims(Words words, Alive alive) {
		this.words = words;
		this.alive = alive;
		this.lock = new ProcessLock(words, LOCK, alive);
	}

	/**
	 * Opens the claims of a stream.
	 * @param file their file, which is made if it is not there
	 * @param drafts directory in which the file is made
	 * @param alive this process
	 */
	static StreamClaims open(Path file, Path drafts, Alive alive) throws IOException {
		return new StreamClaims(Words.open(file, FIRST_SLOT + SLOTS * SLOT_WORDS, MAGIC, drafts), alive);
	}

	/** Returns the index of the last message that was taken, 0 for none. */
	long last() {
		return this.words.get(LAST);
	}

	/** Returns an index such that all messages up to it are handled. */
	long handled() {
		long least = last();
		for (int slot = 0; slot < SLOTS; slot++) {
			long index = this.words.get(word(slot, INDEX));
			if (index != 0 && index <= least) {
				least = index - 1;
			}
		}
		return least;
	}

	/** Returns whether no message is taken and not handled. */
	boolean isIdle() {
		for (int slot = 0; slot < SLOTS; slot++) {
			if (this.words.get(word(slot, INDEX)) != 0) {
				return false;
			}
		}
		return true;
	}

	/** Moves the position. Messages that are taken are handled by those who have them. */
	void move(long index) {
		lock();
		try {
			this.words.set(LAST, index);
		}
		finally {
			unlock();
		}
	}

	/**
	 * Takes a message that nobody has.
	 * @param tail of the calling thread
	 * @param spare number of slots that are to be left to others
	 * @return the claim, {@code null} if there is no message, or no slot for it
	 */
	@Nullable Claim claim(DurableLog.Tail tail, int spare) {
		lock();
		try {
			long last = this.words.get(LAST);
			int free = -1;
			int count = 0;
			for (int slot = 0; slot < SLOTS; slot++) {
				long index = this.words.get(word(slot, INDEX));
				if (index > last) {
					this.words.set(word(slot, INDEX), 0);
					index = 0;
				}
				if (index == 0) {
					free = slot;
					count++;
				}
				else if (this.words.get(word(slot, OWNER)) == 0) {
					DurableLog.Entry again = tail.at(index);
					if (again != null) {
						this.words.set(word(slot, OWNER), this.alive.id());
						return new Claim(slot, again, true);
					}
					this.words.set(word(slot, INDEX), 0);
				}
			}
			return (count <= spare) ? null : claimNext(tail, last, free);
		}
		finally {
			unlock();
		}
	}

	private @Nullable Claim claimNext(DurableLog.Tail tail, long last, int slot) {
		tail.after(last);
		DurableLog.Entry entry = tail.next();
		if (entry == null) {
			return null;
		}
		this.words.set(word(slot, OWNER), this.alive.id());
		this.words.set(word(slot, INDEX), entry.index());
		this.words.set(LAST, entry.index());
		return new Claim(slot, entry, false);
	}

	/**
	 * Notes that a message is handled. If the position was moved back meanwhile, the slot
	 * may be that of another message by now.
	 */
	void handled(Claim claim) {
		this.words.compareAndSet(word(claim.slot(), INDEX), claim.entry().index(), 0);
	}

	/** Leaves a message to the next subscriber that claims one. */
	void giveBack(Claim claim) {
		lock();
		try {
			if (this.words.get(word(claim.slot(), INDEX)) == claim.entry().index()) {
				this.words.compareAndSet(word(claim.slot(), OWNER), this.alive.id(), 0);
			}
		}
		finally {
			unlock();
		}
	}

	/** Leaves the messages of dead processes to the next subscribers that claim some. */
	void sweep() {
		long dead = 0;
		for (int slot = 0; slot < SLOTS; slot++) {
			long owner = this.words.get(word(slot, OWNER));
			if (this.words.get(word(slot, INDEX)) != 0 && owner != 0 && owner != this.alive.id()
					&& (owner == dead || this.alive.isDead(owner))) {
				dead = owner;
				this.words.compareAndSet(word(slot, OWNER), owner, 0);
			}
		}
	}

	private static int word(int slot, int part) {
		return FIRST_SLOT + SLOT_WORDS * slot + part;
	}

	private void lock() {
		this.claiming.lock();
		if (this.lock.lock(PATIENCE) == ProcessLock.Outcome.HELD_BY_ANOTHER) {
			this.claiming.unlock();
			throw new TopicException(
					"Another process has held the position of a durable stream for more than %s: is it stopped?"
						.formatted(PATIENCE));
		}
	}

	private void unlock() {
		this.lock.unlock();
		this.claiming.unlock();
	}

	/**
	 * A message that this process has taken.
	 *
	 * @param slot where that is written
	 * @param entry the message
	 * @param redelivered whether another process had it
	 */
	record Claim(int slot, DurableLog.Entry entry, boolean redelivered) {
	}

}
