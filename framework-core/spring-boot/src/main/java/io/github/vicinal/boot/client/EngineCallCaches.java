package io.github.vicinal.boot.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.springframework.boot.convert.DurationStyle;

import io.github.vicinal.boot.cache.CacheBuilders;
import io.github.vicinal.cache.Cache;
import io.github.vicinal.channel.CacheableCall;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;

/** Caches of calls on Vicinal's cache engines. Thread-safe. */
public final class EngineCallCaches extends CallCaches {

	private final CacheBuilders builders;

	private final Supplier<Codecs> codecs;

	private final Consumer<Cache<?, ?>> created;

	private final Map<String, Cache<Object, Object>> caches = new ConcurrentHashMap<>();

	/**
	 * Creates the caches, none yet.
	 * @param builders makes caches by properties
	 * @param codecs copy values that are not immutable
	 * @param created is told of each cache
	 */
	public EngineCallCaches(CacheBuilders builders, Supplier<Codecs> codecs, Consumer<Cache<?, ?>> created) {
		this.builders = builders;
		this.codecs = codecs;
		this.created = created;
	}

	@Override
	CallCache create(String name, Contract contract, MethodPlan plan, CacheableCall annotation) {
		Duration lifetime = DurationStyle.detectAndParse(annotation.expireAfterWrite());
		Cache<Object, Object> cache = this.caches.computeIfAbsent(name, (absent) -> {
			Cache<Object, Object> made = this.builders.cache(name, lifetime);
			this.created.accept(made);
			return made;
		});
		return new EngineCallCache(cache, plan,
				this.codecs.get().choose(contract, this.codecs.get().offers(contract)).codec());
	}

	/**
	 * Returns all caches of calls.
	 * @return a snapshot
	 */
	public List<Cache<Object, Object>> caches() {
		return List.copyOf(this.caches.values());
	}

}
