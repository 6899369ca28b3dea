package io.github.vicinal.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
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
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guava's suites for concurrent maps, on the map view of every engine. They are written
 * for JUnit 3; JUnit Jupiter runs their cases.
 */
@Tag("deep")
class MapTests {

	private static final int SIZE = 2_048;

	@TestFactory
	List<DynamicNode> everyEngine() {
		List<Test> all = new ArrayList<>();
		for (CachePolicy policy : List.of(CachePolicy.TINY_LFU, CachePolicy.LRU, CachePolicy.AIC,
				CachePolicy.kWay(8))) {
			all.add(suite(policy, "plain", (builder) -> builder.maximumSize(SIZE)));
		}
		// Time and weight are the engines' business, whatever the policy.
		for (CachePolicy policy : List.of(CachePolicy.TINY_LFU, CachePolicy.LRU, CachePolicy.kWay(8))) {
			all.add(suite(policy, "timed",
					(builder) -> builder.maximumSize(SIZE)
						.expireAfterWrite(Duration.ofDays(1))
						.expireAfterAccess(Duration.ofHours(1))
						.refreshAfterWrite(Duration.ofMinutes(30))));
		}
		for (CachePolicy policy : List.of(CachePolicy.TINY_LFU, CachePolicy.LRU)) {
			all.add(suite(policy, "weighted",
					(builder) -> builder.maximumWeight(8L * SIZE, (key, value) -> 1 + (key.hashCode() & 7))));
		}
		List<DynamicNode> nodes = all.stream().map(MapTests::node).toList();
		assertThat(nodes).hasSize(9);
		return nodes;
	}

	private static DynamicNode node(Test test) {
		if (test instanceof TestSuite suite) {
			return DynamicContainer.dynamicContainer(suite.getName(),
					Collections.list(suite.tests()).stream().map(MapTests::node));
		}
		TestCase single = (TestCase) test;
		return DynamicTest.dynamicTest(single.getName(), single::runBare);
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
