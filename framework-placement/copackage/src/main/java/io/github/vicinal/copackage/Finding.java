package io.github.vicinal.copackage;

/**
 * A reason why applications may not come closer.
 *
 * @param rule its name, which {@code --accept} takes
 * @param limit the closest that it allows
 * @param reason what was found, with the names of both sides
 * @param remedy what would lift it
 * @since 0.1.0
 */
public record Finding(Rule rule, Verdict limit, String reason, String remedy) {

	/**
	 * Rules of the check.
	 *
	 * @since 0.1.0
	 */
	public enum Rule {

		/** Versions of a library differ. */
		VERSION,

		/** A library has one version, but different bytes. */
		LIBRARY_BYTES,

		/** A class exists twice, with different bytes. */
		CLASS_BYTES,

		/** A file of the class path exists twice, with different bytes. */
		RESOURCE,

		/** Versions of Spring Boot differ. */
		SPRING_BOOT,

		/** The launcher cannot run it. */
		NOT_SPRING_BOOT_3,

		/** Class files need a newer Java than the other application, or the container. */
		JAVA,

		/** Both listen on one port. */
		PORT,

		/** Both write one file. */
		FILE,

		/** Code changes what a JVM has once. */
		JVM_WIDE_CALL,

		/** A native library that a JVM loads once. */
		NATIVE,

		/** Options of the JVM contradict each other. */
		JVM_OPTION,

		/** An agent that only one of them has. */
		AGENT,

		/** Base images differ. */
		BASE_IMAGE,

		/** They run as different users. */
		USER,

		/** Both have a volume at one path. */
		VOLUME,

		/** The jar is signed. */
		SIGNED,

		/** Restarts classes while it runs. */
		DEVTOOLS,

		/** One environment cannot hold for both. */
		ENVIRONMENT,

		/** They want system properties to be different. */
		SYSTEM_PROPERTY,

		/** Only one of them opens something of the JDK. */
		MODULE_ACCESS,

		/** On one class path, an application would get beans of another. */
		BEAN,

		/** On one class path, both would use the static fields of one class. */
		STATIC_STATE,

		/**
		 * A member that one application uses is missing in the version of the other one.
		 */
		LINKAGE,

		/** Together they need more memory than there is. */
		MEMORY,

		/** Nothing is known of its dependencies. */
		UNKNOWN;

		/**
		 * Returns the name for people and the command line.
		 * @return lower case, with hyphens
		 */
		public String id() {
			return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
		}

	}

}
