package io.github.vicinal.boot.cache;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.vicinal.boot.autoconfigure.InvalidChannelException;
import io.github.vicinal.boot.client.CacheableMethod;
import io.github.vicinal.boot.client.CallCaches;
import io.github.vicinal.boot.contract.ResultShape.Envelope;
import io.github.vicinal.boot.contract.ResultShape.Timing;
import io.github.vicinal.cache.Cache;
import io.github.vicinal.channel.CacheableCall;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;

/**
 * Caches of calls on Vicinal's cache engines. A bean: an application that learns that
 * answers are no longer true says {@link #clear}. Thread-safe.
 *
 * @since 0.1.0
 */
public final class EngineCallCaches extends CallCaches {

	private final CacheBuilders builders;

	private final Supplier<Codecs> codecs;

	private final Supplier<List<CallCacheKeyContributor>> contributors;

	private final Supplier<RequestAdditions.Application> application;

	private final @Nullable Supplier<Map<String, String>> baggage;

	private final Consumer<Cache<?, ?>> created;

	private final Consumer<String> cleared;

	private final Map<String, Shared> caches = new ConcurrentHashMap<>();

	/**
	 * A cache, which several methods may share.
	 *
	 * @param cache the cache
	 * @param lifetime how long its entries live, unless properties say it
	 * @param origin which method says so, in which words
	 */
	private record Shared(Cache<Object, Object> cache, Duration lifetime, String origin) {
	}

	/**
	 * Creates the caches, none yet.
	 * @param builders makes caches by properties
	 * @param codecs copy values that are not immutable
	 * @param contributors add to the keys of calls
	 * @param application finds what the application adds to the requests of all clients
	 * @param baggage returns what the trace of the calling thread adds to requests, or
	 * {@code null} if there are no traces
	 * @param created notified of each cache
	 * @param cleared notified of each cache that was cleared, whether or not it is here
	 */
	EngineCallCaches(CacheBuilders builders, Supplier<Codecs> codecs,
			Supplier<List<CallCacheKeyContributor>> contributors, Supplier<RequestAdditions.Application> application,
			@Nullable Supplier<Map<String, String>> baggage, Consumer<Cache<?, ?>> created, Consumer<String> cleared) {
		this.builders = builders;
		this.codecs = codecs;
		this.contributors = contributors;
		this.application = application;
		this.baggage = baggage;
		this.created = created;
		this.cleared = cleared;
	}

	@Override
	protected EngineCallCache create(String channel, Contract contract, CacheableMethod method,
			CacheableCall annotation) {
		Duration lifetime = lifetime(method, annotation);
		String name = annotation.cache().isEmpty() ? channel + "." + method.method().method().getName()
				: annotation.cache();
		String origin = "\"%s\" at %s of channel '%s'".formatted(annotation.expireAfterWrite(),
				method.method().signature(), channel);
		Shared shared = this.caches.computeIfAbsent(name, (absent) -> {
			Cache<Object, Object> made = this.builders.callCache(name, lifetime, EngineCallCache::weight);
			this.created.accept(made);
			return new Shared(made, lifetime, origin);
		});
		if (!shared.lifetime().equals(lifetime)) {
			throw new InvalidChannelException(
					"Methods that share the cache '%s' differ in @CacheableCall(expireAfterWrite): %s, and %s"
						.formatted(name, shared.origin(), origin),
					"Give them the same time, or caches of their own: @CacheableCall(cache = \"...\")");
		}
		Codecs known = this.codecs.get();
		// The flat format has no shapes of methods that only HTTP carries.
		Set<String> offers = (method.method().httpOnlyReason() != null) ? Set.of() : known.offers(contract);
		boolean sharedByAll = annotation.sharedByAllCallers() || this.builders.isSharedByAllCallers(name);
		return new EngineCallCache(shared.cache(), channel, method, known.choose(contract, offers).codec(),
				this.builders.expireAfterWrite(name, lifetime),
				new CallerParts(channel, method, name, sharedByAll, this.contributors, this.baggage), this.application);
	}

	/** Returns how long answers live, if calls of the method can be cached. */
	private static Duration lifetime(CacheableMethod cacheable, CacheableCall annotation) {
		Method method = cacheable.method().method();
		String where = "%s.%s".formatted(method.getDeclaringClass().getSimpleName(), method.getName());
		String reason = whyNot(cacheable);
		if (reason != null) {
			throw new InvalidChannelException("%s has @CacheableCall, but %s".formatted(where, reason),
					"Remove @CacheableCall, or change the method");
		}
		try {
			Duration lifetime = DurationStyle.detectAndParse(annotation.expireAfterWrite());
			if (!lifetime.isZero() && !lifetime.isNegative()) {
				return lifetime;
			}
		}
		catch (IllegalArgumentException ex) {
			// Reported below, like a duration that is not positive.
		}
		throw new InvalidChannelException(
				"%s has @CacheableCall(expireAfterWrite = \"%s\"), which is not a positive duration".formatted(where,
						annotation.expireAfterWrite()),
				"Write for example 500ms, 30s or PT5M");
	}

	private static @Nullable String whyNot(CacheableMethod cacheable) {
		if (!cacheable.method().idempotent()) {
			return "%s must not be repeated: set @AffinityChannel(idempotent = YES) if it only reads"
				.formatted(cacheable.httpMethod());
		}
		if (cacheable.method().resultType() == void.class) {
			return "it returns nothing";
		}
		String argument = ArgumentKeys.whyNot(cacheable.method().method());
		if (argument != null) {
			return argument;
		}
		if (cacheable.shape().timing() == Timing.FLUX) {
			return "a stream of elements is not kept; return a Mono<List<..>>";
		}
		return (cacheable.shape().envelope() != Envelope.NONE)
				? "only plain values are kept, not an " + cacheable.shape().envelope().name().toLowerCase(Locale.ROOT)
				: null;
	}

	/**
	 * Forgets all answers in a cache of calls, also those that are on their way, and
	 * notifies other instances, if there is a broadcast.
	 * @param cache the name of the cache: that of {@link CacheableCall#cache()}, or the
	 * channel's and the method's, as {@code stations.station}
	 * @return whether there is such a cache here
	 */
	public boolean clear(String cache) {
		boolean here = clearHere(cache);
		// Others may have what is not here.
		this.cleared.accept(cache);
		return here;
	}

	/**
	 * Forgets all answers in a cache of calls, without notifying other instances.
	 * @param cache the name of the cache
	 * @return whether there is such a cache here
	 */
	boolean clearHere(String cache) {
		Shared shared = this.caches.get(cache);
		if (shared == null) {
			return false;
		}
		shared.cache().invalidateAll();
		return true;
	}

	/**
	 * Returns all caches of calls.
	 * @return a snapshot
	 */
	public List<Cache<Object, Object>> caches() {
		return this.caches.values().stream().<Cache<Object, Object>>map(Shared::cache).toList();
	}

}
