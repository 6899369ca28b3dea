package io.github.vicinal.boot.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.micrometer.context.ContextSnapshot;
import org.jspecify.annotations.Nullable;

/** Makes calls whose caller takes a future. */
final class FutureCalls {

	private final ClientCall call;

	private final AsyncCalls async;

	private final CallerContext caller = CallerContext.ofThread();

	private final CompletableFuture<@Nullable Object> result = new CompletableFuture<>();

	private FutureCalls(ClientCall call, AsyncCalls async) {
		this.call = call;
		this.async = async;
	}

	/**
	 * Makes a call.
	 * @return a future
	 * @throws Throwable what the HTTP client throws instead of returning a future
	 */
	@SuppressWarnings("FutureReturnValueIgnored")
	static @Nullable Object make(ClientCall call, AsyncCalls async) throws Throwable {
		try {
			boolean typed = call.route(async.noRoom(), null);
			if (typed || call.failsOver()) {
				FutureCalls made = new FutureCalls(call, async);
				made.follow(typed ? made.attempt() : made.overHttp(call.overHttp()));
				return made.result;
			}
			Object future = overHttp(call, call.overHttp());
			if (call.replicaAttempt() != null) {
				stage(future).whenComplete((value, ex) -> call.goesOn(ex));
			}
			return future;
		}
		catch (Throwable ex) {
			call.goesOn(ex);
			throw ex;
		}
	}

	private void follow(CompletionStage<@Nullable Object> attempted) {
		attempted.whenComplete((value, ex) -> {
			if (this.call.goesOn(ex) && !this.result.isDone()) {
				follow(next());
			}
			else if (ex == null) {
				this.result.complete(value);
			}
			else {
				// As HTTP clients do it: stages wrap the exception, the first does not.
				this.result.completeExceptionally(
						(ex instanceof CompletionException && ex.getCause() != null) ? ex.getCause() : ex);
			}
		});
	}

	/** Attempts the call at another replica, for the same caller. */
	@SuppressWarnings("try")
	private CompletionStage<@Nullable Object> next() {
		try (ContextSnapshot.Scope scope = this.caller.open()) {
			return this.call.route(this.async.noRoom(), null) ? attempt() : overHttp(this.call.overHttp());
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletionStage<@Nullable Object> attempt() {
		CompletableFuture<Attempt> attempt = this.async.attempt(this.call, this.caller);
		CompletionStage<@Nullable Object> concluded = attempt.thenCompose(this::conclude);
		cancelWithResult(attempt);
		return concluded;
	}

	@SuppressWarnings("try")
	private CompletionStage<@Nullable Object> conclude(Attempt attempt) {
		if (attempt instanceof Attempt.Answered answered) {
			return CompletableFuture.completedFuture(answered.result());
		}
		try (ContextSnapshot.Scope scope = this.caller.open()) {
			return overHttp(this.call.next(attempt));
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletionStage<@Nullable Object> overHttp(HttpLeg leg) throws Throwable {
		CompletionStage<@Nullable Object> future = stage(overHttp(this.call, leg));
		cancelWithResult(future.toCompletableFuture());
		return future;
	}

	/** Lets a result that is cancelled cancel what it comes from. */
	@SuppressWarnings("FutureReturnValueIgnored")
	private void cancelWithResult(CompletableFuture<?> source) {
		if (!source.isDone()) {
			this.result.whenComplete((value, ex) -> {
				if (this.result.isCancelled()) {
					source.cancel(true);
				}
			});
		}
	}

	private static @Nullable Object overHttp(ClientCall call, HttpLeg leg) throws Throwable {
		try {
			Object future = call.run(leg);
			stage(future).whenComplete((value, ex) -> leg.end(ex));
			return future;
		}
		catch (Throwable ex) {
			leg.end(ex);
			throw ex;
		}
	}

	@SuppressWarnings("unchecked")
	private static CompletionStage<@Nullable Object> stage(@Nullable Object future) {
		return (future instanceof CompletionStage<?> stage) ? (CompletionStage<@Nullable Object>) stage
				: CompletableFuture.completedFuture(future);
	}

}
