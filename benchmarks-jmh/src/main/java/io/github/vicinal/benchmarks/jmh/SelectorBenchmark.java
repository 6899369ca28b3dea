package io.github.vicinal.benchmarks.jmh;

import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.selection.PathSelector;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Cost that the choice of a path adds to a call that takes no time. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class SelectorBenchmark {

	private static final int BYTES = 900;

	/** Assumed duration of calls; the slower they are, the more of them are timed. */
	@Param({ "2000", "60000", "300000" })
	public long callNanos;

	private final PathSelector selector = new PathSelector(List.of("shm", "uds", "http"), 1,
			PathSelector.Settings.defaults(true), (change) -> {
			});

	@Setup
	public void open() {
		for (int path = 2; path >= 0; path--) {
			this.selector.opened(path, System.nanoTime());
		}
	}

	@Benchmark
	public int call() {
		int path = this.selector.choose(BYTES, true, System.nanoTime());
		int ticket = this.selector.begin(path, 0, BYTES);
		this.selector.end(path, ticket, true);
		if (ticket != PathSelector.UNTIMED) {
			this.selector.record(path, 0, BYTES, BYTES, true, this.callNanos * (1 + path), 1, System.nanoTime());
		}
		return path;
	}

}
