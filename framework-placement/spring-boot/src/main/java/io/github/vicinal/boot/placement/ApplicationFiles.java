package io.github.vicinal.boot.placement;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.copackage.ConflictChecker;
import io.github.vicinal.copackage.CopackageMergeChecker;
import io.github.vicinal.copackage.InvalidInputException;
import io.github.vicinal.copackage.Inventories;
import io.github.vicinal.placement.recommend.MergeChecker;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/** The files that properties name, which say which services may share a JVM. */
final class ApplicationFiles {

	private static final String PROPERTY = PlacementProperties.PREFIX + ".applications";

	private static final int LAST_PORT = 65_535;

	private ApplicationFiles() {
	}

	/**
	 * Creates a checker.
	 * @param applications files by name of the service
	 * @param accepted rules whose findings keep no services apart
	 * @param ports that services get, by name
	 * @param savedMib memory that a service saves if it is not the first of its JVM, in
	 * MiB
	 * @return a checker that knows nothing if there are none
	 * @throws InvalidPlacementException if a file or a rule is not there, or what reads
	 * them is not
	 */
	static MergeChecker of(Map<String, List<String>> applications, List<String> accepted, Map<String, Integer> ports,
			long savedMib) {
		ports.forEach((service, port) -> requirePort(applications.keySet(), service, port));
		if (applications.isEmpty()) {
			return MergeChecker.none();
		}
		if (!ClassUtils.isPresent("io.github.vicinal.copackage.CopackageMergeChecker",
				ApplicationFiles.class.getClassLoader())) {
			throw new InvalidPlacementException(
					"%s names files of '%s', but nothing here can read them".formatted(PROPERTY,
							applications.keySet().iterator().next()),
					"Add the dependency io.github.vicinal:vicinal-copackage, or remove the property");
		}
		List<String> files = new ArrayList<>();
		applications.forEach((service, names) -> names.forEach((name) -> {
			if (!Files.exists(Path.of(name))) {
				throw new InvalidPlacementException(
						"%s.%s has '%s', which is not there".formatted(PROPERTY, service, name),
						"Name a jar, a pom.xml, a bill of materials (.json) or a Dockerfile that exists");
			}
			files.add(service + "=" + name);
		}));
		return Checker.of(files, accepted, ports, savedMib);
	}

	private static void requirePort(Set<String> services, String service, int port) {
		String property = "%s.ports.%s=%d".formatted(PlacementProperties.PREFIX, service, port);
		if (!services.contains(service)) {
			throw new InvalidPlacementException("%s names a service without files".formatted(property),
					"Name files at %s.%s, or remove the port".formatted(PROPERTY, service));
		}
		if (port < 0 || port > LAST_PORT) {
			throw new InvalidPlacementException("%s is no port".formatted(property),
					"Give one from 0 to %d; 0 is any that is free".formatted(LAST_PORT));
		}
	}

	/**
	 * Reads the files when somebody asks, not while the application starts. Thread-safe.
	 * Apart, because its types are not there without vicinal-copackage.
	 */
	private static final class Checker implements MergeChecker {

		private final List<String> files;

		private final ConflictChecker conflicts;

		private final Map<String, Integer> ports;

		private final long savedMib;

		private @Nullable CopackageMergeChecker checker;

		private Checker(List<String> files, ConflictChecker conflicts, Map<String, Integer> ports, long savedMib) {
			this.files = files;
			this.ports = ports;
			this.conflicts = conflicts;
			this.savedMib = savedMib;
		}

		static Checker of(List<String> files, List<String> accepted, Map<String, Integer> ports, long savedMib) {
			try {
				return new Checker(files, ConflictChecker.accepting(accepted), ports, savedMib);
			}
			catch (InvalidInputException ex) {
				throw new InvalidPlacementException(
						"%s.accept is %s: %s".formatted(PlacementProperties.PREFIX, accepted, ex.getMessage()),
						"Name rules whose findings can be accepted, or remove the property");
			}
		}

		@Override
		public long savedMib() {
			return this.savedMib;
		}

		@Override
		public synchronized List<String> obstacles(String one, String other) {
			try {
				CopackageMergeChecker known = this.checker;
				if (known == null) {
					known = new CopackageMergeChecker(Inventories.read(this.files), this.ports, this.conflicts,
							this.savedMib);
					this.checker = known;
				}
				return known.obstacles(one, other);
			}
			catch (InvalidInputException | IOException ex) {
				return List.of("the files of %s cannot be read: %s".formatted(PROPERTY, ex.getMessage()));
			}
		}

	}

}
