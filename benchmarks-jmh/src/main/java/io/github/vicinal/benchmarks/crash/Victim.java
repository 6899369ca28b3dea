package io.github.vicinal.benchmarks.crash;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.benchmarks.BenchJvm;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.shm.RawLanes;
import io.github.vicinal.transport.shm.ShmOptions;
import io.github.vicinal.transport.shm.ShmPathServer;

/** A process that will be killed: a server, or a client of a server of this process. */
public final class Victim implements AutoCloseable {

	/** The command line that makes this program a victim. */
	public static final String COMMAND = "crash-victim";

	static final int CALLERS = 4;

	private static final String SERVER = "server";

	private static final String CLIENT = "client";

	private static final String READY = "ready";

	private static final String CALLING = "calling";

	private static final String WRONG = "wrong: ";

	private final Process process;

	private final BufferedReader lines;

	private final String instanceId;

	private final boolean server;

	private Victim(Process process, String instanceId, boolean server) {
		this.process = process;
		this.instanceId = instanceId;
		this.server = server;
		this.lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
	}

	/** Starts a server in a directory. */
	static Victim server(Path directory) throws IOException {
		String instanceId = PeerIdentity.create(PeerIdentity.NO_HOST).instanceId();
		return new Victim(start(SERVER, directory, instanceId, "0"), instanceId, true);
	}

	/** Starts a client, which waits for {@link #go()}. */
	static Victim client(Path directory, String serverId, long firstCaller) throws IOException {
		return new Victim(start(CLIENT, directory, serverId, Long.toString(firstCaller)), serverId, false);
	}

	private static Process start(String kind, Path directory, String instanceId, String firstCaller)
			throws IOException {
		List<String> command = BenchJvm.command(List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
				COMMAND, kind, directory.toString(), instanceId, firstCaller);
		return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
	}

	boolean isServer() {
		return this.server;
	}

	String instanceId() {
		return this.instanceId;
	}

	long pid() {
		return this.process.pid();
	}

	void awaitReady() throws IOException {
		await(READY);
	}

	/** Lets a client connect and call. */
	void go() throws IOException {
		OutputStream input = this.process.getOutputStream();
		input.write('\n');
		input.flush();
	}

	/** Waits until a client has made calls. */
	void awaitCalls() throws IOException {
		await(CALLING);
	}

	private void await(String word) throws IOException {
		// The lines between are the log's.
		String line = this.lines.readLine();
		while (line != null && !line.equals(word)) {
			line = this.lines.readLine();
		}
		if (line == null) {
			throw new IOException("The victim ended before it said '%s'".formatted(word));
		}
	}

	/** Kills the process with SIGKILL, and returns at once; what it said can be read. */
	void kill() {
		this.process.toHandle().destroyForcibly();
	}

	/** Returns what the process complained of before it died. */
	List<String> complaints() throws IOException {
		return this.lines.lines().filter((line) -> line.startsWith(WRONG)).toList();
	}

	/** Returns the number of complaints that can be read without waiting. */
	int complaintsSoFar() throws IOException {
		int count = 0;
		while (this.lines.ready()) {
			count += this.lines.readLine().startsWith(WRONG) ? 1 : 0;
		}
		return count;
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

	/**
	 * Runs a victim.
	 * @param arguments the command, the kind, the directory, the instance id of the
	 * server, the number of the first caller
	 * @throws Exception if it cannot serve or call
	 */
	public static void main(String[] arguments) throws Exception {
		Path directory = Path.of(arguments[2]);
		if (arguments[1].equals(SERVER)) {
			serve(directory, arguments[3]);
		}
		else {
			call(directory, arguments[3], Long.parseLong(arguments[4]));
		}
		System.exit(0);
	}

	private static void serve(Path directory, String instanceId) throws IOException, InterruptedException {
		Numbered.Answers answers = new Numbered.Answers();
		try (ShmPathServer server = RawLanes.serve(directory, new PeerIdentity(instanceId, PeerIdentity.NO_HOST),
				ShmOptions.defaults(), false, answers)) {
			Thread watch = new Thread(() -> watch(answers), "watch");
			watch.setDaemon(true);
			watch.start();
			System.out.println(READY);
			while (System.in.read() >= 0) {
				// Only the end of the stream counts: the parent process has ended.
			}
		}
	}

	private static void watch(Numbered.Answers answers) {
		try {
			while (answers.corrupt() + answers.duplicated() == 0) {
				TimeUnit.MILLISECONDS.sleep(1);
			}
		}
		catch (InterruptedException ex) {
			return;
		}
		System.out.printf("%s%d requests were corrupt, %d came again%n", WRONG, answers.corrupt(),
				answers.duplicated());
	}

	private static void call(Path directory, String serverId, long firstCaller) throws IOException {
		System.out.println(READY);
		if (System.in.read() < 0) {
			return;
		}
		RawLanes.Client client = RawLanes.connect(directory, serverId, ShmOptions.defaults(), false);
		Load load = new Load(client, CALLERS, firstCaller);
		Thread watch = new Thread(() -> watch(load), "watch");
		watch.setDaemon(true);
		watch.start();
		while (System.in.read() >= 0) {
			// Only the end of the stream counts: the parent process has ended.
		}
	}

	private static void watch(Load load) {
		try {
			while (load.calls() == 0) {
				TimeUnit.MILLISECONDS.sleep(1);
			}
			System.out.println(CALLING);
			while (load.problems().isEmpty()) {
				TimeUnit.MILLISECONDS.sleep(1);
			}
		}
		catch (InterruptedException ex) {
			return;
		}
		System.out.println(WRONG + load.problems().peek());
	}

}
