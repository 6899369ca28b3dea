package io.github.vicinal.copackage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Writes the paper's form of a merge: one Dockerfile for several applications, whose
 * entry point runs each in a process of its own, hands signals on, and ends with the
 * first of them.
 */
final class MergedContainer {

	static final String SCRIPT = "run-all.sh";

	private static final String JVM_OPTIONS = "JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|JAVA_OPTS|_JAVA_OPTIONS";

	/** A variable whose value the Dockerfile does not say. */
	private static final Pattern UNKNOWN = Pattern.compile("\\$\\{[A-Za-z_]\\w*}");

	private MergedContainer() {
	}

	/**
	 * Writes it. It appears as a whole or not at all.
	 * @param given arguments for {@code main}, by name of the application
	 */
	static void write(List<Inventory> inventories, Map<String, List<String>> given, Path directory) throws IOException {
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
		Path target = directory.toAbsolutePath().normalize();
		if (Files.exists(target) && !isEmpty(target)) {
			throw new InvalidInputException(
					"'%s' has something in it already; name an empty directory".formatted(directory));
		}
		try (WorkDirectory work = WorkDirectory.beside(target)) {
			write(inventories, containers, given, work.path());
			Files.move(work.path(), target, StandardCopyOption.REPLACE_EXISTING);
		}
		catch (IOException ex) {
			throw WorkDirectory.unwritten(directory, ex);
		}
	}

	private static boolean isEmpty(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			return files.findAny().isEmpty();
		}
	}

	private static void write(List<Inventory> inventories, List<Container> containers, Map<String, List<String>> given,
			Path directory) throws IOException {
		StringBuilder dockerfile = new StringBuilder("FROM %s\n".formatted(containers.get(0).baseImage()));
		Map<String, String> environment = common(containers);
		TreeSet<Integer> ports = new TreeSet<>();
		TreeSet<String> volumes = new TreeSet<>();
		for (Container container : containers) {
			ports.addAll(container.ports());
			volumes.addAll(container.volumes());
		}
		environment
			.forEach((name, value) -> dockerfile.append("ENV %s=\"%s\"%n".formatted(name, escaped(value, "\"\\"))));
		volumes.forEach((volume) -> dockerfile.append("VOLUME %s%n"
			.formatted(volume.contains(" ") ? "[\"%s\"]".formatted(escaped(volume, "\"\\")) : volume)));
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
		Files.writeString(script, script(inventories, containers, given));
		Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
	}

	/**
	 * Variables that are the same for all; the others are set for each process. A shell
	 * does not hand on those whose names it does not take.
	 */
	private static Map<String, String> common(List<Container> containers) {
		Map<String, String> common = new TreeMap<>(containers.get(0).environment());
		common.keySet().removeIf((name) -> name.matches(JVM_OPTIONS) || !name.matches("[A-Za-z_]\\w*"));
		containers.forEach((each) -> common.entrySet()
			.removeIf((variable) -> !variable.getValue().equals(each.environment().get(variable.getKey()))));
		return common;
	}

	/**
	 * Returns what stands before the command. Shells take fewer names of variables than
	 * Docker.
	 */
	private static String own(Container container, Map<String, String> common) {
		List<String> assignments = new ArrayList<>();
		new TreeMap<>(container.environment()).forEach((name, value) -> {
			if (!common.containsKey(name) && !name.matches(JVM_OPTIONS)) {
				assignments.add(name + "=" + value);
			}
		});
		return assignments.isEmpty() ? "" : "env" + quoted(assignments) + " ";
	}

	/** Words of the script. Variables that no Dockerfile sets are those of the shell. */
	private static String quoted(List<String> words) {
		StringBuilder quoted = new StringBuilder();
		words.forEach((word) -> quoted.append(UNKNOWN.matcher(word).find() ? " \"%s\"".formatted(escaped(word, "\"\\`"))
				: " '%s'".formatted(word.replace("'", "'\\''"))));
		return quoted.toString();
	}

	/** Escapes characters, and each dollar that begins no variable. */
	private static String escaped(String text, String characters) {
		StringBuilder escaped = new StringBuilder();
		Matcher unknown = UNKNOWN.matcher(text);
		for (int i = 0; i < text.length(); i++) {
			char each = text.charAt(i);
			boolean literal = each == '$' && !unknown.region(i, text.length()).lookingAt();
			escaped.append((literal || characters.indexOf(each) >= 0) ? "\\" : "").append(each);
		}
		return escaped.toString();
	}

	private static String java(Container container) {
		return container.java().equals("java") ? "java" : quoted(List.of(container.java())).strip();
	}

	private static String script(List<Inventory> inventories, List<Container> containers,
			Map<String, List<String>> given) {
		StringBuilder script = new StringBuilder("""
				#!/bin/sh
				# Runs each application in a process of its own. Ends with the first that ends, and with its
				# exit code, after it has stopped the others, or killed them after STOP_TIMEOUT_SECONDS (40).
				# SIGTERM and SIGINT go to all.
				here=$(cd "$(dirname "$0")" && pwd)
				processes=
				# Has a variable of its own, as a signal may call it anywhere.
				stop() { for each in $processes; do kill -TERM "$each" 2>/dev/null; done; }
				trap 'stopped=143; stop' TERM
				trap 'stopped=130; stop' INT
				stopped=
				""");
		for (int i = 0; i < inventories.size(); i++) {
			Container container = containers.get(i);
			String name = inventories.get(i).name();
			script.append("%s%s%s -jar \"$here/%s.jar\"%s & processes=\"$processes $!\"%n".formatted(
					own(container, common(containers)), java(container), quoted(container.jvmOptions()), name,
					quoted(ProgramArguments.replaced(container, given.getOrDefault(name, List.of())))));
		}
		return script
			.append("""
					code=
					while [ -z "$code" ] && [ -z "$stopped" ]; do
					  for p in $processes; do
					    if ! kill -0 "$p" 2>/dev/null; then wait "$p"; code=$?; break; fi
					  done
					  [ -n "$code$stopped" ] || { sleep 1 & wait $!; }
					done
					stop
					kill_late() { sleep "${STOP_TIMEOUT_SECONDS:-40}"; for p in $processes; do kill -KILL "$p" 2>/dev/null; done; }
					# After a signal, whoever has sent it decides how long that may take.
					late=
					[ -n "$stopped" ] || { kill_late & late=$!; }
					# A further signal ends a wait, but no process.
					for p in $processes; do
					  while wait "$p" 2>/dev/null; [ $? -gt 128 ] && kill -0 "$p" 2>/dev/null; do :; done
					done
					[ -z "$late" ] || kill "$late" 2>/dev/null
					exit "${stopped:-$code}"
					""")
			.toString();
	}

}
