package io.github.vicinal.launcher.logback;

import java.util.ArrayDeque;

import org.slf4j.Logger;
import org.slf4j.helpers.SubstituteLogger;

/**
 * A logger of a shared class: writes to the log of the application that the calling
 * thread belongs to. Thread-safe.
 */
final class RoutedLogger extends SubstituteLogger {

	RoutedLogger(String name) {
		super(name, new ArrayDeque<>(0), true);
	}

	@Override
	public Logger delegate() {
		return ApplicationLogs.current().getLogger(getName());
	}

}
