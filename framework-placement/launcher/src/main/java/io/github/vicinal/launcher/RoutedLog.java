package io.github.vicinal.launcher;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * The one handler of the JDK's log, which all applications have in common: it gives each
 * record to the handlers of the application whose thread logs. Thread-safe.
 * <p>
 * Spring Boot installs a bridge to the application's own log, unless there are handlers
 * other than one for the console. So this is one for the console, and it takes the bridge
 * away from the root logger as soon as it is there.
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // each handler has a lock
final class RoutedLog extends ConsoleHandler {

	private final Logger root = Logger.getLogger("");

	private final Map<ApplicationLoader, List<Handler>> handlers = new ConcurrentHashMap<>();

	/** Makes sure that this is the only handler of the root logger. */
	synchronized void install() {
		boolean installed = false;
		for (Handler handler : this.root.getHandlers()) {
			ApplicationLoader loader = ApplicationLoader.of(handler.getClass().getClassLoader());
			if (loader == null && handler.getClass().getClassLoader() != null) {
				// A bridge whose class the applications share: its owner is the
				// application
				// whose thread looks at it now.
				loader = ApplicationThreads.owner(Thread.currentThread());
			}
			if (loader != null && handler != this) {
				this.handlers.computeIfAbsent(loader, (key) -> new ArrayList<>()).add(handler);
			}
			installed |= handler == this;
			if (handler != this) {
				this.root.removeHandler(handler);
			}
		}
		if (!installed) {
			this.root.addHandler(this);
		}
	}

	void end(ApplicationLoader loader) {
		install();
		this.handlers.remove(loader);
	}

	@Override
	public void publish(LogRecord message) {
		ApplicationLoader loader = ApplicationThreads.owner(Thread.currentThread());
		List<Handler> own = (loader != null) ? this.handlers.get(loader) : null;
		if (own == null) {
			super.publish(message);
			return;
		}
		own.forEach((handler) -> handler.publish(message));
	}

}
