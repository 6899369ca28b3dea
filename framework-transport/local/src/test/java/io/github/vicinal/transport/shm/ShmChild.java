package io.github.vicinal.transport.shm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

import io.github.vicinal.path.PathException;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.shm.lane.ClientLane;
import io.github.vicinal.transport.testing.Contracts;

/** An echo server, or a client of one, in a JVM of its own. */
public final class ShmChild implements AutoCloseable {

	private final Process process;

	private final PeerIdentity identity;

	private ShmChild(Process process, PeerIdentity identity) {
		this.process = process;
		this.identity = identity;
	}

	static ShmChild start(Path directory) throws IOException {
		return start(directory, PeerIdentity.create(PeerIdentity.NO_HOST), "serve");
	}

	/** Starts a client, which has made calls when this returns, and makes more. */
	static ShmChild startClient(Path directory, PeerIdentity server) throws IOException {
		return start(directory, server, "call");
	}

	private static ShmChild start(Path directory, PeerIdentity identity, String what) throws IOException {
		Process process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				ShmChild.class.getName(), directory.toString(), identity.instanceId(), what))
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
	 * Serves or calls until standard input ends.
	 * @param args the directory, the server's instance id, what to do
	 */
	public static void main(String[] args) throws Exception {
		if (args[2].equals("call")) {
			call(Path.of(args[0]), args[1]);
			return;
		}
		try (ShmPathServer server = RawLanes.serve(Path.of(args[0]), new PeerIdentity(args[1], PeerIdentity.NO_HOST),
				ShmOptions.defaults(), false, RawLanes.echo())) {
			System.out.println("ready");
			while (System.in.read() >= 0) {
				// Only the end counts: the parent is gone.
			}
		}
	}

	private static void call(Path directory, String server) throws Exception {
		RawLanes.Client client = RawLanes.connect(directory, server, ShmOptions.defaults(), false);
		for (int i = 0; i < 4; i++) {
			Random random = new Random(i);
			Thread thread = new Thread(() -> {
				try {
					while (true) {
						callOnce(client, random);
					}
				}
				catch (PathException ex) {
					// The server is gone, and so will be this process.
				}
			});
			thread.setDaemon(true);
			thread.start();
		}
		callOnce(client, new Random());
		System.out.println("ready");
		while (System.in.read() >= 0) {
			// Only the end counts: the parent is gone.
		}
	}

	private static void callOnce(RawLanes.Client client, Random random) throws PathException {
		byte[] request = Contracts.pattern(random.nextInt((random.nextInt(10) == 0) ? 300_000 : 1500),
				random.nextInt());
		ClientLane lane = client.lanes().acquire(ClientLane.NO_DEADLINE);
		try {
			lane.exchange(request, request.length, ClientLane.NO_DEADLINE);
		}
		finally {
			client.lanes().release(lane);
		}
	}

}
