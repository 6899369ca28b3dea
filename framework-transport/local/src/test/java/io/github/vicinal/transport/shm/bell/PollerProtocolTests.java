package io.github.vicinal.transport.shm.bell;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
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
 * Explores all interleavings of virtual callers, of those who answer them and of the
 * client's poller, who sleep and wake each other as {@code ClientLane},
 * {@code ServerLane} and {@code LaneClient} do: no state is reached in which a caller has
 * not ended and nothing can happen.
 * <p>
 * Each step is one access to a shared word, as in {@link BellProtocolTests}. Each lane is
 * answered by a thread of its own, which allows more than one receiver would. Callers
 * wake for no reason as well in the code; that can only help, so it is left out.
 */
@Tag("deep")
class PollerProtocolTests {

	/** The steps of a caller. */
	private static final int REQUEST = 0, NAME_SLEEPER = 1, SAY_ASLEEP = 2, CHECK = 3, PARK = 4, FORGET_SLEEPER = 5,
			SAY_AWAKE = 6, DONE = 7;

	/** Steps of the thread that answers a lane. */
	private static final int ANSWER = 0, LOOK_WAITING = 1, CLEAR_WAITING = 2, COMPLETE = 3, UNPARK_POLLER = 4, RING = 5;

	/** The steps of the poller. */
	private static final int TAKE = 0, WAKE = 1, SAY_PARKED = 2, TAKE_AGAIN = 3, WAKE_AGAIN = 4, SLEEP = 5, ASLEEP = 6,
			SAY_UNPARKED = 7;

	@ParameterizedTest
	@CsvSource({ "1,3,true", "2,1,true", "1,3,false", "2,1,false" })
	void noCallerSleepsForEver(int callers, int calls, boolean futex) {
		assertThat(explore(callers, calls, futex, Fault.NONE)).isEmpty();
	}

	/** The exploration is worth something only if it finds what is wrong. */
	@ParameterizedTest
	@CsvSource({ "true,POLLER_DOES_NOT_LOOK_AGAIN", "false,POLLER_DOES_NOT_LOOK_AGAIN", "true,CALLER_DOES_NOT_CHECK",
			"false,CALLER_DOES_NOT_CHECK", "true,RING_BEFORE_COMPLETION", "false,RING_BEFORE_COMPLETION" })
	void findsWhatIsWrong(boolean futex, Fault fault) {
		assertThat(explore(1, 1, futex, fault)).isNotEmpty();
	}

	@Test
	void severalCallersAreExploredAtOnce() {
		assertThat(explore(2, 1, true, Fault.POLLER_DOES_NOT_LOOK_AGAIN)).isNotEmpty();
	}

	/** Returns a state in which nothing can happen although a caller has not ended. */
	private static List<State> explore(int callers, int calls, boolean futex, Fault fault) {
		Set<State> seen = new HashSet<>();
		Deque<State> open = new ArrayDeque<>();
		State first = new State(callers, calls);
		open.add(first);
		seen.add(first);
		while (!open.isEmpty()) {
			State state = open.poll();
			List<State> next = new ArrayList<>();
			for (int i = 0; i < callers; i++) {
				State caller = new State(state);
				if (caller.caller(i, fault)) {
					next.add(caller);
				}
				State server = new State(state);
				if (server.server(i, futex, fault)) {
					next.add(server);
				}
			}
			State poller = new State(state);
			if (poller.poller(futex, fault)) {
				next.add(poller);
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

	private enum Fault {

		NONE, POLLER_DOES_NOT_LOOK_AGAIN, CALLER_DOES_NOT_CHECK, RING_BEFORE_COMPLETION

	}

	/** State of one caller and its lane. */
	private static final class Lane implements Cloneable {

		int step;

		int calls;

		int requested;

		int answered;

		boolean waiting;

		boolean sleeper;

		boolean permit;

		int serverStep;

		int[] words() {
			return new int[] { this.step, this.calls, this.requested, this.answered, this.waiting ? 1 : 0,
					this.sleeper ? 1 : 0, this.permit ? 1 : 0, this.serverStep };
		}

		Lane copy() {
			try {
				return (Lane) clone();
			}
			catch (CloneNotSupportedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	/** All shared words, and where everybody is. */
	private static final class State {

		private final Lane[] lanes;

		private int completed;

		private boolean parked;

		private boolean rung;

		private int pollerStep;

		private int taken;

		State(int callers, int calls) {
			this.lanes = new Lane[callers];
			for (int i = 0; i < callers; i++) {
				this.lanes[i] = new Lane();
				this.lanes[i].calls = calls;
			}
		}

		State(State other) {
			this.lanes = Arrays.stream(other.lanes).map(Lane::copy).toArray(Lane[]::new);
			this.completed = other.completed;
			this.parked = other.parked;
			this.rung = other.rung;
			this.pollerStep = other.pollerStep;
			this.taken = other.taken;
		}

		boolean allDone() {
			return Arrays.stream(this.lanes).allMatch((lane) -> lane.step == DONE);
		}

		/** Does one step of a caller, and returns whether there was one. */
		boolean caller(int i, Fault fault) {
			Lane lane = this.lanes[i];
			int next = lane.step + 1;
			switch (lane.step) {
				// The thread that gave the last answer may not have looked for a sleeper
				// yet.
				case REQUEST -> lane.requested++;
				case NAME_SLEEPER -> lane.sleeper = true;
				case SAY_ASLEEP -> lane.waiting = true;
				case CHECK -> next = (lane.answered == lane.requested && fault != Fault.CALLER_DOES_NOT_CHECK)
						? FORGET_SLEEPER : PARK;
				case PARK -> {
					if (!lane.permit) {
						return false;
					}
					lane.permit = false;
					next = (fault == Fault.CALLER_DOES_NOT_CHECK && lane.answered == lane.requested) ? FORGET_SLEEPER
							: SAY_ASLEEP;
				}
				case FORGET_SLEEPER -> lane.sleeper = false;
				case SAY_AWAKE -> {
					lane.waiting = false;
					next = (--lane.calls == 0) ? DONE : REQUEST;
				}
				default -> {
					return false;
				}
			}
			lane.step = next;
			return true;
		}

		/** Does one step of the thread that answers a lane. */
		boolean server(int i, boolean futex, Fault fault) {
			Lane lane = this.lanes[i];
			int next = lane.serverStep + 1;
			switch (lane.serverStep) {
				case ANSWER -> {
					if (lane.answered == lane.requested) {
						return false;
					}
					lane.answered++;
				}
				case LOOK_WAITING -> next = lane.waiting ? CLEAR_WAITING : ANSWER;
				case CLEAR_WAITING -> {
					next = lane.waiting ? COMPLETE : ANSWER;
					lane.waiting = false;
					if (next == COMPLETE && fault == Fault.RING_BEFORE_COMPLETION) {
						wakePoller(futex);
					}
				}
				case COMPLETE -> {
					this.completed |= 1 << i;
					next = (fault == Fault.RING_BEFORE_COMPLETION) ? ANSWER : UNPARK_POLLER;
				}
				case UNPARK_POLLER -> {
					next = this.parked ? RING : ANSWER;
					this.parked = false;
				}
				case RING -> {
					ring(futex);
					next = ANSWER;
				}
				default -> throw new IllegalStateException();
			}
			lane.serverStep = next;
			return true;
		}

		private void wakePoller(boolean futex) {
			if (this.parked) {
				this.parked = false;
				ring(futex);
			}
		}

		/** A FIFO keeps rings; a futex forgets one that nobody waits for. */
		private void ring(boolean futex) {
			if (!futex) {
				this.rung = true;
			}
			else if (this.pollerStep == ASLEEP) {
				this.pollerStep = SAY_UNPARKED;
			}
		}

		/** Does one step of the poller. */
		boolean poller(boolean futex, Fault fault) {
			int next = this.pollerStep + 1;
			switch (this.pollerStep) {
				case TAKE, TAKE_AGAIN -> {
					boolean again = this.pollerStep == TAKE_AGAIN;
					if (!again || fault != Fault.POLLER_DOES_NOT_LOOK_AGAIN) {
						this.taken = this.completed;
						this.completed = 0;
					}
					if (this.taken == 0) {
						next = again ? SLEEP : SAY_PARKED;
					}
				}
				case WAKE, WAKE_AGAIN -> {
					boolean again = this.pollerStep == WAKE_AGAIN;
					Lane lane = this.lanes[Integer.numberOfTrailingZeros(this.taken)];
					lane.permit |= lane.sleeper;
					this.taken &= this.taken - 1;
					if (this.taken != 0) {
						next = this.pollerStep;
					}
					else {
						next = again ? SAY_UNPARKED : TAKE;
					}
				}
				case SAY_PARKED -> this.parked = true;
				case SLEEP -> next = (futex && !this.parked) ? SAY_UNPARKED : ASLEEP;
				case ASLEEP -> {
					if (futex || !this.rung) {
						return false;
					}
					this.rung = false;
				}
				case SAY_UNPARKED -> {
					this.parked = false;
					next = TAKE;
				}
				default -> throw new IllegalStateException();
			}
			this.pollerStep = next;
			return true;
		}

		private int[] words() {
			int[] words = Arrays.stream(this.lanes).flatMapToInt((lane) -> Arrays.stream(lane.words())).toArray();
			int[] all = Arrays.copyOf(words, words.length + 5);
			all[words.length] = this.completed;
			all[words.length + 1] = this.parked ? 1 : 0;
			all[words.length + 2] = this.rung ? 1 : 0;
			all[words.length + 3] = this.pollerStep;
			all[words.length + 4] = this.taken;
			return all;
		}

		@Override
		public boolean equals(Object other) {
			return other instanceof State state && Arrays.equals(words(), state.words());
		}

		@Override
		public int hashCode() {
			return Arrays.hashCode(words());
		}

		@Override
		public String toString() {
			return Arrays.toString(words());
		}

	}

}
