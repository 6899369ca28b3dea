package io.github.vicinal.selection;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Calls begin, end and are recorded while paths close, open and fail, in any order of
 * their steps: no call is counted twice or lost, and what is published in the end is what
 * the rules decided.
 */
@Timeout(120)
@Tag("deep")
class PathSelectorInterleavingTests {

	@Test
	void byTurns() {
		new ModelCheckingOptions().iterations(5)
			.invocationsPerIteration(100)
			.threads(2)
			.actorsPerThread(2)
			.actorsBefore(1)
			.actorsAfter(0)
			.check(Calls.class);
	}

	@Test
	void atOnce() {
		new StressOptions().iterations(10)
			.invocationsPerIteration(500)
			.threads(3)
			.actorsPerThread(3)
			.actorsBefore(1)
			.actorsAfter(0)
			.check(Calls.class);
	}

	/** Calls by two paths, the second of which stays open. */
	@Param(name = "time", gen = IntGen.class, conf = "1:40")
	public static class Calls {

		private static final int STABLE = 1;

		private static final int BYTES = 100;

		private final PathSelector selector = new PathSelector(List.of("shm", "uds"), 1,
				PathSelector.Settings.defaults(true), (change) -> {
				});

		private final AtomicLong made = new AtomicLong();

		public Calls() {
			this.selector.opened(STABLE, 1);
			this.selector.opened(0, 1);
		}

		@Operation
		public void call(@Param(name = "time") int millis) {
			long now = millis * 1_000_000L;
			int path = this.selector.choose(BYTES, true, now);
			if (path == PathSelector.NONE) {
				throw new IllegalStateException("a path was open all the time");
			}
			int ticket = this.selector.begin(path, 0, BYTES);
			this.made.incrementAndGet();
			if (this.selector.inFlight() < 0) {
				throw new IllegalStateException("calls have ended that did not begin");
			}
			this.selector.end(path, ticket, true);
			this.selector.record(path, 0, BYTES, BYTES, true, 1_000, 1, now);
		}

		@Operation
		public void failedCall(@Param(name = "time") int millis) {
			int path = this.selector.choose(BYTES, false, millis * 1_000_000L);
			int ticket = this.selector.begin(path, 0, BYTES);
			this.made.incrementAndGet();
			this.selector.end(path, ticket, false);
			this.selector.failed(path, BYTES, millis * 1_000_000L);
		}

		@Operation
		public void close(@Param(name = "time") int millis) {
			this.selector.closed(0, millis * 1_000_000L);
		}

		@Operation
		public void open(@Param(name = "time") int millis) {
			this.selector.opened(0, millis * 1_000_000L);
		}

		@Validate
		public void nothingIsLost() {
			long begun = this.selector.cost(0).begun() + this.selector.cost(STABLE).begun();
			int current = this.selector.current(BYTES);
			if (begun != this.made.get() || this.selector.inFlight() != 0) {
				throw new IllegalStateException("%d calls made, %d counted, %d in flight".formatted(this.made.get(),
						begun, this.selector.inFlight()));
			}
			if (current == PathSelector.NONE || !this.selector.cost(current).open()) {
				throw new IllegalStateException("path %d is published, which is closed".formatted(current));
			}
		}

	}

}
