package io.github.vicinal.benchmarks.shm;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import com.sun.management.ThreadMXBean;
import io.github.vicinal.benchmarks.ThreadCpu;
import org.HdrHistogram.Histogram;

/** Puts loads on transports and measures. Used by one thread. */
final class LoadRunner implements AutoCloseable {

	private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(60);

	private static final int DIGITS = 3;

	private final ExecutorService threads = Executors.newCachedThreadPool((task) -> {
		Thread thread = new Thread(task, "caller");
		thread.setDaemon(true);
		return thread;
	});

	private final List<Histogram> histograms = new ArrayList<>();

	private final Map<Integer, byte[]> requests = new HashMap<>();

	private final long[] pids;

	private double stepsPerMicro;

	/**
	 * Creates a runner.
	 * @param pids whose processor time counts
	 */
	LoadRunner(long[] pids) {
		this.pids = pids;
	}

	/**
	 * Runs a load, first without looking, for a fraction of the time.
	 * @param callers as many as the load wants
	 * @param load what they do
	 * @param millis for how long
	 * @param maxCalls maximum number of calls that each of them makes
	 * @return what was seen
	 */
	Result run(List<Transport.Caller> callers, Load load, int millis, int maxCalls) throws Exception {
		measure(callers, load, Math.max(30, millis / 4), Math.max(1, maxCalls / 4));
		return measure(callers, load, millis, maxCalls);
	}

	private Result measure(List<Transport.Caller> callers, Load load, int millis, int maxCalls) throws Exception {
		byte[] request = request(load);
		while (this.histograms.size() < callers.size()) {
			this.histograms.add(new Histogram(1, MAX_NANOS, DIGITS));
		}
		CountDownLatch ready = new CountDownLatch(callers.size());
		CountDownLatch start = new CountDownLatch(1);
		List<Future<Long>> futures = new ArrayList<>();
		for (int i = 0; i < callers.size(); i++) {
			Transport.Caller caller = callers.get(i);
			Histogram histogram = this.histograms.get(i);
			histogram.reset();
			futures.add(this.threads.submit(() -> {
				ready.countDown();
				start.await();
				return call(caller, request, load, millis, maxCalls, histogram);
			}));
		}
		ready.await();
		ThreadCpu before = ThreadCpu.of(this.pids);
		start.countDown();
		long allocated = 0;
		for (Future<Long> future : futures) {
			allocated += future.get();
		}
		double cpu = ThreadCpu.of(this.pids).microsSince(before);
		Histogram all = new Histogram(1, MAX_NANOS, DIGITS);
		for (int i = 0; i < callers.size(); i++) {
			all.add(this.histograms.get(i));
		}
		long calls = Math.max(1, all.getTotalCount());
		return new Result(all.getValueAtPercentile(50) / 1e3, all.getValueAtPercentile(99) / 1e3,
				all.getValueAtPercentile(99.9) / 1e3, cpu / calls, calls, (double) allocated / calls);
	}

	private byte[] request(Load load) {
		if (load.workMicros() > 0 && this.stepsPerMicro == 0) {
			this.stepsPerMicro = Work.stepsPerMicro();
		}
		int steps = (int) (load.workMicros() * this.stepsPerMicro);
		byte[] request = this.requests.computeIfAbsent(load.bytes(), (bytes) -> Work.request(bytes, 0));
		return (steps > 0) ? Work.request(load.bytes(), steps) : request;
	}

	/** Returns how many bytes the thread allocated. */
	private static long call(Transport.Caller caller, byte[] request, Load load, int millis, int maxCalls,
			Histogram histogram) throws Exception {
		ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long allocated = bean.getCurrentThreadAllocatedBytes();
		if (load.paced()) {
			paced(caller, request, millis, maxCalls, histogram);
		}
		else {
			closed(caller, request, millis, maxCalls, histogram);
		}
		return bean.getCurrentThreadAllocatedBytes() - allocated;
	}

	private static void closed(Transport.Caller caller, byte[] request, int millis, int maxCalls, Histogram histogram)
			throws Exception {
		long from = System.nanoTime();
		long end = from + TimeUnit.MILLISECONDS.toNanos(millis);
		for (int i = 0; i < maxCalls && from - end < 0; i++) {
			check(caller.call(request), request);
			long to = System.nanoTime();
			histogram.recordValue(Math.min(to - from, MAX_NANOS));
			from = to;
		}
	}

	/**
	 * A call that could not start when it was due, because the one before was still
	 * running, has been waiting since. That the clock woke this thread late is not
	 * counted: it happens to all transports, and is no part of them.
	 */
	private static void paced(Transport.Caller caller, byte[] request, int millis, int maxCalls, Histogram histogram)
			throws Exception {
		long planned = System.nanoTime();
		long end = planned + TimeUnit.MILLISECONDS.toNanos(millis);
		for (int i = 0; i < maxCalls && planned - end < 0; i++) {
			long from = planned;
			long now = System.nanoTime();
			if (now - planned < 0) {
				while (now - planned < 0) {
					LockSupport.parkNanos(planned - now);
					now = System.nanoTime();
				}
				from = now;
			}
			check(caller.call(request), request);
			histogram.recordValue(Math.min(System.nanoTime() - from, MAX_NANOS));
			planned += Load.PACE_NANOS;
		}
	}

	private static void check(int answered, byte[] request) {
		if (answered != request.length) {
			throw new IllegalStateException("%d bytes came back instead of %d".formatted(answered, request.length));
		}
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
	}

}
