package io.github.vicinal.transport;

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
import io.github.vicinal.transport.direct.DirectPathProvider;
import io.github.vicinal.transport.direct.DirectPathServer;
import io.github.vicinal.transport.shm.ShmOptions;
import io.github.vicinal.transport.shm.ShmPathProvider;
import io.github.vicinal.transport.shm.ShmPathServer;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.Descriptors;
import io.github.vicinal.transport.testing.EchoContract;
import io.github.vicinal.transport.uds.UdsOptions;
import io.github.vicinal.transport.uds.UdsPathProvider;
import io.github.vicinal.transport.uds.UdsPathServer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Clients and servers that are closed leave nothing in their JVM. */
@Timeout(180)
class ClosedPathsTests {

	private static final int CYCLES = 100;

	private static final int THREADS = 4;

	private final Contract contract = Contracts.of(EchoContract.class);

	@ParameterizedTest
	@ValueSource(strings = { "direct", "shm", "uds" })
	void nothingIsLeft(String kind) throws Exception {
		Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");
		Rendezvous rendezvous = Rendezvous.open(directory.toString());
		// Resources that the JVM and the libraries create once.
		openAndClose(kind, rendezvous, 0);
		long descriptors = Descriptors.count(directory);
		long threads = Descriptors.threads("vicinal-");
		for (int i = 0; i < CYCLES; i++) {
			openAndClose(kind, rendezvous, i);
		}
		Async.await(() -> Descriptors.count(directory) <= descriptors);
		Async.await(() -> Descriptors.threads("vicinal-") <= threads);
		Async.await(() -> {
			System.gc();
			return Descriptors.mappings(directory) == 0;
		});
		try (var files = Files.list(directory)) {
			assertThat(files.filter((file) -> !file.endsWith("host-token"))).isEmpty();
		}
		Files.deleteIfExists(directory.resolve("host-token"));
		Files.delete(directory);
	}

	/** Every second time the server goes first, and every third the path stays open. */
	private void openAndClose(String kind, Rendezvous rendezvous, int number) throws Exception {
		PeerIdentity identity = PeerIdentity.create(rendezvous.hostId());
		PathServer server = server(kind, rendezvous, identity);
		PathProvider provider = provider(kind, rendezvous);
		server.start();
		PathProvider.Attempt attempt = provider.connect(this.contract,
				new PeerAnnouncement(identity, Set.of(kind), this.contract.hash(), ""));
		assertThat(attempt).isInstanceOf(PathProvider.Connected.class);
		CallPath path = ((PathProvider.Connected) attempt).path();
		List<CompletableFuture<Boolean>> callers = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			callers.add(Async.call(() -> {
				path.call(Contracts.call(this.contract, "join", "a", 1));
				path.call(Contracts.call(this.contract, "bytes", (Object) new byte[20_000]));
				return true;
			}));
		}
		for (CompletableFuture<Boolean> caller : callers) {
			assertThat(caller.get(60, TimeUnit.SECONDS)).isTrue();
		}
		if (number % 3 != 0) {
			path.close();
		}
		if (number % 2 == 0) {
			server.close();
			provider.close();
		}
		else {
			provider.close();
			server.close();
		}
	}

	private PathServer server(String kind, Rendezvous rendezvous, PeerIdentity identity) {
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.echo(this.contract));
		return switch (kind) {
			case "direct" -> new DirectPathServer(identity, services, null, Duration.ofSeconds(10));
			// More callers than lanes, so that there is more to close.
			case "shm" -> new ShmPathServer(identity, rendezvous, services, ShmOptions.defaults());
			default -> new UdsPathServer(identity, rendezvous, services, UdsOptions.defaults());
		};
	}

	private static PathProvider provider(String kind, Rendezvous rendezvous) {
		PeerIdentity self = PeerIdentity.create(rendezvous.hostId());
		return switch (kind) {
			case "direct" -> new DirectPathProvider(Contracts.codecs());
			case "shm" -> new ShmPathProvider(self, rendezvous, Contracts.codecs(),
					ShmOptions.builder().lanes(2).maxLanes(8).waiting("park").build());
			default -> new UdsPathProvider(self, rendezvous, Contracts.codecs(), UdsOptions.defaults());
		};
	}

}
