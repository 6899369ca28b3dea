package io.github.vicinal.cache;

/**
 * A cache was asked for that cannot be. Names the property, its value and what is
 * allowed.
 *
 * @since 0.1.0
 */
public final class InvalidCacheException extends IllegalArgumentException {

	private static final long serialVersionUID = 1;

	private final String property;

	private final String value;

	private final String allowed;

	/**
	 * Creates the exception.
	 * @param cache the name of the cache, empty if the value is not that of one cache
	 * @param property the property in the form of configuration files
	 * @param value what was given
	 * @param allowed what is allowed
	 */
	public InvalidCacheException(String cache, String property, Object value, String allowed) {
		super("%s%s is '%s', but must be %s".formatted(cache.isEmpty() ? "" : "Cache '%s': ".formatted(cache), property,
				value, allowed));
		this.property = property;
		this.value = String.valueOf(value);
		this.allowed = allowed;
	}

	/**
	 * Returns the property in the form of configuration files.
	 * @return such as {@code maximum-size}
	 */
	public String property() {
		return this.property;
	}

	/**
	 * Returns what was given.
	 * @return the value as text
	 */
	public String value() {
		return this.value;
	}

	/**
	 * Returns what is allowed.
	 * @return a phrase that follows "must be"
	 */
	public String allowed() {
		return this.allowed;
	}

}
