package io.github.vicinal.transport.shm;

import java.io.BufferedReader;
import java.io.FileInputStream;
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
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.shm.bell.SocketBells;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.Descriptors;
import io.github.vicinal.transport.testing.EchoContract;

/** A client and a server that run out of file descriptors, in a JVM of their own. */
public final class DescriptorChild {

	private static final int CALLERS = 12;

	private static final Duration IDLE = Duration.ofMillis(300);

	private DescriptorChild() {
	}

	/** Returns what the child said. */
	static List<String> run(Path directory, String bells) throws Exception {
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		Process process = new ProcessBuilder("sh", "-c", "ulimit -n 400; exec \"$@\"", "sh", java,
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classes, DescriptorChild.class.getName(),
				directory.toString(), bells)
			.redirectErrorStream(true)
			.start();
		try (BufferedReader output = new BufferedReader(
				new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
			return output.lines().toList();
		}
		finally {
			process.destroyForcibly().waitFor();
		}
	}

	/**
	 * Makes calls that sleep and have replies that need memory, with descriptors, without
	 * any, and with some again.
	 * @param args the directory and the kind of bells
	 */
	public static void main(String[] args) throws Exception {
		Path directory = Path.of(args[0]);
		Rendezvous rendezvous = Rendezvous.open(args[0]);
		Contract contract = Contracts.of(EchoContract.class);
		AtomicInteger executed = new AtomicInteger();
		CyclicBarrier together = new CyclicBarrier(CALLERS);
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.service(contract, (frame) -> {
			executed.incrementAndGet();
			try {
				// All callers sleep by then, or are about to.
				together.await(30, TimeUnit.SECONDS);
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
			return Contracts.value("x".repeat((int) frame.arguments()[1]));
		}));
		BellSupport bells = args[1].equals(SocketBells.KIND) ? BellSupport.socketOnly() : BellSupport.fifoOnly();
		ShmOptions options = ShmOptions.builder().idleTimeout(IDLE).waiting("park").build();
		PeerIdentity identity = PeerIdentity.create(rendezvous.hostId());
		List<FileInputStream> filled;
		try (ShmPathServer server = new ShmPathServer(identity, rendezvous, services, options, bells, null);
				ShmPathProvider provider = new ShmPathProvider(PeerIdentity.create(rendezvous.hostId()), rendezvous,
						Contracts.codecs(), options, bells)) {
			server.start();
			PathProvider.Attempt attempt = provider.connect(contract,
					new PeerAnnouncement(identity, Set.of("shm"), contract.hash(), ""));
			CallPath path = ((PathProvider.Connected) attempt).path();
			loadClasses();
			call(path, contract, 100);
			long idle = 0;
			do {
				idle = Descriptors.count(directory);
			}
			while (idle > 20);
			filled = fill();
			call(path, contract, 100);
			call(path, contract, 50_000);
			for (FileInputStream file : filled) {
				file.close();
			}
			call(path, contract, 50_000);
			if (!path.isOpen() || executed.get() != 4 * CALLERS) {
				throw new IllegalStateException(executed + " calls were executed, open: " + path.isOpen());
			}
		}
		System.out.println("ok, filled with " + filled.size());
		System.exit(0);
	}

	private static void call(CallPath path, Contract contract, int size) throws Exception {
		List<CompletableFuture<Integer>> calls = new ArrayList<>();
		for (int i = 0; i < CALLERS; i++) {
			calls.add(Async.call(() -> {
				try {
					Reply reply = path.call(Contracts.call(contract, "join", "", size));
					return ((String) ((Reply.Value) reply).body()).length();
				}
				catch (PathException ex) {
					System.out.println(ex.reason() + " " + ex.maybeExecuted() + " " + ex.getMessage());
					throw ex;
				}
			}));
		}
		for (CompletableFuture<Integer> call : calls) {
			if (call.get(60, TimeUnit.SECONDS) != size) {
				throw new IllegalStateException("another reply");
			}
		}
	}

	/** To load a class takes a descriptor, which no application of jars needs. */
	static void loadClasses() throws Exception {
		loadClasses(ShmPathServer.class, true);
		loadClasses(PeerIdentity.class, false);
	}

	private static void loadClasses(Class<?> one, boolean initialize) throws Exception {
		Path classes = Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
		if (!Files.isDirectory(classes)) {
			// A jar that is open already.
			return;
		}
		try (var files = Files.walk(classes)) {
			for (Path file : files.filter((each) -> each.toString().endsWith(".class")).toList()) {
				String name = classes.relativize(file).toString();
				if (!name.startsWith("META-INF") && !name.endsWith("-info.class")) {
					load(name.substring(0, name.length() - ".class".length()).replace('/', '.'), initialize);
				}
			}
		}
	}

	private static void load(String name, boolean initialize) throws ClassNotFoundException {
		try {
			Class.forName(name, initialize, DescriptorChild.class.getClassLoader());
		}
		catch (NoClassDefFoundError ex) {
			if (initialize) {
				throw ex;
			}
			// Class of an optional library that is not used here.
		}
	}

	static List<FileInputStream> fill() {
		List<FileInputStream> files = new ArrayList<>();
		try {
			while (true) {
				files.add(new FileInputStream("/dev/null"));
			}
		}
		catch (IOException ex) {
			return files;
		}
	}

}
