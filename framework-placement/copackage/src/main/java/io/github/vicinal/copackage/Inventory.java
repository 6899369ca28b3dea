package io.github.vicinal.copackage;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Facts in the files of one application.
 *
 * @param name of the application
 * @param jar its jar, or {@code null} if that is not there
 * @param mainClass its class with {@code main}; empty if it is not known
 * @param springBoot its version of Spring Boot; empty if it has none
 * @param java the Java version that its classes need; 0 if it is not known
 * @param libraries what it brings along
 * @param managed versions that poms give by parent or import, by coordinates
 * @param settings of its configuration files, by name; later profiles are not applied
 * @param resources checksums of the files of its own class path, by path
 * @param jvmWideCalls what its own classes change that a JVM has once
 * @param natives files of its libraries with native libraries, by file of the library
 * @param signed whether its jar is signed
 * @param container what its Dockerfile says, or {@code null}
 * @since 0.1.0
 */
public record Inventory(String name, @Nullable Path jar, String mainClass, String springBoot, int java,
		List<Library> libraries, Map<String, String> managed, Map<String, String> settings,
		Map<String, String> resources, Set<String> jvmWideCalls, Set<String> natives, boolean signed,
		@Nullable Container container) {

	public Inventory {
		libraries = List.copyOf(libraries);
		managed = Map.copyOf(managed);
		settings = Map.copyOf(settings);
		resources = Map.copyOf(resources);
		jvmWideCalls = Set.copyOf(jvmWideCalls);
		natives = Set.copyOf(natives);
	}

	static Inventory empty(String name) {
		return new Inventory(name, null, "", "", 0, List.of(), Map.of(), Map.of(), Map.of(), Set.of(), Set.of(), false,
				null);
	}

	/**
	 * Returns the inventory that follows from the resolved dependencies of an
	 * application.
	 * @param name of the application
	 * @param springBoot its version of Spring Boot; empty if it has none
	 * @param java the Java version that it is built for; 0 if it is not known
	 * @param libraries what it brings along
	 * @return the application
	 */
	public static Inventory of(String name, String springBoot, int java, List<Library> libraries) {
		return new Inventory(name, null, "", springBoot, java, libraries, Map.of(), Map.of(), Map.of(), Set.of(),
				Set.of(), false, null);
	}

	/**
	 * Adds what another file says of the same application. The jar holds before other
	 * files: it is what runs, whatever a pom or a bill of materials says. Otherwise what
	 * is known already stays.
	 * @param other the rest
	 * @return both
	 * @throws InvalidInputException if both have a jar, or both a Dockerfile
	 */
	public Inventory and(Inventory other) {
		if (this.jar != null && other.jar != null) {
			throw new InvalidInputException("'%s' has two jars, '%s' and '%s'; give each application a NAME of its own"
				.formatted(this.name, this.jar, other.jar));
		}
		if (this.container != null && other.container != null) {
			throw new InvalidInputException(
					"'%s' has two Dockerfiles; give the one that it is built with".formatted(this.name));
		}
		return (this.jar == null && other.jar != null) ? other.adding(this) : adding(other);
	}

	private Inventory adding(Inventory other) {
		Map<String, String> allSettings = new LinkedHashMap<>(other.settings);
		allSettings.putAll(this.settings);
		Map<String, String> allManaged = new LinkedHashMap<>(other.managed);
		allManaged.putAll(this.managed);
		return new Inventory(this.name, (this.jar != null) ? this.jar : other.jar,
				first(this.mainClass, other.mainClass),
				(this.jar != null) ? this.springBoot : first(this.springBoot, other.springBoot),
				Math.max(this.java, other.java),
				(this.jar != null || !this.libraries.isEmpty()) ? this.libraries : other.libraries, allManaged,
				allSettings, this.resources.isEmpty() ? other.resources : this.resources,
				this.jvmWideCalls.isEmpty() ? other.jvmWideCalls : this.jvmWideCalls,
				this.natives.isEmpty() ? other.natives : this.natives, this.signed || other.signed,
				(this.container != null) ? this.container : other.container);
	}

	private static String first(String one, String other) {
		return one.isEmpty() ? other : one;
	}

	/**
	 * Returns an application with some settings replaced, as arguments would do.
	 * @param replaced settings by name
	 * @return the application
	 */
	public Inventory with(Map<String, String> replaced) {
		Map<String, String> all = new LinkedHashMap<>(this.settings);
		all.putAll(replaced);
		Container said = (this.container != null)
				? this.container.withArguments(ProgramArguments.replaced(this.container, ProgramArguments.of(replaced)))
				: null;
		return new Inventory(this.name, this.jar, this.mainClass, this.springBoot, this.java, this.libraries,
				this.managed, all, this.resources, this.jvmWideCalls, this.natives, this.signed, said);
	}

	/**
	 * Returns an application with the settings that its arguments give.
	 * @param arguments given to {@code main}, such as {@code --server.port=8701}
	 * @return the application
	 */
	public Inventory withArguments(List<String> arguments) {
		Map<String, String> given = ProgramArguments.settings(arguments);
		return given.isEmpty() ? this : with(given);
	}

	/**
	 * Returns whether dependencies are known.
	 * @return {@code false} if no file lists any
	 */
	public boolean known() {
		return !this.libraries.isEmpty() || !this.managed.isEmpty() || this.jar != null;
	}

}
