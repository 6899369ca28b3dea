package io.github.vicinal.cache;

import java.util.stream.Stream;

/** The caches that every test of behaviour runs on: each engine, and each policy. */
final class Variants {

	private Variants() {
	}

	static Stream<CachePolicy> policies() {
		return Stream.concat(CachePolicy.named().stream(),
				Stream.of(CachePolicy.kWay(8), CachePolicy.kWayTinyLfu(8), CachePolicy.windowTinyLfu(20)));
	}

	static <K, V> CacheBuilder<K, V> builder(CachePolicy policy) {
		return CacheBuilder.<K, V>named("test").policy(policy).maximumSize(1000).seed(1);
	}

}
