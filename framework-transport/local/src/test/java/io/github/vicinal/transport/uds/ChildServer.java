package io.github.vicinal.transport.uds;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.EchoContract;

/**
 * A server in a JVM of its own. {@code join("hang", n)} says {@code called} on standard
 * output and never returns; everything else is an echo.
 */
public final class ChildServer implements AutoCloseable {

	private final Process process;

	private final BufferedReader output;

	private final PeerIdentity identity;

	private ChildServer(Process process, PeerIdentity identity) {
		this.process = process;
		this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
		this.identity = identity;
	}

	static ChildServer start(Path directory, PeerIdentity identity) throws IOException {
		Process process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=" + Integer.getInteger("child.tier", 1), "-XX:+UseSerialGC", "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				ChildServer.class.getName(), directory.toString(), identity.instanceId(), identity.hostId()))
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		ChildServer child = new ChildServer(process, identity);
		child.await("ready");
		return child;
	}

	/** Waits for a line on the child's standard output. */
	void await(String line) throws IOException {
		String read;
		do {
			read = this.output.readLine();
			if (read == null) {
				throw new IOException("the child ended before it said " + line);
			}
		}
		while (!read.equals(line));
	}

	PeerIdentity identity() {
		return this.identity;
	}

	Process process() {
		return this.process;
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
	}

	/**
	 * Runs the server until the process is killed or its standard input ends.
	 * @param args the rendezvous directory, the instance id and the host id
	 */
	public static void main(String[] args) throws IOException {
		Contract contract = Contracts.of(EchoContract.class);
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.service(contract, ChildServer::answer));
		try (UdsPathServer server = new UdsPathServer(new PeerIdentity(args[1], args[2]), Rendezvous.open(args[0]),
				services, UdsOptions.defaults())) {
			server.start();
			System.out.println(server.unavailable().orElse("ready"));
			while (System.in.read() >= 0) {
				// Only the end counts: the parent is gone, or wants an orderly end.
			}
		}
	}

	private static Reply answer(CallFrame frame) {
		if (frame.arguments().length == 2 && "hang".equals(frame.arguments()[0])) {
			System.out.println("called");
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
		return Contracts.value((frame.arguments().length == 0) ? null : frame.arguments()[0]);
	}

}
