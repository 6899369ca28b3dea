package io.github.vicinal.placement.sources;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.placement.model.InvalidModelException;
import org.jspecify.annotations.Nullable;

/**
 * Services of a compose file and of those that it names in {@code include} and
 * {@code extends}. Other files are read below the directory of the first one only, with
 * links resolved: what lies elsewhere, or on a network, is named and not read.
 */
final class ComposeFamily {

	/** Maximum number of files that are read. */
	static final int MAX_FILES = 100;

	/** Maximum number of files that include each other in a row, and of extensions. */
	private static final int MAX_DEPTH = 20;

	private static final String INCLUDE = "include";

	private final @Nullable Path directory;

	private final List<String> notSeen;

	/** Files that are included and not read, with the reason. */
	private final List<String> notIncluded = new ArrayList<>();

	private int read = 1;

	/**
	 * Creates a family.
	 * @param directory real path of the directory of the first file, {@code null} if no
	 * other files are read
	 * @param notSeen gets what is not read, one sentence each
	 */
	ComposeFamily(@Nullable Path directory, List<String> notSeen) {
		this.directory = directory;
		this.notSeen = notSeen;
	}

	/**
	 * A file of the family.
	 *
	 * @param yaml its text
	 * @param path where it lies, {@code null} if it is a text alone
	 * @param name what sentences call it
	 */
	record Source(ComposeYaml yaml, @Nullable Path path, String name) {

		private Map<?, ?> services(Map<?, ?> root) {
			Object services = root.get("services");
			return (services == null && root.get("include") != null) ? Map.of()
					: this.yaml.map(services, "services", "services");
		}

	}

	/**
	 * Returns all services.
	 * @param source the first file
	 * @return members by the name of the service
	 */
	Map<String, Map<?, ?>> services(Source source) {
		return services(source, 0);
	}

	private Map<String, Map<?, ?>> services(Source source, int depth) {
		if (depth > MAX_DEPTH) {
			throw source.yaml().wrong("more than %d files include each other".formatted(MAX_DEPTH), "include");
		}
		Map<?, ?> root = source.yaml().load();
		Map<String, Map<?, ?>> all = new LinkedHashMap<>();
		for (Object element : list(root.get(INCLUDE))) {
			Map<String, Map<?, ?>> included = new LinkedHashMap<>();
			for (Object path : list((element instanceof Map<?, ?> map) ? map.get("path") : element)) {
				Source other = open(source, String.valueOf(path), INCLUDE);
				if (other != null) {
					// Later paths of one include override earlier ones.
					services(other, depth + 1)
						.forEach((name, members) -> included.merge(name, members, ComposeFamily::merged));
				}
			}
			included.forEach((name, members) -> add(all, name, members, source));
		}
		Map<?, ?> own = source.services(root);
		own.forEach((key, value) -> {
			String name = String.valueOf(key);
			Map<?, ?> members = (value == null) ? Map.of() : source.yaml().map(value, name, "services", name);
			add(all, name, extended(source, own, name, members, new LinkedHashSet<>()), source);
		});
		return all;
	}

	private static void add(Map<String, Map<?, ?>> all, String name, Map<?, ?> members, Source source) {
		if (all.putIfAbsent(name, members) != null) {
			throw source.yaml()
				.wrong("the service '%s' is in an included file, too; give one of them another name".formatted(name),
						"services", name);
		}
	}

	/** A service with the members of the one that it extends, where it has none. */
	private Map<?, ?> extended(Source source, Map<?, ?> services, String name, Map<?, ?> members, Set<String> chain) {
		Object extending = members.get("extends");
		if (extending == null) {
			return members;
		}
		if (!chain.add(source.path() + "\n" + name) || chain.size() > MAX_DEPTH) {
			throw source.yaml()
				.wrong("'%s' extends itself, or more than %d services in a row".formatted(name, MAX_DEPTH), "services",
						name, "extends");
		}
		Object file = (extending instanceof Map<?, ?> map) ? map.get("file") : null;
		String base = String.valueOf((extending instanceof Map<?, ?> map) ? map.get("service") : extending);
		Source other = (file != null) ? open(source, String.valueOf(file), "'%s' extends".formatted(name)) : source;
		if (other == null) {
			return members;
		}
		Map<?, ?> there = (file != null) ? other.services(other.yaml().load()) : services;
		if (!there.containsKey(base)) {
			throw source.yaml()
				.wrong("'%s' extends '%s', which %s does not have".formatted(name, base, other.name()), "services",
						name, "extends");
		}
		Object value = there.get(base);
		Map<?, ?> inherited = (value == null) ? Map.of() : other.yaml().map(value, base, "services", base);
		Map<Object, Object> given = new LinkedHashMap<>(extended(other, there, base, inherited, chain));
		given.remove("extends");
		return merged(given, members);
	}

	private static Map<?, ?> merged(Map<?, ?> base, Map<?, ?> members) {
		Map<Object, Object> all = new LinkedHashMap<>(base);
		members.forEach((key, value) -> all.merge(key, (value != null) ? value : "", ComposeFamily::both));
		return all;
	}

	/** Members are merged, and lists are one list, as compose does. */
	private static Object both(Object one, Object other) {
		if (one instanceof Map<?, ?> first && other instanceof Map<?, ?> second) {
			return merged(first, second);
		}
		if (one instanceof Iterable<?> first && other instanceof Iterable<?> second) {
			Set<Object> all = new LinkedHashSet<>();
			first.forEach(all::add);
			second.forEach(all::add);
			return new ArrayList<>(all);
		}
		if (one instanceof Map<?, ?> != other instanceof Map<?, ?>
				&& (one instanceof Iterable<?> || other instanceof Iterable<?>)) {
			return merged(named(one), named(other));
		}
		return other;
	}

	/** A list of names is short for a map without values. */
	private static Map<?, ?> named(Object members) {
		if (members instanceof Map<?, ?> map) {
			return map;
		}
		Map<Object, Object> all = new LinkedHashMap<>();
		list(members).forEach((name) -> all.put(name, ""));
		return all;
	}

	private static List<Object> list(@Nullable Object value) {
		List<Object> list = new ArrayList<>();
		if (value instanceof Iterable<?> elements) {
			elements.forEach(list::add);
		}
		else if (value != null) {
			list.add(value);
		}
		return list;
	}

	/**
	 * Says where a service may be that no file has.
	 * @return a clause that ends a sentence, empty if all files were read
	 */
	String elsewhere() {
		return this.notIncluded.isEmpty() ? "" : "; it may be in %s%s; run 'docker compose config' first".formatted(
				this.notIncluded.get(0),
				(this.notIncluded.size() > 1) ? ", or in one of %d more".formatted(this.notIncluded.size() - 1) : "");
	}

	/** Opens a file that another one names, or says why not. */
	private @Nullable Source open(Source from, String reference, String what) {
		Path file = file(from, reference, what);
		if (file == null) {
			return null;
		}
		if (++this.read > MAX_FILES) {
			throw new InvalidModelException(
					"%s and the files that it names are more than %d".formatted(from.name(), MAX_FILES));
		}
		try {
			return new Source(new ComposeYaml(read(file), reference), file, reference);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private @Nullable Path file(Source from, String reference, String what) {
		Path directory = this.directory;
		Path path = from.path();
		String why = "other files are not read here";
		if (directory != null && path != null) {
			try {
				Path parent = path.getParent();
				Path file = ((parent != null) ? parent.resolve(reference) : Path.of(reference)).toRealPath();
				if (file.startsWith(directory) && Files.isRegularFile(file)) {
					return file;
				}
				why = "no file below the directory of the compose file";
			}
			catch (IOException | InvalidPathException ex) {
				why = "no file that can be read";
			}
		}
		if (what.equals(INCLUDE)) {
			this.notIncluded.add("%s, which is not read (%s)".formatted(ComposeYaml.shortened(reference), why));
		}
		this.notSeen.add("%s %s, which is not read (%s); run 'docker compose config' first".formatted(what,
				ComposeYaml.shortened(reference), why));
		return null;
	}

	/**
	 * Reads a file.
	 * @param file the file
	 * @return its text
	 * @throws IOException if it cannot be read
	 * @throws InvalidModelException if it is too large or no text
	 */
	static String read(Path file) throws IOException {
		if (Files.size(file) > ComposeFile.MAX_CHARS) {
			throw new InvalidModelException("%s has %d bytes; at most %d are read".formatted(file.getFileName(),
					Files.size(file), ComposeFile.MAX_CHARS));
		}
		try {
			return Files.readString(file);
		}
		catch (MalformedInputException ex) {
			throw new InvalidModelException("%s is no text in UTF-8".formatted(file.getFileName()));
		}
	}

}
