package io.github.vicinal.boot.cache;

import org.jspecify.annotations.Nullable;

/**
 * Something that an HTTP client may add to requests, and that may differ from caller to
 * caller: an interceptor, for example. Immutable.
 *
 * @param channel the name of the channel
 * @param description what was found, for people
 * @param source the class of what was found, or {@code null} if the client cannot be
 * looked into
 * @since 0.1.0
 */
public record RequestAddition(String channel, String description, @Nullable Class<?> source) {

	private static final String LAMBDA = "$$Lambda";

	/**
	 * Returns whether the addition is of a class, or one of the lambda expressions in
	 * that very class.
	 * @param type the class
	 * @return {@code false} also if the client cannot be inspected
	 */
	public boolean isFrom(Class<?> type) {
		Class<?> found = this.source;
		return found != null && (type.isAssignableFrom(found)
				|| (found.isHidden() && found.getName().startsWith(type.getName() + LAMBDA)));
	}

}
