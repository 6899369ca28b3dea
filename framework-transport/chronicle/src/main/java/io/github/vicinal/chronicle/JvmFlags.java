package io.github.vicinal.chronicle;

import java.util.ArrayList;
import java.util.List;

/**
 * The flags without which Chronicle Queue does not start. Looks at modules only, and
 * loads no class of Chronicle.
 *
 * @since 0.1.0
 */
public final class JvmFlags {

	private static final List<String> EXPORTS = List.of("jdk.internal.ref", "sun.nio.ch");

	private static final List<String> OPENS = List.of("java.lang", "java.lang.reflect", "java.io", "java.util");

	private JvmFlags() {
	}

	/**
	 * Returns the flags that this JVM lacks.
	 * @return flags as they are given to {@code java}
	 */
	static List<String> missing() {
		Module base = Object.class.getModule();
		Module own = JvmFlags.class.getModule();
		List<String> flags = new ArrayList<>();
		EXPORTS.stream()
			.filter((name) -> !base.isExported(name, own))
			.forEach((name) -> flags.add("--add-exports=java.base/" + name + "=ALL-UNNAMED"));
		OPENS.stream()
			.filter((name) -> !base.isOpen(name, own))
			.forEach((name) -> flags.add("--add-opens=java.base/" + name + "=ALL-UNNAMED"));
		return flags;
	}

	/**
	 * Checks that no flag is missing.
	 * @param use what needs them
	 * @throws MissingJvmFlagsException if one is
	 */
	public static void require(Use use) {
		List<String> missing = missing();
		if (!missing.isEmpty()) {
			throw new MissingJvmFlagsException(use, missing);
		}
	}

	/**
	 * Features that need Chronicle Queue.
	 *
	 * @since 0.1.0
	 */
	public enum Use {

		/** Durable topics. */
		TOPICS("Durable topics need", "remove vicinal.topics.durable.directory, and have no durable topics"),

		/** The path for calls. */
		PATH("The path chronicle needs", "remove vicinal.chronicle.enabled, and have calls take other paths");

		private final String subject;

		private final String alternative;

		Use(String subject, String alternative) {
			this.subject = subject;
			this.alternative = alternative;
		}

		/** Returns the beginning of a sentence that ends with what is needed. */
		String subject() {
			return this.subject;
		}

		/** Returns how to do without. */
		String alternative() {
			return this.alternative;
		}

	}

}
