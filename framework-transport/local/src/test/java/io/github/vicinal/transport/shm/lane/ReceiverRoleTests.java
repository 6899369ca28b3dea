package io.github.vicinal.transport.shm.lane;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Explores all interleavings of callers and of threads that take, give away and sleep off
 * the receiver's role as {@code LaneServer} does, each handler being one that gives the
 * role away: no state is reached in which a call is left and nobody comes to serve it.
 * <p>
 * Each step is one access to a shared word. Callers are as simple as can be: they publish
 * one call, ring if somebody sleeps, and are done.
 */
class ReceiverRoleTests {

	/** The steps of a caller. */
	private static final int PEND = 0, UNPARK = 1, RING = 2, DONE = 3;

	/** The steps of a thread: it takes the role, and serves. */
	private static final int POOL = 0, TAKE_ROLE = 1, AWAKE = 2, TAKE_PENDING = 3, CLAIM = 4;

	/** It has claimed a lane, and gives the role away before it runs the handler. */
	private static final int LEAVE = 5, LEAVE_PARK = 6, LEAVE_COUNT = 7, LEAVE_LOOK = 8, LEAVE_UNPARK = 9,
			LEAVE_RING = 10, HANDLE = 11;

	/** It has found nothing, and sleeps. */
	private static final int COUNT = 12, FREE_ROLE = 13, PARK = 14, LOOK = 15, TOO_MANY = 16, FALL_ASLEEP = 17,
			ASLEEP = 18, UNCOUNT = 19;

	/** Step that is left out, to verify that its lack is found. */
	enum Broken {

		NOTHING, NO_LOOK_BEFORE_SLEEP, NO_LOOK_AFTER_LEAVE, NO_THREAD_AFTER_LEAVE

	}

	@ParameterizedTest
	@CsvSource({ "2,2,1,true", "2,2,1,false", "3,2,1,true", "3,2,1,false", "2,3,1,true", "2,3,1,false", "3,3,1,true",
			"3,3,1,false", "3,3,2,false" })
	void noCallIsLeft(int callers, int threads, int maxAsleep, boolean futex) {
		assertThat(explore(callers, threads, maxAsleep, futex, Broken.NOTHING)).isEmpty();
	}

	@Test
	void findsWhatWouldBeWrong() {
		for (boolean futex : new boolean[] { true, false }) {
			assertThat(explore(3, 2, 1, futex, Broken.NO_LOOK_BEFORE_SLEEP)).isNotEmpty();
			assertThat(explore(3, 2, 1, futex, Broken.NO_LOOK_AFTER_LEAVE)).isNotEmpty();
			assertThat(explore(3, 2, 1, futex, Broken.NO_THREAD_AFTER_LEAVE)).isNotEmpty();
		}
	}

	/**
	 * Returns a state in which nothing more happens although a call is left. A thread
	 * that is in its handler is not taken to come back: the handler may depend on the
	 * other calls.
	 */
	private static List<State> explore(int callers, int threads, int maxAsleep, boolean futex, Broken broken) {
		Set<State> seen = new HashSet<>();
		Deque<State> open = new ArrayDeque<>();
		State first = new State(callers, threads);
		open.add(first);
		seen.add(first);
		while (!open.isEmpty()) {
			State state = open.poll();
			List<State> next = new ArrayList<>();
			for (int i = 0; i < callers; i++) {
				State after = new State(state);
				if (after.call(i, futex)) {
					next.add(after);
				}
			}
			boolean somebodyActs = !next.isEmpty();
			for (int i = 0; i < threads; i++) {
				State after = new State(state);
				boolean returns = state.thread(i) == HANDLE;
				if (after.serve(i, maxAsleep, futex, broken)) {
					next.add(after);
					somebodyActs |= !returns;
				}
			}
			if (!somebodyActs && state.left() && state.handlers() < threads) {
				return List.of(state);
			}
			for (State one : next) {
				if (seen.add(one)) {
					open.add(one);
				}
			}
		}
		assertThat(seen).hasSizeGreaterThan(100);
		return List.of();
	}

	/** All shared words, and where everybody is. */
	private static final class State {

		/**
		 * Fields: who has the role, parked, pending, taken, asleep, rings in the FIFO.
		 */
		private static final int ROLE = 0, PARKED = 1, PENDING = 2, TAKEN = 3, SLEEPERS = 4, RINGS = 5, FIELDS = 6;

		private static final int NOBODY = -1;

		private final int callers;

		private final int[] words;

		State(int callers, int threads) {
			this.callers = callers;
			this.words = new int[FIELDS + callers + threads];
			this.words[ROLE] = NOBODY;
			this.words[FIELDS + callers] = TAKE_ROLE;
		}

		State(State other) {
			this.callers = other.callers;
			this.words = other.words.clone();
		}

		int thread(int i) {
			return this.words[FIELDS + this.callers + i];
		}

		private void thread(int i, int step) {
			this.words[FIELDS + this.callers + i] = step;
		}

		boolean left() {
			return this.words[PENDING] != 0 || this.words[TAKEN] != 0;
		}

		int handlers() {
			return (int) Arrays.stream(this.words, FIELDS + this.callers, this.words.length)
				.filter((step) -> step == HANDLE)
				.count();
		}

		boolean call(int i, boolean futex) {
			int step = this.words[FIELDS + i];
			int next = step + 1;
			switch (step) {
				case PEND -> this.words[PENDING] |= 1 << i;
				case UNPARK -> {
					next = (this.words[PARKED] == 1) ? RING : DONE;
					this.words[PARKED] = 0;
				}
				case RING -> ring(futex);
				default -> {
					return false;
				}
			}
			this.words[FIELDS + i] = next;
			return true;
		}

		private void ring(boolean futex) {
			if (!futex) {
				this.words[RINGS] = 1;
				return;
			}
			for (int i = FIELDS + this.callers; i < this.words.length; i++) {
				if (this.words[i] == ASLEEP) {
					this.words[i] = UNCOUNT;
					return;
				}
			}
		}

		/** Lets a thread of the pool begin, if there is one. */
		private void callThread() {
			for (int i = FIELDS + this.callers; i < this.words.length; i++) {
				if (this.words[i] == POOL) {
					this.words[i] = TAKE_ROLE;
					return;
				}
			}
		}

		/** Does one step of a thread, and returns whether there was one. */
		boolean serve(int i, int maxAsleep, boolean futex, Broken broken) {
			int step = thread(i);
			int next = step + 1;
			switch (step) {
				case TAKE_ROLE -> {
					boolean free = this.words[ROLE] == NOBODY;
					this.words[ROLE] = free ? i : this.words[ROLE];
					next = free ? AWAKE : POOL;
				}
				case AWAKE -> this.words[PARKED] = 0;
				case TAKE_PENDING -> {
					this.words[TAKEN] |= this.words[PENDING];
					this.words[PENDING] = 0;
				}
				case CLAIM -> {
					next = (this.words[TAKEN] != 0) ? LEAVE : COUNT;
					this.words[TAKEN] &= this.words[TAKEN] - 1;
				}
				case LEAVE -> this.words[ROLE] = NOBODY;
				case LEAVE_PARK -> this.words[PARKED] = 1;
				case LEAVE_COUNT -> {
					next = (this.words[SLEEPERS] == 0) ? HANDLE : LEAVE_LOOK;
					if (next == HANDLE && broken != Broken.NO_THREAD_AFTER_LEAVE) {
						callThread();
					}
				}
				case LEAVE_LOOK -> next = (left() && broken != Broken.NO_LOOK_AFTER_LEAVE) ? LEAVE_UNPARK : HANDLE;
				case LEAVE_UNPARK -> {
					next = (this.words[PARKED] == 1) ? LEAVE_RING : HANDLE;
					this.words[PARKED] = 0;
				}
				case LEAVE_RING -> ring(futex);
				case HANDLE -> next = TAKE_ROLE;
				case COUNT -> this.words[SLEEPERS]++;
				case FREE_ROLE -> this.words[ROLE] = NOBODY;
				case PARK -> this.words[PARKED] = 1;
				case LOOK -> next = (left() && broken != Broken.NO_LOOK_BEFORE_SLEEP) ? UNCOUNT : TOO_MANY;
				case TOO_MANY -> {
					// A compare-and-set that fails is one that does not leave.
					boolean leaves = this.words[SLEEPERS] > maxAsleep;
					this.words[SLEEPERS] -= leaves ? 1 : 0;
					next = leaves ? POOL : FALL_ASLEEP;
				}
				case FALL_ASLEEP -> next = (futex && this.words[PARKED] == 0) ? UNCOUNT : ASLEEP;
				case ASLEEP -> {
					if (futex || this.words[RINGS] == 0) {
						return false;
					}
					this.words[RINGS] = 0;
				}
				case UNCOUNT -> {
					this.words[SLEEPERS]--;
					next = TAKE_ROLE;
				}
				default -> {
					return false;
				}
			}
			thread(i, next);
			return true;
		}

		@Override
		public boolean equals(Object other) {
			return other instanceof State state && Arrays.equals(this.words, state.words);
		}

		@Override
		public int hashCode() {
			return Arrays.hashCode(this.words);
		}

		@Override
		public String toString() {
			return Arrays.toString(this.words);
		}

	}

}
