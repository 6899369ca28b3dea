package io.github.vicinal.cache;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.cache.policy.PolicyFactory;
import io.github.vicinal.cache.policy.ReplacementPolicy;

/** Puts a cache together. */
final class Engines {

	private Engines() {
	}

	static <K, V> Cache<K, V> create(CacheBuilder<K, V> builder) {
		Counters counters = builder.recordsStatistics() ? new Counters() : null;
		Removals<K, V> removals = new Removals<>(builder.name(), builder.listener(), builder.listenerExecutor(),
				counters);
		Long given = builder.seed();
		long seed = (given != null) ? given : ThreadLocalRandom.current().nextLong();
		return new DefaultCache<>(builder, store(builder, removals, Long.hashCode(seed)), removals, counters);
	}

	private static <K, V> Store<K, V> store(CacheBuilder<K, V> builder, Removals<K, V> removals, int seed) {
		return switch (builder.policy().engine()) {
			case CAFFEINE -> new CaffeineStore<>(builder, removals);
			case POLICY -> new PolicyStore<>(builder, removals, seed, factory(builder.policy()));
			case SETS -> new SetStore<>(builder, removals, seed);
		};
	}

	private static PolicyFactory factory(CachePolicy policy) {
		PolicyFactory factory = policy.factory();
		if (factory == null) {
			throw new UnsupportedOperationException(policy.name());
		}
		return factory;
	}

	static CacheReport report(String name, ReplacementPolicy policy, long maximum, long size) {
		return new CacheReport(name, name, maximum, size, 0, List.of(), 0, 0, 0, List.of(), List.of());
	}

}
