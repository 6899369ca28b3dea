package io.github.vicinal.boot.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

import io.github.vicinal.boot.observation.MeterShortcut;

/**
 * Finds the shortcut from calls to their meters, once all that takes part in observations
 * is registered. There only where Micrometer's meters are.
 */
@FunctionalInterface
interface MeterShortcuts {

	@Nullable MeterShortcut find();

	static @Nullable MeterShortcut find(ObjectProvider<MeterShortcuts> shortcuts) {
		MeterShortcuts available = shortcuts.getIfAvailable();
		return (available != null) ? available.find() : null;
	}

}
