package io.github.vicinal.chronicle;

import java.util.ArrayList;
import java.util.List;

/**
 * The flags without which Chronicle Queue does not start. Looks at modules only, and
 * loads no class of Chronicle.
 */
final class JvmFlags {

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
	 * @throws MissingJvmFlagsException if one is
	 */
	static void require() {
		List<String> missing = missing();
		if (!missing.isEmpty()) {
			throw new MissingJvmFlagsException(missing);
		}
	}

}
