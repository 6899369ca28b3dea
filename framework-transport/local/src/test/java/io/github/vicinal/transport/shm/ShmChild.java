package io.github.vicinal.transport.shm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import io.github.vicinal.peer.PeerIdentity;

/** An echo server in a JVM of its own. */
public final class ShmChild implements AutoCloseable {

	private final Process process;

	private final PeerIdentity identity;

	private ShmChild(Process process, PeerIdentity identity) {
		this.process = process;
		this.identity = identity;
	}

	static ShmChild start(Path directory) throws IOException {
		PeerIdentity identity = PeerIdentity.create(PeerIdentity.NO_HOST);
		Process process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				ShmChild.class.getName(), directory.toString(), identity.instanceId()))
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		BufferedReader output = new BufferedReader(
				new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
		String line = output.readLine();
		if (!"ready".equals(line)) {
			process.destroyForcibly();
			throw new IOException("the child said " + line);
		}
		return new ShmChild(process, identity);
	}

	String instanceId() {
		return this.identity.instanceId();
	}

	Process process() {
		return this.process;
	}

	@Override
	public void close() throws InterruptedException {
		this.process.destroyForcibly().waitFor();
	}

	/**
	 * Serves until standard input ends.
	 * @param args the directory and the instance id
	 */
	public static void main(String[] args) throws IOException {
		try (ShmPathServer server = RawLanes.serve(Path.of(args[0]), new PeerIdentity(args[1], PeerIdentity.NO_HOST),
				ShmOptions.defaults(), false, RawLanes.echo())) {
			System.out.println("ready");
			while (System.in.read() >= 0) {
				// Only the end counts: the parent is gone.
			}
		}
	}

}
