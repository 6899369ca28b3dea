package io.github.vicinal.transport.uds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.transport.testing.Contracts;

/**
 * Measures 1 KB echoes between two JVMs: median latency, and CPU time of both processes
 * per call. Not a test; run it on an otherwise idle machine.
 */
public final class EchoDriver {

	private static final int BODY_BYTES = 1024;

	/** The unit of /proc/PID/stat. */
	private static final double MICROS_PER_TICK = 10_000;

	private EchoDriver() {
	}

	/**
	 * Runs the measurement.
	 * @param args seconds per run, and whether calls have a deadline
	 */
	public static void main(String[] args) throws Exception {
		double seconds = (args.length > 0) ? Double.parseDouble(args[0]) : 3;
		boolean deadline = args.length > 1 && Boolean.parseBoolean(args[1]);
		System.setProperty("child.tier", "4");
		System.out.println("load " + Files.readString(Path.of("/proc/loadavg")).strip());
		try (UdsFixture uds = new UdsFixture(); ChildServer child = ChildServer.start(uds.directory, uds.identity())) {
			CallPath path = uds.connect(uds.provider(UdsOptions.defaults()), child.identity());
			long server = child.process().pid();
			for (int callers : new int[] { 1, 8 }) {
				run(uds, path, callers, seconds, deadline);
				long before = ticks(server) + ticks(ProcessHandle.current().pid());
				long[] nanos = run(uds, path, callers, seconds, deadline);
				long used = ticks(server) + ticks(ProcessHandle.current().pid()) - before;
				System.out.printf("%d callers: %d calls, p50 %.1f us, p99 %.1f us, CPU %.1f us per call%n", callers,
						nanos.length, nanos[nanos.length / 2] / 1e3, nanos[(int) (nanos.length * 0.99)] / 1e3,
						used * MICROS_PER_TICK / nanos.length);
			}
		}
	}

	private static long[] run(UdsFixture uds, CallPath path, int callers, double seconds, boolean deadline)
			throws Exception {
		long end = System.nanoTime() + (long) (seconds * 1e9);
		ExecutorService threads = Executors.newFixedThreadPool(callers);
		List<Callable<long[]>> tasks = new ArrayList<>();
		for (int i = 0; i < callers; i++) {
			tasks.add(() -> caller(uds, path, end, deadline));
		}
		long[] all = {};
		for (Future<long[]> future : threads.invokeAll(tasks)) {
			long[] nanos = future.get();
			int size = all.length;
			all = Arrays.copyOf(all, size + nanos.length);
			System.arraycopy(nanos, 0, all, size, nanos.length);
		}
		threads.shutdown();
		Arrays.sort(all);
		return all;
	}

	private static long[] caller(UdsFixture uds, CallPath path, long end, boolean deadline) throws Exception {
		byte[] body = Contracts.pattern(BODY_BYTES, 1);
		long[] nanos = new long[1 << 20];
		int count = 0;
		long before = System.nanoTime();
		while (before < end) {
			CallFrame frame = Contracts.callBefore(uds.contract, "bytes",
					deadline ? before + TimeUnit.SECONDS.toNanos(5) : CallFrame.NO_DEADLINE, (Object) body);
			path.call(frame);
			long after = System.nanoTime();
			nanos[count++] = after - before;
			before = after;
		}
		return Arrays.copyOf(nanos, count);
	}

	private static long ticks(long pid) throws IOException {
		String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
		String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
		return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
	}

}
