package io.github.vicinal.boot.cache;

import java.lang.reflect.Field;
import java.time.Duration;

import com.github.benmanes.caffeine.cache.Caffeine;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

import static org.assertj.core.api.Assertions.assertThat;

class CacheRuntimeHintsTests {

	@ParameterizedTest
	@CsvSource({ "false, false, false", "false, false, true", "false, true, false", "false, true, true",
			"true, false, false", "true, false, true", "true, true, false", "true, true, true" })
	void theClassesThatCaffeineLooksForAreThere(boolean weighted, boolean access, boolean write) throws Exception {
		RuntimeHints hints = new RuntimeHints();
		new CacheRuntimeHints().registerHints(hints, getClass().getClassLoader());
		Caffeine<Object, Object> caffeine = Caffeine.newBuilder().removalListener((key, value, cause) -> {
		});
		if (weighted) {
			caffeine.maximumWeight(10).weigher((key, value) -> 1);
		}
		else {
			caffeine.maximumSize(10);
		}
		if (access) {
			caffeine.expireAfterAccess(Duration.ofMinutes(1));
		}
		if (write) {
			caffeine.expireAfterWrite(Duration.ofMinutes(1));
		}
		Object cache = caffeine.build().asMap();
		assertThat(cache.getClass().getSimpleName()).startsWith("SSL");
		assertThat(RuntimeHintsPredicates.reflection().onType(cache.getClass())).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(nodeFactory(cache).getClass())).accepts(hints);
	}

	private static Object nodeFactory(Object cache) throws ReflectiveOperationException {
		for (Class<?> type = cache.getClass(); type != null; type = type.getSuperclass()) {
			for (Field field : type.getDeclaredFields()) {
				if (field.getName().equals("nodeFactory")) {
					field.setAccessible(true);
					return field.get(cache);
				}
			}
		}
		throw new IllegalStateException("Caffeine has no field 'nodeFactory' any more");
	}

}
