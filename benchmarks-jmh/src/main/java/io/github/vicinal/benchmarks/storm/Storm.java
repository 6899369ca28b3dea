package io.github.vicinal.benchmarks.storm;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.benchmarks.SteadyState;
import org.HdrHistogram.Histogram;

/** Callers that go on calling while instances are restarted. */
final class Storm implements AutoCloseable {

	/** Upper bound of recorded times, in nanoseconds. */
	private static final long MAX_NANOS = 120_000_000_000L;

	private final Receipts receipts;

	private final long pauseNanos;

	private final AtomicLong numbers = new AtomicLong();

	private final List<Thread> threads = new ArrayList<>();

	private final List<Histogram> histograms = new ArrayList<>();

	private final Map<String, LongAdder> errors = new ConcurrentSkipListMap<>();

	private final Queue<Long> issued = new ConcurrentLinkedQueue<>();

	private final LongAdder calls = new LongAdder();

	/** Sum of the response times of all calls. */
	private final LongAdder nanos = new LongAdder();

	private final LongAdder wrong = new LongAdder();

	/** Whether response times are recorded. */
	private volatile boolean warm;

	private volatile boolean ended;

	private Storm(Receipts receipts, long pauseNanos) {
		this.receipts = receipts;
		this.pauseNanos = pauseNanos;
	}

	/**
	 * Starts callers. Each alternates between a call that is not idempotent and one that
	 * is.
	 * @param receipts what they call
	 * @param callers number of threads
	 * @param pauseNanos time from the start of a thread's call to that of its next one
	 */
	static Storm start(Receipts receipts, int callers, long pauseNanos) {
		Storm storm = new Storm(receipts, pauseNanos);
		for (int i = 0; i < callers; i++) {
			Histogram histogram = new Histogram(1, MAX_NANOS, 3);
			long first = System.nanoTime() + pauseNanos * i / callers;
			Thread thread = new Thread(() -> storm.run(histogram, first), "storm-" + i);
			storm.histograms.add(histogram);
			storm.threads.add(thread);
			thread.start();
		}
		return storm;
	}

	private void run(Histogram histogram, long first) {
		long due = first;
		for (boolean post = true; !this.ended; post = !post) {
			for (long left = due - System.nanoTime(); left > 0 && !this.ended; left = due - System.nanoTime()) {
				LockSupport.parkNanos(left);
			}
			long number = this.numbers.incrementAndGet();
			long from = System.nanoTime();
			try {
				Receipts.Receipt receipt = post ? this.receipts.issue(new Receipts.Order(number, "for call " + number))
						: this.receipts.peek(number);
				if (!Receipts.Receipt.of(number).equals(receipt)) {
					this.wrong.increment();
				}
				if (post) {
					this.issued.add(number);
				}
			}
			catch (RuntimeException ex) {
				this.errors.computeIfAbsent((post ? "POST: " : "GET: ") + describe(ex), (key) -> new LongAdder())
					.increment();
			}
			long took = System.nanoTime() - from;
			this.nanos.add(took);
			this.calls.increment();
			if (this.warm) {
				histogram.recordValue(Math.min(took, MAX_NANOS));
			}
			due = Math.max(due + this.pauseNanos, System.nanoTime() - this.pauseNanos);
		}
	}

	/**
	 * Waits until the mean response time no longer changes, and records response times
	 * from then on.
	 * @param windowMillis length of the windows whose means are compared
	 * @return the number of windows, or {@code -1} if there was no steady state
	 */
	int awaitSteadyState(long windowMillis) throws InterruptedException {
		int windows = SteadyState.await(() -> {
			long before = this.calls.sum();
			long nanosBefore = this.nanos.sum();
			Thread.sleep(windowMillis);
			return (this.nanos.sum() - nanosBefore) / (double) (this.calls.sum() - before);
		});
		this.warm = true;
		return windows;
	}

	private static String describe(Throwable failure) {
		Throwable root = failure;
		while (root.getCause() != null) {
			root = root.getCause();
		}
		return failure.getClass().getSimpleName() + ((root != failure) ? " by " + root.getClass().getSimpleName() : "");
	}

	@Override
	public void close() throws InterruptedException {
		this.ended = true;
		for (Thread thread : this.threads) {
			thread.join();
		}
	}

	long calls() {
		return this.calls.sum();
	}

	long wrong() {
		return this.wrong.sum();
	}

	Map<String, Long> errors() {
		Map<String, Long> counts = new TreeMap<>();
		this.errors.forEach((kind, count) -> counts.put(kind, count.sum()));
		return counts;
	}

	/** The numbers of the receipts that callers got. */
	Queue<Long> issued() {
		return this.issued;
	}

	/**
	 * Response times from the steady state on, in nanoseconds; to be read when the storm
	 * is over.
	 */
	Histogram times() {
		Histogram all = new Histogram(1, MAX_NANOS, 3);
		this.histograms.forEach(all::add);
		return all;
	}

}
