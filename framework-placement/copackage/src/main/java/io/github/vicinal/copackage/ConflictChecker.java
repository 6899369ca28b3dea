package io.github.vicinal.copackage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.vicinal.copackage.Finding.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Decides how close applications may come. Thread-safe.
 * <p>
 * Each rule finds reasons, and each reason has a limit; the verdict is the farthest of
 * them. What is not known is never taken to be good.
 *
 * @since 0.1.0
 */
public final class ConflictChecker {

	private static final int DEFAULT_PORT = 8080;

	private static final String SERVER_PORT = "server.port";

	private static final String MANAGEMENT_PORT = "management.server.port";

	/** Settings of further servers, which have no port unless they are given one. */
	private static final List<String> OTHER_PORTS = List.of("spring.rsocket.server.port", "spring.grpc.server.port");

	private static final String WEB_TYPE = "spring.main.web-application-type";

	private static final int OLDEST_BOOT = 3;

	private static final int SHOWN = 3;

	private static final String ROCKSDB = "rocksdbjni";

	/**
	 * With it, RocksDB copies its native code to a file that has always the same name.
	 */
	private static final String ROCKSDB_DIRECTORY = "ROCKSDB_SHAREDLIB_DIR";

	/** Native code that copies itself to a new file each time it is loaded. */
	private static final Set<String> CAREFUL_NATIVES = Set.of("netty-", "snappy-java", "lz4-java", "zstd-jni",
			"sqlite-jdbc", "jna", "brotli4j", "commons-crypto", "jansi", ROCKSDB);

	private static final Pattern COLLECTOR = Pattern.compile("-XX:\\+Use(\\w+)GC");

	/** Rules whose findings nobody can accept: the launcher cannot run such a group. */
	private static final Set<Rule> FINAL = Set.of(Rule.NOT_SPRING_BOOT_3, Rule.UNKNOWN, Rule.PORT);

	private final Set<Rule> accepted;

	private final Memory memory;

	/**
	 * Facts about libraries, by their bytes, since pairs have most libraries in common.
	 */
	private final LibraryFacts.Known facts = new LibraryFacts.Known();

	/**
	 * Creates a checker.
	 * @param accepted rules whose findings allow a common JVM or container all the same,
	 * because the operator has looked at them
	 */
	public ConflictChecker(Set<Rule> accepted) {
		this(accepted, Memory.UNLIMITED);
	}

	private ConflictChecker(Set<Rule> accepted, Memory memory) {
		this.accepted = Set.copyOf(accepted);
		this.memory = memory;
	}

	/** Returns whether findings of a rule keep nobody apart. */
	boolean accepts(Rule rule) {
		return !FINAL.contains(rule) && this.accepted.contains(rule);
	}

	/**
	 * Returns a checker that compares memory, too.
	 * @param given what there is and what applications need
	 * @return another checker
	 */
	public ConflictChecker with(Memory given) {
		return new ConflictChecker(this.accepted, given);
	}

	/**
	 * Checks all applications together: as close as the farthest pair may come, if there
	 * is memory for all.
	 * @param inventories at least two applications
	 * @return a report; its findings are those that no pair has
	 */
	GroupReport group(List<Inventory> inventories) {
		return group(inventories, pairs(inventories));
	}

	GroupReport group(List<Inventory> inventories, List<PairReport> pairs) {
		List<Finding> findings = new ArrayList<>();
		add(findings, this.memory.check(inventories));
		findings.replaceAll(this::accept);
		Verdict verdict = Verdict.SHARED;
		for (Finding finding : findings) {
			verdict = verdict.and(finding.limit());
		}
		for (PairReport pair : pairs) {
			verdict = verdict.and(pair.verdict());
		}
		return new GroupReport(inventories.stream().map(Inventory::name).toList(), verdict, findings);
	}

	/**
	 * Creates a checker that accepts rules by their names.
	 * @param names of rules, such as {@code jvm-wide-call}
	 * @return the checker
	 * @throws InvalidInputException if there is no rule of a name, or nobody can accept
	 * it
	 */
	public static ConflictChecker accepting(Collection<String> names) {
		Set<Rule> rules = EnumSet.noneOf(Rule.class);
		for (String name : names) {
			Rule named = Arrays.stream(Rule.values())
				.filter((rule) -> rule.id().equals(name.strip()))
				.findFirst()
				.orElseThrow(() -> new InvalidInputException(
						"There is no rule '%s'; there are %s".formatted(name, acceptable())));
			if (FINAL.contains(named)) {
				throw new InvalidInputException(
						"Findings of '%s' cannot be accepted: the launcher could not run the applications; do what the report says of them"
							.formatted(named.id()));
			}
			rules.add(named);
		}
		return new ConflictChecker(rules);
	}

	/** Returns the names of rules whose findings can be accepted. */
	static List<String> acceptable() {
		return Arrays.stream(Rule.values()).filter((rule) -> !FINAL.contains(rule)).map(Rule::id).toList();
	}

	/**
	 * Checks each pair of applications.
	 * @param inventories applications
	 * @return a report of each pair
	 */
	public List<PairReport> pairs(List<Inventory> inventories) {
		List<PairReport> reports = new ArrayList<>();
		for (int i = 0; i < inventories.size(); i++) {
			for (int k = i + 1; k < inventories.size(); k++) {
				reports.add(check(inventories.get(i), inventories.get(k)));
			}
		}
		return reports;
	}

	/**
	 * Checks a pair.
	 * @param one an application
	 * @param other another one
	 * @return how close they may come
	 */
	public PairReport check(Inventory one, Inventory other) {
		List<Finding> findings = new ArrayList<>();
		add(findings, unknown(one, other));
		notSpringBoot(one, findings);
		notSpringBoot(other, findings);
		ports(one, other, findings);
		FileClashes.find(one, other, findings);
		code(one, findings);
		code(other, findings);
		java(one, other, findings);
		containers(one, other, findings);
		EnvironmentClashes.find(one, other, findings);
		add(findings, ModuleAccess.difference(one, other));
		add(findings, this.memory.check(List.of(one, other)));
		natives(one, other, findings);
		nativeCalls(one, other, findings);
		libraries(one, other, findings);
		resources(one, other, findings);
		if (findings.isEmpty()) {
			clashes(one, other, findings);
			statics(one, other, findings);
		}
		BeanClashes.find(one, other, findings);
		findings.replaceAll(this::accept);
		Verdict verdict = Verdict.SHARED;
		for (Finding finding : findings) {
			verdict = verdict.and(finding.limit());
		}
		List<String> hoisted = (verdict == Verdict.HOISTED)
				? Hoisting.plan(List.of(one, other), Hoist.STATELESS, this.facts).files() : List.of();
		if (verdict == Verdict.HOISTED && hoisted.isEmpty()) {
			verdict = Verdict.ISOLATED;
		}
		findings.sort(Comparator.comparing(Finding::limit).reversed());
		return new PairReport(one.name(), other.name(), verdict, findings, hoisted,
				PaperRule.refusal(one, other).orElse(""));
	}

	private Finding accept(Finding finding) {
		boolean lifted = accepts(finding.rule()) && finding.limit().compareTo(Verdict.ISOLATED) > 0;
		return lifted
				? new Finding(finding.rule(), Verdict.ISOLATED, finding.reason() + " (accepted)", finding.remedy())
				: finding;
	}

	private static void add(List<Finding> findings, @Nullable Finding finding) {
		if (finding != null) {
			findings.add(finding);
		}
	}

	private static @Nullable Finding unknown(Inventory one, Inventory other) {
		Inventory missing = !one.known() ? one : !other.known() ? other : null;
		return (missing == null) ? null
				: new Finding(Rule.UNKNOWN, Verdict.SAME_CONTAINER,
						"nothing is known about the dependencies of '%s'".formatted(missing.name()),
						"give its jar, its pom.xml or its bill of materials");
	}

	private static void notSpringBoot(Inventory each, List<Finding> findings) {
		if (!each.known()) {
			return;
		}
		String boot = each.springBoot();
		if (boot.isEmpty()) {
			findings.add(new Finding(Rule.NOT_SPRING_BOOT_3, Verdict.SAME_CONTAINER,
					"'%s' is no Spring Boot application, as far as its files show".formatted(each.name()),
					"give the executable jar that Spring Boot's plugin makes"));
		}
		else if (major(boot) < OLDEST_BOOT) {
			findings.add(
					new Finding(Rule.NOT_SPRING_BOOT_3, Verdict.SAME_CONTAINER,
							"'%s' has Spring Boot %s, and the launcher needs 3.0 to stop an application alone"
								.formatted(each.name(), boot),
							"move '%s' to Spring Boot 3.0 or newer".formatted(each.name())));
		}
		if (each.signed()) {
			findings.add(new Finding(Rule.SIGNED, Verdict.SAME_CONTAINER,
					"the jar of '%s' is signed, and its signature does not survive a layout".formatted(each.name()),
					"accept that with --accept signed, or give a jar that is not signed"));
		}
		if (has(each, (library) -> library.artifact().equals("spring-boot-devtools"))) {
			findings.add(new Finding(Rule.DEVTOOLS, Verdict.SAME_CONTAINER,
					"'%s' has spring-boot-devtools, which restarts its classes".formatted(each.name()),
					"build it without, as for production"));
		}
	}

	private static int major(String version) {
		Matcher matcher = Pattern.compile("(\\d{1,6}).*").matcher(version);
		return matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
	}

	private static boolean has(Inventory inventory, Predicate<Library> condition) {
		return inventory.libraries().stream().anyMatch(condition);
	}

	private static void ports(Inventory one, Inventory other, List<Finding> findings) {
		Map<Integer, String> ours = portSettings(one);
		Map<Integer, String> theirs = portSettings(other);
		ours.forEach((port, setting) -> {
			String theirSetting = theirs.get(port);
			if (theirSetting != null) {
				findings.add(new Finding(Rule.PORT, Verdict.FORBIDDEN,
						"both '%s' and '%s' listen on port %d".formatted(one.name(), other.name(), port),
						"give one of them another port: " + option(one, setting, other, theirSetting)));
			}
		});
	}

	/** Returns the option that gives one of two applications another port. */
	private static String option(Inventory one, String setting, Inventory other, String theirSetting) {
		if (theirSetting.equals(SERVER_PORT)) {
			return "--port %s=PORT".formatted(other.name());
		}
		return setting.equals(SERVER_PORT) ? "--port %s=PORT".formatted(one.name())
				: "--argument %s=--%s=PORT".formatted(other.name(), theirSetting);
	}

	/** Ports that an application listens on for certain. */
	static Set<Integer> ports(Inventory inventory) {
		return portSettings(inventory).keySet();
	}

	/**
	 * Returns the ports that an application listens on for certain, with the settings
	 * that change them; 0 is any that is free.
	 */
	private static Map<Integer, String> portSettings(Inventory inventory) {
		Map<Integer, String> ports = new LinkedHashMap<>();
		boolean server = has(inventory, (library) -> library.artifact().startsWith("tomcat-embed-core")
				|| library.artifact().startsWith("jetty-server") || library.artifact().startsWith("undertow-core")
				|| library.artifact().startsWith("reactor-netty-http"));
		Container container = inventory.container();
		Map<String, String> environment = (container != null) ? container.environment() : Map.of();
		Map<String, String> settings = new HashMap<>(inventory.settings());
		// Both hold before variables, and arguments before system properties.
		Map<String, String> line = EnvironmentClashes.definitions(container);
		line.putAll(ProgramArguments.settings((container != null) ? container.arguments() : List.of()));
		settings.putAll(line);
		environment = new HashMap<>(environment);
		environment.keySet().removeIf((name) -> line.keySet().stream().map(Settings::variable).anyMatch(name::equals));
		boolean said = settings.containsKey(SERVER_PORT) || environment.containsKey("SERVER_PORT");
		boolean web = !"none"
			.equalsIgnoreCase(environment.getOrDefault(Settings.variable(WEB_TYPE), settings.get(WEB_TYPE)));
		if (web && (server || said)) {
			ports.put(Settings.number(settings, environment, SERVER_PORT, DEFAULT_PORT), SERVER_PORT);
		}
		else if (container != null) {
			container.ports().forEach((port) -> ports.put(port, SERVER_PORT));
		}
		if (web) {
			ports.putIfAbsent(Settings.number(settings, environment, MANAGEMENT_PORT, 0), MANAGEMENT_PORT);
		}
		for (String other : OTHER_PORTS) {
			ports.putIfAbsent(Settings.number(settings, environment, other, 0), other);
		}
		ports.keySet().removeIf((port) -> port <= 0);
		return ports;
	}

	private static void code(Inventory each, List<Finding> findings) {
		for (String call : new TreeSet<>(each.jvmWideCalls())) {
			if (loadsNativeCode(call)) {
				continue;
			}
			if (call.startsWith(BootJar.AGENT)) {
				findings.add(new Finding(Rule.AGENT, Verdict.SAME_CONTAINER,
						"the manifest of '%s' starts the agent '%s', which would see all classes of a JVM, and which the launcher does not start"
							.formatted(each.name(), call.substring(BootJar.AGENT.length())),
						"start the launcher with -javaagent, or leave the agent out, and accept it with --accept agent"));
				continue;
			}
			boolean exit = call.startsWith("System.exit") || call.startsWith("Runtime.");
			findings.add(new Finding(Rule.JVM_WIDE_CALL, Verdict.SAME_CONTAINER,
					exit ? "'%s' may end the JVM of all: %s".formatted(each.name(), call)
							: "'%s' changes what a JVM has once: %s".formatted(each.name(), call),
					"remove the call, or accept it with --accept jvm-wide-call once you know that it is never made"));
		}
	}

	private static void java(Inventory one, Inventory other, List<Finding> findings) {
		JavaNeed ours = JavaNeed.of(one);
		JavaNeed theirs = JavaNeed.of(other);
		boolean first = ours.version() >= theirs.version();
		JavaNeed newer = first ? ours : theirs;
		JavaNeed older = first ? theirs : ours;
		int needed = newer.version();
		boolean tooOld = false;
		for (Inventory each : List.of(one, other)) {
			ImageJava image = ImageJava.of(each.container());
			if (image.version() > 0 && needed > image.version()) {
				tooOld = true;
				findings.add(new Finding(Rule.JAVA, Verdict.SAME_CONTAINER,
						"the image of '%s' has %s, and %s".formatted(each.name(), image, newer),
						"use a base image with Java %d for both".formatted(needed)));
			}
		}
		// Where its image has that Java, the other one runs on it already.
		Inventory olderOne = first ? other : one;
		if (!tooOld && older.version() > 0 && older.version() < needed
				&& ImageJava.of(olderOne.container()).version() == 0) {
			findings.add(new Finding(Rule.JAVA, Verdict.HOISTED,
					"%s, and %s: a JVM for both must have %d or newer".formatted(newer, older, needed),
					"run them with Java %d or newer, once '%s' is known to run with it".formatted(needed,
							olderOne.name())));
		}
	}

	private static void containers(Inventory one, Inventory other, List<Finding> findings) {
		Container first = one.container();
		Container second = other.container();
		if (first == null || second == null) {
			return;
		}
		if (!first.baseImage().equals(second.baseImage())) {
			findings.add(new Finding(Rule.BASE_IMAGE, Verdict.FORBIDDEN,
					"the base images differ: '%s' has %s, '%s' has %s".formatted(one.name(), first.baseImage(),
							other.name(), second.baseImage()),
					"build both from one image, or accept it with --accept base-image if each runs on either"));
		}
		if (!first.user().equals(second.user())) {
			findings.add(new Finding(Rule.USER, Verdict.SAME_CONTAINER,
					"they run as different users: '%s' as '%s', '%s' as '%s'".formatted(one.name(), first.user(),
							other.name(), second.user()),
					"run both as one user, if neither may see less than the other"));
		}
		Set<String> volumes = new TreeSet<>(first.volumes());
		volumes.retainAll(second.volumes());
		volumes.forEach((volume) -> findings.add(new Finding(Rule.VOLUME, Verdict.FORBIDDEN,
				"both '%s' and '%s' have a volume at %s".formatted(one.name(), other.name(), volume),
				"give one of them another path, or accept it with --accept volume if they share it on purpose")));
		options(one, first, other, second, findings);
	}

	private static void options(Inventory one, Container first, Inventory other, Container second,
			List<Finding> findings) {
		Set<String> agents = new TreeSet<>(agents(first));
		Set<String> others = agents(second);
		if (!agents.equals(others)) {
			agents.addAll(others);
			findings.add(
					new Finding(Rule.AGENT, Verdict.SAME_CONTAINER,
							"an agent sees all classes of a JVM, and only one of '%s' and '%s' has %s"
								.formatted(one.name(), other.name(), agents),
							"give both the same agents, or accept it with --accept agent"));
		}
		String collector = collector(first);
		String otherCollector = collector(second);
		if (!collector.equals(otherCollector)) {
			findings.add(new Finding(Rule.JVM_OPTION, Verdict.SAME_CONTAINER,
					"they choose different garbage collectors: '%s' %s, '%s' %s".formatted(one.name(),
							collector.isEmpty() ? "that of the JVM" : collector, other.name(),
							otherCollector.isEmpty() ? "that of the JVM" : otherCollector),
					"choose one for both, or accept it with --accept jvm-option"));
		}
		Map<String, String> switches = switches(first);
		switches(second).forEach((name, value) -> {
			String there = switches.get(name);
			if (there != null && !there.equals(value)) {
				findings.add(new Finding(
						Rule.JVM_OPTION, Verdict.SAME_CONTAINER, "'%s' says -XX:%s%s, '%s' -XX:%s%s"
							.formatted(one.name(), there, name, other.name(), value, name),
						"say the same for both, or accept it with --accept jvm-option"));
			}
		});
	}

	private static Set<String> agents(Container container) {
		Set<String> agents = new TreeSet<>();
		container.jvmOptions()
			.stream()
			.filter((option) -> option.startsWith("-javaagent:") || option.startsWith("-agent"))
			.forEach(agents::add);
		return agents;
	}

	private static String collector(Container container) {
		return container.jvmOptions()
			.stream()
			.map(COLLECTOR::matcher)
			.filter(Matcher::matches)
			.map((matcher) -> matcher.group(1))
			.findFirst()
			.orElse("");
	}

	private static Map<String, String> switches(Container container) {
		Map<String, String> switches = new TreeMap<>();
		Pattern pattern = Pattern.compile("-XX:([+-])(\\w+)");
		container.jvmOptions().stream().map(pattern::matcher).filter(Matcher::matches).forEach((matcher) -> {
			if (!matcher.group(2).endsWith("GC")) {
				switches.put(matcher.group(2), matcher.group(1));
			}
		});
		return switches;
	}

	private static void natives(Inventory one, Inventory other, List<Finding> findings) {
		for (Library library : one.libraries()) {
			boolean both = one.natives().contains(library.file())
					&& has(other, (each) -> each.artifact().equals(library.artifact()));
			if (both && !(isCareful(library, one) && isCareful(library, other))) {
				findings.add(new Finding(Rule.NATIVE, Verdict.SAME_CONTAINER,
						"both '%s' and '%s' have native code in %s, which a JVM loads for one class loader only"
							.formatted(one.name(), other.name(), library.artifact()),
						"accept it with --accept native if %s copies its library before it loads it"
							.formatted(library.artifact())));
			}
		}
	}

	/** An application that loads native code does no harm to those that load none. */
	private static boolean loadsNativeCode(String call) {
		return ClassFacts.LOADS.stream().anyMatch(call::startsWith);
	}

	private static void nativeCalls(Inventory one, Inventory other, List<Finding> findings) {
		String first = nativeCall(one);
		String second = nativeCall(other);
		if (first != null && second != null) {
			findings.add(new Finding(Rule.NATIVE, Verdict.SAME_CONTAINER,
					"both load native code: %s of '%s', %s of '%s'".formatted(first, one.name(), second, other.name()),
					"a JVM loads a library for one class loader only; accept it with --accept native if they are different ones"));
		}
	}

	private static @Nullable String nativeCall(Inventory inventory) {
		return inventory.jvmWideCalls()
			.stream()
			.filter(ConflictChecker::loadsNativeCode)
			.min(Comparator.naturalOrder())
			.orElse(null);
	}

	private static boolean isCareful(Library library, Inventory inventory) {
		Container container = inventory.container();
		boolean fixed = library.artifact().startsWith(ROCKSDB) && container != null
				&& !container.environment().getOrDefault(ROCKSDB_DIRECTORY, "").isEmpty();
		return !fixed && CAREFUL_NATIVES.stream().anyMatch(library.artifact()::startsWith);
	}

	private void libraries(Inventory one, Inventory other, List<Finding> findings) {
		if (!one.springBoot().isEmpty() && !other.springBoot().isEmpty()
				&& !one.springBoot().equals(other.springBoot())) {
			findings.add(new Finding(
					Rule.SPRING_BOOT, Verdict.HOISTED, "Spring Boot is %s in '%s' and %s in '%s'"
						.formatted(one.springBoot(), one.name(), other.springBoot(), other.name()),
					"build both with one version"));
		}
		List<String> versions = new ArrayList<>();
		List<String> bytes = new ArrayList<>();
		Set<String> ourFiles = new LinkedHashSet<>();
		Set<String> theirFiles = new LinkedHashSet<>();
		// One artifact may have several files, such as native code by platform.
		Map<String, List<Library>> known = byArtifact(one);
		byArtifact(other).forEach((artifact, theirs) -> {
			List<Library> ours = known.getOrDefault(artifact, List.of());
			Set<String> ourVersions = all(ours, Library::version);
			Set<String> theirVersions = all(theirs, Library::version);
			if (ours.isEmpty()) {
				return;
			}
			if (!ourVersions.equals(theirVersions)) {
				versions.add("%s is %s and %s".formatted(artifact, String.join("/", ourVersions),
						String.join("/", theirVersions)));
				ourFiles.addAll(all(ours, Library::file));
				theirFiles.addAll(all(theirs, Library::file));
			}
			else if (differ(all(ours, Library::sha256), all(theirs, Library::sha256))) {
				bytes.add("%s %s".formatted(artifact, String.join("/", ourVersions)));
			}
		});
		Map<String, String> managed = one.managed();
		other.managed().forEach((coordinates, version) -> {
			String there = managed.get(coordinates);
			if (there != null && !there.equals(version)) {
				versions.add("%s is %s and %s".formatted(coordinates, there, version));
			}
		});
		if (!versions.isEmpty()) {
			findings.add(new Finding(Rule.VERSION, Verdict.HOISTED,
					"libraries differ in their versions (%d): %s".formatted(versions.size(), some(versions)),
					"use the same versions; each application keeps its own until then"));
			linkage(one, ourFiles, other, theirFiles, findings);
		}
		if (!bytes.isEmpty()) {
			findings.add(new Finding(Rule.LIBRARY_BYTES, Verdict.HOISTED,
					"libraries have one version, but different bytes: %s".formatted(some(bytes)),
					"take both from one repository"));
		}
	}

	/**
	 * Finds what would be missing if one application took the versions of the other one.
	 */
	private void linkage(Inventory one, Set<String> files, Inventory other, Set<String> otherFiles,
			List<Finding> findings) {
		if (one.jar() == null || other.jar() == null || files.contains("") || otherFiles.contains("")
				|| major(one.springBoot()) != major(other.springBoot())) {
			// Another major version of Spring Boot is a migration, not a choice of
			// versions.
			return;
		}
		try {
			Linkage.Missing missing = Linkage.missing(one, files, other, otherFiles, this.facts);
			missing(one, other, missing.one(), findings);
			missing(other, one, missing.other(), findings);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void missing(Inventory user, Inventory other, List<String> missing, List<Finding> findings) {
		if (!missing.isEmpty()) {
			findings.add(new Finding(Rule.LINKAGE, Verdict.HOISTED,
					"with the versions of '%s', '%s' would miss (%d): %s".formatted(other.name(), user.name(),
							missing.size(), some(missing)),
					"do not give '%s' those versions as it is; each keeps its own".formatted(user.name())));
		}
	}

	/** Checksums that are not known are empty. */
	private static boolean differ(Set<String> ours, Set<String> theirs) {
		return !ours.contains("") && !theirs.contains("") && !ours.equals(theirs);
	}

	private static Map<String, List<Library>> byArtifact(Inventory inventory) {
		Map<String, List<Library>> byArtifact = new LinkedHashMap<>();
		inventory.libraries()
			.forEach((library) -> byArtifact.computeIfAbsent(library.artifact(), (key) -> new ArrayList<>())
				.add(library));
		return byArtifact;
	}

	private static Set<String> all(List<Library> libraries, Function<Library, String> property) {
		Set<String> all = new TreeSet<>();
		libraries.forEach((library) -> all.add(property.apply(library)));
		return all;
	}

	/** With one class loader, the first of two files hides the second. */
	private static void resources(Inventory one, Inventory other, List<Finding> findings) {
		if (one.jar() == null || other.jar() == null) {
			findings.add(new Finding(Rule.UNKNOWN, Verdict.ISOLATED,
					"without the jars of both it is not known whether their class paths can be one", "give both jars"));
			return;
		}
		List<String> classes = new ArrayList<>();
		List<String> files = new ArrayList<>();
		Map<String, String> known = new HashMap<>(one.resources());
		other.resources().forEach((path, checksum) -> {
			String there = known.get(path);
			if (there != null && (path.endsWith(".class") ? !there.equals(checksum) : true)) {
				(path.endsWith(".class") ? classes : files).add(path);
			}
		});
		if (!classes.isEmpty()) {
			findings.add(new Finding(Rule.CLASS_BYTES, Verdict.HOISTED,
					"classes exist twice with different bytes (%d): %s".formatted(classes.size(), some(classes)),
					"build both from one version of the code"));
		}
		if (!files.isEmpty()) {
			findings.add(new Finding(Rule.RESOURCE, Verdict.HOISTED,
					"files of the class path exist in both (%d): %s".formatted(files.size(), some(files)),
					"give them different names, such as spring.config.name for application.properties"));
		}
		found(one, other, findings);
		found(other, one, findings);
		if (one.libraries()
			.stream()
			.map(Library::file)
			.noneMatch((file) -> has(other, (each) -> each.file().equals(file)))
				&& one.libraries().isEmpty() != other.libraries().isEmpty()) {
			findings.add(new Finding(Rule.UNKNOWN, Verdict.ISOLATED,
					"only one of them brings its libraries along, so it is not known whether they agree",
					"give the executable jars of both"));
		}
	}

	/**
	 * With one class loader, an application and its libraries find what only the other
	 * one has: settings, web pages, services. Files beside classes, or below them, are
	 * taken to be looked for by these.
	 */
	private static void found(Inventory owner, Inventory other, List<Finding> findings) {
		Set<String> packages = new HashSet<>();
		owner.resources().keySet().stream().filter((path) -> path.endsWith(".class")).forEach((path) -> {
			packages.add(LibraryFacts.packageOf(path));
		});
		List<String> files = owner.resources()
			.keySet()
			.stream()
			.filter((path) -> !path.endsWith(".class") && !other.resources().containsKey(path)
					&& !BeanClashes.isConfiguration(path) && !isBelow(path, packages))
			.toList();
		if (!files.isEmpty()) {
			findings.add(new Finding(Rule.RESOURCE, Verdict.HOISTED,
					"'%s' would find files of '%s' (%d): %s".formatted(other.name(), owner.name(), files.size(),
							some(files)),
					"move them to a package of '%s', if only its classes look for them".formatted(owner.name())));
		}
	}

	private static boolean isBelow(String path, Set<String> packages) {
		String directory = LibraryFacts.packageOf(path);
		while (!directory.isEmpty() && !packages.contains(directory)) {
			directory = LibraryFacts.packageOf(directory);
		}
		return !directory.isEmpty();
	}

	private static void clashes(Inventory one, Inventory other, List<Finding> findings) {
		try {
			List<String> classes = ClassClashes.find(one, other);
			if (!classes.isEmpty()) {
				findings.add(new Finding(Rule.CLASS_BYTES, Verdict.HOISTED,
						"classes exist twice with different bytes (%d): %s".formatted(classes.size(), some(classes)),
						"leave out one of the libraries that have them"));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void statics(Inventory one, Inventory other, List<Finding> findings) {
		try {
			List<String> shared = Hoisting.sharedState(one, other, this.facts);
			if (!shared.isEmpty()) {
				findings.add(new Finding(Rule.STATIC_STATE, Verdict.HOISTED,
						"both would use the same static fields (%d): %s".formatted(shared.size(), some(shared)),
						"let each have classes of its own, or keep the state in beans"));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static String some(Collection<String> all) {
		List<String> sorted = all.stream().sorted().toList();
		String shown = String.join(", ", sorted.subList(0, Math.min(SHOWN, sorted.size())));
		return (sorted.size() > SHOWN) ? shown + ", …" : shown;
	}

}
