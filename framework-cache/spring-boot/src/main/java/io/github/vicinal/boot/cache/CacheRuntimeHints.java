package io.github.vicinal.boot.cache;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Hints for native images with the engine of {@code TINY_LFU}. Caffeine has a class for
 * each combination of features, and finds it by name. The hints cover the combinations
 * that properties can select: a listener, a size or a weight, expiry. The other engines
 * use no reflection, and Boot covers properties and endpoints.
 */
final class CacheRuntimeHints implements RuntimeHintsRegistrar {

	private static final String PACKAGE = "com.github.benmanes.caffeine.cache.";

	private static final List<String> LIMITS = List.of("MS", "MW");

	/** Kinds of expiry: after access or by entry, after write. */
	private static final List<String> EXPIRIES = List.of("", "A", "W", "AW");

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		for (String limit : LIMITS) {
			for (String expiry : EXPIRIES) {
				register(hints, classLoader, "SSL" + limit + expiry);
				register(hints, classLoader, "PS" + expiry + limit);
			}
		}
	}

	private static void register(RuntimeHints hints, @Nullable ClassLoader classLoader, String name) {
		hints.reflection()
			.registerTypeIfPresent(classLoader, PACKAGE + name, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS,
					MemberCategory.ACCESS_DECLARED_FIELDS);
	}

}
