package io.github.vicinal.benchmarks.shm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.github.vicinal.benchmarks.BenchJvm;
import io.github.vicinal.benchmarks.ThreadCpu;
import org.jspecify.annotations.Nullable;

/**
 * A server and a client in JVMs of their own, which end with this one. Transports that
 * poll burn processor time without calls, so their pair is halted while others are
 * measured.
 */
final class Pair implements AutoCloseable {

	private static final long END_SECONDS = 5;

	private static final int JAVA_WITH_NATIVE_ACCESS_FLAG = 22;

	private final List<Child> children = new ArrayList<>();

	private final boolean halts;

	private final Child server;

	private final Child client;

	private boolean halted;

	private Pair(Path directory, List<String> transports, List<String> flags, boolean driver, boolean halts)
			throws IOException {
		this.halts = halts;
		boolean started = false;
		try {
			if (driver) {
				child(flags, ShmChild.DRIVE, directory, "", "");
			}
			String names = String.join(ShmChild.SEPARATOR, transports);
			this.server = child(flags, ShmChild.SERVE, directory, names, "");
			String pids = this.children.stream()
				.map((child) -> Long.toString(child.process.pid()))
				.collect(Collectors.joining(ShmChild.SEPARATOR));
			this.client = child(flags, ShmChild.CALL, directory, names, pids);
			started = true;
		}
		finally {
			if (!started) {
				close();
			}
		}
	}

	/** Starts a pair for transports that need no flags and sleep while nobody calls. */
	static Pair plain(Path directory, List<String> transports) throws IOException {
		// Futexes are used where native access is granted; older JVMs do not know the
		// flag.
		List<String> flags = (Runtime.version().feature() >= JAVA_WITH_NATIVE_ACCESS_FLAG)
				? List.of("--enable-native-access=ALL-UNNAMED") : List.of();
		return new Pair(directory, transports, flags, false, false);
	}

	/** Starts a pair for a transport that polls and needs to see into the JDK. */
	static Pair polling(Path directory, String transport) throws IOException {
		List<String> flags = new ArrayList<>(List.of("--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
				"--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
				"--add-exports=jdk.unsupported/sun.misc=ALL-UNNAMED"));
		for (String name : List.of("java.lang", "java.lang.reflect", "java.io", "java.util", "jdk.internal.misc",
				"sun.nio.ch")) {
			flags.add("--add-opens=java.base/%s=ALL-UNNAMED".formatted(name));
		}
		if (Runtime.version().feature() >= JAVA_WITH_NATIVE_ACCESS_FLAG + 2) {
			flags.add("--enable-native-access=ALL-UNNAMED");
			flags.add("--sun-misc-unsafe-memory-access=allow");
		}
		Pair pair = new Pair(directory, List.of(transport), flags, transport.equals(Transports.AERON), true);
		pair.halt();
		return pair;
	}

	private Child child(List<String> flags, String role, Path directory, String transports, String pids)
			throws IOException {
		List<String> options = new ArrayList<>(List.of("-Xmx1g"));
		options.addAll(flags);
		List<String> command = BenchJvm.command(options, ShmChild.COMMAND, role, directory.toString(), transports);
		if (!pids.isEmpty()) {
			command.add(pids);
		}
		Child child = new Child(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
		this.children.add(child);
		child.answer();
		return child;
	}

	/** Puts a load on a transport. */
	Result run(String transport, Load load, int millis) throws IOException {
		resume();
		Result result = Result.decode(this.client.ask("run", transport, load.encode(), Integer.toString(millis)));
		halt();
		return result;
	}

	/** Closes what callers of a transport have opened. */
	void closeClient(String transport) throws IOException {
		resume();
		this.client.ask("close", transport);
		halt();
	}

	/** Connects a number of clients that remain connected. */
	void peers(int count) throws IOException {
		this.client.ask("peers", Integer.toString(count));
	}

	/**
	 * Returns the number of bytes per microsecond that can be copied in blocks of a size.
	 */
	double copy(int bytes) throws IOException {
		resume();
		double speed = Double.parseDouble(this.client.ask("copy", Integer.toString(bytes)));
		halt();
		return speed;
	}

	/** Returns how many bytes the server's receivers have allocated. */
	long allocatedByReceivers() throws IOException {
		return Long.parseLong(this.server.ask("allocated"));
	}

	/**
	 * Measures the processor time while nothing is called.
	 * @param settleMillis how long to wait before
	 * @param millis for how long
	 * @return as a share of one processor
	 */
	double idle(int settleMillis, int millis) throws IOException, InterruptedException {
		resume();
		long[] pids = this.children.stream().mapToLong((child) -> child.process.pid()).toArray();
		Thread.sleep(settleMillis);
		ThreadCpu before = ThreadCpu.of(pids);
		long start = System.nanoTime();
		Thread.sleep(millis);
		double used = ThreadCpu.of(pids).microsSince(before) * 1e3 / (System.nanoTime() - start);
		halt();
		return used;
	}

	/**
	 * Binds each side to a processor of its own, or lets them run on any again.
	 * @param client the list of processors of the client, as {@code taskset} reads it
	 * @param server that of the server
	 */
	void bind(String client, String server) throws IOException {
		bind(this.client, client);
		bind(this.server, server);
	}

	private static void bind(Child child, String processors) throws IOException {
		command(List.of("taskset", "--all-tasks", "--cpu-list", "--pid", processors,
				Long.toString(child.process.pid())));
	}

	private void halt() throws IOException {
		if (this.halts && !this.halted) {
			signal("-STOP");
			this.halted = true;
		}
	}

	private void resume() throws IOException {
		if (this.halted) {
			signal("-CONT");
			this.halted = false;
		}
	}

	private void signal(String name) throws IOException {
		List<String> command = new ArrayList<>(List.of("kill", name));
		this.children.forEach((child) -> command.add(Long.toString(child.process.pid())));
		command(command);
	}

	private static void command(List<String> command) throws IOException {
		try {
			if (new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.redirectError(ProcessBuilder.Redirect.INHERIT)
				.start()
				.waitFor() != 0) {
				throw new IOException("%s failed".formatted(command));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException(ex);
		}
	}

	@Override
	public void close() throws IOException {
		resume();
		for (int i = this.children.size() - 1; i >= 0; i--) {
			this.children.get(i).close();
		}
	}

	private static final class Child {

		final Process process;

		private final BufferedReader in;

		private final PrintWriter out;

		Child(Process process) {
			this.process = process;
			// A process that is halted does not notice that its input has ended.
			Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
			this.in = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
			this.out = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8));
		}

		String ask(String... command) throws IOException {
			this.out.println(String.join(ShmChild.SEPARATOR, command));
			this.out.flush();
			String answer = answer();
			if (answer.startsWith("failed")) {
				throw new IOException("%s %s".formatted(String.join(" ", command), answer));
			}
			return answer;
		}

		String answer() throws IOException {
			@Nullable String line = this.in.readLine();
			while (line != null && !line.startsWith(ShmChild.MARK)) {
				System.err.println(line);
				line = this.in.readLine();
			}
			if (line == null) {
				throw new IOException("A process ended before it had answered");
			}
			return line.substring(ShmChild.MARK.length());
		}

		void close() {
			this.out.close();
			try {
				if (!this.process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
					this.process.destroyForcibly();
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				this.process.destroyForcibly();
			}
		}

	}

}
