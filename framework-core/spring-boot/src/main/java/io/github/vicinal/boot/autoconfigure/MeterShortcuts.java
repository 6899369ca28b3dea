package io.github.vicinal.boot.autoconfigure;

import io.github.vicinal.boot.observation.MeterShortcut;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;

/**
 * Finds the shortcut from calls to their meters, once all handlers and filters of
 * observations are registered. Loaded only if Micrometer's meters are present.
 */
@FunctionalInterface
interface MeterShortcuts {

	@Nullable MeterShortcut find();

	static @Nullable MeterShortcut find(ObjectProvider<MeterShortcuts> shortcuts) {
		MeterShortcuts available = shortcuts.getIfAvailable();
		return (available != null) ? available.find() : null;
	}

}
