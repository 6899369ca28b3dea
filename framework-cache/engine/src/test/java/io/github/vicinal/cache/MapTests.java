package io.github.vicinal.cache;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import java.util.function.UnaryOperator;

import com.google.common.collect.testing.ConcurrentMapTestSuiteBuilder;
import com.google.common.collect.testing.TestStringMapGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;

/** Guava's suites for concurrent maps, on the map view of every engine. */
public class MapTests extends TestCase {

	private static final int SIZE = 2_048;

	/**
	 * Makes the suites.
	 * @return one for each engine
	 */
	public static Test suite() {
		TestSuite all = new TestSuite("asMap");
		for (CachePolicy policy : List.of(CachePolicy.TINY_LFU, CachePolicy.LRU, CachePolicy.AIC,
				CachePolicy.kWay(8))) {
			all.addTest(suite(policy, "plain", (builder) -> builder.maximumSize(SIZE)));
		}
		// Time and weight are the engines' business, whatever the policy.
		for (CachePolicy policy : List.of(CachePolicy.TINY_LFU, CachePolicy.LRU, CachePolicy.kWay(8))) {
			all.addTest(suite(policy, "timed",
					(builder) -> builder.maximumSize(SIZE)
						.expireAfterWrite(Duration.ofDays(1))
						.expireAfterAccess(Duration.ofHours(1))
						.refreshAfterWrite(Duration.ofMinutes(30))));
		}
		for (CachePolicy policy : List.of(CachePolicy.TINY_LFU, CachePolicy.LRU)) {
			all.addTest(suite(policy, "weighted",
					(builder) -> builder.maximumWeight(8L * SIZE, (key, value) -> 1 + (key.hashCode() & 7))));
		}
		return all;
	}

	private static Test suite(CachePolicy policy, String kind, UnaryOperator<CacheBuilder<String, String>> bounds) {
		return ConcurrentMapTestSuiteBuilder.using(new TestStringMapGenerator() {
			@Override
			protected Map<String, String> create(Map.Entry<String, String>[] entries) {
				ConcurrentMap<String, String> map = bounds
					.apply(CacheBuilder.<String, String>named("test").policy(policy).seed(1))
					.build()
					.asMap();
				for (Map.Entry<String, String> entry : entries) {
					map.put(entry.getKey(), entry.getValue());
				}
				return map;
			}
		})
			.named("asMap of " + kind + " " + policy.name().replace('(', '[').replace(')', ']'))
			.withFeatures(MapFeature.GENERAL_PURPOSE, CollectionFeature.SUPPORTS_ITERATOR_REMOVE, CollectionSize.ANY)
			.createTestSuite();
	}

}
