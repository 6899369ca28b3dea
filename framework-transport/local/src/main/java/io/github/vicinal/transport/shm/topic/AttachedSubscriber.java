package io.github.vicinal.transport.shm.topic;

import io.github.vicinal.transport.shm.bell.Bells;
import org.jspecify.annotations.Nullable;

/** A subscriber as its publisher knows it. */
final class AttachedSubscriber {

	private final String name;

	private final String application;

	private final PairMemory pair;

	private final Bells bells;

	private final Runnable onClose;

	/** Number of threads that may sleep. */
	private final int sleepers;

	/** The link to it if it is on another host. */
	private final @Nullable RemoteLink link;

	private long startPosition;

	private long startSequence;

	AttachedSubscriber(String name, String application, PairMemory pair, Bells bells, Runnable onClose) {
		this(name, application, pair, bells, onClose, pair.threads(), null);
	}

	AttachedSubscriber(String name, String application, PairMemory pair, Bells bells, Runnable onClose, int sleepers,
			@Nullable RemoteLink link) {
		this.link = link;
		this.sleepers = sleepers;
		this.name = name;
		this.application = application;
		this.pair = pair;
		this.bells = bells;
		this.onClose = onClose;
	}

	String name() {
		return this.name;
	}

	String application() {
		return this.application;
	}

	/** Returns the link to it, {@code null} if it is on this host. */
	@Nullable RemoteLink link() {
		return this.link;
	}

	PairMemory pair() {
		return this.pair;
	}

	Bells bells() {
		return this.bells;
	}

	void started(long position, long sequence) {
		this.startPosition = position;
		this.startSequence = sequence;
	}

	long startPosition() {
		return this.startPosition;
	}

	long startSequence() {
		return this.startSequence;
	}

	/** Returns whether the thread slept. */
	boolean wake(int thread) {
		if (this.pair.takeSleeper(thread)) {
			this.bells.lane(thread).ring();
			return true;
		}
		return false;
	}

	int sleepers() {
		return this.sleepers;
	}

	/** Returns whether no thread holds a message of a stream. */
	boolean holdsNothing() {
		for (int slot = 0; slot < this.pair.slots(); slot++) {
			if (this.pair.held(slot) >= 0) {
				return false;
			}
		}
		return true;
	}

	void wakeAll() {
		for (int thread = 0; thread < this.sleepers; thread++) {
			wake(thread);
		}
	}

	void close() {
		this.onClose.run();
	}

}
