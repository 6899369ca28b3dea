package io.github.vicinal.transport.shm;

import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.PathProvider.Connected;
import io.github.vicinal.path.PathProvider.Unavailable;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.EchoContract;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** A server whose process is stopped, and goes on later. */
@Timeout(60)
class StoppedServerTests {

	/** More than the kernel buffers questions about. */
	private static final int CONTRACTS = 600;

	private final ShmFixture shm = new ShmFixture();

	private final PeerIdentity server = this.shm.identity();

	@AfterEach
	void close() throws Exception {
		// The server was killed at the end and has left its files.
		try (var files = Files.walk(this.shm.directory)) {
			for (java.nio.file.Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				if (!file.equals(this.shm.directory)) {
					Files.delete(file);
				}
			}
		}
		this.shm.close();
	}

	@Test
	void bindingEndsInTimeAndThePairGoesOnAfterwards() throws Exception {
		try (IdleChild child = IdleChild.start("servers", IdleChild.Kind.SHM, this.shm.directory,
				List.of(this.server))) {
			ShmPathProvider provider = this.shm
				.provider(ShmOptions.builder().handshakeTimeout(Duration.ofSeconds(2)).build());
			CallPath path = this.shm.connect(provider, this.server);
			assertThat(ShmFixture.value(path, this.shm.call("join", "a", 1))).isEqualTo("a-1");
			child.stop();
			List<CompletableFuture<String>> binding = new ArrayList<>();
			for (int i = 0; i < CONTRACTS; i++) {
				binding.add(Async.call(() -> ((Unavailable) connect(provider)).reason()));
			}
			PathException late = catchThrowableOfType(PathException.class,
					() -> path.call(Contracts.callBefore(this.shm.contract, "join",
							System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100), "a", 2)));
			assertThat(late.reason()).isEqualTo(Reason.TIMEOUT);
			List<String> reasons = new ArrayList<>();
			for (CompletableFuture<String> one : binding) {
				reasons.add(one.get(30, TimeUnit.SECONDS));
			}
			assertThat(reasons).anyMatch((reason) -> reason.contains("does not read"))
				.anyMatch((reason) -> reason.contains("did not bind the contract in time"));
			child.goOn();
			assertThat(path.isOpen()).isTrue();
			assertThat(ShmFixture.value(path, this.shm.call("join", "a", 3))).isEqualTo("a-3");
			// The answers that nobody waits for any more are in front of this one's.
			Async.await(() -> connect(provider) instanceof Connected);
		}
	}

	/** For a contract that no other path has. */
	private PathProvider.Attempt connect(PathProvider provider) {
		Contract contract = Contracts.of(EchoContract.class);
		return provider.connect(contract, new PeerAnnouncement(this.server, Set.of("shm"), contract.hash(), ""));
	}

}
