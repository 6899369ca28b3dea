package io.github.vicinal.transport.shm.lane;

import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.transport.shm.bell.BellWords;
import io.github.vicinal.transport.shm.bell.FifoBells;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.wire.Watchdog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** A handler keeps the receiver of a pair whose file is cut off meanwhile. */
@Timeout(60)
class CutOffReceiverTests {

	private static final FifoBells.Messenger SILENT = (number) -> {
	};

	private final Watchdog watchdog = new Watchdog("test-watchdog");

	private final ReceiverGuard guard = new ReceiverGuard("test-guard");

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final CountDownLatch release = new CountDownLatch(1);

	private final List<AutoCloseable> opened = new ArrayList<>();

	private Path directory;

	@BeforeEach
	void create() throws Exception {
		this.directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-cut");
		SegmentAccess.compile(this.directory);
	}

	@AfterEach
	void close() throws Exception {
		this.release.countDown();
		for (AutoCloseable closeable : this.opened) {
			closeable.close();
		}
		this.guard.close();
		this.watchdog.close();
		this.threads.shutdownNow();
		try (var directories = Files.list(this.directory)) {
			directories.filter(Files::isDirectory).forEach(FifoBells::delete);
		}
		Segment.deleteOrphans(this.directory, Duration.ofSeconds(-10));
		Files.delete(this.directory);
	}

	@Test
	void itsPairEndsAndReceiversOfOthersAreStillLookedAfter() throws Exception {
		Pair broken = new Pair('1', true);
		Pair whole = new Pair('2', false);
		Async.call(() -> broken.callOnce());
		assertThat(broken.failure.get(20, TimeUnit.SECONDS)).contains("shared memory failed");
		// The first call is kept by its handler; the second one needs another receiver.
		Async.call(() -> whole.callOnce());
		Async.await(() -> whole.held.getCount() == 0);
		assertThat(Async.call(whole::callOnce).get(20, TimeUnit.SECONDS)).isEqualTo(1);
		assertThat(whole.failure).isNotDone();
	}

	/** Both ends of a pair; the handler keeps the first call. */
	private final class Pair {

		final CompletableFuture<String> failure = new CompletableFuture<>();

		final CountDownLatch held = new CountDownLatch(1);

		private final LaneClient client;

		private LaneServer server;

		Pair(char name, boolean cutOff) throws Exception {
			MemoryFiles files = new MemoryFiles(CutOffReceiverTests.this.directory);
			SegmentLayout layout = new SegmentLayout(4, 2048);
			String file = Segment.newName();
			Segment segment = Segment.create(files, file, layout);
			FileChannel channel = FileChannel.open(CutOffReceiverTests.this.directory.resolve(file),
					StandardOpenOption.WRITE);
			Path bells = FifoBells.create(CutOffReceiverTests.this.directory, "0".repeat(32),
					String.valueOf(name).repeat(16), 4);
			LaneLimits limits = new LaneLimits(1 << 20, 1 << 20, Duration.ofSeconds(10));
			PeerArenas none = new PeerArenas(CutOffReceiverTests.this.directory, 0);
			FifoBells ofServer = new FifoBells(bells, words(segment), CutOffReceiverTests.this.watchdog,
					TimeUnit.SECONDS.toNanos(10), SILENT, (ex) -> {
					});
			this.server = new LaneServer(segment, ofServer, files, limits, (number, arena, bytes) -> {
			}, none, (lane, batch) -> {
				byte[] request = lane.request();
				if (this.held.getCount() > 0) {
					this.server.away(System.nanoTime() | 1);
					keep(cutOff ? channel : null);
				}
				lane.respond(request, lane.length());
			}, CutOffReceiverTests.this.threads, CutOffReceiverTests.this.guard,
					(rule, why) -> this.failure.complete(why));
			this.client = new LaneClient("the other end", segment, new FifoBells(bells, words(segment),
					CutOffReceiverTests.this.watchdog, TimeUnit.SECONDS.toNanos(10), SILENT, (ex) -> {
					}), files, limits, (number, arena, bytes) -> {
					}, none, (end) -> {
					});
			CutOffReceiverTests.this.opened.addAll(List.of(this.client, this.server, ofServer, channel));
			this.server.start();
		}

		private static BellWords words(Segment segment) {
			SegmentLayout layout = segment.layout();
			return new BellWords(segment.memory().buffer(), SegmentLayout.SERVER_PARKED_OFFSET,
					SegmentLayout.POLLER_PARKED_OFFSET, layout::waitingOffset, layout.lanes());
		}

		private void keep(FileChannel channel) {
			try {
				if (channel != null) {
					channel.truncate(0);
				}
				this.held.countDown();
				CutOffReceiverTests.this.release.await();
			}
			catch (java.io.IOException | InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		int callOnce() throws Exception {
			ClientLane lane = this.client.acquire(ClientLane.NO_DEADLINE);
			try {
				lane.exchange(new byte[1], 1, ClientLane.NO_DEADLINE);
				return lane.responseLength();
			}
			finally {
				this.client.release(lane);
			}
		}

	}

}
