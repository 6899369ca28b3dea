package io.github.vicinal.boot.client;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import io.github.vicinal.boot.client.HttpLegs.Original;
import io.github.vicinal.cache.Cache;
import io.github.vicinal.channel.ChannelReport;
import io.github.vicinal.codec.ContractCodec;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.contract.TypeClosure;

/**
 * Answers calls of one method from an engine. What is deeply immutable is kept as it is;
 * anything else is kept encoded, and decoded for each caller. Arguments are compared by
 * value likewise: as they are, or by what they are encoded to.
 */
final class EngineCallCache implements CallCache {

	private static final int BUFFER_BYTES = 256;

	private final Cache<Object, Object> cache;

	private final MethodPlan plan;

	private final ContractCodec codec;

	private final boolean immutableArguments;

	private final boolean immutableResult;

	private final LongAdder hits = new LongAdder();

	private final LongAdder misses = new LongAdder();

	EngineCallCache(Cache<Object, Object> cache, MethodPlan plan, ContractCodec codec) {
		this.cache = cache;
		this.plan = plan;
		this.codec = codec;
		this.immutableArguments = plan.method()
			.argumentTypes()
			.stream()
			.allMatch((type) -> TypeClosure.whyMutable(type).isEmpty());
		this.immutableResult = TypeClosure.whyMutable(plan.method().resultType()).isEmpty();
	}

	/**
	 * What a call is known by.
	 *
	 * @param method the method
	 * @param arguments its arguments, if they are immutable
	 * @param encoded the arguments encoded, else
	 */
	private record Key(Object method, List<@Nullable Object> arguments, byte @Nullable [] encoded) {

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Key that && this.method.equals(that.method) && this.arguments.equals(that.arguments)
					&& Arrays.equals(this.encoded, that.encoded);
		}

		@Override
		public int hashCode() {
			return 31 * this.arguments.hashCode() + Arrays.hashCode(this.encoded);
		}

	}

	/** Carries what a call throws through the cache. */
	@SuppressWarnings("serial")
	private static final class CallFailed extends RuntimeException {

		private final Throwable failure;

		CallFailed(Throwable failure) {
			super(failure.getMessage(), failure, false, false);
			this.failure = failure;
		}

	}

	private Key key(@Nullable Object[] arguments) {
		if (this.immutableArguments) {
			return new Key(this.plan.method().method(), Arrays.asList(arguments.clone()), null);
		}
		EncodeBuffer buffer = new EncodeBuffer(BUFFER_BYTES);
		this.codec.encodeArguments(this.plan.method(), arguments, buffer);
		return new Key(this.plan.method().method(), List.of(), Arrays.copyOf(buffer.array(), buffer.size()));
	}

	private @Nullable Object keep(@Nullable Object result) {
		if (result == null || this.immutableResult) {
			return result;
		}
		EncodeBuffer buffer = new EncodeBuffer(BUFFER_BYTES);
		this.codec.encodeResult(this.plan.method(), result, buffer);
		return Arrays.copyOf(buffer.array(), buffer.size());
	}

	private @Nullable Object give(@Nullable Object kept) {
		if (kept == null || this.immutableResult) {
			return kept;
		}
		byte[] bytes = (byte[]) kept;
		return this.codec.decodeResult(this.plan.method(), bytes, 0, bytes.length);
	}

	@Override
	public @Nullable Object call(@Nullable Object[] arguments, Original call) throws Throwable {
		return switch (this.plan.shape().timing()) {
			case SYNC -> sync(key(arguments), call);
			case FUTURE -> future(key(arguments), call).thenApply(this::give);
			case MONO, FLUX -> Publishers.mono(this, key(arguments), call);
		};
	}

	private @Nullable Object sync(Key key, Original call) throws Throwable {
		boolean[] called = new boolean[1];
		try {
			Object kept = this.cache.get(key, (missing) -> {
				called[0] = true;
				try {
					return keep(call.proceed());
				}
				catch (Throwable ex) {
					throw new CallFailed(ex);
				}
			});
			return give(kept);
		}
		catch (CallFailed ex) {
			called[0] = true;
			throw ex.failure;
		}
		catch (CompletionException ex) {
			called[0] = true;
			throw (ex.getCause() != null) ? ex.getCause() : ex;
		}
		finally {
			count(!called[0]);
		}
	}

	private CompletableFuture<@Nullable Object> future(Key key, Original call) {
		boolean[] called = new boolean[1];
		CompletableFuture<@Nullable Object> future = this.cache.getAsync(key, (missing) -> {
			called[0] = true;
			try {
				return ((CompletionStage<?>) stage(call.proceed())).thenApply(this::keep);
			}
			catch (Throwable ex) {
				return CompletableFuture.failedFuture(ex);
			}
		});
		count(!called[0]);
		return future;
	}

	private static Object stage(@Nullable Object future) {
		return (future instanceof CompletionStage<?> stage) ? stage : CompletableFuture.completedFuture(future);
	}

	private void count(boolean hit) {
		(hit ? this.hits : this.misses).increment();
	}

	@Override
	public ChannelReport.CachedMethod report() {
		return new ChannelReport.CachedMethod(this.plan.method().signature(), this.cache.name(),
				this.cache.policy().name(),
				this.immutableResult ? "shared, as they are immutable" : "copied by " + this.codec.name(),
				this.hits.sum(), this.misses.sum(), this.cache.estimatedSize());
	}

	/** Loaded only where Reactor is. */
	private static final class Publishers {

		static Object mono(EngineCallCache cache, Key key, Original call) {
			return Mono.deferContextual((context) -> Mono
				.fromFuture(() -> cache.future(key, () -> Mono.from(publisher(call)).contextWrite(context).toFuture()))
				.mapNotNull(cache::give));
		}

		@SuppressWarnings("unchecked")
		private static Publisher<Object> publisher(Original call) throws Throwable {
			Object publisher = call.proceed();
			if (publisher == null) {
				throw new IllegalStateException("The HTTP client returned no publisher");
			}
			return (Publisher<Object>) publisher;
		}

	}

}
