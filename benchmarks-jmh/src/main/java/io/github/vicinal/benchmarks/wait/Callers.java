package io.github.vicinal.benchmarks.wait;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.path.PathException;
import io.github.vicinal.transport.shm.RawLanes;
import io.github.vicinal.transport.shm.lane.ClientLane;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Threads that call: at first to settle, then to be measured. */
final class Callers {

	private static final int BODY_BYTES = 1024;

	private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(60);

	private static final long PACE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final RawLanes.Client client;

	private final boolean paced;

	private final CountDownLatch done;

	private final CountDownLatch leave = new CountDownLatch(1);

	private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

	private volatile boolean measuring;

	private volatile boolean ended;

	private Callers(RawLanes.Client client, int callers, boolean paced) {
		this.client = client;
		this.paced = paced;
		this.done = new CountDownLatch(callers);
	}

	static Cell measure(RawLanes.Client client, long serverPid, int count, boolean paced, long settleMillis,
			long measureMillis) throws InterruptedException, IOException {
		return new Callers(client, count, paced).measure(serverPid, count, settleMillis, measureMillis);
	}

	private Cell measure(long serverPid, int count, long settleMillis, long measureMillis)
			throws InterruptedException, IOException {
		List<Histogram> histograms = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			Histogram histogram = new Histogram(1, MAX_NANOS, 3);
			histograms.add(histogram);
			new Thread(() -> run(histogram), "caller-" + i).start();
		}
		long own = ProcessHandle.current().pid();
		TimeUnit.MILLISECONDS.sleep(settleMillis);
		long bans = this.client.lanes().waits().bans();
		long start = System.nanoTime();
		TaskCpu before = TaskCpu.of(own, serverPid);
		this.measuring = true;
		TimeUnit.MILLISECONDS.sleep(measureMillis);
		this.ended = true;
		TaskCpu after = TaskCpu.of(own, serverPid);
		double seconds = (System.nanoTime() - start) / 1e9;
		this.done.await();
		bans = this.client.lanes().waits().bans() - bans;
		this.leave.countDown();
		Throwable problem = this.failure.get();
		if (problem != null) {
			throw new IOException("A call failed", problem);
		}
		Histogram all = new Histogram(1, MAX_NANOS, 3);
		histograms.forEach(all::add);
		return Cell.of(all.getValueAtPercentile(50) / 1e3, all.getValueAtPercentile(99) / 1e3,
				all.getValueAtPercentile(99.9) / 1e3, after.nanosSince(before) / 1e3 / all.getTotalCount(),
				all.getTotalCount(), bans / seconds);
	}

	/** A caller's thread lives until its CPU time has been read. */
	private void run(Histogram histogram) {
		try {
			ClientLane lane = this.client.lanes().acquire(ClientLane.NO_DEADLINE);
			try {
				call(lane, histogram);
			}
			finally {
				this.client.lanes().release(lane);
			}
		}
		catch (PathException | RuntimeException ex) {
			this.failure.compareAndSet(null, ex);
		}
		this.done.countDown();
		try {
			this.leave.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void call(ClientLane lane, Histogram histogram) throws PathException {
		byte[] body = new byte[BODY_BYTES];
		long planned = System.nanoTime();
		while (!this.ended) {
			if (this.paced) {
				for (long wait = planned - System.nanoTime(); wait > 0; wait = planned - System.nanoTime()) {
					LockSupport.parkNanos(wait);
				}
			}
			boolean counts = this.measuring;
			long from = System.nanoTime();
			lane.exchange(body, body.length, ClientLane.NO_DEADLINE);
			long to = System.nanoTime();
			if (counts) {
				histogram.recordValue(Math.min(to - from, MAX_NANOS));
			}
			planned = Math.max(planned + PACE_NANOS, to);
		}
	}

}
