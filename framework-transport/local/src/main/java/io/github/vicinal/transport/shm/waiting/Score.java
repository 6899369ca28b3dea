package io.github.vicinal.transport.shm.waiting;

/**
 * Whether staying awake has paid lately: the ski rental problem, with its ski. A wait
 * that ends while its waiter is still awake counts 1, one that ends in sleep after all
 * counts -2; below -2 the waiter sleeps at once, and tries again after 4, 8, 16 ...
 * waits.
 * <p>
 * Thread-safe in the sense that concurrent updates may get lost, which changes nothing
 * that matters; in a steady state nothing is written, so that callers on different
 * processors do not slow one another.
 */
final class Score {

	static final int BEST = 8;

	static final int WORST = -2;

	private static final int SUCCESS = 1;

	private static final int FAILURE = -2;

	private static final int FIRST_PAUSE = 4;

	static final int LONGEST_PAUSE = 256;

	static final int LONGEST_PAUSE_BANNED = 64;

	private int score;

	private int pause = FIRST_PAUSE;

	private int left;

	/** Returns whether this wait should begin awake. */
	boolean tries() {
		if (this.score >= WORST) {
			return true;
		}
		int waits = this.left - 1;
		this.left = waits;
		return waits <= 0;
	}

	void succeeded() {
		int before = this.score;
		if (before < WORST) {
			this.score = 0;
			this.pause = FIRST_PAUSE;
		}
		else if (before < BEST) {
			this.score = before + SUCCESS;
		}
	}

	void failed(boolean banned) {
		int before = this.score;
		if (before < WORST) {
			this.pause = Math.min(2 * this.pause, banned ? LONGEST_PAUSE_BANNED : LONGEST_PAUSE);
			this.left = this.pause;
			return;
		}
		this.score = before + (banned ? -1 : FAILURE);
		if (this.score < WORST) {
			this.left = this.pause;
		}
	}

	int value() {
		return this.score;
	}

}
