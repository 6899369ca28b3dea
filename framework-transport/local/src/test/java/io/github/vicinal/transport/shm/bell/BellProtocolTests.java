package io.github.vicinal.transport.shm.bell;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Explores all interleavings of callers and a receiver who sleep and ring as
 * {@code ClientLane}, {@code LaneServer} and {@code ServerLane} do: no state is reached
 * in which all that still have something to do are asleep, for neither kind of bell.
 * <p>
 * Each step is one access to a shared word; all of these are volatile or stronger in the
 * code, so their order is total. A FIFO keeps rings until somebody takes them, unless
 * nobody had it open in between: that is shown by one that forgets all rings when a
 * sleeper opens it. The sleeper then checks the word again. A futex does so when it goes
 * to sleep, and forgets a ring that nobody waits for. Sleepers may also wake for no
 * reason; that can only help, so it is left out.
 */
@Tag("deep")
class BellProtocolTests {

	private static final int CALLER_STEPS = 12;

	/** The steps of a caller. */
	private static final int SEQUENCE = 0, PEND = 1, LOOK_PARKED = 2, UNPARK = 3, RING = 4, SAY_ASLEEP = 5, CHECK = 6,
			SLEEP = 7, ASLEEP = 8, AWAKE = 9, NEXT = 10, DONE = 11;

	/** The steps of the receiver; below, those of the answer to one lane. */
	private static final int TAKE = 0, PARK = 1, CHECK_PENDING = 2, SLEEP_SERVER = 3, ASLEEP_SERVER = 4,
			UNPARK_SELF = 5, ANSWER = 6, LOOK_WAITING = 7, CLEAR_WAITING = 8, RING_LANE = 9;

	/** Bell that wakes the sleeper. */
	enum Kind {

		FUTEX, FIFO, FORGETFUL_FIFO, FORGETFUL_FIFO_WITHOUT_CHECK

	}

	@ParameterizedTest
	@CsvSource({ "1,3", "2,2", "3,1" })
	void nobodySleepsForEver(int callers, int calls) {
		for (Kind kind : List.of(Kind.FUTEX, Kind.FIFO, Kind.FORGETFUL_FIFO)) {
			assertThat(explore(callers, calls, kind, false)).isEmpty();
		}
	}

	/** The exploration is worth something only if it finds what is wrong. */
	@Test
	void findsASleeperThatDoesNotLookAgain() {
		assertThat(explore(1, 1, Kind.FIFO, true)).isNotEmpty();
		assertThat(explore(1, 1, Kind.FUTEX, true)).isNotEmpty();
		assertThat(explore(1, 1, Kind.FORGETFUL_FIFO_WITHOUT_CHECK, false)).isNotEmpty();
	}

	/** Returns a state in which nothing can happen although a caller has not ended. */
	private static List<State> explore(int callers, int calls, Kind kind, boolean broken) {
		Set<State> seen = new HashSet<>();
		Deque<State> open = new ArrayDeque<>();
		State first = new State(callers, calls);
		open.add(first);
		seen.add(first);
		while (!open.isEmpty()) {
			State state = open.poll();
			List<State> next = new ArrayList<>();
			for (int i = 0; i < callers; i++) {
				State after = new State(state);
				if (after.caller(i, kind, broken)) {
					next.add(after);
				}
			}
			State after = new State(state);
			if (after.server(kind, broken)) {
				next.add(after);
			}
			if (next.isEmpty() && !state.allDone()) {
				return List.of(state);
			}
			for (State one : next) {
				if (seen.add(one)) {
					open.add(one);
				}
			}
		}
		assertThat(seen).hasSizeGreaterThan(10);
		return List.of();
	}

	/** All shared words, and where everybody is. */
	private static final class State {

		private final int callers;

		private final int[] words;

		// words: per caller: step, calls left, sequence, answered, waiting, rings in its
		// FIFO;
		// then: parked, pending, rings in the server's FIFO, server step, taken, lane
		private static final int PER_CALLER = 6;

		State(int callers, int calls) {
			this.callers = callers;
			this.words = new int[callers * PER_CALLER + 6];
			for (int i = 0; i < callers; i++) {
				this.words[i * PER_CALLER + 1] = calls;
			}
		}

		State(State other) {
			this.callers = other.callers;
			this.words = other.words.clone();
		}

		private int get(int caller, int field) {
			return this.words[caller * PER_CALLER + field];
		}

		private void set(int caller, int field, int value) {
			this.words[caller * PER_CALLER + field] = value;
		}

		private int shared(int field) {
			return this.words[this.callers * PER_CALLER + field];
		}

		private void shared(int field, int value) {
			this.words[this.callers * PER_CALLER + field] = value;
		}

		boolean allDone() {
			for (int i = 0; i < this.callers; i++) {
				if (get(i, 0) != DONE) {
					return false;
				}
			}
			return true;
		}

		/** Does one step of a caller, and returns whether there was one. */
		boolean caller(int i, Kind kind, boolean broken) {
			boolean futex = kind == Kind.FUTEX;
			boolean answered = get(i, 3) == get(i, 2);
			int next = get(i, 0) + 1;
			switch (get(i, 0)) {
				case SEQUENCE -> set(i, 2, get(i, 2) + 1);
				case PEND -> shared(1, shared(1) | 1 << i);
				case LOOK_PARKED -> next = (shared(0) == 1) ? UNPARK : SAY_ASLEEP;
				case UNPARK -> {
					next = (shared(0) == 1) ? RING : SAY_ASLEEP;
					shared(0, 0);
				}
				case RING -> ringServer(futex);
				case SAY_ASLEEP -> set(i, 4, 1);
				case CHECK -> next = (answered && !broken) ? AWAKE : SLEEP;
				case SLEEP -> {
					if (forgets(kind)) {
						set(i, 5, 0);
					}
					next = (checks(kind) && get(i, 4) == 0) ? SAY_ASLEEP : ASLEEP;
				}
				case ASLEEP -> {
					if (futex || get(i, 5) == 0) {
						return false;
					}
					set(i, 5, 0);
					next = broken && answered ? AWAKE : SAY_ASLEEP;
				}
				case AWAKE -> set(i, 4, 0);
				case NEXT -> {
					set(i, 1, get(i, 1) - 1);
					next = (get(i, 1) == 0) ? DONE : SEQUENCE;
				}
				default -> {
					return false;
				}
			}
			set(i, 0, next % CALLER_STEPS);
			return true;
		}

		private static boolean checks(Kind kind) {
			return kind == Kind.FUTEX || kind == Kind.FORGETFUL_FIFO;
		}

		private static boolean forgets(Kind kind) {
			return kind == Kind.FORGETFUL_FIFO || kind == Kind.FORGETFUL_FIFO_WITHOUT_CHECK;
		}

		private void ringServer(boolean futex) {
			if (!futex) {
				shared(2, 1);
			}
			else if (shared(3) == ASLEEP_SERVER) {
				shared(3, UNPARK_SELF);
			}
		}

		private void ringLane(int i, boolean futex) {
			if (!futex) {
				set(i, 5, 1);
			}
			else if (get(i, 0) == ASLEEP) {
				set(i, 0, SAY_ASLEEP);
			}
		}

		/** Does one step of the receiver, and returns whether there was one. */
		boolean server(Kind kind, boolean broken) {
			boolean futex = kind == Kind.FUTEX;
			int lane = shared(5);
			int next = shared(3) + 1;
			switch (shared(3)) {
				case TAKE -> {
					if (shared(4) == 0) {
						shared(4, shared(1));
						shared(1, 0);
					}
					next = (shared(4) == 0) ? PARK : ANSWER;
					if (shared(4) != 0) {
						int first = Integer.numberOfTrailingZeros(shared(4));
						shared(5, first);
						shared(4, shared(4) & (shared(4) - 1));
						next = (get(first, 3) == get(first, 2)) ? TAKE : ANSWER;
					}
				}
				case PARK -> shared(0, 1);
				case CHECK_PENDING -> next = (shared(1) != 0 && !broken) ? UNPARK_SELF : SLEEP_SERVER;
				case SLEEP_SERVER -> {
					if (forgets(kind)) {
						shared(2, 0);
					}
					next = (checks(kind) && shared(0) == 0) ? UNPARK_SELF : ASLEEP_SERVER;
				}
				case ASLEEP_SERVER -> {
					if (futex || shared(2) == 0) {
						return false;
					}
					shared(2, 0);
				}
				case UNPARK_SELF -> {
					shared(0, 0);
					next = TAKE;
				}
				case ANSWER -> set(lane, 3, get(lane, 2));
				case LOOK_WAITING -> next = (get(lane, 4) != 0) ? CLEAR_WAITING : TAKE;
				case CLEAR_WAITING -> {
					next = (get(lane, 4) != 0) ? RING_LANE : TAKE;
					set(lane, 4, 0);
				}
				case RING_LANE -> {
					ringLane(lane, futex);
					next = TAKE;
				}
				default -> throw new IllegalStateException();
			}
			// An answered futex sleeper is set to its next step by the ring itself.
			shared(3, next);
			return true;
		}

		@Override
		public boolean equals(Object other) {
			return other instanceof State state && java.util.Arrays.equals(this.words, state.words);
		}

		@Override
		public int hashCode() {
			return java.util.Arrays.hashCode(this.words);
		}

		@Override
		public String toString() {
			return java.util.Arrays.toString(this.words);
		}

	}

}
