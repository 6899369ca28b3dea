package io.github.vicinal.boot.topic;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Results with whose completion a message is handled: a {@link CompletionStage}, and
 * where Reactor is present, reactive types of at most one value such as {@code Mono}.
 */
final class AsyncResults {

	private static final ReactiveAdapterRegistry REGISTRY = ReactiveAdapterRegistry.getSharedInstance();

	private AsyncResults() {
	}

	/** Returns whether results of a type complete. */
	static boolean isAsync(Class<?> type) {
		if (CompletionStage.class.isAssignableFrom(type)) {
			return true;
		}
		ReactiveAdapter adapter = REGISTRY.getAdapter(type);
		return adapter != null && !adapter.isMultiValue() && REGISTRY.getAdapter(CompletableFuture.class) != null;
	}

	/** Returns a stage that completes with a result, {@code null} if that is none. */
	static @Nullable CompletionStage<?> stage(@Nullable Object result) {
		if (result == null || result instanceof CompletionStage<?>) {
			return (CompletionStage<?>) result;
		}
		ReactiveAdapter adapter = Objects.requireNonNull(REGISTRY.getAdapter(result.getClass()));
		ReactiveAdapter future = Objects.requireNonNull(REGISTRY.getAdapter(CompletableFuture.class));
		return (CompletionStage<?>) future.fromPublisher(adapter.toPublisher(result));
	}

}
