package io.github.vicinal.transport.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.transport.testing.Async;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class HeapBudgetTests {

	@Test
	void secondWaitsUntilTheFirstGivesBack() throws Exception {
		HeapBudget budget = new HeapBudget(100);
		HeapBudget.Lease first = budget.lease();
		first.cover(80);
		CompletableFuture<Boolean> second = Async.call(() -> {
			budget.lease().cover(30);
			return true;
		});
		Async.await(() -> Async.isSomebodyIn("Lease.cover"));
		assertThat(second).isNotDone();
		first.reduce(70);
		assertThat(second.get(4, TimeUnit.SECONDS)).isTrue();
		assertThat(budget.bytes()).isEqualTo(100);
	}

	@Test
	void nothingIsHeldByALeaseWhoseTimeHasPassed() {
		HeapBudget budget = new HeapBudget(100);
		HeapBudget.Lease first = budget.lease();
		first.cover(80);
		HeapBudget.Lease second = budget.lease();
		assertThat(second.cover(30, 0)).isFalse();
		assertThat(budget.bytes()).isEqualTo(80);
		assertThat(second.cover(20, 0)).isTrue();
		assertThat(second.cover(30, 0)).isFalse();
		assertThat(budget.bytes()).isEqualTo(100);
		second.force(30);
		assertThat(budget.bytes()).isEqualTo(110);
		first.reduce(0);
		assertThat(second.cover(1000, 0)).isTrue();
		second.reduce(0);
		assertThat(budget.bytes()).isZero();
	}

	/** Segments of a pair come and go, and share a budget. */
	@Test
	void retiredLeaseKeepsNothing() {
		HeapBudget budget = new HeapBudget(1000);
		HeapBudget.Lease idle = budget.lease();
		HeapBudget.Lease busy = budget.lease();
		assertThat(idle.end(100)).isTrue();
		busy.cover(500);
		idle.retire();
		busy.retire();
		assertThat(budget.keptBytes()).isZero();
		assertThat(busy.end(100)).isFalse();
		assertThat(budget.bytes()).isZero();
	}

	/** Else two that both need more would wait for each other. */
	@Test
	void theFirstNeverWaits() throws Exception {
		HeapBudget budget = new HeapBudget(100);
		HeapBudget.Lease first = budget.lease();
		first.cover(60);
		HeapBudget.Lease second = budget.lease();
		second.cover(40);
		first.cover(500);
		assertThat(budget.bytes()).isEqualTo(540);
		CompletableFuture<Boolean> more = Async.call(() -> {
			second.cover(50);
			return true;
		});
		Async.await(() -> Async.isSomebodyIn("Lease.cover"));
		assertThat(first.end(0)).isTrue();
		assertThat(more.get(4, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void keepsLittle() {
		HeapBudget budget = new HeapBudget(1000);
		HeapBudget.Lease one = budget.lease();
		HeapBudget.Lease other = budget.lease();
		one.cover(500);
		assertThat(one.end(200)).isTrue();
		assertThat(other.end(100)).isFalse();
		assertThat(budget.keptBytes()).isEqualTo(200);
		assertThat(one.end(300)).isFalse();
		assertThat(budget.bytes()).isZero();
	}

	@Test
	void interruptIsPutAside() {
		HeapBudget budget = new HeapBudget(10);
		HeapBudget.Lease first = budget.lease();
		first.cover(10);
		Thread self = Thread.currentThread();
		CompletableFuture<Boolean> done = Async.call(() -> {
			Async.await(() -> Async.isSomebodyIn("Lease.cover"));
			self.interrupt();
			first.end(0);
			return true;
		});
		budget.lease().cover(5);
		Async.call(() -> done.get(20, TimeUnit.SECONDS));
		// The interrupt came before the part was given back.
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void manyNeverHaveMoreThanTheBudgetAndTheFirst() throws Exception {
		HeapBudget budget = new HeapBudget(1000);
		AtomicLong inUse = new AtomicLong();
		AtomicInteger done = new AtomicInteger();
		List<CompletableFuture<Boolean>> all = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			Random random = new Random(i);
			HeapBudget.Lease lease = budget.lease();
			all.add(Async.call(() -> {
				for (int j = 0; j < 2000; j++) {
					int bytes = 1 + random.nextInt(400);
					lease.cover(bytes);
					long now = inUse.addAndGet(bytes);
					assertThat(now).isLessThanOrEqualTo(1400);
					inUse.addAndGet(-bytes);
					lease.end(0);
				}
				done.incrementAndGet();
				return true;
			}));
		}
		for (CompletableFuture<Boolean> one : all) {
			assertThat(one.get(50, TimeUnit.SECONDS)).isTrue();
		}
		assertThat(done).hasValue(8);
		assertThat(budget.bytes()).isZero();
	}

}
