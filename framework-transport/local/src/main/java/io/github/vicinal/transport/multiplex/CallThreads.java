package io.github.vicinal.transport.multiplex;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.transport.wire.ServerMetrics;
import org.jspecify.annotations.Nullable;

/**
 * The threads on which a server executes calls, and the calls in flight, for which its
 * end waits. Thread-safe.
 */
public final class CallThreads {

	private static final long IDLE_SECONDS = 30;

	private final int maxThreads;

	private final ServerMetrics metrics;

	private final ThreadPoolExecutor threads;

	/** Guarded by itself, which is notified when it is 0. */
	private final AtomicInteger inFlight = new AtomicInteger();

	/**
	 * Creates threads as they are needed.
	 * @param name what the names of the threads begin with
	 * @param maxThreads maximum number of threads
	 * @param loader context class loader of the threads
	 * @param metrics counts calls in flight
	 */
	public CallThreads(String name, int maxThreads, @Nullable ClassLoader loader, ServerMetrics metrics) {
		this.maxThreads = maxThreads;
		this.metrics = metrics;
		AtomicInteger number = new AtomicInteger();
		this.threads = new ThreadPoolExecutor(0, maxThreads, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(),
				(task) -> {
					Thread thread = new Thread(task, name + "-" + number.getAndIncrement());
					thread.setDaemon(true);
					thread.setContextClassLoader(loader);
					return thread;
				});
	}

	/**
	 * Executes a call.
	 * @param call the call, which handles its own failures
	 * @return whether a thread was free, or could be had
	 */
	public boolean execute(Runnable call) {
		try {
			this.threads.execute(call);
			return true;
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			return false;
		}
	}

	/**
	 * Runs a task that must not be left out: on the calling thread if no other is free.
	 * @param task the task
	 */
	public void run(Runnable task) {
		if (!execute(task)) {
			task.run();
		}
	}

	/**
	 * Describes that there is no thread.
	 * @return a sentence
	 */
	public String exhausted() {
		return "all %d threads of the server are in use".formatted(this.maxThreads);
	}

	/** Counts a call that has arrived; {@link #ended()} must follow. */
	public void began() {
		this.inFlight.incrementAndGet();
		this.metrics.inFlight().increment();
	}

	/** Counts a call whose answer has left. */
	public void ended() {
		this.metrics.inFlight().decrement();
		if (this.inFlight.decrementAndGet() == 0) {
			synchronized (this.inFlight) {
				this.inFlight.notifyAll();
			}
		}
	}

	/**
	 * Waits for the calls in flight.
	 * @param deadlineNanos the {@link System#nanoTime()} until which to wait
	 * @return the number of calls still in flight
	 */
	public int drain(long deadlineNanos) {
		synchronized (this.inFlight) {
			while (this.inFlight.get() > 0) {
				long millis = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
				if (millis <= 0) {
					break;
				}
				try {
					this.inFlight.wait(millis);
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
					break;
				}
			}
			return this.inFlight.get();
		}
	}

	/** Ends the threads once their calls have ended. */
	public void shutdown() {
		this.threads.shutdown();
	}

}
