package io.github.vicinal.transport.wire;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.transport.uds.UdsPathProvider;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Start and end of listeners, also of many in one directory. */
@Timeout(30)
class LocalListenerTests {

	/** The second look at the directory is that of a repair. */
	private static final int REPAIR = 2;

	private static final int SERVERS = 30;

	private final AtomicReference<Thread> stopper = new AtomicReference<>();

	@TempDir
	private Path directory;

	@Test
	void listenerThatStopsDuringARepairOffersNothing() throws Exception {
		Rendezvous rendezvous = Rendezvous.open(this.directory.resolve("meet").toString());
		AtomicReference<LocalListener> created = new AtomicReference<>();
		LocalListener listener = new LocalListener(UdsPathProvider.KIND, PeerIdentity.create(rendezvous.hostId()),
				SocketFile.CALLS, rendezvous, new StoppingAcceptor(created), LocalListener.plainThreads(), null,
				LoggerFactory.getLogger(LocalListenerTests.class));
		created.set(listener);
		listener.start();
		listener.unavailable();
		this.stopper.get().join();
		assertThat(listener.unavailable()).contains("the server is closed");
		listener.remove();
		listener.awaitSweep();
	}

	/**
	 * The more servers there are, the longer the sweep takes: the start is not to wait.
	 */
	@Test
	void serverStartsBeforeWhatIsLeftOfOthersHasBeenLookedAt() throws Exception {
		Rendezvous rendezvous = Rendezvous.open(this.directory.resolve("meet").toString());
		CountDownLatch started = new CountDownLatch(1);
		CompletableFuture<Boolean> swept = new CompletableFuture<>();
		LocalListener listener = new LocalListener(UdsPathProvider.KIND, PeerIdentity.create(rendezvous.hostId()),
				SocketFile.CALLS, rendezvous, new LocalListener.Acceptor() {

					@Override
					public int sweep(Path directory) {
						try {
							swept.complete(started.await(20, TimeUnit.SECONDS));
						}
						catch (InterruptedException ex) {
							Thread.currentThread().interrupt();
						}
						return 0;
					}

					@Override
					public void accepted(SocketChannel channel) throws IOException {
						channel.close();
					}

				}, LocalListener.plainThreads(), null, LoggerFactory.getLogger(LocalListenerTests.class));
		listener.start();
		assertThat(listener.unavailable()).isEmpty();
		started.countDown();
		assertThat(swept.get()).as("the sweep has begun, and ended after the start").isTrue();
		listener.stop();
		listener.remove();
		listener.awaitSweep();
	}

	/**
	 * Each of {@value #SERVERS} servers is asked by none of those that start after it, so
	 * that the start of many does not cost the square of their number.
	 */
	@Test
	void serversThatStartDoNotConnectToThoseThatAreThere() throws Exception {
		Assumptions.assumeTrue(Files.exists(Path.of("/proc/net/unix")), "it needs the kernel's list of Unix sockets");
		Rendezvous rendezvous = Rendezvous.open(this.directory.resolve("meet").toString());
		AtomicInteger connections = new AtomicInteger();
		AtomicInteger deleted = new AtomicInteger();
		List<LocalListener> servers = new ArrayList<>();
		for (int i = 0; i < SERVERS; i++) {
			LocalListener server = new LocalListener(UdsPathProvider.KIND, PeerIdentity.create(rendezvous.hostId()),
					SocketFile.CALLS, rendezvous, new LocalListener.Acceptor() {

						@Override
						public int sweep(Path directory) throws IOException {
							return deleted.addAndGet(SocketFile.deleteStale(directory));
						}

						@Override
						public void accepted(SocketChannel channel) throws IOException {
							connections.incrementAndGet();
							channel.close();
						}

					}, LocalListener.plainThreads(), null, LoggerFactory.getLogger(LocalListenerTests.class));
			server.start();
			server.awaitSweep();
			servers.add(server);
		}
		assertThat(servers).allSatisfy((server) -> assertThat(server.unavailable()).isEmpty());
		try (DirectoryStream<Path> files = Files.newDirectoryStream(rendezvous.directory().orElseThrow(), "*.sock")) {
			for (Path file : files) {
				// Earlier connections are accepted before this one.
				try (SocketChannel last = SocketChannel.open(UnixDomainSocketAddress.of(file))) {
					assertThat(last.read(ByteBuffer.allocate(1))).isNegative();
				}
			}
		}
		assertThat(connections).as("those of this test").hasValue(SERVERS);
		assertThat(deleted).hasValue(0);
		for (LocalListener server : servers) {
			server.stop();
			server.remove();
		}
	}

	/** Stops the listener on another thread in the middle of a repair. */
	private final class StoppingAcceptor implements LocalListener.Acceptor {

		private final AtomicReference<LocalListener> listener;

		private int looks;

		StoppingAcceptor(AtomicReference<LocalListener> listener) {
			this.listener = listener;
		}

		@Override
		public Optional<String> unsuitable(Path directory) {
			if (++this.looks == REPAIR) {
				Thread thread = new Thread(() -> this.listener.get().stop());
				LocalListenerTests.this.stopper.set(thread);
				thread.start();
				while (thread.isAlive() && thread.getState() != Thread.State.BLOCKED) {
					Thread.onSpinWait();
				}
			}
			return Optional.empty();
		}

		@Override
		public int sweep(Path directory) {
			return 0;
		}

		@Override
		public void accepted(SocketChannel channel) throws IOException {
			channel.close();
		}

	}

}
