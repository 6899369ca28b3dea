package io.github.vicinal.benchmarks.server;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.LongConsumer;

import com.netflix.concurrency.limits.Limiter;
import io.github.vicinal.requestserver.Priority;
import io.github.vicinal.requestserver.Rejection;
import io.github.vicinal.requestserver.Request;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.requestserver.RequestServerReport;
import io.github.vicinal.requestserver.RequestServerSettings;
import org.HdrHistogram.AtomicHistogram;
import org.jspecify.annotations.Nullable;

/**
 * Result of an open-loop load on a request server whose handlers wait for a declared
 * service time.
 *
 * @param offeredPerSecond requests sent
 * @param goodPerSecond requests executed within the time
 * @param refusedPerSecond requests refused
 * @param p50Millis median response time of executed requests, from when they were due
 * @param p99Millis 99 % quantile of it
 * @param postDelayP99Millis 99 % quantile of the POST delay
 * @param longestQueue the most requests that waited
 */
record Outcome(double offeredPerSecond, double goodPerSecond, double refusedPerSecond, double p50Millis,
		double p99Millis, double postDelayP99Millis, int longestQueue) {

	/**
	 * A parked thread comes back up to so late. The end of the service time is waited for
	 * awake, so that it is what was declared.
	 */
	private static final long LATE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

	private static final int DIGITS = 3;

	private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);

	/**
	 * Measures.
	 * @param settings of the server
	 * @param limiters makes the limiter that decides before the server, or is
	 * {@code null}
	 * @param serviceNanos how long each handler waits; 0 for not at all
	 * @param ratePerSecond mean rate of requests
	 * @param seconds for how long, after a second for warm-up
	 * @param seed of the arrivals
	 */
	static Outcome measure(RequestServerSettings settings, @Nullable Function<String, Limiter<@Nullable Void>> limiters,
			long serviceNanos, double ratePerSecond, double seconds, long seed) throws InterruptedException {
		AtomicHistogram responses = new AtomicHistogram(LONGEST_NANOS, DIGITS);
		AtomicLong executed = new AtomicLong();
		AtomicLong refused = new AtomicLong();
		int[] longest = new int[1];
		try (RequestServer server = new RequestServer(settings)) {
			Limiter<@Nullable Void> limiter = (limiters != null) ? limiters.apply(settings.name()) : null;
			long warm = TimeUnit.SECONDS.toNanos(1);
			long from = System.nanoTime() + warm;
			long until = from + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
			long[] sent = new long[1];
			new PoissonArrivals(ratePerSecond, seed).run(until - System.nanoTime(), (due) -> {
				boolean counts = due - from >= 0;
				if (counts && (sent[0]++ & 127) == 0) {
					longest[0] = Math.max(longest[0], server.waiting());
				}
				Limiter.Listener listener = null;
				if (limiter != null) {
					listener = limiter.acquire(null).orElse(null);
					if (listener == null) {
						refused.addAndGet(counts ? 1 : 0);
						return;
					}
				}
				server.execute(new Timed(due, listener, serviceNanos, (now) -> {
					// Requests that end within the time, regardless of their arrival: a
					// queue that is longer at the end than at the beginning is not yet
					// served.
					executed.addAndGet((now - from >= 0 && now - until < 0) ? 1 : 0);
				}, counts ? refused : new AtomicLong(), counts ? responses : null));
			});
			server.drain(Duration.ofSeconds(30));
			RequestServerReport report = server.report();
			return new Outcome(sent[0] / seconds, executed.get() / seconds, refused.get() / seconds,
					responses.getValueAtPercentile(50) / 1e6, responses.getValueAtPercentile(99) / 1e6,
					report.postDelayMicros().p99() / 1e3, longest[0]);
		}
	}

	/** A request whose handler waits. */
	private static final class Timed extends Request {

		private final long due;

		private final Limiter.@Nullable Listener listener;

		private final long serviceNanos;

		private final LongConsumer executed;

		private final AtomicLong refusals;

		private final @Nullable AtomicHistogram responses;

		Timed(long due, Limiter.@Nullable Listener listener, long serviceNanos, LongConsumer executed,
				AtomicLong refused, @Nullable AtomicHistogram responses) {
			super("load", Priority.NORMAL, due);
			this.due = due;
			this.listener = listener;
			this.serviceNanos = serviceNanos;
			this.executed = executed;
			this.refusals = refused;
			this.responses = responses;
		}

		@Override
		protected void run() {
			long end = System.nanoTime() + this.serviceNanos;
			for (long left = this.serviceNanos; left > 0; left = end - System.nanoTime()) {
				if (left > LATE_NANOS) {
					LockSupport.parkNanos(left - LATE_NANOS);
				}
				else {
					Thread.onSpinWait();
				}
			}
			long now = System.nanoTime();
			this.executed.accept(now);
			if (this.responses != null) {
				this.responses.recordValue(Math.min(LONGEST_NANOS, Math.max(0, now - this.due)));
			}
			if (this.listener != null) {
				this.listener.onSuccess();
			}
		}

		@Override
		protected void rejected(Rejection rejection) {
			this.refusals.incrementAndGet();
			if (this.listener != null) {
				this.listener.onDropped();
			}
		}

	}

}
