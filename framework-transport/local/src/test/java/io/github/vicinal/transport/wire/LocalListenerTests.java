package io.github.vicinal.transport.wire;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.transport.uds.UdsPathProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** A listener that has stopped offers nothing, whatever happens at the same time. */
@Timeout(30)
class LocalListenerTests {

	/** The second look at the directory is that of a repair. */
	private static final int REPAIR = 2;

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
