package io.github.vicinal.boot.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

import io.github.vicinal.boot.client.HttpLegs.Original;
import io.github.vicinal.channel.Path;

/**
 * Calls whose caller does not wait: typed paths block, so they run on threads of a
 * bounded pool. Thread-safe.
 */
public final class AsyncCalls implements AutoCloseable {

	private static final int THREADS = 64;

	private static final int QUEUED_CALLS = 10_000;

	private static final int IDLE_SECONDS = 30;

	/** Without it the client is a {@code RestClient}, to which publishers are bodies. */
	private static final boolean WEB_CLIENT = ClassUtils.isPresent("reactor.core.publisher.Mono",
			AsyncCalls.class.getClassLoader())
			&& ClassUtils.isPresent("org.springframework.web.reactive.function.client.WebClient",
					AsyncCalls.class.getClassLoader());

	private final ExecutorService executor;

	/** Creates the pool; its threads start when they are needed. */
	public AsyncCalls() {
		ThreadPoolExecutor pool = new ThreadPoolExecutor(THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(QUEUED_CALLS), (task) -> {
					Thread thread = new Thread(task, "vicinal-async-call");
					thread.setDaemon(true);
					return thread;
				});
		pool.allowCoreThreadTimeOut(true);
		this.executor = pool;
	}

	/** Runs a call; to cancel the future interrupts it. */
	<T> CompletableFuture<T> submit(Supplier<T> call) {
		InterruptibleFuture<T> future = new InterruptibleFuture<>();
		try {
			future.task = this.executor.submit(() -> {
				try {
					future.complete(call.get());
				}
				catch (Throwable ex) {
					future.completeExceptionally(ex);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			future.completeExceptionally(ex);
		}
		return future;
	}

	@Nullable Object future(ClientChannel channel, MethodPlan plan, @Nullable Object[] arguments, Original original)
			throws Throwable {
		ReplicaTurn turn = channel.turn(plan, arguments);
		String address = channel.target(plan, turn, arguments);
		Path path = channel.path(plan, address, turn, arguments);
		if (path == null) {
			try {
				Object future = futureOverHttp(channel, plan, address, turn, arguments, null, original);
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
		CompletableFuture<Attempt> attempted = submit(() -> channel.attempt(plan, address, path, arguments));
		CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
		attempted.thenCompose((attempt) -> conclude(channel, plan, address, turn, arguments, attempt, original))
			.whenComplete((value, ex) -> {
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
		result.whenComplete((value, ex) -> {
			if (result.isCancelled()) {
				attempted.cancel(true);
			}
		});
		return result;
	}

	private static CompletionStage<@Nullable Object> conclude(ClientChannel channel, MethodPlan plan,
			@Nullable String address, @Nullable ReplicaTurn turn, @Nullable Object[] arguments, Attempt attempt,
			Original original) {
		if (turn != null) {
			turn.attempted(attempt);
		}
		try {
			if (attempt instanceof Attempt.Answered answered) {
				return CompletableFuture.completedFuture(answered.result());
			}
			if (attempt instanceof Attempt.HandlerFailed failed) {
				return stage(channel.legs().run(channel.leg(plan, arguments, failed).to(turn), original))
					.whenComplete((value, ex) -> failed.observed().answered(failed.failure().status(), ex));
			}
			if (attempt instanceof Attempt.Unanswered unanswered) {
				Throwable failure = channel.failure(plan, address, unanswered.cause());
				unanswered.observed().failed(unanswered.cause(), failure);
				return CompletableFuture.failedFuture(failure);
			}
			return stage(futureOverHttp(channel, plan, address, turn, arguments, ((Attempt.GoOn) attempt).reason(),
					original));
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static @Nullable Object futureOverHttp(ClientChannel channel, MethodPlan plan, @Nullable String address,
			@Nullable ReplicaTurn turn, @Nullable Object[] arguments, @Nullable String reason, Original original)
			throws Throwable {
		HttpLeg leg = channel.leg(plan, address, arguments, reason).to(turn);
		Object future = channel.legs().run(leg, original);
		stage(future).whenComplete((value, ex) -> channel.wentOverHttp(plan, arguments, leg));
		return future;
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

	@Override
	public void close() {
		this.executor.shutdownNow();
	}

	private static final class InterruptibleFuture<T> extends CompletableFuture<T> {

		private volatile @Nullable Future<?> task;

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			boolean cancelled = super.cancel(mayInterruptIfRunning);
			Future<?> running = this.task;
			if (cancelled && running != null) {
				running.cancel(true);
			}
			return cancelled;
		}

	}

}
