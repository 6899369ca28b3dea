package io.github.vicinal.benchmarks.wait;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

import io.github.vicinal.benchmarks.BenchJvm;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.shm.RawLanes;
import io.github.vicinal.transport.shm.ShmOptions;
import io.github.vicinal.transport.shm.ShmPathServer;

/** An echo of bytes in a JVM of its own, which ends with this one. */
public final class RawServer implements AutoCloseable {

	/** The command line that makes this program such a server. */
	public static final String COMMAND = "raw-server";

	private final Process process;

	private final Path directory;

	private final String instanceId;

	private RawServer(Process process, Path directory, String instanceId) {
		this.process = process;
		this.directory = directory;
		this.instanceId = instanceId;
	}

	/**
	 * Starts a server and waits until it answers.
	 * @return the running server
	 * @throws IOException if it does not start
	 */
	public static RawServer start() throws IOException {
		Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-bench");
		String instanceId = PeerIdentity.create(PeerIdentity.NO_HOST).instanceId();
		List<String> command = BenchJvm.command(List.of(), COMMAND, directory.toString(), instanceId);
		Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		String line = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
			.readLine();
		if (line == null) {
			throw new IOException("The server ended before it was ready");
		}
		return new RawServer(process, directory, instanceId);
	}

	/**
	 * Serves until standard input ends.
	 * @param arguments the command, the rendezvous directory, the instance id
	 * @throws IOException if standard input cannot be read
	 */
	public static void main(String[] arguments) throws IOException {
		try (ShmPathServer server = RawLanes.serve(Path.of(arguments[1]),
				new PeerIdentity(arguments[2], PeerIdentity.NO_HOST), ShmOptions.defaults(), false, RawLanes.echo())) {
			System.out.println("ready");
			while (System.in.read() >= 0) {
				// Only the end of the stream counts: the parent process has ended.
			}
		}
		System.exit(0);
	}

	/**
	 * Connects a client.
	 * @return makes calls
	 * @throws IOException if the server is gone
	 */
	public RawLanes.Client connect() throws IOException {
		return RawLanes.connect(this.directory, this.instanceId, ShmOptions.defaults(), false);
	}

	long pid() {
		return this.process.pid();
	}

	@Override
	public void close() throws IOException {
		this.process.destroy();
		this.process.onExit().join();
		try (var files = Files.walk(this.directory)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.deleteIfExists(file);
			}
		}
	}

}
