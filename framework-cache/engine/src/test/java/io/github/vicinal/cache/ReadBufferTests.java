package io.github.vicinal.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.IntRange;
import io.github.vicinal.testing.property.Property;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reads may be lost where threads meet, but none is reported twice, and a thread that is
 * alone loses none.
 */
class ReadBufferTests {

	private static final int STRIPE = 16;

	@Property(tries = 200)
	void aThreadAloneLosesNothing(@ForAll @IntRange(min = 1, max = 200) int reads,
			@ForAll @IntRange(min = 0, max = 8) int stripesLog) {
		ReadBuffer<Integer> buffer = new ReadBuffer<>(1 << stripesLog);
		List<Integer> reported = new ArrayList<>();
		for (int i = 0; i < reads; i++) {
			if (buffer.offer(i)) {
				buffer.drain(reported::add);
			}
		}
		buffer.drain(reported::add);
		assertThat(reported).containsExactlyElementsOf(IntStream.range(0, reads).boxed().toList());
		assertThat(buffer.left()).isEmpty();
	}

	@Test
	void drainingTooLateLosesTheOldest() {
		ReadBuffer<Integer> buffer = new ReadBuffer<>(1);
		for (int i = 0; i < STRIPE + 3; i++) {
			buffer.offer(i);
		}
		List<Integer> reported = new ArrayList<>();
		buffer.drain(reported::add);
		assertThat(reported).containsExactlyInAnyOrderElementsOf(IntStream.range(3, STRIPE + 3).boxed().toList());
	}

	@ParameterizedTest
	@CsvSource({ "0, 4", "1, 4", "2, 8", "3, 16", "4, 16", "5, 32", "8, 32", "16, 64", "32, 128", "48, 128", "64, 128",
			"500, 128" })
	void thereAreFourStripesForEachProcessor(int processors, int stripes) {
		assertThat(ReadBuffer.stripes(processors)).isEqualTo(stripes);
	}

	@Test
	@Tag("deep")
	void everyInterleavingOfThreadsThatMeet() {
		explore(3, Meeting.class);
		stress(3, Meeting.class);
	}

	@Test
	@Tag("deep")
	void everyInterleavingOfAReaderAndADrain() {
		explore(2, Alone.class);
		stress(2, Alone.class);
	}

	@Test
	@Tag("deep")
	void everyInterleavingOfAReaderThatLapsAndADrain() {
		explore(2, Lapping.class);
		stress(2, Lapping.class);
	}

	private static void explore(int threads, Class<?> buffers) {
		new ModelCheckingOptions().threads(threads)
			.actorsPerThread(2)
			.actorsBefore(0)
			.actorsAfter(1)
			.iterations(3)
			.invocationsPerIteration(100)
			.sequentialSpecification(Anything.class)
			.check(buffers);
	}

	private static void stress(int threads, Class<?> buffers) {
		new StressOptions().threads(threads)
			.actorsPerThread(4)
			.actorsBefore(0)
			.actorsAfter(1)
			.iterations(5)
			.invocationsPerIteration(300)
			.sequentialSpecification(Anything.class)
			.check(buffers);
	}

	/** Operations answer nothing: what holds is validated at the end. */
	public static class Anything {

		public void offer(int read) {
		}

		public void drain() {
		}

		public void drainOwn() {
		}

	}

	/**
	 * One stripe for all. One thread at a time drains, as under the cache's lock.
	 */
	public abstract static class OneStripe {

		final ReadBuffer<Read> buffer = new ReadBuffer<>(1);

		/** In the order of offers, if one thread makes them. */
		final List<Read> offered = new ArrayList<>();

		final List<Read> reported = new ArrayList<>();

		OneStripe(int first) {
			for (int i = 0; i < first; i++) {
				offerAlone(-i);
			}
		}

		final void offerAlone(int number) {
			Read read = new Read(number);
			this.offered.add(read);
			this.buffer.offer(read);
		}

		@Operation(nonParallelGroup = "draining")
		public void drain() {
			this.buffer.drain(this::report);
		}

		@Operation(nonParallelGroup = "draining")
		public void drainOwn() {
			this.buffer.drain(this.buffer.stripe(), this::report);
		}

		private void report(Read read) {
			read.reported++;
			this.reported.add(read);
		}

		final void checkEach(List<Read> reads, int reported) {
			for (Read read : reads) {
				check(read.reported == reported);
			}
		}

		final void check(boolean holds) {
			if (!holds) {
				throw new AssertionError("Offered: %s, reported: %s, left: %s".formatted(this.offered, this.reported,
						this.buffer.left()));
			}
		}

	}

	/** The stripe is full at first: each read overwrites another. */
	@Param(name = "read", gen = IntGen.class, conf = "1:1000")
	public static class Meeting extends OneStripe {

		public Meeting() {
			super(STRIPE);
		}

		@Operation
		public void offer(@Param(name = "read") int read) {
			this.buffer.offer(new Read(read));
		}

		@Validate
		public void noneIsReportedTwiceAndNoneOfThoseThatFollowIsLost() {
			drain();
			check(!this.reported.isEmpty());
			checkEach(this.reported, 1);
			checkEach(this.buffer.left(), 0);
			// However far threads that met have moved the cursor, one that is alone then
			// loses nothing.
			this.reported.clear();
			this.offered.clear();
			for (int i = 0; i < STRIPE; i++) {
				offerAlone(i);
			}
			drain();
			check(this.reported.equals(this.offered));
			check(this.buffer.left().isEmpty());
		}

	}

	/** The stripe is empty at first, and is not filled. */
	@Param(name = "read", gen = IntGen.class, conf = "1:1000")
	public static class Alone extends OneStripe {

		public Alone() {
			super(0);
		}

		@Operation(nonParallelGroup = "reading")
		public void offer(@Param(name = "read") int read) {
			offerAlone(read);
		}

		@Validate
		public void allAreReportedInOrder() {
			drain();
			check(this.reported.equals(this.offered));
			check(this.buffer.left().isEmpty());
		}

	}

	/** The stripe is full at first: each read overwrites another. */
	@Param(name = "read", gen = IntGen.class, conf = "1:1000")
	public static class Lapping extends OneStripe {

		public Lapping() {
			super(STRIPE);
		}

		@Operation(nonParallelGroup = "reading")
		public void offer(@Param(name = "read") int read) {
			offerAlone(read);
		}

		@Validate
		public void noneIsReportedTwiceAndNoneIsLeft() {
			drain();
			check(!this.reported.isEmpty());
			checkEach(this.reported, 1);
			check(this.buffer.left().isEmpty());
		}

	}

	/** A read, and number of times that it was reported to the policy. */
	static final class Read {

		private final int number;

		private int reported;

		Read(int number) {
			this.number = number;
		}

		@Override
		public String toString() {
			return this.number + "*" + this.reported;
		}

	}

}
