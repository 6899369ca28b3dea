package io.github.vicinal.testkit.server;

import org.jspecify.annotations.Nullable;

/**
 * Thread-locals of the kit. The tests set them at the caller and look for them at the
 * callee, where they have no business to be.
 *
 * @since 0.1.0
 */
public final class CallerThread {

	/** A plain thread-local. */
	public static final ThreadLocal<@Nullable String> PLAIN = new ThreadLocal<>();

	/** One that threads started by the caller inherit. */
	public static final InheritableThreadLocal<@Nullable String> INHERITED = new InheritableThreadLocal<>();

	private CallerThread() {
	}

}
