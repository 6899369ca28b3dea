package io.github.vicinal.copackage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Writes the paper's form of a merge: one Dockerfile for several applications, whose
 * entry point runs each in a process of its own, hands signals on, and ends with the
 * first of them.
 */
final class MergedContainer {

	static final String SCRIPT = "run-all.sh";

	private static final String JVM_OPTIONS = "JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|JAVA_OPTS|_JAVA_OPTIONS";

	private MergedContainer() {
	}

	static void write(List<Inventory> inventories, Path directory) throws IOException {
		List<Container> containers = new ArrayList<>();
		for (Inventory inventory : inventories) {
			Container container = inventory.container();
			if (container == null || inventory.jar() == null) {
				throw new InvalidInputException(
						"'%s' has %s; one container for several processes needs the jar and the Dockerfile of each"
							.formatted(inventory.name(), (container == null) ? "no Dockerfile" : "no jar"));
			}
			containers.add(container);
		}
		Files.createDirectories(directory);
		if (Files.exists(directory.resolve("Dockerfile"))) {
			throw new InvalidInputException(
					"'%s' has a Dockerfile already; name an empty directory".formatted(directory));
		}
		StringBuilder dockerfile = new StringBuilder("FROM %s\n".formatted(containers.get(0).baseImage()));
		Map<String, String> environment = common(containers);
		TreeSet<Integer> ports = new TreeSet<>();
		TreeSet<String> volumes = new TreeSet<>();
		for (Container container : containers) {
			ports.addAll(container.ports());
			volumes.addAll(container.volumes());
		}
		environment.forEach((name, value) -> dockerfile.append("ENV %s=\"%s\"%n".formatted(name, value)));
		volumes.forEach((volume) -> dockerfile.append("VOLUME %s%n".formatted(volume)));
		for (Inventory inventory : inventories) {
			Path jar = inventory.jar();
			if (jar != null) {
				Files.copy(jar, directory.resolve(inventory.name() + ".jar"));
			}
			dockerfile.append("COPY %s.jar /applications/%s.jar%n".formatted(inventory.name(), inventory.name()));
		}
		dockerfile.append("COPY --chmod=755 %s /applications/%s%n".formatted(SCRIPT, SCRIPT));
		ports.forEach((port) -> dockerfile.append("EXPOSE %d%n".formatted(port)));
		if (!containers.get(0).user().isEmpty()) {
			dockerfile.append("USER %s%n".formatted(containers.get(0).user()));
		}
		dockerfile.append("ENTRYPOINT [\"/applications/%s\"]%n".formatted(SCRIPT));
		Files.writeString(directory.resolve("Dockerfile"), dockerfile);
		Path script = directory.resolve(SCRIPT);
		Files.writeString(script, script(inventories, containers));
		Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
	}

	/** Variables that are the same for all; the others are set for each process. */
	private static Map<String, String> common(List<Container> containers) {
		Map<String, String> common = new TreeMap<>(containers.get(0).environment());
		common.keySet().removeIf((name) -> name.matches(JVM_OPTIONS));
		containers.forEach((each) -> common.entrySet()
			.removeIf((variable) -> !variable.getValue().equals(each.environment().get(variable.getKey()))));
		return common;
	}

	private static String own(Container container, Map<String, String> common) {
		StringBuilder assignments = new StringBuilder();
		new TreeMap<>(container.environment()).forEach((name, value) -> {
			if (!common.containsKey(name) && !name.matches(JVM_OPTIONS)) {
				assignments.append("%s='%s' ".formatted(name, value.replace("'", "'\\''")));
			}
		});
		return assignments.toString();
	}

	private static String script(List<Inventory> inventories, List<Container> containers) {
		StringBuilder script = new StringBuilder("""
				#!/bin/sh
				# Runs each application in a process of its own. Ends with the first that ends, and with its
				# exit code, after it has stopped the others. SIGTERM and SIGINT go to all.
				here=$(cd "$(dirname "$0")" && pwd)
				processes=
				stop() { for p in $processes; do kill -TERM "$p" 2>/dev/null; done; }
				trap 'stopped=143; stop' TERM
				trap 'stopped=130; stop' INT
				stopped=
				""");
		for (int i = 0; i < inventories.size(); i++) {
			StringBuilder options = new StringBuilder();
			containers.get(i)
				.jvmOptions()
				.forEach((option) -> options.append(" '%s'".formatted(option.replace("'", "'\\''"))));
			script.append("%sjava%s -jar \"$here/%s.jar\" & processes=\"$processes $!\"%n"
				.formatted(own(containers.get(i), common(containers)), options, inventories.get(i).name()));
		}
		return script.append("""
				code=
				while [ -z "$code" ] && [ -z "$stopped" ]; do
				  for p in $processes; do
				    if ! kill -0 "$p" 2>/dev/null; then wait "$p"; code=$?; break; fi
				  done
				  [ -n "$code$stopped" ] || { sleep 1 & wait $!; }
				done
				stop
				for p in $processes; do wait "$p" 2>/dev/null; done
				exit "${stopped:-$code}"
				""").toString();
	}

}
