package io.github.vicinal.boot.cache;

import java.io.InterruptedIOException;
import java.lang.reflect.Type;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.github.vicinal.boot.cache.AnswerRules.Verdict;
import io.github.vicinal.boot.client.CacheableMethod;
import io.github.vicinal.boot.client.CallAnswer;
import io.github.vicinal.boot.client.CallCache;
import io.github.vicinal.boot.contract.ResultShape.Timing;
import io.github.vicinal.cache.Cache;
import io.github.vicinal.codec.ContractCodec;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.contract.TypeClosure;
import io.github.vicinal.path.PathException;
import io.github.vicinal.report.ChannelReport;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.Advised;

/**
 * Answers calls of one method from an engine. Deeply immutable values are kept as they
 * are; others are kept encoded, and decoded for each caller. Arguments are compared by
 * value in the same way: as they are, or by their encoded form.
 */
final class EngineCallCache implements CallCache {

	private static final Logger logger = LoggerFactory.getLogger(EngineCallCache.class);

	private static final int BUFFER_BYTES = 256;

	/**
	 * Approximate overhead of the engine, the key and the answer, besides their contents.
	 */
	private static final int ENTRY_BYTES = 256;

	private static final int ARGUMENT_BYTES = 32;

	/** Causes of a failure that are looked at. */
	private static final int MAX_CAUSES = 20;

	/** Size of a value that cannot be estimated. */
	private static final int UNKNOWN_BYTES = 4096;

	private final Cache<Object, Object> cache;

	private final String channel;

	private final CacheableMethod plan;

	private final ContractCodec codec;

	private final boolean immutableArguments;

	/**
	 * Whether arguments that are equal make equal requests. Records may have an
	 * {@code equals} of their own, and that of {@code URI} ignores case.
	 */
	private final boolean plainArguments;

	/** Which arguments are bodies, whose encoded form is their text. */
	private final boolean[] bodies;

	private final boolean immutableResult;

	/** Numbers of the arguments that are headers, by their names. */
	private final List<Integer> headerMaps;

	/** Whether a result that is encoded and decoded is proven to be equal to itself. */
	private final boolean transparentResult;

	private final Contents contents = new Contents();

	private final LongAdder hits = new LongAdder();

	private final LongAdder misses = new LongAdder();

	/** Longest time that an answer may be used. */
	private final Duration lifetime;

	private final CallerParts callers;

	private final Supplier<RequestAdditions.Application> application;

	/**
	 * Whether the last answer must not be kept. Then no caller waits for another's call,
	 * whose answer it could not use.
	 */
	private volatile boolean direct;

	/** Why the last answer that must not be kept was not kept. */
	private volatile @Nullable String notKept;

	/** Why no answers are kept any more, {@code null} if they are. */
	private volatile @Nullable String uncopied;

	EngineCallCache(Cache<Object, Object> cache, String channel, CacheableMethod plan, ContractCodec codec,
			Duration lifetime, CallerParts callers, Supplier<RequestAdditions.Application> application) {
		this.cache = cache;
		this.channel = channel;
		this.plan = plan;
		this.codec = codec;
		this.lifetime = lifetime;
		this.callers = callers;
		this.application = application;
		this.headerMaps = ArgumentKeys.headerMaps(plan.method().method());
		List<Type> arguments = plan.method().argumentTypes();
		this.immutableArguments = arguments.stream().allMatch((type) -> TypeClosure.whyMutable(type).isEmpty());
		this.plainArguments = arguments.stream().allMatch(EngineCallCache::isPlain);
		this.bodies = new boolean[arguments.size()];
		for (int i = 0; i < this.bodies.length; i++) {
			this.bodies[i] = ArgumentKeys.isBody(plan.method().method(), i);
		}
		Type result = plan.method().resultType();
		this.immutableResult = TypeClosure.whyMutable(result).isEmpty();
		this.transparentResult = TypeClosure.whyOpaque(result).isEmpty();
	}

	private static boolean isPlain(Type type) {
		return type instanceof Class<?> scalar && !scalar.isRecord() && scalar != URI.class;
	}

	@Override
	public void client(Collection<?> interceptors, Advised proxy) {
		client(RequestAdditions.of(this.channel, proxy, interceptors, this.application.get()));
	}

	/** Takes what a client may add to requests. */
	void client(RequestAdditions.Found found) {
		this.callers.client(found);
	}

	/** Weighs an entry in bytes, about. */
	static int weight(Object key, Object value) {
		return (value instanceof Kept kept) ? kept.bytes : ENTRY_BYTES;
	}

	/** An answer. Each is equal to itself alone. */
	private static final class Kept {

		/** The result, or what it is encoded to. */
		final Object value;

		/** From then on it must not be used. */
		final long deadline;

		final int bytes;

		Kept(Object value, long deadline, int bytes) {
			this.value = value;
			this.deadline = deadline;
			this.bytes = bytes;
		}

		boolean isFresh() {
			return this.deadline - System.nanoTime() > 0;
		}

	}

	/** Says that an answer is for the caller of its call, and for nobody else. */
	@SuppressWarnings("serial")
	private static final class NotKept extends RuntimeException {

		private final @Nullable Object result;

		NotKept(EngineCallCache method, @Nullable Object result, String reason) {
			super("The answer of %s is not kept: %s".formatted(method, reason), null, false, false);
			this.result = result;
		}

	}

	/**
	 * Key of a call. Channels may share a method, by a common contract or one that their
	 * contracts extend, and still mean different services, types and codecs.
	 *
	 * @param method the method of one channel: there is one such object for each
	 * @param arguments its arguments, or copies of those that are no bodies
	 * @param encoded the arguments encoded, unless equality of the arguments is enough
	 * @param parts further parts that identify callers
	 */
	@SuppressWarnings("ArrayRecordComponent")
	private record Key(EngineCallCache method, List<@Nullable Object> arguments, byte @Nullable [] encoded,
			List<Object> parts) {

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Key that && this.method == that.method && this.arguments.equals(that.arguments)
					&& Arrays.equals(this.encoded, that.encoded) && this.parts.equals(that.parts);
		}

		@Override
		public int hashCode() {
			int ofCall = 31 * (31 * System.identityHashCode(this.method) + this.arguments.hashCode())
					+ Arrays.hashCode(this.encoded);
			return 31 * ofCall + this.parts.hashCode();
		}

	}

	/** Carries what a call throws through the cache. */
	@SuppressWarnings("serial")
	private static final class CallFailed extends RuntimeException {

		private final Throwable failure;

		/**
		 * Whether it concerns the caller alone: an error that a server has answered,
		 * which may not be kept, or an interrupt. Others that wait make calls of their
		 * own.
		 */
		private final boolean ofCallerAlone;

		CallFailed(Throwable failure, CallAnswer answer) {
			super(failure.getMessage(), failure, false, false);
			this.failure = failure;
			this.ofCallerAlone = answer.received() != null || Thread.currentThread().isInterrupted()
					|| isInterrupt(failure);
		}

		private static boolean isInterrupt(Throwable failure) {
			int depth = 0;
			for (Throwable each = failure; each != null && depth < MAX_CAUSES; each = each.getCause()) {
				if (each instanceof InterruptedException || each instanceof ClosedByInterruptException
						|| (each instanceof InterruptedIOException && !(each instanceof SocketTimeoutException))) {
					return true;
				}
				depth++;
			}
			return false;
		}

	}

	/**
	 * Failure of a call that is another one when its answer comes: its arguments were
	 * changed meanwhile, or a refresh is made for another caller. The answer is for its
	 * own caller, and for nobody else.
	 */
	@SuppressWarnings("serial")
	private static final class CallChanged extends RuntimeException {

		private final @Nullable Object result;

		CallChanged(EngineCallCache method, @Nullable Object result) {
			super("Arguments or caller of %s were changed before the answer came".formatted(method), null, false,
					false);
			this.result = result;
		}

	}

	private Key key(@Nullable Object[] arguments, List<Object> parts) {
		List<@Nullable Object> values = this.immutableArguments ? Arrays.asList(arguments.clone()) : frozen(arguments);
		return new Key(this, values, this.immutableArguments && this.plainArguments ? null : encode(arguments), parts);
	}

	private List<@Nullable Object> frozen(@Nullable Object[] arguments) {
		List<@Nullable Object> values = new ArrayList<>(arguments.length);
		for (int i = 0; i < arguments.length; i++) {
			values.add(this.bodies[i] ? null : ArgumentKeys.frozen(arguments[i]));
		}
		return values;
	}

	private byte[] encode(@Nullable Object[] arguments) {
		EncodeBuffer buffer = new EncodeBuffer(BUFFER_BYTES);
		this.codec.encodeArguments(this.plan.method(), arguments, buffer);
		return Arrays.copyOf(buffer.array(), buffer.size());
	}

	/** The caller had the arguments back, and what came answers another question. */
	private boolean isChanged(Key key, @Nullable Object[] arguments) {
		return key.encoded != null && !Arrays.equals(key.encoded, encode(arguments));
	}

	/** A refresh may run on a thread on which another caller's identity is found. */
	private boolean isOfAnotherCaller(Key key) {
		return this.callers.dependOnThreads() && !key.parts.equals(this.callers.parts());
	}

	/**
	 * Makes what is kept of an answer.
	 * @return what is kept, {@code null} for {@code null}
	 * @throws NotKept if it must not be kept
	 */
	private @Nullable Object keep(Key key, @Nullable Object[] arguments, @Nullable Object result, CallAnswer answer) {
		Verdict verdict = judge(arguments, answer);
		if (verdict.reason() != null) {
			throw new NotKept(this, result, verdict.reason());
		}
		if (result == null) {
			return null;
		}
		byte[] encoded = this.immutableResult ? null : copy(result);
		long bytes = ENTRY_BYTES + bytes(key) + ((encoded != null) ? encoded.length : bytes(result));
		return new Kept((encoded != null) ? encoded : result, System.nanoTime() + verdict.nanos(),
				(int) Math.min(Integer.MAX_VALUE, bytes));
	}

	/**
	 * Encodes a result for later callers. They must get what the first one does, although
	 * JSON may be read into fields that are not written, or be read in another way.
	 * @throws NotKept if a copy differs; then nothing is kept any more
	 */
	private byte[] copy(Object result) {
		String problem;
		try {
			byte[] encoded = encode(result);
			if (this.transparentResult || this.contents.same(result, decode(encoded))) {
				return encoded;
			}
			problem = "a copy of its result is not like the original; JSON that is read must be written as well";
		}
		catch (RuntimeException ex) {
			problem = "its result cannot be copied: " + ex;
		}
		if (this.uncopied == null) {
			this.uncopied = problem;
			logger.warn("Answers of {} are not cached: {}", this, problem);
		}
		throw new NotKept(this, result, problem);
	}

	private Object decode(byte[] encoded) {
		Object decoded = this.codec.decodeResult(this.plan.method(), encoded, 0, encoded.length);
		if (decoded == null) {
			throw new IllegalStateException("The result of %s has become null".formatted(this));
		}
		return decoded;
	}

	private byte[] encode(Object result) {
		EncodeBuffer buffer = new EncodeBuffer(BUFFER_BYTES);
		this.codec.encodeResult(this.plan.method(), result, buffer);
		return Arrays.copyOf(buffer.array(), buffer.size());
	}

	/** Estimates what a value takes that is kept as it is. */
	private long bytes(Object result) {
		if (result instanceof CharSequence text) {
			return 2L * text.length();
		}
		try {
			return encode(result).length;
		}
		catch (RuntimeException ex) {
			// It need not be encoded to be kept, and must not fail for the estimate.
			return UNKNOWN_BYTES;
		}
	}

	private static long bytes(Key key) {
		long bytes = (key.encoded != null) ? key.encoded.length : 0;
		for (Object argument : key.arguments) {
			bytes += (argument instanceof CharSequence text) ? 2L * text.length() : ARGUMENT_BYTES;
		}
		return bytes + (long) ARGUMENT_BYTES * key.parts.size();
	}

	/** Judges an answer, and remembers whether those of this method are kept. */
	private Verdict judge(@Nullable Object[] arguments, CallAnswer answer) {
		Set<String> fromArguments = this.plan.explainedHeaders(arguments);
		Verdict verdict = AnswerRules.judge(answer.received(), this.lifetime, this.callers.distinguishCallers(),
				(name) -> fromArguments.contains(name) || (this.callers.areAlike() && !name.equals("cookie")));
		String reason = verdict.reason();
		if (reason != null && this.notKept == null) {
			logger.info("An answer of {} is not kept: {}", this, reason);
		}
		if (reason != null) {
			this.notKept = reason;
		}
		this.direct = reason != null;
		return verdict;
	}

	private @Nullable Object give(@Nullable Object kept) {
		if (kept == null || this.immutableResult) {
			return (kept instanceof Kept known) ? known.value : null;
		}
		byte[] bytes = (byte[]) ((Kept) kept).value;
		return this.codec.decodeResult(this.plan.method(), bytes, 0, bytes.length);
	}

	@Override
	public @Nullable Object call(@Nullable Object[] arguments, Call call) throws Throwable {
		if (this.callers.off() != null || this.uncopied != null || tellsCaches(arguments)) {
			return uncached(call);
		}
		if (this.plan.shape().timing() == Timing.MONO) {
			return Publishers.mono(this, arguments, call);
		}
		List<Object> parts = this.callers.parts();
		if (parts == null) {
			return uncached(call);
		}
		Key key = key(arguments, parts);
		return (this.plan.shape().timing() == Timing.SYNC) ? sync(key, arguments, call) : future(key, arguments, call);
	}

	/** Whether the caller may want no answer of a cache (RFC 9111, section 5.2.1). */
	private boolean tellsCaches(@Nullable Object[] arguments) {
		for (int argument : this.headerMaps) {
			if (ArgumentKeys.areForCaches(arguments[argument])) {
				return true;
			}
		}
		return false;
	}

	/** Makes a call of which nothing is kept. */
	private @Nullable Object uncached(Call call) throws Throwable {
		count(false);
		return call.proceed(new CallAnswer());
	}

	private @Nullable Object sync(Key key, @Nullable Object[] arguments, Call call) throws Throwable {
		boolean[] called = new boolean[1];
		try {
			Object kept = (this.direct && !isPresent(key)) ? directly(arguments, call)
					: get(key, arguments, call, called);
			return give(kept);
		}
		catch (NotKept ex) {
			called[0] = true;
			return ex.result;
		}
		catch (CallFailed ex) {
			called[0] = true;
			throw ex.failure;
		}
		catch (CompletionException ex) {
			called[0] = true;
			if (ex.getCause() instanceof InterruptedException) {
				throw this.plan.raised(new PathException(PathException.Reason.INTERRUPTED, false,
						"Interrupted while another thread made the same call", ex));
			}
			throw (ex.getCause() != null) ? ex.getCause() : ex;
		}
		finally {
			count(!called[0]);
		}
	}

	/**
	 * Makes a call for its caller alone, and learns whether its answer could be kept.
	 * @throws NotKept always
	 */
	private @Nullable Object directly(@Nullable Object[] arguments, Call call) {
		CallAnswer answer = new CallAnswer();
		Object result;
		try {
			result = call.proceed(answer);
		}
		catch (Throwable ex) {
			throw new CallFailed(ex, answer);
		}
		judge(arguments, answer);
		throw new NotKept(this, result, "it is for its caller alone");
	}

	private @Nullable Object get(Key key, @Nullable Object[] arguments, Call call, boolean[] called) {
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

	private @Nullable Object get(Key key, @Nullable Object[] arguments, Call call, boolean[] called,
			BooleanSupplier refreshing) {
		boolean[] own = new boolean[1];
		while (true) {
			try {
				Object kept = this.cache.get(key, (missing) -> load(key, arguments, call, called, own, refreshing));
				if (kept == null || ((Kept) kept).isFresh()) {
					return kept;
				}
				this.cache.asMap().remove(key, kept);
			}
			catch (CallFailed ex) {
				if (ex.failure instanceof NotKept notKept) {
					if (own[0]) {
						throw notKept;
					}
					// It was another's call, and its answer is for that caller alone.
					return directly(arguments, call);
				}
				if (!(ex.failure instanceof CallChanged)) {
					if (own[0] || !ex.ofCallerAlone) {
						throw ex;
					}
					return directly(arguments, call);
				}
				// It was another's refresh, which this call had waited for.
			}
		}
	}

	private @Nullable Object load(Key key, @Nullable Object[] arguments, Call call, boolean[] called, boolean[] own,
			BooleanSupplier refreshing) {
		boolean refreshes = refreshing.getAsBoolean();
		CallAnswer answer = new CallAnswer();
		try {
			if (!refreshes) {
				own[0] = true;
				called[0] = isAbsent(key);
				return keep(key, arguments, call.proceed(answer), answer);
			}
			if (isChanged(key, arguments) || isOfAnotherCaller(key)) {
				throw new CallChanged(this, null);
			}
			Object result = call.proceed(answer);
			if (isChanged(key, arguments)) {
				throw new CallChanged(this, result);
			}
			return keep(key, arguments, result, answer);
		}
		catch (Throwable ex) {
			throw new CallFailed(ex, answer);
		}
	}

	private CompletableFuture<@Nullable Object> future(Key key, @Nullable Object[] arguments, Call call) {
		if (this.direct && !isPresent(key)) {
			count(false);
			return directFuture(arguments, call);
		}
		boolean[] called = new boolean[1];
		boolean[] own = new boolean[1];
		CompletableFuture<@Nullable Object> future = this.cache.getAsync(key, (missing) -> {
			own[0] = true;
			called[0] = isAbsent(key);
			CallAnswer answer = new CallAnswer();
			try {
				return stage(call.proceed(answer)).handle((result, failure) -> {
					if (failure != null) {
						throw new CallFailed(cause(failure), answer);
					}
					if (isChanged(key, arguments)) {
						throw new CallChanged(this, result);
					}
					return keep(key, arguments, result, answer);
				});
			}
			catch (Throwable ex) {
				return CompletableFuture.failedFuture(new CallFailed(ex, answer));
			}
		});
		count(!called[0]);
		CompletableFuture<@Nullable Object> given = future.thenCompose((kept) -> {
			if (kept == null || ((Kept) kept).isFresh()) {
				return CompletableFuture.completedFuture(give(kept));
			}
			this.cache.asMap().remove(key, kept);
			return future(key, arguments, call);
		});
		return given.exceptionallyCompose((ex) -> {
			Throwable failure = cause(ex);
			if (failure instanceof CallFailed failed) {
				return (own[0] || !failed.ofCallerAlone) ? CompletableFuture.failedFuture(failed.failure)
						: directFuture(arguments, call);
			}
			if (failure instanceof NotKept notKept) {
				return own[0] ? CompletableFuture.completedFuture(notKept.result) : directFuture(arguments, call);
			}
			if (failure instanceof CallChanged changed) {
				return own[0] ? CompletableFuture.completedFuture(changed.result) : future(key, arguments, call);
			}
			return given;
		});
	}

	private static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	@SuppressWarnings("FutureReturnValueIgnored")
	private CompletableFuture<@Nullable Object> directFuture(@Nullable Object[] arguments, Call call) {
		CallAnswer answer = new CallAnswer();
		try {
			CompletableFuture<@Nullable Object> result = stage(call.proceed(answer)).toCompletableFuture();
			result.thenRun(() -> judge(arguments, answer));
			return result;
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private boolean isPresent(Key key) {
		return this.cache.peek(key) != null;
	}

	/**
	 * Whether a caller waits for the call; otherwise there is an answer, and this is a
	 * refresh.
	 */
	private boolean isAbsent(Key key) {
		return !this.cache.asMap().containsKey(key);
	}

	@SuppressWarnings("unchecked")
	private static CompletionStage<@Nullable Object> stage(@Nullable Object future) {
		return (future instanceof CompletionStage<?> stage) ? (CompletionStage<@Nullable Object>) stage
				: CompletableFuture.completedFuture(future);
	}

	private void count(boolean hit) {
		(hit ? this.hits : this.misses).increment();
	}

	@Override
	public ChannelReport.CachedMethod report() {
		return new ChannelReport.CachedMethod(this.plan.method().signature(), this.cache.name(),
				this.cache.policy().name(), values(), this.hits.sum(), this.misses.sum(), this.cache.estimatedSize());
	}

	private String values() {
		String off = this.callers.off();
		String problem = (off != null) ? off : this.uncopied;
		if (problem != null) {
			return "not kept: " + problem;
		}
		String how = this.immutableResult ? "shared, as they are immutable" : "copied by " + this.codec.name();
		String reason = this.notKept;
		return (reason != null) ? "%s; the last one that was not kept: %s".formatted(how, reason) : how;
	}

	@Override
	public String toString() {
		return "%s of channel '%s'".formatted(this.plan.method().signature(), this.channel);
	}

	/** Loaded only where Reactor is. */
	private static final class Publishers {

		/** The future that a call returns is its result. */
		@SuppressWarnings("FutureReturnValueIgnored")
		static Object mono(EngineCallCache cache, @Nullable Object[] arguments, Call call) {
			Key asked = cache.key(arguments, List.of());
			return Mono.deferContextual((context) -> {
				// Takes the caller from the subscriber's context, or from its thread.
				List<Object> parts = cache.callers.dependOnThreads()
						? cache.plan.<@Nullable List<Object>>asSubscriber(context, cache.callers::parts) : List.of();
				if (parts == null) {
					cache.count(false);
					return Mono.defer(() -> mono(new CallAnswer(), call));
				}
				Key key = new Key(cache, asked.arguments, asked.encoded, parts);
				return Mono.fromFuture(() -> cache.future(key, arguments,
						(answer) -> Mono.from(publisher(answer, call)).contextWrite(context).toFuture()));
			});
		}

		private static Mono<Object> mono(CallAnswer answer, Call call) {
			try {
				return Mono.from(publisher(answer, call));
			}
			catch (Throwable ex) {
				return Mono.error(ex);
			}
		}

		@SuppressWarnings("unchecked")
		private static Publisher<Object> publisher(CallAnswer answer, Call call) throws Throwable {
			Object publisher = call.proceed(answer);
			if (publisher == null) {
				throw new IllegalStateException("The HTTP client returned no publisher");
			}
			return (Publisher<Object>) publisher;
		}

	}

}
