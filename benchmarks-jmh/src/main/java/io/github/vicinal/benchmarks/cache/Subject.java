package io.github.vicinal.benchmarks.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.cache.CacheBuilder;
import io.github.vicinal.cache.Cache;
import io.github.vicinal.cache.CachePolicy;
import org.cache2k.Cache2kBuilder;
import org.ehcache.config.builders.CacheConfigurationBuilder;
import org.ehcache.config.builders.CacheManagerBuilder;
import org.ehcache.config.builders.ResourcePoolsBuilder;
import org.jspecify.annotations.Nullable;

/** A cache that is measured, made by its own builder with nothing but a size. */
interface Subject {

	/** Before the name of a policy. */
	String VICINAL = "vicinal ";

	String name();

	/** The object whose memory counts. */
	Object root();

	@Nullable Integer get(Integer key);

	void put(Integer key, Integer value);

	/** Gets, or loads the key itself as a value. */
	Integer load(Integer key);

	/** The names of all; Caffeine, which is what they are compared with, is the first. */
	static List<String> names() {
		List<String> names = new ArrayList<>(List.of("caffeine"));
		for (CachePolicy policy : List.of(CachePolicy.LRU, CachePolicy.LFU, CachePolicy.SLRU, CachePolicy.AIC,
				CachePolicy.windowTinyLfu(1), CachePolicy.TWO_WAY, CachePolicy.kWay(8), CachePolicy.PLRU,
				CachePolicy.kWayTinyLfu(8), CachePolicy.TINY_LFU)) {
			names.add(VICINAL + policy);
		}
		names.addAll(List.of("cache2k", "guava", "ehcache", "ConcurrentHashMap (unbounded)"));
		return names;
	}

	static Subject named(String name, int size) {
		return switch (name) {
			case "caffeine" -> caffeine(size);
			case "cache2k" -> cache2k(size);
			case "guava" -> guava(size);
			case "ehcache" -> ehcache(size);
			case "ConcurrentHashMap (unbounded)" -> map();
			default -> vicinal(CachePolicy.of(name.substring(VICINAL.length())), size);
		};
	}

	/** Gets and puts are those of the cache, loading is its own way to load. */
	record Adapter(String name, Object root, Get getter, Put putter, Get loader) implements Subject {

		@Override
		public @Nullable Integer get(Integer key) {
			return this.getter.get(key);
		}

		@Override
		public void put(Integer key, Integer value) {
			this.putter.put(key, value);
		}

		@Override
		public Integer load(Integer key) {
			Integer value = this.loader.get(key);
			if (value == null) {
				throw new IllegalStateException("Nothing was loaded");
			}
			return value;
		}

	}

	/** Looks up. */
	@FunctionalInterface
	interface Get {

		@Nullable Integer get(Integer key);

	}

	/** Writes. */
	@FunctionalInterface
	interface Put {

		void put(Integer key, Integer value);

	}

	static Subject vicinal(CachePolicy policy, int size) {
		Cache<Integer, Integer> cache = io.github.vicinal.cache.CacheBuilder.<Integer, Integer>named("measured")
			.policy(policy)
			.maximumSize(size)
			.build();
		return new Adapter(VICINAL + policy, cache, cache::getIfPresent, cache::put,
				(key) -> cache.get(key, (it) -> it));
	}

	/** On the caller's thread, so that all of its work is seen. */
	static Subject caffeine(int size) {
		com.github.benmanes.caffeine.cache.Cache<Integer, Integer> cache = Caffeine.newBuilder()
			.maximumSize(size)
			.executor(Runnable::run)
			.build();
		return new Adapter("caffeine", cache, cache::getIfPresent, cache::put, (key) -> cache.get(key, (it) -> it));
	}

	static Subject cache2k(int size) {
		org.cache2k.Cache<Integer, Integer> cache = new Cache2kBuilder<Integer, Integer>() {
		}.entryCapacity(size).eternal(true).build();
		return new Adapter("cache2k", cache, cache::peek, cache::put, (key) -> cache.computeIfAbsent(key, (it) -> it));
	}

	static Subject guava(int size) {
		com.google.common.cache.Cache<Integer, Integer> cache = CacheBuilder.newBuilder().maximumSize(size).build();
		return new Adapter("guava", cache, cache::getIfPresent, cache::put, (key) -> {
			try {
				return cache.get(key, () -> key);
			}
			catch (java.util.concurrent.ExecutionException ex) {
				throw new IllegalStateException(ex);
			}
		});
	}

	static Subject ehcache(int size) {
		org.ehcache.Cache<Integer, Integer> cache = CacheManagerBuilder.newCacheManagerBuilder()
			.build(true)
			.createCache("measured", CacheConfigurationBuilder.newCacheConfigurationBuilder(Integer.class,
					Integer.class, ResourcePoolsBuilder.heap(size)));
		return new Adapter("ehcache", cache, cache::get, cache::put, (key) -> {
			Integer value = cache.get(key);
			if (value == null) {
				cache.put(key, key);
				return key;
			}
			return value;
		});
	}

	static Subject map() {
		ConcurrentHashMap<Integer, Integer> map = new ConcurrentHashMap<>();
		return new Adapter("ConcurrentHashMap (unbounded)", map, map::get, map::put,
				(key) -> map.computeIfAbsent(key, (it) -> it));
	}

}
