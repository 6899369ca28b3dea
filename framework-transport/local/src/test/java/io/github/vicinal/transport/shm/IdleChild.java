package io.github.vicinal.transport.shm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.PathServer;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.EchoContract;
import io.github.vicinal.transport.uds.UdsOptions;
import io.github.vicinal.transport.uds.UdsPathProvider;
import io.github.vicinal.transport.uds.UdsPathServer;

/** Some servers, or some clients of one server, in a JVM of its own. */
public final class IdleChild implements AutoCloseable {

	static final Duration IDLE = Duration.ofMillis(200);

	private static final int THREADS = 8;

	private final Process process;

	private final BufferedReader output;

	private IdleChild(Process process) {
		this.process = process;
		this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
	}

	/** Starts servers, or clients that have made calls when this returns. */
	static IdleChild start(String what, Kind kind, Path directory, List<PeerIdentity> servers) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp",
						System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
						IdleChild.class.getName(), what, kind.name(), directory.toString()));
		servers.forEach((server) -> command.add(server.instanceId()));
		IdleChild child = new IdleChild(
				new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
		String line = child.output.readLine();
		if (!"ready".equals(line)) {
			child.process.destroyForcibly();
			throw new IOException("the child said " + line);
		}
		return child;
	}

	/** Stops all threads of the process, as {@code SIGSTOP} does, a moment after it. */
	void stop() throws Exception {
		signal("STOP");
		Async.await(this::isStopped);
	}

	/** Lets the process go on. */
	void goOn() throws Exception {
		signal("CONT");
	}

	private void signal(String name) throws Exception {
		int status = new ProcessBuilder("kill", "-" + name, Long.toString(this.process.pid())).inheritIO()
			.start()
			.waitFor();
		if (status != 0) {
			throw new IOException("the child took no " + name);
		}
	}

	private boolean isStopped() {
		try (var threads = Files.list(Path.of("/proc", Long.toString(this.process.pid()), "task"))) {
			for (Path thread : threads.toList()) {
				String state = Files.readString(thread.resolve("stat"));
				if (state.charAt(state.lastIndexOf(')') + 2) != 'T') {
					return false;
				}
			}
			return true;
		}
		catch (IOException ex) {
			// A thread has ended meanwhile.
			return false;
		}
	}

	@Override
	public void close() throws InterruptedException {
		this.process.destroyForcibly().waitFor();
	}

	/**
	 * Serves, or calls and stays connected, until standard input ends.
	 * @param args servers or clients, the kind of path, the directory, the servers' ids
	 */
	public static void main(String[] args) throws Exception {
		Kind kind = Kind.valueOf(args[1]);
		Rendezvous rendezvous = Rendezvous.open(args[2]);
		for (int i = 3; i < args.length; i++) {
			PeerIdentity server = new PeerIdentity(args[i], rendezvous.hostId());
			if (args[0].equals("servers")) {
				server(kind, rendezvous, server).start();
			}
			else {
				PathProvider provider = provider(kind, rendezvous);
				callFromManyThreads(connect(provider, kind, server));
			}
		}
		System.out.println("ready");
		while (System.in.read() >= 0) {
			// Only the end counts: the parent is gone.
		}
	}

	static PathServer server(Kind kind, Rendezvous rendezvous, PeerIdentity identity) {
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.echo(Contracts.of(EchoContract.class)));
		return (kind == Kind.UDS)
				? new UdsPathServer(identity, rendezvous, services, UdsOptions.builder().idleTimeout(IDLE).build())
				: new ShmPathServer(identity, rendezvous, services, ShmOptions.builder().idleTimeout(IDLE).build(),
						bells(kind), null);
	}

	static PathProvider provider(Kind kind, Rendezvous rendezvous) {
		PeerIdentity self = PeerIdentity.create(rendezvous.hostId());
		return (kind == Kind.UDS)
				? new UdsPathProvider(self, rendezvous, Contracts.codecs(),
						UdsOptions.builder().idleTimeout(IDLE).build())
				: new ShmPathProvider(self, rendezvous, Contracts.codecs(),
						ShmOptions.builder().idleTimeout(IDLE).waiting("park").build(), bells(kind));
	}

	private static BellSupport bells(Kind kind) {
		return (kind == Kind.SHM_SOCKETS) ? BellSupport.socketOnly() : BellSupport.detect();
	}

	static CallPath connect(PathProvider provider, Kind kind, PeerIdentity server) {
		Contract contract = Contracts.of(EchoContract.class);
		PathProvider.Attempt attempt = provider.connect(contract,
				new PeerAnnouncement(server, Set.of((kind == Kind.UDS) ? "uds" : "shm"), contract.hash(), ""));
		if (attempt instanceof PathProvider.Connected connected) {
			return connected.path();
		}
		throw new IllegalStateException(attempt.toString());
	}

	/** Small and large calls at the same time. */
	static void callFromManyThreads(CallPath path) throws Exception {
		Contract contract = Contracts.of(EchoContract.class);
		List<CompletableFuture<Boolean>> callers = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			callers.add(Async.call(() -> {
				for (int j = 0; j < 20; j++) {
					path.call(Contracts.call(contract, "join", "a", j));
					path.call(Contracts.call(contract, "bytes", (Object) new byte[20_000]));
				}
				return true;
			}));
		}
		for (CompletableFuture<Boolean> caller : callers) {
			caller.get(60, TimeUnit.SECONDS);
		}
	}

	/** Path between the peers. */
	enum Kind {

		/** With the best bells that there are. */
		SHM,

		/** As in images without the command {@code mkfifo}. */
		SHM_SOCKETS,

		/** Sockets only. */
		UDS

	}

}
