package io.github.vicinal.cache;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;

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

	/**
	 * Makes the suites.
	 * @return one for each engine
	 */
	public static Test suite() {
		TestSuite all = new TestSuite("asMap");
		List.of(CachePolicy.TINY_LFU, CachePolicy.LRU, CachePolicy.AIC, CachePolicy.kWay(8))
			.forEach((policy) -> all.addTest(suite(policy)));
		return all;
	}

	private static Test suite(CachePolicy policy) {
		return ConcurrentMapTestSuiteBuilder.using(new TestStringMapGenerator() {
			@Override
			protected Map<String, String> create(Map.Entry<String, String>[] entries) {
				ConcurrentMap<String, String> map = Variants.<String, String>builder(policy)
					.maximumSize(16_384)
					.build()
					.asMap();
				for (Map.Entry<String, String> entry : entries) {
					map.put(entry.getKey(), entry.getValue());
				}
				return map;
			}
		})
			.named("asMap of " + policy.name().replace('(', '[').replace(')', ']'))
			.withFeatures(MapFeature.GENERAL_PURPOSE, CollectionFeature.SUPPORTS_ITERATOR_REMOVE, CollectionSize.ANY)
			.createTestSuite();
	}

}
