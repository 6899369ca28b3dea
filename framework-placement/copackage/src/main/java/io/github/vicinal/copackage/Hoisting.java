package io.github.vicinal.copackage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipFile;

import io.github.vicinal.launcher.logback.ApplicationLogs;
import org.jspecify.annotations.Nullable;

/**
 * Finds the libraries that may be loaded once for several applications. A library whose
 * loader is the parent of theirs does not see what an application has for itself, so it
 * may name nothing of that: not in its class files, not in texts that are names of
 * classes, not by services, and it may not look for something by a name that is not in
 * it. What no application has may be named, because it is missing either way.
 */
final class Hoisting {

	private static final String LOG = "slf4j.provider";

	/** The artifact through which applications find each other. */
	private static final String NEIGHBOURS = "vicinal-jvm";

	private static final Pattern OF_A_LANGUAGE = Pattern.compile("(.+?)_[a-z]{2,3}(?:_\\w+)?\\.properties");

	private final List<Inventory> inventories;

	private final LibraryFacts.Known facts;

	/** Packages that classes of applications themselves name, with a class of these. */
	private final Map<String, String> namedByApplications = new HashMap<>();

	/** Members with which these may change static state, with a class of these. */
	private final Map<String, String> changedByApplications = new HashMap<>();

	/** Why classes of these may keep something of an application, by path. */
	private final Map<String, String> keptByApplications = new HashMap<>();

	/** Why a library is not loaded once, by file. */
	private final Map<String, String> kept = new LinkedHashMap<>();

	/** Where libraries are in the class path of each application, by their bytes. */
	private final List<Map<String, Integer>> positions;

	private Hoisting(List<Inventory> inventories, LibraryFacts.Known facts) {
		this.inventories = inventories;
		this.facts = facts;
		this.positions = inventories.stream().map(Hoisting::positions).toList();
	}

	private static Map<String, Integer> positions(Inventory inventory) {
		Map<String, Integer> positions = new HashMap<>();
		inventory.libraries().forEach((library) -> positions.putIfAbsent(library.sha256(), positions.size()));
		return positions;
	}

	/**
	 * Plans which libraries are loaded once.
	 * @param inventories applications
	 * @param mode which ones may be
	 */
	static Plan plan(List<Inventory> inventories, Hoist mode) {
		return plan(inventories, mode, new LibraryFacts.Known());
	}

	static Plan plan(List<Inventory> inventories, Hoist mode, LibraryFacts.Known facts) {
		if (mode == Hoist.NONE) {
			return none(inventories, "nothing is to be");
		}
		if (inventories.size() < 2) {
			return none(inventories, "there is no other application");
		}
		if (inventories.stream().anyMatch((each) -> each.jar() == null)) {
			return none(inventories, "an application has no jar");
		}
		try {
			return new Hoisting(inventories, facts).plan(mode);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns what two applications would share in static fields, if they shared all
	 * libraries: what one of them changes in these, and what classes keep that both have.
	 * @return sentences
	 */
	static List<String> sharedState(Inventory one, Inventory other, LibraryFacts.Known facts) throws IOException {
		Hoisting both = new Hoisting(List.of(one, other), facts);
		both.read(one);
		both.read(other);
		List<String> shared = new ArrayList<>();
		for (Library library : one.libraries()) {
			LibraryFacts found = facts.get(library.sha256());
			String member = (found != null) ? first(found.registries(), both.changedByApplications) : null;
			if (member != null) {
				shared.add(StaticRegistries.reason(member, both.changedByApplications.getOrDefault(member, "")));
			}
		}
		both.keptByApplications.forEach((type, state) -> {
			if (other.resources().containsKey(type) && one.resources().containsKey(type)) {
				shared.add("both have the class %s, and %s"
					.formatted(type.replace('/', '.').replaceFirst("\\.class$", ""), state));
			}
		});
		return shared;
	}

	private static @Nullable String first(Set<String> members, Map<String, String> changed) {
		return members.stream().filter(changed::containsKey).min(Comparator.naturalOrder()).orElse(null);
	}

	private static Plan none(List<Inventory> inventories, String reason) {
		Map<String, String> kept = new LinkedHashMap<>();
		inventories.get(0).libraries().forEach((library) -> kept.put(library.file(), reason));
		return new Plan(List.of(), kept, Map.of());
	}

	private Plan plan(Hoist mode) throws IOException {
		for (Inventory inventory : this.inventories) {
			read(inventory);
		}
		Inventory first = this.inventories.get(0);
		Map<String, Library> left = new LinkedHashMap<>();
		for (Library library : first.libraries()) {
			String reason = unfit(library, mode);
			if (reason == null) {
				left.put(library.sha256(), library);
			}
			else {
				this.kept.put(library.file(), reason);
			}
		}
		boolean changed = true;
		while (changed) {
			Rest rest = new Rest(left.keySet());
			changed = remove(left, rest::clash) || remove(left, (library) -> log(library, left))
					|| remove(left, (library) -> order(library, left.values()));
		}
		// The layout has one of its own, which is loaded once whatever applications have.
		first.libraries()
			.stream()
			.filter((library) -> library.artifact().equals(NEIGHBOURS))
			.forEach((library) -> this.kept.remove(library.file()));
		return new Plan(left.values().stream().map(Library::file).toList(), this.kept, properties(left.values()));
	}

	/** Properties that keep applications apart which share the libraries. */
	private static Map<String, String> properties(Collection<Library> hoisted) {
		Map<String, String> properties = new TreeMap<>();
		for (Library library : hoisted) {
			if (isSlf4j(library)) {
				properties.put(LOG, ApplicationLogs.PROVIDER);
			}
			else if (library.artifact().equals("micrometer-core")) {
				// Otherwise the static registry gives the meters of each to all.
				properties.put("management.metrics.use-global-registry", "false");
			}
		}
		return properties;
	}

	private boolean remove(Map<String, Library> left, Function<Library, @Nullable String> rule) {
		return left.values().removeIf((library) -> {
			String reason = rule.apply(library);
			if (reason != null) {
				this.kept.put(library.file(), reason);
			}
			return reason != null;
		});
	}

	private void read(Inventory inventory) throws IOException {
		try (ZipFile jar = BootJar.open(Objects.requireNonNull(inventory.jar()))) {
			inventory.libraries().parallelStream().forEach((library) -> read(jar, library));
			for (String path : inventory.resources().keySet()) {
				byte[] own = path.endsWith(".class") ? BootJar.own(jar, path) : null;
				if (own != null) {
					named(own, path, inventory);
				}
			}
		}
	}

	private void named(byte[] classFile, String path, Inventory inventory) {
		String owner = "%s of '%s'".formatted(path.substring(0, path.length() - ".class".length()).replace('/', '.'),
				inventory.name());
		try {
			LibraryFacts found = LibraryFacts.readClass(classFile);
			found.named().forEach((each) -> this.namedByApplications.putIfAbsent(each, owner));
			found.changes().forEach((each) -> this.changedByApplications.putIfAbsent(each, owner));
			if (found.state() != null) {
				this.keptByApplications.put(path, found.state());
			}
		}
		catch (RuntimeException ex) {
			throw new InvalidInputException(
					"'%s' of '%s' is damaged (%s); build the jar again".formatted(path, inventory.name(), ex));
		}
	}

	private void read(ZipFile jar, Library library) {
		try {
			this.facts.of(jar, library);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Describes the version that an application has of a library with other bytes. */
	private static String difference(Library library, Inventory inventory) {
		Library other = inventory.libraries()
			.stream()
			.filter((each) -> each.coordinates().equals(library.coordinates()))
			.findFirst()
			.orElse(null);
		if (other == null) {
			return "'%s' does not have it".formatted(inventory.name());
		}
		return (other.version().isEmpty() || other.version().equals(library.version()))
				? "'%s' has other bytes of it".formatted(inventory.name())
				: "'%s' has version %s of it".formatted(inventory.name(), other.version());
	}

	/** Why a library cannot be loaded once, whatever the others are. */
	private @Nullable String unfit(Library library, Hoist mode) {
		LibraryFacts found = this.facts.get(library.sha256());
		boolean nativeCode = mode == Hoist.KNOWN && found != null && found.isNativeCodeOfNetty();
		if (found == null || (found.packages().isEmpty() && !nativeCode)) {
			return "it has no classes";
		}
		for (Inventory each : this.inventories) {
			if (each.libraries().stream().noneMatch((other) -> other.sha256().equals(library.sha256()))) {
				return difference(library, each);
			}
			if (each.natives().contains(library.file()) && !nativeCode) {
				return "it has native code";
			}
		}
		if (mode == Hoist.KNOWN && KnownLibraries.contains(found.packages())) {
			return null;
		}
		return (found.state() != null) ? found.state() : found.lookup();
	}

	/**
	 * Returns why the order of class paths forbids that a library is loaded once. If two
	 * libraries have the same class, the first in the class path provides it. Libraries
	 * that are loaded once are in the order of the first application.
	 */
	private @Nullable String order(Library library, Collection<Library> left) {
		Map<String, Integer> first = this.positions.get(0);
		for (int i = 1; i < this.positions.size(); i++) {
			Map<String, Integer> other = this.positions.get(i);
			for (Library each : left) {
				boolean same = isBefore(first, library, each) == isBefore(other, library, each);
				String both = same ? null : common(library, each);
				if (both != null) {
					return "its %s is in %s, too, and '%s' has the two in another order".formatted(both, each.file(),
							this.inventories.get(i).name());
				}
			}
		}
		return null;
	}

	private static boolean isBefore(Map<String, Integer> positions, Library one, Library other) {
		return positions.getOrDefault(one.sha256(), 0) < positions.getOrDefault(other.sha256(), 0);
	}

	private @Nullable String common(Library one, Library other) {
		LibraryFacts facts = this.facts.get(one.sha256());
		LibraryFacts others = this.facts.get(other.sha256());
		if (facts == null || others == null) {
			return null;
		}
		return facts.classes()
			.stream()
			.filter(others.classes()::contains)
			.sorted()
			.findFirst()
			.map("class "::concat)
			.or(() -> facts.resources()
				.stream()
				.filter(others.resources()::contains)
				.sorted()
				.findFirst()
				.map("resource "::concat))
			.orElse(null);
	}

	/** SLF4J, loaded once, can keep the logs of applications apart only with Logback. */
	private static @Nullable String log(Library library, Map<String, Library> left) {
		if (!isSlf4j(library)) {
			return null;
		}
		if (left.values().stream().noneMatch((each) -> each.artifact().equals("logback-classic"))) {
			return "it would write to one log for all, because Logback is not loaded once";
		}
		return library.version().matches("2\\.0\\.[0-8]|[01]\\..*")
				? "it is older than 2.0.9, and would write to one log for all" : null;
	}

	private static boolean isSlf4j(Library library) {
		return library.artifact().equals("slf4j-api");
	}

	/**
	 * Libraries that are loaded once, and why others are not.
	 *
	 * @param files libraries that are loaded once, as the first application calls them
	 * @param kept why others of it are not, by file, in the order in which that was found
	 * @param systemProperties that each application needs then
	 */
	record Plan(List<String> files, Map<String, String> kept, Map<String, String> systemProperties) {

		Plan {
			kept = Collections.unmodifiableMap(kept);
		}

		/** Returns whether the applications share the classes of their log. */
		boolean sharesLog() {
			return this.systemProperties.containsKey(LOG);
		}

	}

	/** Names that applications have for themselves, with their owners. */
	private final class Rest {

		private final Map<String, String> packages = new HashMap<>();

		private final Map<String, String> classes = new HashMap<>();

		private final Map<String, String> services = new HashMap<>();

		private final Map<String, String> resources = new HashMap<>();

		/** Files that a library may look for. */
		private final Map<String, String> files = new HashMap<>();

		private final Map<String, String> named = new HashMap<>(Hoisting.this.namedByApplications);

		private final Map<String, String> changes = new HashMap<>(Hoisting.this.changedByApplications);

		Rest(Set<String> hoisted) {
			Set<String> seen = new LinkedHashSet<>(hoisted);
			for (Inventory inventory : Hoisting.this.inventories) {
				inventory.resources().keySet().forEach((path) -> addOwn(path, "'%s'".formatted(inventory.name())));
				for (Library library : inventory.libraries()) {
					LibraryFacts found = Hoisting.this.facts.get(library.sha256());
					if (found != null && seen.add(library.sha256())) {
						add(found, library.file());
					}
				}
			}
		}

		/** A bundle of texts for a language is found by the name of the bundle. */
		private void addFile(String path, String owner) {
			this.files.put(path, owner);
			Matcher language = OF_A_LANGUAGE.matcher(path);
			if (language.matches()) {
				this.files.putIfAbsent(language.group(1) + LibraryFacts.BUNDLE, owner);
			}
		}

		private void addOwn(String path, String owner) {
			if (!path.endsWith(".class")) {
				addFile(path, owner);
			}
			if (path.startsWith(LibraryFacts.SERVICES)) {
				this.services.put(path.substring(LibraryFacts.SERVICES.length()), owner);
			}
			else if (path.startsWith(LibraryFacts.NATIVE_LIBRARIES)) {
				this.services.put(LibraryFacts.NATIVE_CODE, owner);
			}
			else if (path.endsWith(".class")) {
				this.packages.put(LibraryFacts.packageOf(path), owner);
				this.classes.put(path.substring(0, path.length() - ".class".length()).replace('/', '.'), owner);
			}
			else if (LibraryFacts.isResource(path)) {
				this.resources.put(path, owner);
			}
		}

		private void add(LibraryFacts found, String owner) {
			found.packages().forEach((each) -> this.packages.put(each, owner));
			found.classes().forEach((each) -> this.classes.put(each, owner));
			found.services().forEach((each) -> this.services.put(each, owner));
			found.resources().forEach((each) -> {
				this.resources.put(each, owner);
				addFile(each, owner);
			});
			found.metaInf().forEach((each) -> addFile(each, owner));
			found.named().forEach((each) -> this.named.put(each, owner));
			found.changes().forEach((each) -> this.changes.putIfAbsent(each, owner));
		}

		/** Returns why a library may not be loaded once beside this, or {@code null}. */
		@Nullable String clash(Library library) {
			LibraryFacts found = Objects.requireNonNull(Hoisting.this.facts.get(library.sha256()));
			String clash = first(found.packages(), this.packages, "its package %s is in %s, too");
			clash = (clash != null) ? clash : first(found.named(), this.packages, "it names the package %s of %s");
			clash = (clash != null) ? clash : first(found.strings(), this.classes, "it names the class %s of %s");
			clash = (clash != null) ? clash : first(found.resources(), this.resources, "its resource %s is in %s, too");
			clash = (clash != null) ? clash
					: first(found.asked(), this.services, "it looks for a %s, and would not find that of %s");
			clash = (clash != null) ? clash : registry(found);
			clash = (clash != null) ? clash : names(found);
			clash = (clash != null) ? clash : resource(library);
			if (clash == null && !KnownLibraries.contains(found.packages())) {
				// The names of files that known libraries look for are known.
				clash = first(found.files(), this.files, "it names the file %s of %s", UnaryOperator.identity());
			}
			for (Map.Entry<String, String> service : this.services.entrySet()) {
				if (clash == null && found.classes().contains(service.getKey())) {
					clash = "its service %s is implemented by %s".formatted(service.getKey(), service.getValue());
				}
			}
			return clash;
		}

		/** A member that changes what all users of the library share. */
		private @Nullable String registry(LibraryFacts found) {
			String member = Hoisting.first(found.registries(), this.changes);
			return (member != null) ? StaticRegistries.reason(member, this.changes.getOrDefault(member, "")) : null;
		}

		/** Any user of the library may be the one that gives it a name. */
		private @Nullable String names(LibraryFacts found) {
			String namer = found.namers().stream().sorted().findFirst().orElse(null);
			String used = (namer != null) ? first(found.packages(), this.named, "its package %s is used by %s") : null;
			return (used != null)
					? "its %s takes names for its callers that may be taken once, and %s, which is not loaded once"
						.formatted(namer, used)
					: null;
		}

		/** A file that the library looks for beside itself, whatever asks it. */
		private @Nullable String resource(Library library) {
			String name = KnownLibraries.readsBesideItself(library.artifact());
			String owner = (name != null) ? this.resources.get(name) : null;
			return (owner != null) ? "it would not find %s of %s".formatted(name, owner) : null;
		}

		private static @Nullable String first(Set<String> names, Map<String, String> owners, String text) {
			return first(names, owners, text, (name) -> name.replace('/', '.'));
		}

		private static @Nullable String first(Set<String> names, Map<String, String> owners, String text,
				UnaryOperator<String> shown) {
			return names.stream()
				.filter(owners::containsKey)
				.sorted()
				.findFirst()
				.map((name) -> text.formatted(shown.apply(name), owners.get(name)))
				.orElse(null);
		}

	}

}
