package io.github.vicinal.boot.client;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.micrometer.context.ContextSnapshot;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.util.ClassUtils;

import io.github.vicinal.boot.client.HttpLegs.Original;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;

/**
 * The calls of one channel whose caller does not wait. Typed paths block, so that each
 * call holds a thread: a virtual one where there are any (Java 21), else one of a pool. A
 * call beyond the most that may be in flight, and one for which there is no thread at
 * once, goes by HTTP, which holds none. Thread-safe.
 */
final class AsyncCalls implements AutoCloseable {

	/** As many as {@code Flux.flatMap} has under way if it is not told otherwise. */
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

	/** Without it the client is a {@code RestClient}, to which publishers are bodies. */
	private static final boolean WEB_CLIENT = ClassUtils.isPresent("reactor.core.publisher.Mono",
			AsyncCalls.class.getClassLoader())
			&& ClassUtils.isPresent("org.springframework.web.reactive.function.client.WebClient",
					AsyncCalls.class.getClassLoader());

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
	 * Returns a pool in which no call waits for a thread: the one that it waited for
	 * might be waiting for this very call. Its threads have the context class loader of
	 * who makes it, which is the application's, not that of who calls.
	 * @param most how many threads there may be
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
	 * Attempts a call over a typed path. What its caller waits for counts from now, not
	 * from when it gets a thread, and what its caller carries goes with it.
	 * @return the attempt; to cancel it interrupts the call
	 */
	@SuppressWarnings("try")
	CompletableFuture<Attempt> attempt(ClientChannel channel, MethodPlan plan, @Nullable String address, CallPath path,
			@Nullable Object[] arguments, CallerContext caller) {
		long deadline = channel.deadline();
		ClientObservation.Call observed = channel.observe(plan, path, arguments, caller.parent());
		CompletableFuture<Attempt> attempt = submit(() -> {
			try (ContextSnapshot.Scope scope = caller.open()) {
				return channel.legs()
					.during(caller.answer(), () -> channel.attempt(plan, address, path, arguments, deadline, observed));
			}
		}, observed);
		if (attempt == null) {
			String reason = reason();
			PathException failure = new PathException(PathException.Reason.EXHAUSTED, false, reason, null);
			observed.failed(failure, failure);
			channel.channel().leftToHttp(reason);
			return CompletableFuture.completedFuture(new Attempt.GoOn(reason));
		}
		return attempt;
	}

	/**
	 * Runs a call; returns {@code null} if it cannot be run.
	 * @param observed its observation, which ends with a call that is accepted
	 */
	@Nullable CompletableFuture<Attempt> submit(Supplier<Attempt> call, ClientObservation.Call observed) {
		if (!this.free.tryAcquire()) {
			return null;
		}
		AsyncCall submitted = new AsyncCall(call, observed);
		this.inFlight.add(submitted);
		try {
			if (!this.closed) {
				this.executor.execute(submitted);
				return submitted;
			}
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			// There is no thread to be had, which is an error where threads are native.
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

	@Nullable Object future(ClientChannel channel, MethodPlan plan, @Nullable Object[] arguments, Original original)
			throws Throwable {
		ReplicaTurn turn = channel.turn(plan, arguments);
		String address = channel.target(plan, turn, arguments);
		String noRoom = noRoom();
		CallPath path = channel.path(plan, address, turn, arguments, noRoom);
		if (path == null) {
			try {
				Object future = futureOverHttp(channel, plan, address, turn, arguments, noRoom, original);
				if (turn != null) {
					stage(future).whenComplete((value, ex) -> turn.end(ex));
				}
				return future;
			}
			catch (Throwable ex) {
				if (turn != null) {
					turn.end(ex);
				}
				throw ex;
			}
		}
		CallerContext caller = CallerContext.ofThread().with(channel.legs().answer(plan));
		CompletableFuture<Attempt> attempted = attempt(channel, plan, address, path, arguments, caller);
		CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
		attempted.thenCompose((attempt) -> {
			CompletionStage<@Nullable Object> concluded = conclude(channel, plan, address, turn, arguments, attempt,
					original, caller);
			cancels(result, concluded.toCompletableFuture());
			return concluded;
		}).whenComplete((value, ex) -> {
			if (turn != null) {
				turn.end(ex);
			}
			if (ex == null) {
				result.complete(value);
			}
			else {
				// As HTTP clients do it: stages wrap the exception, the first does
				// not.
				result.completeExceptionally(
						(ex instanceof CompletionException && ex.getCause() != null) ? ex.getCause() : ex);
			}
		});
		cancels(result, attempted);
		return result;
	}

	/** Lets a result that is cancelled cancel what it comes from. */
	private static void cancels(CompletableFuture<?> result, CompletableFuture<?> source) {
		if (!source.isDone()) {
			result.whenComplete((value, ex) -> {
				if (result.isCancelled()) {
					source.cancel(true);
				}
			});
		}
	}

	@SuppressWarnings("try")
	private static CompletionStage<@Nullable Object> conclude(ClientChannel channel, MethodPlan plan,
			@Nullable String address, @Nullable ReplicaTurn turn, @Nullable Object[] arguments, Attempt attempt,
			Original original, CallerContext caller) {
		if (turn != null) {
			turn.attempted(attempt);
		}
		if (attempt instanceof Attempt.Answered answered) {
			return CompletableFuture.completedFuture(answered.result());
		}
		try (ContextSnapshot.Scope scope = caller.open()) {
			if (attempt instanceof Attempt.HandlerFailed failed) {
				// WebClient observes the response, not what is raised because of it.
				failed.observed().answered(failed.failure().status(), failed.failure().headers(), null);
				return stage(channel.legs().run(channel.leg(plan, arguments, failed).to(turn), original));
			}
			if (attempt instanceof Attempt.Unanswered unanswered) {
				Throwable failure = channel.failure(plan, address, arguments, unanswered.cause());
				unanswered.observed().failed(unanswered.cause(), failure);
				return CompletableFuture.failedFuture(failure);
			}
			return stage(channel.legs()
				.answering(caller.answer(), () -> futureOverHttp(channel, plan, address, turn, arguments,
						((Attempt.GoOn) attempt).reason(), original)));
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static @Nullable Object futureOverHttp(ClientChannel channel, MethodPlan plan, @Nullable String address,
			@Nullable ReplicaTurn turn, @Nullable Object[] arguments, @Nullable String reason, Original original)
			throws Throwable {
		HttpLeg leg = channel.leg(plan, address, arguments, reason).to(turn);
		try {
			Object future = channel.legs().run(leg, original);
			stage(future).whenComplete((value, ex) -> channel.wentOverHttp(plan, leg));
			return future;
		}
		catch (Throwable ex) {
			channel.wentOverHttp(plan, leg);
			throw ex;
		}
	}

	@SuppressWarnings("unchecked")
	private static CompletionStage<@Nullable Object> stage(@Nullable Object future) {
		return (future instanceof CompletionStage<?> stage) ? (CompletionStage<@Nullable Object>) stage
				: CompletableFuture.completedFuture(future);
	}

	@Nullable Object publisher(ClientChannel channel, MethodPlan plan, @Nullable Object[] arguments, Original original)
			throws Throwable {
		return WEB_CLIENT ? ReactiveCalls.publisher(this, channel, plan, arguments, original) : original.proceed();
	}

	/** Ends the observation of a call whose caller has gone. */
	private static void abandoned(Attempt attempt) {
		if (attempt instanceof Attempt.Unanswered unanswered) {
			unanswered.observed().failed(unanswered.cause(), unanswered.cause());
		}
		else if (attempt instanceof Attempt.HandlerFailed failed) {
			failed.observed().answered(failed.failure().status(), failed.failure().headers(), null);
		}
	}

	/**
	 * Returns why a call cannot be made here now; {@code null} if it probably can. Asked
	 * before a path is chosen: who chooses one and does not take it would look like a
	 * call that hangs.
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
						"the application is shutting down", null), call.observed));
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

		/** Guarded by this object, as what follows. */
		private @Nullable Thread thread;

		private boolean over;

		/** What came of the call is about to be told. */
		private boolean completes;

		AsyncCall(Supplier<Attempt> call, ClientObservation.Call observed) {
			this.call = call;
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
					abandoned(attempt);
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
		synchronized boolean interrupt() {
			this.over = true;
			if (this.thread != null) {
				this.thread.interrupt();
			}
			return this.thread != null || this.completes;
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			boolean cancelled = super.cancel(mayInterruptIfRunning);
			if (cancelled) {
				interrupt();
			}
			return cancelled;
		}

	}

}
