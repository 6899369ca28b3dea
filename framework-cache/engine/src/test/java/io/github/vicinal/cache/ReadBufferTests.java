package io.github.vicinal.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reads may be lost where threads meet, but none is told twice, and a thread that is
 * alone loses none.
 */
class ReadBufferTests {

	private static final int STRIPE = 16;

	@Property(tries = 200)
	void aThreadAloneLosesNothing(@ForAll @IntRange(min = 1, max = 200) int reads,
			@ForAll @IntRange(min = 0, max = 8) int stripesLog) {
		ReadBuffer<Integer> buffer = new ReadBuffer<>(1 << stripesLog);
		List<Integer> told = new ArrayList<>();
		for (int i = 0; i < reads; i++) {
			if (buffer.offer(i)) {
				buffer.drain(told::add);
			}
		}
		buffer.drain(told::add);
		assertThat(told).containsExactlyElementsOf(IntStream.range(0, reads).boxed().toList());
	}

	@Test
	void whoeverDrainsTooLateLosesTheOldest() {
		ReadBuffer<Integer> buffer = new ReadBuffer<>(1);
		for (int i = 0; i < STRIPE + 3; i++) {
			buffer.offer(i);
		}
		List<Integer> told = new ArrayList<>();
		buffer.drain(told::add);
		assertThat(told).containsExactlyInAnyOrderElementsOf(IntStream.range(3, STRIPE + 3).boxed().toList());
	}

	@Test
	void everyInterleavingOfThreadsThatMeet() {
		new ModelCheckingOptions().threads(3)
			.actorsPerThread(2)
			.actorsBefore(0)
			.actorsAfter(1)
			.iterations(5)
			.invocationsPerIteration(100)
			.sequentialSpecification(Anything.class)
			.check(Meeting.class);
	}

	@Test
	void threadsThatMeetUnderStress() {
		new StressOptions().threads(3)
			.actorsPerThread(4)
			.actorsBefore(0)
			.actorsAfter(1)
			.iterations(10)
			.invocationsPerIteration(500)
			.sequentialSpecification(Anything.class)
			.check(Meeting.class);
	}

	/** Operations answer nothing: what holds is validated at the end. */
	public static class Anything {

		public void offer(int read) {
		}

		public void drain() {
		}

	}

	/** One stripe for all, which is full at first: each read overwrites another. */
	@Param(name = "read", gen = IntGen.class, conf = "1:1000")
	public static class Meeting {

		private final ReadBuffer<Read> buffer = new ReadBuffer<>(1);

		private final List<Read> told = new ArrayList<>();

		public Meeting() {
			for (int i = 0; i < STRIPE; i++) {
				offer(-i);
			}
		}

		@Operation
		public void offer(@Param(name = "read") int read) {
			this.buffer.offer(new Read(read));
		}

		/** By one thread at a time, as under the lock of the cache. */
		@Operation(nonParallelGroup = "draining")
		public void drain() {
			this.buffer.drain((read) -> {
				read.told++;
				this.told.add(read);
			});
		}

		@Validate
		public void noneIsToldTwiceAndNoneIsLeft() {
			drain();
			int before = this.told.size();
			drain();
			if (before == 0 || this.told.size() > before) {
				throw new AssertionError(before + " reads were told, and then " + this.told.size());
			}
			for (Read read : this.told) {
				if (read.told != 1) {
					throw new AssertionError("Read " + read.number + " was told " + read.told + " times");
				}
			}
		}

	}

	/** A read, and how often the policy was told of it. */
	static final class Read {

		private final int number;

		private int told;

		Read(int number) {
			this.number = number;
		}

	}

}
