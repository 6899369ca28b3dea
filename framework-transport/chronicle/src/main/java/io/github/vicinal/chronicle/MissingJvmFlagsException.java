package io.github.vicinal.chronicle;

import java.util.List;

/**
 * The JVM was started without the flags that Chronicle Queue needs.
 *
 * @since 0.1.0
 */
public final class MissingJvmFlagsException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final JvmFlags.Use use;

	/** Flags as they are given to {@code java}. */
	@SuppressWarnings("serial") // the list is immutable and holds strings
	private final List<String> flags;

	/**
	 * Creates an exception.
	 * @param use what needs the flags
	 * @param flags what is missing, as it is given to {@code java}
	 */
	public MissingJvmFlagsException(JvmFlags.Use use, List<String> flags) {
		super("%s Chronicle Queue, and this JVM was started without the flags that it needs: %s"
			.formatted(use.subject(), String.join(" ", flags)));
		this.use = use;
		this.flags = List.copyOf(flags);
	}

	/**
	 * Returns what needs the flags.
	 * @return a feature
	 */
	public JvmFlags.Use use() {
		return this.use;
	}

	/**
	 * Returns the flags that are missing.
	 * @return flags as they are given to {@code java}
	 */
	public List<String> flags() {
		return this.flags;
	}

}
