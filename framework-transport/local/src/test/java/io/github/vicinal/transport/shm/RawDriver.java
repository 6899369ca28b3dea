package io.github.vicinal.transport.shm;

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
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.shm.lane.ClientLane;
import io.github.vicinal.transport.testing.Contracts;

/**
 * Measures raw 1 KB echoes between two JVMs with different ways to wait, taking turns.
 * Not a test; run it on an otherwise idle machine.
 */
public final class RawDriver {

	private static final int BODY_BYTES = 1024;

	private static final int MAX_SAMPLES = 1 << 21;

	private static final long NANOS_PER_TICK = 10_000_000;

	private static volatile boolean hogging;

	private RawDriver() {
	}

	/**
	 * Runs the measurement, or a server for it.
	 * @param args ways to wait (comma), callers (comma; 0 is paced), hogs, seconds,
	 * repeats, body bytes
	 */
	public static void main(String[] args) throws Exception {
		if (args[0].equals("serve")) {
			RawLanes.serve(Path.of(args[1]), new PeerIdentity(args[2], PeerIdentity.NO_HOST), ShmOptions.defaults(),
					false, RawLanes.echo());
			System.out.println("ready");
			while (System.in.read() >= 0) {
				// Only the end counts.
			}
			System.exit(0);
		}
		String[] modes = args[0].split(",");
		int hogs = Integer.parseInt(args[2]);
		double seconds = Double.parseDouble(args[3]);
		int repeats = Integer.parseInt(args[4]);
		int bytes = (args.length > 5) ? Integer.parseInt(args[5]) : BODY_BYTES;
		Path directory = ShmFixture.memoryDirectory();
		PeerIdentity identity = PeerIdentity.create(PeerIdentity.NO_HOST);
		Process server = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
				RawDriver.class.getName(), "serve", directory.toString(), identity.instanceId())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		server.getInputStream().read();
		for (int i = 0; i < hogs; i++) {
			Thread hog = new Thread(() -> {
				long x = 0;
				while (!Thread.currentThread().isInterrupted()) {
					x = hogging ? x * 31 + 1 : pause();
				}
			});
			hog.setDaemon(true);
			hog.start();
		}
		try (RawLanes.Client client = RawLanes.connect(directory, identity.instanceId(), ShmOptions.defaults(),
				false)) {
			System.out.printf("load %s bells %s%n", Files.readString(Path.of("/proc/loadavg")).strip(),
					client.lanes().bellKind());
			client.waiting("yield-5");
			run(client, 8, 1, bytes);
			for (String callers : args[1].split(",")) {
				int count = Integer.parseInt(callers);
				List<List<double[]>> results = new ArrayList<>();
				for (int m = 0; m < modes.length; m++) {
					results.add(new ArrayList<>());
				}
				hogging = true;
				for (int r = 0; r < repeats; r++) {
					for (int m = 0; m < modes.length; m++) {
						client.waiting(modes[m]);
						run(client, count, 0.2, bytes);
						long cpu = cpu(server.pid()) + cpu(ProcessHandle.current().pid());
						long bans = client.lanes().waits().bans();
						long[] nanos = run(client, count, seconds, bytes);
						double used = cpu(server.pid()) + cpu(ProcessHandle.current().pid()) - cpu;
						results.get(m)
							.add(new double[] { nanos[nanos.length / 2] / 1e3, nanos[(int) (nanos.length * 0.99)] / 1e3,
									nanos[(int) (nanos.length * 0.999)] / 1e3, used / 1e3 / nanos.length, nanos.length,
									client.lanes().waits().bans() - bans });
					}
				}
				hogging = false;
				for (int m = 0; m < modes.length; m++) {
					double[] median = new double[6];
					for (int i = 0; i < 6; i++) {
						int field = i;
						double[] all = results.get(m).stream().mapToDouble((x) -> x[field]).sorted().toArray();
						median[i] = all[all.length / 2];
					}
					System.out.printf(
							"%2d callers %-18s cost %8.2f  p50 %8.2f p99 %8.1f p99.9 %8.0f cpu %7.2f us  n %8.0f bans %.0f%n",
							count, modes[m], median[0] + median[1] / 10 + median[3], median[0], median[1], median[2],
							median[3], median[4], median[5]);
				}
				System.out.println("   state: " + client.lanes().waiting());
			}
		}
		server.destroy();
		server.waitFor();
		System.exit(0);
	}

	private static long pause() {
		LockSupport.parkNanos(1_000_000);
		return 0;
	}

	private static long[] run(RawLanes.Client client, int callers, double seconds, int bytes) throws Exception {
		long end = System.nanoTime() + (long) (seconds * 1e9);
		int threads = Math.max(1, callers);
		ExecutorService pool = Executors.newFixedThreadPool(threads);
		List<Callable<long[]>> tasks = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			tasks.add(() -> caller(client, end, callers == 0, bytes, MAX_SAMPLES / threads));
		}
		long[] all = {};
		for (Future<long[]> future : pool.invokeAll(tasks)) {
			long[] nanos = future.get();
			int size = all.length;
			all = Arrays.copyOf(all, size + nanos.length);
			System.arraycopy(nanos, 0, all, size, nanos.length);
		}
		pool.shutdown();
		Arrays.sort(all);
		return all;
	}

	private static long[] caller(RawLanes.Client client, long end, boolean paced, int bytes, int samples)
			throws Exception {
		byte[] body = Contracts.pattern(bytes, 1);
		long[] nanos = new long[samples];
		int count = 0;
		ClientLane lane = client.lanes().acquire(ClientLane.NO_DEADLINE);
		long before = System.nanoTime();
		while (before < end && count < samples) {
			lane.exchange(body, bytes, ClientLane.NO_DEADLINE);
			long after = System.nanoTime();
			nanos[count++] = after - before;
			before = after;
			if (paced) {
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
				before = System.nanoTime();
			}
		}
		client.lanes().release(lane);
		return Arrays.copyOf(nanos, count);
	}

	/** Processor time of a process in nanoseconds. */
	private static long cpu(long pid) throws IOException {
		String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
		String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
		return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * NANOS_PER_TICK;
	}

}
