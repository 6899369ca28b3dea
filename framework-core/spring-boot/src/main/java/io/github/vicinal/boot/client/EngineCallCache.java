package io.github.vicinal.boot.client;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import io.github.vicinal.boot.client.HttpLegs.Original;
import io.github.vicinal.cache.Cache;
import io.github.vicinal.channel.ChannelReport;
import io.github.vicinal.channel.PathException;
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

	private final String channel;

	private final MethodPlan plan;

	private final ContractCodec codec;

	private final boolean immutableArguments;

	private final boolean immutableResult;

	private final LongAdder hits = new LongAdder();

	private final LongAdder misses = new LongAdder();

	EngineCallCache(Cache<Object, Object> cache, String channel, MethodPlan plan, ContractCodec codec) {
		this.cache = cache;
		this.channel = channel;
		this.plan = plan;
		this.codec = codec;
		this.immutableArguments = plan.method()
			.argumentTypes()
			.stream()
			.allMatch((type) -> TypeClosure.whyMutable(type).isEmpty());
		this.immutableResult = TypeClosure.whyMutable(plan.method().resultType()).isEmpty();
	}

	/**
	 * What a call is known by. Channels may have a method in common, by a contract that
	 * they share or one that their contracts extend, and still mean different services,
	 * types and codecs.
	 *
	 * @param method the method of one channel: there is one such object for each
	 * @param arguments its arguments, if they are immutable
	 * @param encoded the arguments encoded, else
	 */
	private record Key(EngineCallCache method, List<@Nullable Object> arguments, byte @Nullable [] encoded) {

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Key that && this.method == that.method && this.arguments.equals(that.arguments)
					&& Arrays.equals(this.encoded, that.encoded);
		}

		@Override
		public int hashCode() {
			return 31 * (31 * System.identityHashCode(this.method) + this.arguments.hashCode())
					+ Arrays.hashCode(this.encoded);
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

	/**
	 * Says that the arguments of a call that its caller does not wait for were changed
	 * before the answer came: it is for that caller, and for nobody else.
	 */
	@SuppressWarnings("serial")
	private static final class ArgumentsChanged extends RuntimeException {

		private final @Nullable Object kept;

		ArgumentsChanged(EngineCallCache method, @Nullable Object kept) {
			super("Arguments of %s were changed before the answer came".formatted(method), null, false, false);
			this.kept = kept;
		}

	}

	private Key key(@Nullable Object[] arguments) {
		if (this.immutableArguments) {
			return new Key(this, Arrays.asList(arguments.clone()), null);
		}
		return new Key(this, List.of(), encode(arguments));
	}

	private byte[] encode(@Nullable Object[] arguments) {
		EncodeBuffer buffer = new EncodeBuffer(BUFFER_BYTES);
		this.codec.encodeArguments(this.plan.method(), arguments, buffer);
		return Arrays.copyOf(buffer.array(), buffer.size());
	}

	/**
	 * Lets an answer be kept unless the arguments are not those of the key any more: the
	 * caller had them back, and what came is the answer to another question.
	 */
	private @Nullable Object verified(Key key, @Nullable Object[] arguments, @Nullable Object kept) {
		if (key.encoded != null && !Arrays.equals(key.encoded, encode(arguments))) {
			throw new ArgumentsChanged(this, kept);
		}
		return kept;
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
			case SYNC -> sync(key(arguments), arguments, call);
			case FUTURE -> future(key(arguments), arguments, call).thenApply(this::give);
			case MONO, FLUX -> Publishers.mono(this, key(arguments), arguments, call);
		};
	}

	private @Nullable Object sync(Key key, @Nullable Object[] arguments, Original call) throws Throwable {
		boolean[] called = new boolean[1];
		try {
			return give(get(key, arguments, call, called));
		}
		catch (CallFailed ex) {
			called[0] = true;
			throw ex.failure;
		}
		catch (CompletionException ex) {
			called[0] = true;
			if (ex.getCause() instanceof InterruptedException) {
				throw ClientFailures.ofRestClient(this.plan.httpMethod(), this.plan.path(),
						new PathException(PathException.Reason.INTERRUPTED, false,
								"Interrupted while another thread made the same call", ex));
			}
			throw (ex.getCause() != null) ? ex.getCause() : ex;
		}
		finally {
			count(!called[0]);
		}
	}

	private @Nullable Object get(Key key, @Nullable Object[] arguments, Original call, boolean[] called) {
		Thread caller = Thread.currentThread();
		// Looked at by this thread only: it may be the one that refreshes later.
		boolean[] returned = new boolean[1];
		try {
			return get(key, arguments, call, called, () -> Thread.currentThread() != caller || returned[0]);
		}
		finally {
			returned[0] = true;
		}
	}

	private @Nullable Object get(Key key, @Nullable Object[] arguments, Original call, boolean[] called,
			BooleanSupplier refreshing) {
		while (true) {
			try {
				return this.cache.get(key, (missing) -> {
					boolean refreshes = refreshing.getAsBoolean();
					try {
						if (refreshes) {
							verified(key, arguments, null);
							return verified(key, arguments, keep(call.proceed()));
						}
						called[0] = isAbsent(key);
						return keep(call.proceed());
					}
					catch (Throwable ex) {
						throw new CallFailed(ex);
					}
				});
			}
			catch (CallFailed ex) {
				if (!(ex.failure instanceof ArgumentsChanged)) {
					throw ex;
				}
				// It was another's refresh, which this call had waited for.
			}
		}
	}

	private CompletableFuture<@Nullable Object> future(Key key, @Nullable Object[] arguments, Original call) {
		boolean[] called = new boolean[1];
		CompletableFuture<@Nullable Object> future = this.cache.getAsync(key, (missing) -> {
			called[0] = isAbsent(key);
			try {
				return ((CompletionStage<?>) stage(call.proceed()))
					.thenApply((result) -> verified(key, arguments, keep(result)));
			}
			catch (Throwable ex) {
				return CompletableFuture.failedFuture(ex);
			}
		});
		count(!called[0]);
		if (key.encoded == null) {
			return future;
		}
		return future.exceptionallyCompose((ex) -> {
			Throwable failure = (ex instanceof CompletionException && ex.getCause() != null) ? ex.getCause() : ex;
			if (!(failure instanceof ArgumentsChanged changed)) {
				return future;
			}
			return called[0] ? CompletableFuture.completedFuture(changed.kept) : future(key, arguments, call);
		});
	}

	/** Whether the call is waited for: else there is an answer, and it is a refresh. */
	private boolean isAbsent(Key key) {
		return !this.cache.asMap().containsKey(key);
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

	@Override
	public String toString() {
		return "%s of channel '%s'".formatted(this.plan.method().signature(), this.channel);
	}

	/** Loaded only where Reactor is. */
	private static final class Publishers {

		static Object mono(EngineCallCache cache, Key key, @Nullable Object[] arguments, Original call) {
			return Mono
				.deferContextual((context) -> Mono
					.fromFuture(() -> cache.future(key, arguments,
							() -> Mono.from(publisher(call)).contextWrite(context).toFuture()))
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
