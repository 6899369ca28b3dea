package io.github.vicinal.transport.direct;

import org.jspecify.annotations.Nullable;

/** Codecs find classes by name through the loader that the thread has as its context. */
final class ContextLoader {

	private ContextLoader() {
	}

	/**
	 * Sets the context loader of this thread; {@link #leave} must follow in any case.
	 * @return the one before
	 */
	static @Nullable ClassLoader enter(@Nullable ClassLoader loader) {
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		if (before != loader) {
			thread.setContextClassLoader(loader);
		}
		return before;
	}

	static void leave(@Nullable ClassLoader before, @Nullable ClassLoader loader) {
		if (before != loader) {
			Thread.currentThread().setContextClassLoader(before);
		}
	}

}
