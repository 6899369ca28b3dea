package io.github.vicinal.boot.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.springframework.boot.convert.DurationStyle;

import io.github.vicinal.boot.cache.CacheBuilders;
import io.github.vicinal.boot.cache.CallCacheKeyContributor;
import io.github.vicinal.cache.Cache;
import io.github.vicinal.channel.CacheableCall;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;

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

	private final Supplier<Context> context;

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
	 * @param context finds what the application adds to the requests of all clients
	 * @param created is told of each cache
	 * @param cleared is told which cache was cleared, whether or not it is here
	 */
	public EngineCallCaches(CacheBuilders builders, Supplier<Codecs> codecs,
			Supplier<List<CallCacheKeyContributor>> contributors, Supplier<Context> context,
			Consumer<Cache<?, ?>> created, Consumer<String> cleared) {
		this.builders = builders;
		this.codecs = codecs;
		this.contributors = contributors;
		this.context = context;
		this.created = created;
		this.cleared = cleared;
	}

	@Override
	CallCache create(String name, String channel, Contract contract, MethodPlan plan, CacheableCall annotation) {
		Duration lifetime = DurationStyle.detectAndParse(annotation.expireAfterWrite());
		String origin = "\"%s\" at %s of channel '%s'".formatted(annotation.expireAfterWrite(),
				plan.method().signature(), channel);
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
		boolean sharedByAll = annotation.sharedByAllCallers() || this.builders.isSharedByAllCallers(name);
		return new EngineCallCache(shared.cache(), channel, plan,
				this.codecs.get().choose(contract, this.codecs.get().offers(contract)).codec(),
				this.builders.expireAfterWrite(name, lifetime),
				new CallerParts(channel, plan, name, sharedByAll, this.contributors));
	}

	@Override
	Context context() {
		return this.context.get();
	}

	/**
	 * Forgets all answers in a cache of calls, also those that are on their way, and
	 * tells other instances, if there is a way to.
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
	 * Forgets all answers in a cache of calls, and tells nobody.
	 * @param cache the name of the cache
	 * @return whether there is such a cache here
	 */
	public boolean clearHere(String cache) {
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
