package io.github.vicinal.transport.shm.lane;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.wire.WireException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Slabs, and the other side's view of them. */
@Timeout(60)
class SlabArenaTests {

	private static final long LIMIT = 16 << 20;

	private Path directory;

	private PeerArenas peer;

	private SlabArena arena;

	@BeforeEach
	void create() throws Exception {
		this.directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-slab");
		this.peer = new PeerArenas(this.directory, LIMIT);
		this.arena = arena(LIMIT);
	}

	private SlabArena arena(long limit) {
		return new SlabArena(new MemoryFiles(this.directory), limit, this::announce, () -> {
		}, () -> false);
	}

	private void announce(int number, String name, int bytes) throws IOException {
		try {
			this.peer.add(number, name, bytes);
		}
		catch (WireException ex) {
			throw new IOException(ex);
		}
	}

	private static void awaitOrFail(CountDownLatch latch) throws IOException {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IOException(ex);
		}
	}

	@AfterEach
	void delete() throws Exception {
		this.arena.close();
		// Memory that is just being made loses its name a moment later.
		Async.await(() -> this.directory.toFile().delete());
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4 })
	void slabsNeverOverlapAndLimitHolds(long seed) throws Exception {
		Random random = new Random(seed);
		Map<SlabArena.Slab, byte[]> held = new HashMap<>();
		Deque<SlabArena.Slab> order = new ArrayDeque<>();
		for (int i = 0; i < 400; i++) {
			int length = 1 + random.nextInt((random.nextInt(8) == 0) ? 3 << 20 : 80_000);
			SlabArena.Slab slab = this.arena.allocate(length, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(5));
			if (slab != null) {
				byte[] bytes = new byte[length];
				random.nextBytes(bytes);
				slab.memory().put(slab.offset(), bytes, 0, length);
				held.put(slab, bytes);
				order.add(slab);
			}
			if (slab == null || random.nextBoolean()) {
				SlabArena.Slab oldest = order.poll();
				if (oldest != null) {
					byte[] expected = held.remove(oldest);
					byte[] read = new byte[expected.length];
					this.peer.find(oldest.place(), oldest.offset(), read.length)
						.get(oldest.offset(), read, 0, read.length);
					assertThat(Arrays.equals(expected, read)).isTrue();
					this.arena.free(oldest);
				}
			}
			assertThat(this.arena.slabsInUse()).isEqualTo(held.size());
			assertThat(this.arena.bytes()).isLessThanOrEqualTo(LIMIT);
		}
	}

	/** The last answer of each lane stays there until somebody asks for its slab. */
	@Test
	void takesBackWhatHasBeenReadBeforeItGrows() throws Exception {
		AtomicReference<SlabArena.Slab> read = new AtomicReference<>();
		AtomicReference<SlabArena> itself = new AtomicReference<>();
		SlabArena sparing = new SlabArena(new MemoryFiles(this.directory), LIMIT, this::announce, () -> {
			SlabArena.Slab slab = read.getAndSet(null);
			if (slab != null) {
				itself.get().free(slab);
			}
		}, () -> true);
		itself.set(sparing);
		for (int i = 0; i < 3; i++) {
			read.set(sparing.allocate(1 << 20, System.nanoTime() + TimeUnit.SECONDS.toNanos(20)));
			assertThat(read.get()).isNotNull();
		}
		// The growth is larger than the present slabs, and began after all else.
		assertThat(sparing.allocate(2 << 20, System.nanoTime() + TimeUnit.SECONDS.toNanos(20))).isNotNull();
		assertThat(sparing.bytes()).isEqualTo(3 << 20);
		sparing.close();
	}

	/** Else those who wait would take the processors that the other side needs. */
	@Test
	void oneWaiterLooksForSlabsThatHaveBeenRead() throws Exception {
		Queue<Thread> looks = new ConcurrentLinkedQueue<>();
		SlabArena full = new SlabArena(new MemoryFiles(this.directory), 1 << 20, this::announce,
				() -> looks.add(Thread.currentThread()), () -> true);
		long deadline = System.nanoTime() + TimeUnit.HOURS.toNanos(1);
		SlabArena.Slab only = full.allocate(1 << 20, deadline);
		looks.clear();
		List<CompletableFuture<SlabArena.Slab>> waiting = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			waiting.add(Async.call(() -> full.allocate(1 << 20, deadline)));
		}
		// Each looks once before it waits.
		Async.await(() -> Set.copyOf(looks).size() == 6);
		while (!waiting.isEmpty()) {
			looks.clear();
			Async.await(() -> looks.size() > 50);
			assertThat(Set.copyOf(looks)).hasSize(1);
			// The waiter that gets it was the one that polled, so another one must poll
			// now.
			full.free(only);
			Async.await(() -> waiting.removeIf(CompletableFuture::isDone));
		}
		full.close();
	}

	/** A slab that is given back wakes one thread; that must be one which can use it. */
	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void nobodyWaitsForASlabThatIsFree(long seed) throws Exception {
		SlabArena full = new SlabArena(new MemoryFiles(this.directory), 3 << 20, this::announce, () -> {
		}, () -> false);
		// Else there might be room for one size only.
		List<SlabArena.Slab> both = new ArrayList<>();
		for (int length : new int[] { 1 << 20, 1 << 20, 300_000, 300_000 }) {
			both.add(full.allocate(length, System.nanoTime() + TimeUnit.SECONDS.toNanos(20)));
		}
		both.forEach(full::free);
		List<CompletableFuture<Integer>> callers = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			Random random = new Random(8 * seed + i);
			callers.add(Async.call(() -> {
				for (int call = 0; call < 2_000; call++) {
					int length = random.nextBoolean() ? 1 << 20 : 300_000;
					SlabArena.Slab slab = null;
					while (slab == null) {
						// Some give up, as somebody wakes them.
						long patience = (random.nextInt(4) == 0) ? 100_000 : TimeUnit.HOURS.toNanos(1);
						slab = full.allocate(length, System.nanoTime() + patience);
					}
					Thread.yield();
					full.free(slab);
				}
				return 1;
			}));
		}
		for (CompletableFuture<Integer> caller : callers) {
			assertThat(caller.get(40, TimeUnit.SECONDS)).isOne();
		}
		assertThat(full.slabsInUse()).isZero();
		full.close();
	}

	/** Lanes may have less room than an eighth of the smallest slab. */
	@Test
	void smallPayloadsUseTheSmallestSlabs() throws Exception {
		for (int length : new int[] { 1, 100, 2047, 2048 }) {
			SlabArena.Slab slab = this.arena.allocate(length, System.nanoTime() + TimeUnit.SECONDS.toNanos(20));
			assertThat(slab).isNotNull();
			this.arena.free(slab);
		}
		assertThat(this.arena.bytes()).isEqualTo(256 * 1024);
	}

	@Test
	void waitsForASlabUntilTheDeadline() throws Exception {
		SlabArena.Slab all = this.arena.allocate(10 << 20, System.nanoTime() + TimeUnit.SECONDS.toNanos(20));
		assertThat(all).isNotNull();
		assertThat(this.arena.allocate(10 << 20, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20))).isNull();
		assertThat(this.arena.whyExhausted(10 << 20)).contains("1 slabs are in use");
		Thread freeing = new Thread(() -> this.arena.free(all));
		freeing.start();
		assertThat(this.arena.allocate(10 << 20, System.nanoTime() + TimeUnit.SECONDS.toNanos(20))).isSameAs(all);
		freeing.join();
	}

	/** Memory that is too small is never awaited. */
	@Test
	void aPayloadThatCanNeverFitFailsAtOnce() throws Exception {
		long deadline = System.nanoTime() + TimeUnit.HOURS.toNanos(1);
		this.arena.free(this.arena.allocate(20_000, deadline));
		assertThat(this.arena.allocate((int) LIMIT, deadline)).isNull();
		assertThat(this.arena.whyExhausted((int) LIMIT)).contains("limit of 16777216 bytes")
			.endsWith("leaves 16515072");
		assertThat(this.arena.allocate((int) LIMIT + 1, deadline)).isNull();
		SlabArena.Slab most = this.arena.allocate(15 << 20, deadline);
		assertThat(most).isNotNull();
		this.arena.free(most);
		assertThat(this.arena.allocate((15 << 20) + 1, deadline)).isNull();
		assertThat(this.arena.allocate(15 << 20, deadline)).isSameAs(most);
	}

	@Test
	void aFullFileSystemIsReportedAtOnce() throws Exception {
		Path missing = this.directory.resolve("missing");
		SlabArena nowhere = new SlabArena(new MemoryFiles(missing), LIMIT, this::announce, () -> {
		}, () -> false);
		long deadline = System.nanoTime() + TimeUnit.HOURS.toNanos(1);
		assertThat(nowhere.allocate(20_000, deadline)).isNull();
		assertThat(nowhere.whyExhausted(20_000)).contains("missing");
		nowhere.close();
	}

	/** To make memory takes longer than some callers have. */
	@Test
	void deadlineHoldsWhileMemoryIsMade() throws Exception {
		CountDownLatch slow = new CountDownLatch(1);
		SlabArena growing = new SlabArena(new MemoryFiles(this.directory), LIMIT, (number, name, bytes) -> {
			awaitOrFail(slow);
			announce(number, name, bytes);
		}, () -> {
		}, () -> false);
		assertThat(growing.allocate(20_000, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(5))).isNull();
		assertThat(growing.whyExhausted(20_000)).contains("being created");
		slow.countDown();
		assertThat(growing.allocate(20_000, System.nanoTime() + TimeUnit.SECONDS.toNanos(20))).isNotNull();
		growing.close();
	}

	/** An interrupt while a socket is written to would close it. */
	@Test
	void interruptOfACallerReachesNoAnnouncement() throws Exception {
		CountDownLatch announcing = new CountDownLatch(1);
		CountDownLatch interrupted = new CountDownLatch(1);
		AtomicBoolean reached = new AtomicBoolean();
		SlabArena growing = new SlabArena(new MemoryFiles(this.directory), LIMIT, (number, name, bytes) -> {
			announcing.countDown();
			awaitOrFail(interrupted);
			reached.set(Thread.currentThread().isInterrupted());
			announce(number, name, bytes);
		}, () -> {
		}, () -> false);
		CompletableFuture<Boolean> failed = new CompletableFuture<>();
		Thread caller = new Thread(() -> {
			try {
				growing.allocate(20_000, System.nanoTime() + TimeUnit.SECONDS.toNanos(20));
				failed.complete(false);
			}
			catch (InterruptedException ex) {
				failed.complete(true);
			}
		});
		caller.start();
		announcing.await();
		caller.interrupt();
		assertThat(failed.get(20, TimeUnit.SECONDS)).isTrue();
		interrupted.countDown();
		assertThat(growing.allocate(20_000, System.nanoTime() + TimeUnit.SECONDS.toNanos(20))).isNotNull();
		assertThat(reached).isFalse();
		growing.close();
	}

	/**
	 * Until the deadline a slab of the right size may come; then any that fits will do.
	 */
	@Test
	void largerSlabsAreTakenWhileOthersAreMade() throws Exception {
		CountDownLatch slow = new CountDownLatch(1);
		SlabArena growing = new SlabArena(new MemoryFiles(this.directory), LIMIT, (number, name, bytes) -> {
			if (number > 0) {
				awaitOrFail(slow);
			}
			announce(number, name, bytes);
		}, () -> {
		}, () -> false);
		growing.free(growing.allocate(1 << 20, System.nanoTime() + TimeUnit.SECONDS.toNanos(20)));
		assertThat(growing.allocate(3 << 20, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(5))).isNull();
		SlabArena.Slab other = growing.allocate(20_000, System.nanoTime() + TimeUnit.HOURS.toNanos(1));
		assertThat(other).isNotNull();
		growing.free(other);
		slow.countDown();
		assertThat(growing.allocate(3 << 20, System.nanoTime() + TimeUnit.SECONDS.toNanos(20))).isNotNull();
		growing.close();
	}

	@Test
	void whateverFailedOnceIsTriedAgain() throws Exception {
		AtomicInteger tries = new AtomicInteger();
		SlabArena failing = new SlabArena(new MemoryFiles(this.directory), LIMIT, (number, name, bytes) -> {
			if (tries.incrementAndGet() == 1) {
				throw new OutOfMemoryError("Direct buffer memory");
			}
			announce(number, name, bytes);
		}, () -> {
		}, () -> false);
		long deadline = System.nanoTime() + TimeUnit.HOURS.toNanos(1);
		assertThat(failing.allocate(20_000, deadline)).isNull();
		assertThat(failing.whyExhausted(20_000)).isEqualTo("Direct buffer memory");
		assertThat(failing.allocate(20_000, deadline)).isNotNull();
		assertThat(this.directory).isEmptyDirectory();
		failing.close();
	}

	@Test
	void smallLimitsAreUsedToTheirEnd() throws Exception {
		SlabArena small = arena(100_000);
		long deadline = System.nanoTime() + TimeUnit.HOURS.toNanos(1);
		for (int i = 0; i < 6; i++) {
			assertThat(small.allocate(16_000, deadline)).isNotNull();
		}
		assertThat(small.bytes()).isEqualTo(6 * 16_384);
		assertThat(small.allocate(16_000, System.nanoTime())).isNull();
		small.close();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 16_384, 16_385, 1 << 20, (1 << 20) + 1, 10_000_000, 1 << 30 })
	void classesHoldWhatTheyAreFor(int length) {
		int size = SlabArena.slabBytes(length);
		assertThat(size).isGreaterThanOrEqualTo(length).isGreaterThanOrEqualTo(SlabArena.SMALLEST_SLAB_BYTES);
		assertThat(size)
			.isLessThanOrEqualTo(Math.max(SlabArena.SMALLEST_SLAB_BYTES, Math.max(2 * (length >> 1) * 2, length)));
	}

	@Test
	void hostileAnnouncementsAndReferencesAreRefused() throws Exception {
		this.arena.allocate(20_000, System.nanoTime() + TimeUnit.SECONDS.toNanos(20));
		for (int[] reference : new int[][] { { 0, -1 }, { 0, Integer.MAX_VALUE }, { 0, 262_144 - 99 }, { 1, 0 },
				{ -2, 0 }, { 256, 0 }, { Integer.MIN_VALUE, 0 } }) {
			assertThat(catchThrowableOfType(WireException.class, () -> this.peer.find(reference[0], reference[1], 100)))
				.isNotNull();
		}
		String name = Segment.newName();
		// Its creator may have done nothing wrong.
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.peer.add(1, name, 4096))
			.withMessageContaining(name);
		for (String file : new String[] { "../x", "host-token", "" }) {
			assertThat(catchThrowableOfType(WireException.class, () -> this.peer.add(1, file, 4096))).isNotNull();
		}
		assertThat(catchThrowableOfType(WireException.class, () -> this.peer.add(7, name, 4096))).isNotNull();
		assertThat(catchThrowableOfType(WireException.class, () -> this.peer.add(1, name, -4096))).isNotNull();
		assertThat(catchThrowableOfType(WireException.class, () -> this.peer.add(1, name, 1 << 30))).isNotNull();
		Files.write(this.directory.resolve(name), new byte[10]);
		assertThat(catchThrowableOfType(WireException.class, () -> this.peer.add(1, name, 4096))).isNotNull();
	}

}
