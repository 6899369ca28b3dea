package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.Service;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Somebody deletes the FIFOs of a pair that lives, such as a cleaner of {@code /dev/shm};
 * it is the same when no file descriptor is left to open them.
 */
@Timeout(60)
class LostBellsTests {

	private static final ShmOptions OPTIONS = ShmOptions.builder().lanes(4).maxLanes(4).waiting("park").build();

	private final ShmFixture shm = new ShmFixture();

	private final PeerIdentity server = this.shm.identity();

	private final CountDownLatch called = new CountDownLatch(1);

	private final CountDownLatch release = new CountDownLatch(1);

	@AfterEach
	void close() throws Exception {
		this.release.countDown();
		this.shm.close();
	}

	@Test
	void callThatCannotRingOrSleepFailsAndTheNextPairWorks() throws Exception {
		try (ShmPathServer running = serve(Contracts.echo(this.shm.contract))) {
			ShmPathProvider provider = this.shm.provider(OPTIONS);
			CallPath path = this.shm.connect(provider, this.server);
			Async.await(LostBellsTests::serverSleeps);
			deleteBells();
			PathException failure = Async
				.call(() -> catchThrowableOfType(PathException.class, () -> path.call(this.shm.call("join", "a", 1))))
				.get(20, TimeUnit.SECONDS);
			assertThat(failure.reason()).isEqualTo(Reason.PEER_GONE);
			assertThat(failure).hasMessageContaining("bells cannot be used");
			assertThat(path.isOpen()).isFalse();
			Async.await(() -> running.metrics().open().sum() == 0);
			CallPath next = this.shm.connect(provider, this.server);
			assertThat(ShmFixture.value(next, this.shm.call("join", "a", 1))).isEqualTo("a-1");
		}
	}

	/**
	 * The caller sleeps, and the server has not rung in that lane before. The end wakes
	 * the caller, who finds the answer.
	 */
	@Test
	void answerThatCannotBeRungEndsThePairAndIsNotLost() throws Exception {
		try (ShmPathServer running = serve(Contracts.service(this.shm.contract, this::hold))) {
			CallPath path = this.shm.connect(this.shm.provider(OPTIONS), this.server);
			CompletableFuture<Object> answer = Async
				.call(() -> ShmFixture.value(path, this.shm.call("join", "hold", 1)));
			this.called.await();
			Async.await(LostBellsTests::callerSleeps);
			deleteBells();
			this.release.countDown();
			assertThat(answer.get(20, TimeUnit.SECONDS)).isEqualTo("hold");
			Async.await(() -> running.metrics().open().sum() == 0);
			assertThat(path.isOpen()).isFalse();
			assertThat(running.metrics().refusals().get("failed").sum()).isOne();
		}
	}

	private Reply hold(io.github.vicinal.path.CallFrame frame) {
		this.called.countDown();
		try {
			this.release.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return Contracts.value(frame.arguments()[0]);
	}

	private static boolean callerSleeps() {
		return sleeps("ClientLane");
	}

	private static boolean serverSleeps() {
		return sleeps("LaneServer");
	}

	private static boolean sleeps(String type) {
		return Async.isSomebodyIn(type + ".sleep", "Reader.awaitRing");
	}

	private ShmPathServer serve(Service service) {
		ServiceRegistry services = new ServiceRegistry();
		services.register(service);
		ShmPathServer running = new ShmPathServer(this.server, this.shm.rendezvous, services, OPTIONS,
				BellSupport.fifoOnly(), null);
		running.start();
		return running;
	}

	private void deleteBells() throws IOException {
		List<java.nio.file.Path> bells;
		try (var files = Files.walk(this.shm.directory)) {
			bells = files.filter((file) -> String.valueOf(file.getParent()).endsWith(".bells")).toList();
		}
		assertThat(bells).isNotEmpty();
		for (java.nio.file.Path bell : bells) {
			Files.delete(bell);
		}
	}

}
