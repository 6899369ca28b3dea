package io.github.vicinal.benchmarks.jmh;

import java.util.concurrent.TimeUnit;

import io.github.vicinal.benchmarks.wait.RawServer;
import io.github.vicinal.path.PathException;
import io.github.vicinal.transport.shm.RawLanes;
import io.github.vicinal.transport.shm.lane.ClientLane;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Bytes through shared memory to another process and back; allocates nothing. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class RawCallBenchmark {

	/** Size of the request and of the answer. */
	@Param({ "16", "1024", "102400" })
	public int bytes;

	@SuppressWarnings("NullAway.Init")
	private RawServer server;

	@SuppressWarnings("NullAway.Init")
	private RawLanes.Client client;

	private byte[] body = new byte[0];

	@Setup
	public void start() throws Exception {
		this.server = RawServer.start();
		this.client = this.server.connect();
		this.body = new byte[this.bytes];
	}

	@TearDown
	public void stop() throws Exception {
		this.client.close();
		this.server.close();
	}

	@Benchmark
	public int call() throws PathException {
		ClientLane lane = this.client.lanes().acquire(ClientLane.NO_DEADLINE);
		try {
			return lane.exchangeInPlace(this.body, this.body.length, ClientLane.NO_DEADLINE).remaining();
		}
		finally {
			this.client.lanes().release(lane);
		}
	}

}
