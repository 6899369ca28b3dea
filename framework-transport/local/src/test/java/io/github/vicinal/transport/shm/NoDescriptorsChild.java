package io.github.vicinal.transport.shm;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.uds.UdsOptions;
import io.github.vicinal.transport.uds.UdsPathServer;
import io.github.vicinal.transport.wire.SocketFile;
import org.slf4j.LoggerFactory;

/** Two servers whose process runs out of file descriptors, in a JVM of their own. */
public final class NoDescriptorsChild {

	/** Several attempts to accept at the shortest pause. */
	private static final long WITHOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);

	private NoDescriptorsChild() {
	}

	/** Returns what the child said. */
	static List<String> run(Path directory) throws Exception {
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		Process process = new ProcessBuilder("sh", "-c", "ulimit -n 400; exec \"$@\"", "sh", java,
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classes, NoDescriptorsChild.class.getName(),
				directory.toString())
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
	 * Connects while no descriptor is left, and waits for the connections to be accepted
	 * when there are some again.
	 * @param args the directory
	 */
	public static void main(String[] args) throws Exception {
		((Logger) LoggerFactory.getLogger("io.github.vicinal.transport")).setLevel(Level.WARN);
		Path directory = Path.of(args[0]);
		Rendezvous rendezvous = Rendezvous.open(args[0]);
		PeerIdentity identity = PeerIdentity.create(rendezvous.hostId());
		ServiceRegistry services = new ServiceRegistry();
		try (UdsPathServer uds = new UdsPathServer(identity, rendezvous, services, UdsOptions.defaults());
				ShmPathServer shm = new ShmPathServer(identity, rendezvous, services, ShmOptions.defaults())) {
			uds.start();
			shm.start();
			try (SocketChannel first = SocketChannel.open(StandardProtocolFamily.UNIX);
					SocketChannel second = SocketChannel.open(StandardProtocolFamily.UNIX)) {
				// Classes that are loaded later would need descriptors.
				DescriptorChild.loadClasses();
				uds.unavailable();
				shm.unavailable();
				List<FileInputStream> filled = DescriptorChild.fill();
				System.out.println("directory: " + MemoryDirectory.unsuitable(directory).orElse("can be used"));
				// The search for dead sockets connects to living ones.
				long acceptedByUds = uds.metrics().accepted().sum();
				long acceptedByShm = shm.metrics().accepted().sum();
				first.connect(
						UnixDomainSocketAddress.of(SocketFile.of(directory, identity.instanceId(), SocketFile.CALLS)));
				second.connect(
						UnixDomainSocketAddress.of(SocketFile.of(directory, identity.instanceId(), SocketFile.LANES)));
				long start = System.nanoTime();
				await(() -> System.nanoTime() - start > WITHOUT_NANOS);
				uds.unavailable().ifPresent((reason) -> System.out.println("unavailable: " + reason));
				shm.unavailable().ifPresent((reason) -> System.out.println("unavailable: " + reason));
				for (FileInputStream file : filled) {
					file.close();
				}
				await(() -> uds.metrics().accepted().sum() > acceptedByUds
						&& shm.metrics().accepted().sum() > acceptedByShm);
			}
			System.out.println("afterwards: " + MemoryDirectory.unsuitable(directory).orElse("can be used"));
			if (!uds.unavailable().isEmpty() || !shm.unavailable().isEmpty()) {
				throw new IllegalStateException(uds.unavailable() + ", " + shm.unavailable());
			}
		}
		System.out.println("ok");
		System.exit(0);
	}

	private static void await(BooleanSupplier condition) {
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - deadline > 0) {
				throw new IllegalStateException("waited for too long");
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
		}
	}

}
