package io.github.vicinal.benchmarks.shm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.sun.management.ThreadMXBean;
import org.slf4j.LoggerFactory;

/**
 * A process of a {@link Pair}: reads one command per line, and answers each with one line
 * that begins with a mark.
 */
public final class ShmChild {

	/** The first argument that makes a JVM this process. */
	public static final String COMMAND = "shm-child";

	static final String SERVE = "serve";

	static final String CALL = "call";

	static final String DRIVE = "drive";

	/** Prefix of each answer; all other lines come from libraries. */
	static final String MARK = "@ ";

	static final String SEPARATOR = ";";

	private static final String RECEIVER = "-receiver-";

	private static final int COPIES = 2_000;

	private final Path directory;

	private final Map<String, Transport.Client> clients = new HashMap<>();

	private final Map<String, List<Transport.Caller>> callers = new HashMap<>();

	private final List<Transport.Client> peers = new ArrayList<>();

	private final LoadRunner runner;

	private ShmChild(Path directory, long[] pids) {
		this.directory = directory;
		this.runner = new LoadRunner(pids);
	}

	/**
	 * Runs until standard input ends.
	 * @param arguments the command, a role, a directory, and what the role needs
	 * @throws Exception if it cannot start
	 */
	public static void main(String[] arguments) throws Exception {
		if (LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME) instanceof Logger root) {
			root.setLevel(Level.ERROR);
		}
		Path directory = Path.of(arguments[2]);
		List<AutoCloseable> open = new ArrayList<>();
		PrintStream out = System.out;
		switch (arguments[1]) {
			case DRIVE -> open.add(AeronTransport.driver(directory));
			case SERVE -> {
				for (String name : arguments[3].split(SEPARATOR)) {
					open.add(Transports.of(name).serve(directory));
				}
			}
			default -> {
			}
		}
		ShmChild child = new ShmChild(directory, (arguments.length > 4) ? pids(arguments[4]) : new long[0]);
		out.println(MARK + "ready");
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = in.readLine(); line != null; line = in.readLine()) {
			out.println(MARK + child.answer(line.split(SEPARATOR)));
		}
		child.runner.close();
		for (AutoCloseable closeable : open) {
			closeable.close();
		}
		System.exit(0);
	}

	/** Those of the other processes, and this one's. */
	private static long[] pids(String others) {
		return LongStream
			.concat(Arrays.stream(others.split(SEPARATOR)).mapToLong(Long::parseLong),
					LongStream.of(ProcessHandle.current().pid()))
			.toArray();
	}

	private String answer(String[] command) {
		try {
			return switch (command[0]) {
				case "run" -> run(command[1], Load.decode(command[2]), Integer.parseInt(command[3]));
				case "close" -> close(command[1]);
				case "peers" -> peers(Integer.parseInt(command[1]));
				case "copy" -> copy(Integer.parseInt(command[1]));
				case "allocated" -> Long.toString(allocated());
				default -> throw new IllegalArgumentException("There is no command '%s'".formatted(command[0]));
			};
		}
		catch (Exception ex) {
			ex.printStackTrace();
			return "failed " + ex;
		}
	}

	private String run(String name, Load load, int millis) throws Exception {
		Transport.Client client = this.clients.get(name);
		if (client == null) {
			client = Transports.of(name).connect(this.directory);
			this.clients.put(name, client);
		}
		List<Transport.Caller> made = this.callers.computeIfAbsent(name, (key) -> new ArrayList<>());
		while (made.size() < load.callers()) {
			made.add(client.caller(made.size()));
		}
		return this.runner.run(made.subList(0, load.callers()), load, millis, Transports.maxCalls(name, load)).encode();
	}

	private String close(String name) throws Exception {
		this.callers.remove(name);
		Transport.Client client = this.clients.remove(name);
		if (client != null) {
			client.close();
		}
		return "closed";
	}

	/** Connects, makes one call with each, and leaves them idle. */
	private String peers(int count) throws Exception {
		for (int i = 0; i < count; i++) {
			Transport.Client client = Transports.of(Transports.LEARNED).connect(this.directory);
			client.caller(0).call(Work.request(64, 0));
			this.peers.add(client);
		}
		return "connected";
	}

	/**
	 * Returns the number of bytes that can be copied per microsecond, in blocks of a
	 * size.
	 */
	private static String copy(int bytes) {
		byte[] from = Work.request(bytes, 0);
		byte[] to = new byte[bytes];
		double best = 0;
		for (int repeat = 0; repeat < 5; repeat++) {
			long start = System.nanoTime();
			for (int i = 0; i < COPIES; i++) {
				System.arraycopy(from, 0, to, 0, bytes);
				from[i % bytes]++;
			}
			best = Math.max(best, (double) COPIES * bytes * 1e3 / (System.nanoTime() - start));
		}
		if (to[bytes / 2] != from[bytes / 2]) {
			throw new IllegalStateException("The copy differs");
		}
		return Double.toString(best);
	}

	/**
	 * Returns the number of bytes that the receivers of lanes have allocated on the heap.
	 */
	private static long allocated() {
		ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long sum = 0;
		for (java.lang.management.ThreadInfo thread : bean.getThreadInfo(bean.getAllThreadIds())) {
			if (thread != null && thread.getThreadName().contains(RECEIVER)) {
				sum += bean.getThreadAllocatedBytes(thread.getThreadId());
			}
		}
		return sum;
	}

}
