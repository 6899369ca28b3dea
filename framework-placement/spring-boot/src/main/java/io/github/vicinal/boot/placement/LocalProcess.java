package io.github.vicinal.boot.placement;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Names this JVM among all of its host: services that share a JVM report the same name.
 * The process id does not suffice, because it is 1 in most containers.
 */
final class LocalProcess {

	/** Link of Linux whose target names the namespace that a process id belongs to. */
	private static final Path NAMESPACE = Path.of("/proc/self/ns/pid");

	private LocalProcess() {
	}

	/**
	 * Names this JVM.
	 * @param host name of its host
	 * @return the name
	 */
	static String name(String host) {
		return name(ProcessHandle.current().pid(), namespace(), ManagementFactory.getRuntimeMXBean().getStartTime(),
				host);
	}

	/**
	 * Names a JVM.
	 * @param pid its process id
	 * @param namespace namespace of that id, empty if unknown
	 * @param started when it started, in ms since 1970, which tells JVMs apart where the
	 * namespace is unknown
	 * @param host name of its host
	 * @return the name
	 */
	static String name(long pid, String namespace, long started, String host) {
		return "%d%s:%d@%s".formatted(pid, namespace, started, host);
	}

	private static String namespace() {
		try {
			return "/" + Files.readSymbolicLink(NAMESPACE).toString().replaceAll("[^0-9]", "");
		}
		catch (IOException | SecurityException | UnsupportedOperationException ex) {
			// Another system, or hidden from this process.
			return "";
		}
	}

}
