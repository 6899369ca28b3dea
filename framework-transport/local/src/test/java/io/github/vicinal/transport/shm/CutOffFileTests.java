package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.shm.lane.LaneClient;
import io.github.vicinal.transport.shm.lane.SegmentAccess;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** One side cuts off the file of a pair that lives. */
@Timeout(60)
@Tag("every-jdk")
class CutOffFileTests {

	private static final ShmOptions OPTIONS = ShmOptions.builder().lanes(4).maxLanes(4).build();

	private final ShmFixture shm = new ShmFixture();

	private final PeerIdentity server = this.shm.identity();

	@BeforeEach
	void compile() throws Exception {
		SegmentAccess.compile(this.shm.directory);
	}

	@AfterEach
	void close() throws Exception {
		this.shm.close();
	}

	@Test
	void allSleepersAreWokenByTheFirstThatNotices() throws Exception {
		ExecutorService threads = Executors.newCachedThreadPool();
		wokenByTheFirstThatNotices(threads);
		threads.shutdown();
	}

	@Test
	void virtualThreadsAreWokenToo() throws Exception {
		Assumptions.assumeTrue(Runtime.version().feature() >= 21, "this Java has no virtual threads");
		ExecutorService threads = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor")
			.invoke(null);
		wokenByTheFirstThatNotices(threads);
		threads.shutdown();
	}

	private void wokenByTheFirstThatNotices(ExecutorService threads) throws Exception {
		try (FakeServer hostile = new FakeServer(this.shm.directory, this.server.instanceId())) {
			CallPath path = this.shm.connect(this.shm.provider(OPTIONS.toBuilder().waiting("park").build()),
					this.server);
			LaneClient lanes = ((ShmPath) path).lanes();
			List<Future<Throwable>> callers = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				callers.add(threads.submit(() -> catchThrowable(() -> path.call(this.shm.call("join", "a", 1)))));
			}
			Async.await(() -> lanes.waits().asleep() == 3);
			hostile.segment.truncate(0);
			PathException noticed = catchThrowableOfType(PathException.class,
					() -> path.call(this.shm.call("join", "a", 1)));
			assertThat(noticed.reason()).isIn(Reason.IO, Reason.PEER_GONE);
			for (Future<Throwable> caller : callers) {
				assertThat(caller.get(20, TimeUnit.SECONDS)).isInstanceOf(PathException.class);
			}
			assertThat(path.isOpen()).isFalse();
			assertThat(path.details()).containsKey("waiting");
		}
	}

	/**
	 * Compiled code goes on after it has touched memory that is gone, and the error comes
	 * later, perhaps amid the end of the pair. The first pair has the JVM link what is
	 * called on the way, which is where the error would come otherwise.
	 */
	@Test
	void errorThatIsPendingDoesNotInterruptTheEnd() throws Exception {
		for (int pair = 0; pair < 2; pair++) {
			ExecutorService threads = Executors.newCachedThreadPool();
			PeerIdentity identity = this.shm.identity();
			try (FakeServer hostile = new FakeServer(this.shm.directory, identity.instanceId())) {
				CallPath path = this.shm.connect(this.shm.provider(OPTIONS.toBuilder().waiting("park").build()),
						identity);
				LaneClient lanes = ((ShmPath) path).lanes();
				List<Future<Throwable>> callers = new ArrayList<>();
				for (int i = 0; i < 3; i++) {
					callers.add(threads.submit(() -> catchThrowable(() -> path.call(this.shm.call("join", "a", 1)))));
				}
				Async.await(() -> lanes.waits().asleep() == 3);
				hostile.segment.truncate(0);
				SegmentAccess.endAfterTouch(lanes, LaneClient.End.of("a test"));
				for (Future<Throwable> caller : callers) {
					assertThat(caller.get(20, TimeUnit.SECONDS)).isInstanceOf(PathException.class);
				}
				assertThat(path.isOpen()).isFalse();
			}
			threads.shutdown();
		}
	}

	/** The lane of a caller that gave up is looked at by the next one. */
	@Test
	void aSearchForALaneFailsAsCallsDo() throws Exception {
		try (FakeServer hostile = new FakeServer(this.shm.directory, this.server.instanceId())) {
			CallPath path = this.shm.connect(this.shm.provider(OPTIONS), this.server);
			PathException late = catchThrowableOfType(PathException.class,
					() -> path.call(Contracts.callBefore(this.shm.contract, "join",
							System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(500), "a", 1)));
			assertThat(late.reason()).isEqualTo(Reason.TIMEOUT);
			assertThat(path.details()).containsEntry("quarantinedLanes", 1);
			hostile.segment.truncate(0);
			Throwable thrown = catchThrowable(() -> path.call(this.shm.call("join", "a", 1)));
			assertThat(thrown).isInstanceOf(PathException.class);
			assertThat(path.isOpen()).isFalse();
		}
	}

	/** Whether they sleep on a FIFO, or on a word that is not there any more. */
	@Test
	void sleepingThreadsOfTheServerEnd() throws Exception {
		ShmPathServer running = this.shm.server(this.server, OPTIONS, Contracts.echo(this.shm.contract));
		try (FakePeer hostile = FakePeer.connect(this.shm.directory, this.server.instanceId());
				FileChannel segment = attach(hostile)) {
			assertThat(hostile.read()).isNotNull();
			Async.await(() -> receivers() == 1);
			segment.truncate(0);
		}
		Async.await(() -> receivers() == 0);
		assertServes(running);
	}

	/** The file changes between the look at its size and the look at its words. */
	@Test
	void handshakeWithAFileThatComesAndGoesIsNoError() throws Exception {
		ShmPathServer running = this.shm.server(this.server, OPTIONS, Contracts.echo(this.shm.contract));
		CompletableFuture<Throwable> uncaught = new CompletableFuture<>();
		Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
		Thread.setDefaultUncaughtExceptionHandler((thread, ex) -> uncaught.complete(ex));
		try {
			for (int i = 0; i < 60; i++) {
				AtomicBoolean done = new AtomicBoolean();
				try (FakePeer hostile = FakePeer.connect(this.shm.directory, this.server.instanceId());
						FileChannel segment = attach(hostile)) {
					CompletableFuture<Boolean> cutting = Async.call(() -> cut(segment, done));
					hostile.read();
					done.set(true);
					assertThat(cutting.get()).isTrue();
				}
			}
			Async.await(() -> running.metrics().open().sum() == 0);
		}
		finally {
			Thread.setDefaultUncaughtExceptionHandler(before);
		}
		assertThat(uncaught).isNotDone();
		assertServes(running);
	}

	private static boolean cut(FileChannel file, AtomicBoolean done) throws IOException {
		long size = file.size();
		while (!done.get()) {
			file.truncate(0);
			file.write(ByteBuffer.allocate(1), size - 1);
		}
		return true;
	}

	private void assertServes(ShmPathServer running) throws PathException {
		CallPath other = this.shm.connect(this.shm.provider(OPTIONS), this.server);
		assertThat(ShmFixture.value(other, this.shm.call("join", "a", 1))).isEqualTo("a-1");
		assertThat(running.unavailable()).isEmpty();
	}

	private long receivers() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().contains(this.server.instanceId().substring(0, 8) + "-receiver"))
			.filter((thread) -> java.util.Arrays.stream(thread.getStackTrace())
				.anyMatch((frame) -> frame.getClassName().endsWith("LaneServer")))
			.count();
	}

	private FileChannel attach(FakePeer client) throws Exception {
		return client.attach(this.shm.directory, this.shm.clientIdentity.instanceId(), this.server.instanceId());
	}

}
