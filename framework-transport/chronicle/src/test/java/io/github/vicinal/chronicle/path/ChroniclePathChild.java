package io.github.vicinal.chronicle.path;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.vicinal.path.CallPath;
import io.github.vicinal.peer.PeerIdentity;

import static org.awaitility.Awaitility.await;

/** A server or a client in another process, which ends when this one does. */
final class ChroniclePathChild implements AutoCloseable {

	private final Process process;

	private final BufferedReader output;

	private final PrintStream input;

	private ChroniclePathChild(Process process) {
		this.process = process;
		this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
		this.input = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
	}

	/** Starts a server; returns when it offers the path. */
	static ChroniclePathChild server(Path directory) throws IOException {
		return start(directory, "server");
	}

	/** Starts a client that calls until it is told to end. */
	static ChroniclePathChild client(Path directory, PeerIdentity server) throws IOException {
		return start(directory, server.instanceId());
	}

	private static ChroniclePathChild start(Path directory, String what) throws IOException {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		ManagementFactory.getRuntimeMXBean()
			.getInputArguments()
			.stream()
			.filter((argument) -> argument.startsWith("--"))
			.forEach(command::add);
		command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				ChroniclePathChild.class.getName(), directory.toString(), what));
		return new ChroniclePathChild(
				new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
	}

	/** Returns the next line that is one of ours: libraries print, too. */
	String line() throws IOException {
		String line = this.output.readLine();
		while (line != null && !line.startsWith(">")) {
			line = this.output.readLine();
		}
		return (line == null) ? "end" : line.substring(1);
	}

	void signal(String name) throws IOException, InterruptedException {
		new ProcessBuilder("kill", "-" + name, Long.toString(this.process.pid())).start().waitFor();
	}

	/** Stops the process; returns when no thread of it runs any more. */
	void stop() throws IOException, InterruptedException {
		signal("STOP");
		await().until(() -> {
			try (Stream<Path> threads = Files.list(Path.of("/proc/" + this.process.pid() + "/task"))) {
				return threads.allMatch(ChroniclePathChild::isStopped);
			}
		});
	}

	private static boolean isStopped(Path thread) {
		try {
			String stat = Files.readString(thread.resolve("stat"));
			return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
		}
		catch (IOException ex) {
			return false;
		}
	}

	void kill() throws InterruptedException {
		this.process.destroyForcibly().waitFor();
	}

	@Override
	public void close() throws InterruptedException {
		this.input.close();
		kill();
	}

	/**
	 * Does what it is told until standard input ends.
	 * @param args the rendezvous directory, and the server's instance id or "server"
	 */
	public static void main(String[] args) throws Exception {
		Thread end = new Thread(ChroniclePathChild::endWithInput);
		end.setDaemon(true);
		end.start();
		ChroniclePathFixture fixture = new ChroniclePathFixture(Path.of(args[0]));
		if (args[1].equals("server")) {
			fixture.released.countDown();
			fixture.server();
			System.out.println(">" + fixture.peer.instanceId());
			end.join();
			return;
		}
		PeerIdentity server = new PeerIdentity(args[1], fixture.rendezvous.hostId());
		CallPath path = fixture.connect(fixture.provider(), server);
		byte[] body = new byte[5000];
		for (int number = 1;; number++) {
			path.call(ChroniclePathFixture.bytes(body));
			System.out.println(">" + number);
		}
	}

	private static void endWithInput() {
		try {
			while (System.in.read() >= 0) {
				// Nothing is said to it.
			}
		}
		catch (IOException ex) {
			// As if it had ended.
		}
		Runtime.getRuntime().halt(0);
	}

}
