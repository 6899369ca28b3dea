package io.github.vicinal.copackage;

import java.util.Collection;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Libraries that keep state in static fields, of which it is known that it does no harm
 * to share it: caches with keys that belong to one application, pools of buffers,
 * constants, and switches that applications seldom turn. They start no threads of their
 * own for all.
 */
final class KnownLibraries {

	private static final List<String> ROOTS = List.of("org/springframework/", "org/apache/tomcat/",
			"org/apache/catalina/", "org/apache/coyote/", "org/apache/naming/", "org/apache/juli/", "org/apache/el/",
			"org/apache/commons/logging/", "org/apache/hc/", "org/apache/logging/", "org/slf4j/", "ch/qos/logback/",
			"jakarta/", "tools/jackson/", "com/fasterxml/jackson/", "com/fasterxml/classmate/", "io/micrometer/",
			"org/yaml/snakeyaml/", "org/jspecify/", "org/HdrHistogram/", "org/LatencyUtils/",
			"org/hibernate/validator/", "org/jboss/logging/", "org/aspectj/", "org/aopalliance/", "com/zaxxer/hikari/",
			"io/github/vicinal/", "aj/org/objectweb/asm/", "io/netty/", "com/nimbusds/");

	private static final List<String> EXCEPTIONS = List.of("org/apache/logging/log4j/core/",
			"org/springframework/boot/devtools/", "org/springframework/boot/test/", "io/micrometer/shaded/");

	/**
	 * Files that an application may have, and that a library finds only beside itself.
	 */
	private static final Map<String, String> BESIDE = Map.of("spring-core", "spring.properties", "spring-jcl",
			"commons-logging.properties", "commons-logging", "commons-logging.properties");

	private KnownLibraries() {
	}

	/** Returns whether all packages of a library are of those that are known. */
	static boolean contains(Collection<String> packages) {
		return packages.stream().map((each) -> each + "/").allMatch(KnownLibraries::isKnown);
	}

	static @Nullable String readsBesideItself(String artifact) {
		return BESIDE.get(artifact);
	}

	private static boolean isKnown(String packageName) {
		return ROOTS.stream().anyMatch(packageName::startsWith)
				&& EXCEPTIONS.stream().noneMatch(packageName::startsWith);
	}

}
