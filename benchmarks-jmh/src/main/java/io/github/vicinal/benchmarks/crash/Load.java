package io.github.vicinal.benchmarks.crash;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.transport.shm.RawLanes;
import io.github.vicinal.transport.shm.lane.ClientLane;

/** Threads that make numbered calls until the server is gone or they are stopped. */
final class Load {

	private static final int HIGH_WATER_SECONDS = 30;

	private final List<Thread> threads = new ArrayList<>();

	private final AtomicLong calls = new AtomicLong();

	private final AtomicLong releasedAt = new AtomicLong(Long.MIN_VALUE);

	private final Queue<String> problems = new ConcurrentLinkedQueue<>();

	private volatile boolean stopped;

	/**
	 * Starts to call.
	 * @param client a connected client
	 * @param callers number of threads
	 * @param firstCaller the number of the first caller, unlike that of all other loads
	 * of the server
	 */
	Load(RawLanes.Client client, int callers, long firstCaller) {
		for (int i = 0; i < callers; i++) {
			long caller = firstCaller + i;
			Thread thread = new Thread(() -> run(client, caller), "caller-" + caller);
			thread.setDaemon(true);
			this.threads.add(thread);
			thread.start();
		}
	}

	/**
	 * Makes all callers hold the memory for requests and answers of one size at the same
	 * time, then that for answers alone, which the server has to provide; for each size
	 * after the other. What is mapped beyond that later is a leak.
	 * @param client a connected client
	 * @param callers number of threads
	 * @param firstCaller the number of the first caller, unlike that of all loads
	 * @throws Exception if a call fails
	 */
	static void reachHighWater(RawLanes.Client client, int callers, long firstCaller) throws Exception {
		CyclicBarrier allHold = new CyclicBarrier(callers);
		List<CompletableFuture<Void>> done = new ArrayList<>();
		for (int i = 0; i < callers; i++) {
			long caller = firstCaller + i;
			CompletableFuture<Void> future = new CompletableFuture<>();
			done.add(future);
			Thread thread = new Thread(() -> {
				try {
					long number = 1;
					for (int size : Numbered.sizes()) {
						for (int request : new int[] { size, Numbered.HEADER_BYTES }) {
							ClientLane lane = client.lanes().acquire(ClientLane.NO_DEADLINE);
							try {
								lane.exchangeInPlace(Numbered.of(caller, number++, size, request), request,
										ClientLane.NO_DEADLINE);
								allHold.await(HIGH_WATER_SECONDS, TimeUnit.SECONDS);
							}
							finally {
								client.lanes().release(lane);
							}
						}
					}
					future.complete(null);
				}
				catch (Exception ex) {
					future.completeExceptionally(ex);
				}
			}, "high-water-" + caller);
			thread.setDaemon(true);
			thread.start();
		}
		CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)).get();
	}

	private void run(RawLanes.Client client, long caller) {
		Random random = new Random(caller);
		try {
			for (long number = 1; !this.stopped; number++) {
				call(client, caller, number, random);
				this.calls.incrementAndGet();
			}
		}
		catch (PathException ex) {
			if (ex.reason() != Reason.PEER_GONE) {
				this.problems.add("a call failed otherwise: " + ex);
			}
		}
		catch (RuntimeException | Error ex) {
			this.problems.add("a caller failed: " + ex);
		}
		long now = System.nanoTime();
		this.releasedAt.accumulateAndGet(now, Math::max);
	}

	private void call(RawLanes.Client client, long caller, long number, Random random) throws PathException {
		int answerLength = Numbered.size(random);
		byte[] request = Numbered.of(caller, number, answerLength, Numbered.size(random));
		ClientLane lane = client.lanes().acquire(ClientLane.NO_DEADLINE);
		try {
			lane.exchange(request, request.length, ClientLane.NO_DEADLINE);
			String problem = Numbered.problem(lane.response(), lane.responseLength(), caller, number, answerLength);
			if (!problem.isEmpty()) {
				this.problems.add(problem);
			}
		}
		finally {
			client.lanes().release(lane);
		}
	}

	void stop() {
		this.stopped = true;
	}

	/**
	 * Waits for all callers.
	 * @return the {@link System#nanoTime()} at which the last one was released
	 */
	long join(long timeoutMillis) throws InterruptedException {
		long end = System.nanoTime() + timeoutMillis * 1_000_000;
		for (Thread thread : this.threads) {
			thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
			if (thread.isAlive()) {
				this.problems.add("a caller hung for more than %d ms".formatted(timeoutMillis));
				thread.interrupt();
				return System.nanoTime();
			}
		}
		return this.releasedAt.get();
	}

	long calls() {
		return this.calls.get();
	}

	Queue<String> problems() {
		return this.problems;
	}

}
