package io.github.vicinal.boot.observation;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;

/**
 * Finds the shortcut from calls to their meters, once all handlers and filters of
 * observations are registered. Loaded only if Micrometer's meters are present.
 */
@FunctionalInterface
public interface MeterShortcuts {

	/**
	 * Finds the shortcut.
	 * @return the shortcut, or {@code null} if calls are observed in full
	 */
	@Nullable MeterShortcut find();

	/**
	 * Finds the shortcut, if meters are present.
	 * @param shortcuts the bean, if there is one
	 * @return the shortcut, or {@code null} if calls are observed in full
	 */
	static @Nullable MeterShortcut find(ObjectProvider<MeterShortcuts> shortcuts) {
		MeterShortcuts available = shortcuts.getIfAvailable();
		return (available != null) ? available.find() : null;
	}

}
