package io.github.vicinal.cache;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.github.vicinal.cache.policy.Policies;
import io.github.vicinal.cache.policy.PolicyFactory;
import io.github.vicinal.cache.policy.ReplacementPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** The policy learns of reads that were made while a writer had the lock. */
@Timeout(30)
class BusyWriterTests {

	/** As many as a stripe holds. */
	private static final int READS = 16;

	private static final int LAST = 3;

	private static final int SIZE = 8;

	@Test
	void readsOfAWholeStripeAreNotLostToAWriter() throws Exception {
		CountDownLatch busy = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		AtomicInteger hits = new AtomicInteger();
		PolicyStore<Integer, Integer> store = store(
				(slots, capacity) -> new Watched(Policies.LRU.create(slots, capacity), hits, busy, release));
		Thread writer = busyWriter(store, busy);
		for (int i = 0; i < READS; i++) {
			assertThat(store.get(i % LAST)).isEqualTo(i % LAST);
		}
		assertThat(hits).hasValue(0);
		release.countDown();
		writer.join();
		assertThat(hits).hasValue(READS);
	}

	@Test
	void readsAreReportedBeforeTheWritesThatFollowThem() throws Exception {
		CountDownLatch busy = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		PolicyStore<Integer, Integer> store = store((slots,
				capacity) -> new Watched(Policies.LRU.create(slots, capacity), new AtomicInteger(), busy, release));
		Thread writer = busyWriter(store, busy);
		// Key 0 is the oldest, until now.
		assertThat(store.get(0)).isZero();
		for (int key = LAST + 1; key <= SIZE; key++) {
			store.put(key, key);
		}
		release.countDown();
		writer.join();
		store.cleanUp();
		assertThat(store.peek(0)).isZero();
		assertThat(store.peek(1)).isNull();
	}

	@Test
	void readsOfAnEntryWhoseInsertWaitsAreReportedAfterIt() throws Exception {
		CountDownLatch busy = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		AtomicInteger hits = new AtomicInteger();
		PolicyStore<Integer, Integer> store = store(
				(slots, capacity) -> new Watched(Policies.LRU.create(slots, capacity), hits, busy, release));
		Thread writer = busyWriter(store, busy);
		store.put(LAST + 1, LAST + 1);
		assertThat(store.get(LAST + 1)).isEqualTo(LAST + 1);
		release.countDown();
		writer.join();
		store.cleanUp();
		assertThat(hits).hasValue(1);
	}

	/** Others may read without end: each makes the thread that drains look again. */
	@Test
	void aThreadThatDrainsForReadersReturns() {
		AtomicReference<PolicyStore<Integer, Integer>> itself = new AtomicReference<>();
		AtomicInteger rounds = new AtomicInteger();
		PolicyStore<Integer, Integer> store = store((slots, capacity) -> {
			ReplacementPolicy lru = Policies.LRU.create(slots, capacity);
			return new Watched(lru, new AtomicInteger(), new CountDownLatch(1), new CountDownLatch(0)) {
				@Override
				public void onHit(int slot) {
					super.onHit(slot);
					PolicyStore<Integer, Integer> read = itself.get();
					if (read != null && rounds.incrementAndGet() < 10_000) {
						// By another thread, as one that has the lock can take it again.
						Thread reader = new Thread(() -> IntStream.range(0, READS).forEach((i) -> read.get(i % LAST)));
						reader.start();
						try {
							reader.join();
						}
						catch (InterruptedException ex) {
							Thread.currentThread().interrupt();
						}
					}
				}
			};
		});
		for (int key = 0; key < LAST; key++) {
			store.put(key, key);
		}
		itself.set(store);
		for (int i = 0; i < READS; i++) {
			assertThat(store.get(i % LAST)).isEqualTo(i % LAST);
		}
		assertThat(rounds.get()).isBetween(READS, 5_000);
	}

	/** Returns a thread that adds the last key and has the lock until it is released. */
	private static Thread busyWriter(PolicyStore<Integer, Integer> store, CountDownLatch busy) throws Exception {
		for (int key = 0; key < LAST; key++) {
			store.put(key, key);
		}
		Thread writer = new Thread(() -> store.put(LAST, LAST));
		writer.start();
		assertThat(busy.await(20, TimeUnit.SECONDS)).isTrue();
		return writer;
	}

	private static PolicyStore<Integer, Integer> store(PolicyFactory factory) {
		CacheBuilder<Integer, Integer> builder = CacheBuilder.<Integer, Integer>named("test")
			.policy(CachePolicy.LRU)
			.maximumSize(SIZE);
		return new PolicyStore<>(builder, new Removals<>("test", null, Runnable::run, Runnable::run, null), 1, factory);
	}

	/** Counts hits, and is slow to insert the last entry. */
	private static class Watched implements ReplacementPolicy {

		private final ReplacementPolicy policy;

		private final AtomicInteger hits;

		private final CountDownLatch busy;

		private final CountDownLatch release;

		Watched(ReplacementPolicy policy, AtomicInteger hits, CountDownLatch busy, CountDownLatch release) {
			this.policy = policy;
			this.hits = hits;
			this.busy = busy;
			this.release = release;
		}

		@Override
		public void onInsert(int slot) {
			this.policy.onInsert(slot);
			if (slot == LAST) {
				this.busy.countDown();
				try {
					this.release.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			}
		}

		@Override
		public void onHit(int slot) {
			this.policy.onHit(slot);
			this.hits.incrementAndGet();
		}

		@Override
		public void onRemove(int slot) {
			this.policy.onRemove(slot);
		}

		@Override
		public int evict(int incoming) {
			return this.policy.evict(incoming);
		}

		@Override
		public int pollHottest() {
			return this.policy.pollHottest();
		}

		@Override
		public void adoptColder(int slot) {
			this.policy.adoptColder(slot);
		}

	}

}
