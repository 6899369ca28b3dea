package io.github.vicinal.boot.client;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.github.vicinal.path.PathException;
import io.micrometer.context.ContextSnapshot;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * The calls of one channel whose caller does not wait. A call over a path that completes
 * it later holds no thread. Over other paths it holds one: a virtual thread if the JVM
 * has them (Java 21), else one of a pool. Such a call goes by HTTP, which holds no
 * thread, if the maximum number is in flight or no thread is free. Thread-safe.
 */
final class AsyncCalls implements AutoCloseable {

	/** Default concurrency of {@code Flux.flatMap}. */
	static final int MOST_IN_FLIGHT = 256;

	private static final int MOST_ON_PLATFORM_THREADS = 64;

	/**
	 * A thread whose call has ended goes on with what depends on it, which may take as
	 * long as it likes: as many calls as may be in flight find a thread meanwhile.
	 */
	private static final int MOST_PLATFORM_THREADS = 2 * MOST_ON_PLATFORM_THREADS;

	private static final int IDLE_SECONDS = 30;

	private static final boolean VIRTUAL = Runtime.version().feature() >= 21;

	private static final String THREAD_NAME = "vicinal-async-call-";

	private final Executor executor;

	private final int most;

	private final Semaphore free;

	private final Set<AsyncCall> inFlight = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	/** Makes room for calls; threads start when they are needed. */
	AsyncCalls() {
		this(VIRTUAL ? new VirtualThreadTaskExecutor(THREAD_NAME) : platformThreads(MOST_PLATFORM_THREADS),
				VIRTUAL ? MOST_IN_FLIGHT : MOST_ON_PLATFORM_THREADS);
	}

	AsyncCalls(Executor executor, int most) {
		this.executor = executor;
		this.most = most;
		this.free = new Semaphore(most);
	}

	/**
	 * Returns a pool in which no call waits for a thread, because the thread's present
	 * call might be waiting for this one. Its threads have the context class loader of
	 * the pool's creator, which is the application's, not that of the caller.
	 * @param most maximum number of threads
	 */
	static ExecutorService platformThreads(int most) {
		ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
		return new ThreadPoolExecutor(0, most, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), (task) -> {
			// It outlives the call that it starts for, and its caller's thread-locals.
			Thread thread = new Thread(null, task, THREAD_NAME, 0, false);
			thread.setName(THREAD_NAME + thread.getId());
			thread.setContextClassLoader(classLoader);
			thread.setDaemon(true);
			return thread;
		});
	}

	/**
	 * Attempts a call over a typed path, with the context of its caller.
	 * @return the attempt; cancelling it interrupts the call, unless the path completes
	 * it later or the handler may run on the same thread, because a cancelled request
	 * does not interrupt its handler
	 */
	@SuppressWarnings("try")
	CompletableFuture<Attempt> attempt(ClientCall call, CallerContext caller) {
		if (!this.closed && call.attemptsLater()) {
			return later(call, caller);
		}
		CompletableFuture<Attempt> attempt = submit(() -> {
			try (ContextSnapshot.Scope scope = caller.open()) {
				return call.attempt();
			}
		}, call.observed(), !call.runsInThisJvm());
		if (attempt == null) {
			String reason = reason();
			PathException failure = new PathException(PathException.Reason.EXHAUSTED, false, reason, null);
			call.observed().failed(failure, failure);
			call.client().channel().leftToHttp(reason);
			return CompletableFuture.completedFuture(new Attempt.GoOn(reason));
		}
		return attempt;
	}

	/**
	 * The path ends the call by its deadline, when the path is closed, or when the result
	 * is cancelled.
	 */
	@SuppressWarnings({ "try", "FutureReturnValueIgnored" })
	private CompletableFuture<Attempt> later(ClientCall call, CallerContext caller) {
		CompletableFuture<Attempt> result = new CompletableFuture<>();
		try (ContextSnapshot.Scope scope = caller.open()) {
			CallAttempts.LaterAttempt made = call.attemptLater(this::block, caller::open);
			made.outcome().whenComplete((attempt, failure) -> {
				if (failure != null) {
					result.completeExceptionally((failure instanceof CompletionException && failure.getCause() != null)
							? failure.getCause() : failure);
				}
				else if (!result.complete(attempt)) {
					abandoned(attempt, call.observed());
				}
			});
			result.whenComplete((attempt, failure) -> {
				if (result.isCancelled()) {
					made.abandoning().run();
				}
			});
		}
		return result;
	}

	/** Runs what a path cannot do without a thread, such as a call over the next path. */
	private void block(Runnable task) {
		if (this.closed || !this.free.tryAcquire()) {
			throw new RejectedExecutionException(reason());
		}
		try {
			this.executor.execute(() -> {
				try {
					task.run();
				}
				finally {
					this.free.release();
				}
			});
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			this.free.release();
			throw ex;
		}
	}

	/**
	 * Runs a call; returns {@code null} if it cannot be run.
	 * @param observed its observation, which ends with a call that is accepted
	 */
	@Nullable CompletableFuture<Attempt> submit(Supplier<Attempt> call, ClientObservation.Call observed) {
		return submit(call, observed, true);
	}

	private @Nullable CompletableFuture<Attempt> submit(Supplier<Attempt> call, ClientObservation.Call observed,
			boolean interruptible) {
		if (!this.free.tryAcquire()) {
			return null;
		}
		AsyncCall submitted = new AsyncCall(call, observed, interruptible);
		this.inFlight.add(submitted);
		try {
			if (!this.closed) {
				this.executor.execute(submitted);
				return submitted;
			}
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			// No thread can be started, which is an error for native threads.
		}
		submitted.cancel(true);
		left(submitted);
		return null;
	}

	private void left(AsyncCall call) {
		if (this.inFlight.remove(call)) {
			this.free.release();
		}
	}

	/** Ends the observation of a call whose caller has gone. */
	private static void abandoned(Attempt attempt, ClientObservation.Call observed) {
		if (attempt instanceof Attempt.Unanswered unanswered) {
			observed.failed(unanswered.cause(), unanswered.cause());
		}
		else if (attempt instanceof Attempt.HandlerFailed failed) {
			observed.answered(failed.failure().status(), failed.failure().headers(), null);
		}
	}

	/**
	 * Returns why a call cannot be made here now; {@code null} if it probably can. Asked
	 * before a path is chosen: a path that is selected but never used would count as a
	 * hung call.
	 */
	@Nullable String noRoom() {
		return (this.closed || this.free.availablePermits() == 0 || noThread()) ? reason() : null;
	}

	/** All threads of the pool may go on with what depends on their calls. */
	private boolean noThread() {
		return this.executor instanceof ThreadPoolExecutor pool && pool.getActiveCount() >= pool.getMaximumPoolSize();
	}

	private String reason() {
		return this.closed ? "the application is shutting down"
				: "there is no thread for another asynchronous call; at most %d are in flight over typed paths"
					.formatted(this.most);
	}

	/** Ends all calls: those that run are interrupted. */
	@Override
	public void close() {
		this.closed = true;
		for (AsyncCall call : this.inFlight) {
			if (!call.interrupt()) {
				call.complete(new Attempt.Unanswered(new PathException(PathException.Reason.INTERRUPTED, false,
						"the application is shutting down", null)));
			}
		}
		if (this.executor instanceof ExecutorService pool) {
			pool.shutdown();
		}
	}

	/** Counts as in flight until it has returned, even if it was cancelled. */
	private final class AsyncCall extends CompletableFuture<Attempt> implements Runnable {

		private final Supplier<Attempt> call;

		private final ClientObservation.Call observed;

		private final boolean interruptible;

		/** Guarded by this object, as what follows. */
		private @Nullable Thread thread;

		private boolean over;

		/** The outcome of the call is about to be published. */
		private boolean completes;

		AsyncCall(Supplier<Attempt> call, ClientObservation.Call observed, boolean interruptible) {
			this.call = call;
			this.interruptible = interruptible;
			this.observed = observed;
		}

		@Override
		public void run() {
			Attempt attempt = null;
			Throwable failure = null;
			try {
				attempt = begin() ? this.call.get() : null;
			}
			catch (Throwable ex) {
				failure = ex;
			}
			end(attempt != null || failure != null);
			if (attempt != null) {
				if (!complete(attempt)) {
					abandoned(attempt, this.observed);
				}
			}
			else if (failure != null) {
				completeExceptionally(failure);
			}
			else if (isCancelled()) {
				PathException cancelled = new PathException(PathException.Reason.INTERRUPTED, false,
						"the call was cancelled before it got a thread", null);
				this.observed.failed(cancelled, cancelled);
			}
		}

		private synchronized boolean begin() {
			this.thread = this.over ? null : Thread.currentThread();
			return !this.over;
		}

		private void end(boolean withOutcome) {
			synchronized (this) {
				this.thread = null;
				this.over = true;
				this.completes = withOutcome;
				// The thread goes on with what depends on this call, or with the next.
				Thread.interrupted();
			}
			left(this);
		}

		/**
		 * Interrupts the call; returns {@code false} if nothing came of it, nor ever
		 * will.
		 */
		boolean interrupt() {
			return stop(true);
		}

		private synchronized boolean stop(boolean interrupting) {
			this.over = true;
			if (this.thread != null && interrupting) {
				this.thread.interrupt();
			}
			return this.thread != null || this.completes;
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			boolean cancelled = super.cancel(mayInterruptIfRunning);
			if (cancelled) {
				stop(this.interruptible);
			}
			return cancelled;
		}

	}

}
