package io.github.vicinal.benchmarks.jmh;

import java.util.concurrent.TimeUnit;

import io.github.vicinal.requestserver.Permit;
import io.github.vicinal.requestserver.Priority;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.requestserver.RequestServerSettings;
import io.github.vicinal.requestserver.RequestServerSettings.Threads;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Cost that a free permit of the request server adds to a call. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class PermitBenchmark {

	private final RequestServer server = new RequestServer(
			RequestServerSettings.of("benchmark", new Threads.Fixed(200)));

	@TearDown
	public void stop() {
		this.server.close();
	}

	@Benchmark
	public Permit permit() {
		try (Permit permit = this.server.enter("benchmark", Priority.NORMAL)) {
			return permit;
		}
	}

}
