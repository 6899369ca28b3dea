package io.github.vicinal.transport.shm;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.PathServer;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Descriptors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Resources of a peer that many threads have called and that is idle now: at most three
 * file descriptors and a thread at a server, two and none at a client. Further resources
 * of the first peer are shared by all.
 */
@Timeout(120)
class IdlePeersTests {

	private static final int PEERS = 10;

	/** A listener, a selector, and what a child process is talked to with. */
	private static final int SHARED_DESCRIPTORS = 12;

	/**
	 * Descriptors and threads of the listener, two selectors, the watchdog and the guard.
	 */
	private static final int SHARED_THREADS = 5;

	private Path directory;

	private Rendezvous rendezvous;

	@BeforeEach
	void makeDirectory() throws Exception {
		this.directory = ShmFixture.memoryDirectory();
		this.rendezvous = Rendezvous.open(this.directory.toString());
	}

	@AfterEach
	void deleteDirectory() throws Exception {
		try (var files = java.nio.file.Files.walk(this.directory)) {
			for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
				java.nio.file.Files.delete(file);
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void idleClientsCostAServerLittle(IdleChild.Kind kind) throws Exception {
		Held before = held();
		PeerIdentity identity = PeerIdentity.create(this.rendezvous.hostId());
		try (PathServer server = IdleChild.server(kind, this.rendezvous, identity)) {
			server.start();
			try (IdleChild one = IdleChild.start("clients", kind, this.directory, List.of(identity))) {
				Async.await(() -> held().isAtMost(before, SHARED_DESCRIPTORS + 3, SHARED_THREADS + 1));
				Held shared = held();
				try (IdleChild more = IdleChild.start("clients", kind, this.directory,
						Collections.nCopies(PEERS, identity))) {
					assertThat(server.clients()).hasSize((kind == IdleChild.Kind.UDS) ? 0 : PEERS + 1);
					Async.await(() -> held().isAtMost(shared, PEERS * 3, PEERS));
				}
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void idleServersCostAClientLittle(IdleChild.Kind kind) throws Exception {
		Held before = held();
		List<PeerIdentity> identities = new ArrayList<>();
		for (int i = 0; i <= PEERS; i++) {
			identities.add(PeerIdentity.create(this.rendezvous.hostId()));
		}
		try (IdleChild servers = IdleChild.start("servers", kind, this.directory, identities);
				PathProvider provider = IdleChild.provider(kind, this.rendezvous)) {
			IdleChild.callFromManyThreads(IdleChild.connect(provider, kind, identities.get(0)));
			Async.await(() -> held().isAtMost(before, SHARED_DESCRIPTORS + 2, SHARED_THREADS));
			Held shared = held();
			List<CallPath> paths = new ArrayList<>();
			for (PeerIdentity identity : identities.subList(1, PEERS + 1)) {
				CallPath path = IdleChild.connect(provider, kind, identity);
				IdleChild.callFromManyThreads(path);
				paths.add(path);
			}
			Async.await(() -> held().isAtMost(shared, PEERS * 2, 0));
			// An idle path is as good as before.
			for (CallPath path : paths) {
				assertThat(path.isOpen()).isTrue();
				IdleChild.callFromManyThreads(path);
			}
		}
	}

	private Held held() {
		return new Held(Descriptors.count(this.directory), Descriptors.threads("vicinal-"));
	}

	/** Resources of this process. */
	private record Held(long descriptors, long threads) {

		boolean isAtMost(Held before, int moreDescriptors, int moreThreads) {
			return this.descriptors <= before.descriptors + moreDescriptors
					&& this.threads <= before.threads + moreThreads;
		}

	}

}
