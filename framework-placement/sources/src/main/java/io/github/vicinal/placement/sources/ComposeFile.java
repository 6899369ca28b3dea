package io.github.vicinal.placement.sources;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.Evidence;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.PrintableText;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Separation;
import io.github.vicinal.placement.model.Service;
import org.jspecify.annotations.Nullable;

/**
 * Services of a docker-compose file: what they need ({@code cpus}, {@code mem_limit},
 * {@code deploy.resources}), how many there are, which ports of the host they take, and
 * which of them may call which ({@code depends_on}, {@code links}), and rules of Swarm
 * ({@code deploy.placement}, {@code mode: global}). How much they talk is not in such a
 * file. Rules that a model cannot express are named.
 *
 * @param services the services
 * @param declared edges that the file declares, without any quantity
 * @param separations services of which no two may share a host, as they take one port of
 * it
 * @param notSeen what the file does not say, one sentence each
 * @param global names of services that run once on every host
 * @param notOnHosts hosts that a service must not run on, by its name
 * @param notInZones zones that a service must not run in, by its name
 * @since 0.1.0
 */
public record ComposeFile(List<Service> services, List<Edge> declared, List<Separation> separations,
		List<String> notSeen, Set<String> global, Map<String, Set<String>> notOnHosts,
		Map<String, Set<String>> notInZones) {

	/** The largest file that is read, in characters. */
	public static final int MAX_CHARS = 3 << 20;

	private static final int MAX_SERVICES = 10_000;

	public ComposeFile {
		services = List.copyOf(services);
		declared = List.copyOf(declared);
		separations = List.copyOf(separations);
		notSeen = notSeen.stream().map(PrintableText::escaped).toList();
		global = Set.copyOf(global);
		notOnHosts = Map.copyOf(notOnHosts);
		notInZones = Map.copyOf(notInZones);
	}

	/**
	 * Returns the services as they run on some hosts: of those in mode {@code global},
	 * one replica on each host that their constraints allow.
	 * @param hosts the hosts
	 * @return the services
	 */
	public List<Service> services(List<Host> hosts) {
		List<Service> all = new ArrayList<>();
		for (Service given : this.services) {
			Service service = allowed(given, hosts);
			int places = (int) hosts.stream().filter(service::mayRunOn).count();
			all.add(this.global.contains(service.name()) ? new Service(service.name(), Math.max(1, places),
					service.demand(), service.ports(), 1, service.zones(), service.pinnedTo(), service.demandFrom())
					: service);
		}
		return all;
	}

	/** Constraints with {@code !=} allow all other hosts. */
	private Service allowed(Service service, List<Host> hosts) {
		Set<String> notOn = this.notOnHosts.getOrDefault(service.name(), Set.of());
		Set<String> notIn = this.notInZones.getOrDefault(service.name(), Set.of());
		if (notOn.isEmpty() && notIn.isEmpty()) {
			return service;
		}
		Set<String> on = hosts.stream()
			.filter(service::mayRunOn)
			.filter((host) -> !notOn.contains(host.name()) && !notIn.contains(host.zone()))
			.map(Host::name)
			.collect(Collectors.toCollection(TreeSet::new));
		if (on.isEmpty()) {
			throw new InvalidModelException(
					"The constraints of '%s' leave none of the hosts %s; add a host or relax them"
						.formatted(service.name(), hosts.stream().map(Host::name).toList()),
					List.of(service.name()));
		}
		return new Service(service.name(), service.replicas(), service.demand(), service.ports(), service.maxPerHost(),
				service.zones(), on, service.demandFrom());
	}

	/**
	 * Reads a file.
	 * @param file the file
	 * @return its services
	 * @throws IOException if it cannot be read
	 * @throws InvalidModelException if it is no compose file; the message names the line
	 */
	public static ComposeFile read(Path file) throws IOException {
		return read(file, Set.of());
	}

	/**
	 * Reads a file, and those that it includes or extends as far as they lie below its
	 * directory.
	 * @param file the file
	 * @param profiles profiles that are active; {@code *} stands for all
	 * @return its services
	 * @throws IOException if it cannot be read
	 * @throws InvalidModelException if it is no compose file; the message names the line
	 */
	public static ComposeFile read(Path file, Set<String> profiles) throws IOException {
		String text = ComposeFamily.read(file);
		try {
			return new Parser(text, String.valueOf(file.getFileName()), file.toRealPath(), profiles).parse();
		}
		catch (UncheckedIOException ex) {
			throw Objects.requireNonNull(ex.getCause());
		}
	}

	/**
	 * Reads a text.
	 * @param text the text
	 * @param name what errors call it
	 * @return its services
	 * @throws InvalidModelException if it is no compose file; the message names the line
	 */
	public static ComposeFile parse(String text, String name) {
		return new Parser(text, name, null, Set.of()).parse();
	}

	private static final class Parser {

		private static final Pattern VARIABLE = Pattern.compile(
				"\\$(?:\\$|([A-Za-z_][A-Za-z0-9_]*)|\\{([A-Za-z_][A-Za-z0-9_]*)(?::?-([^{}]*?(?:\\$\\{[^{}]*}[^{}]*)?)|[^}]*)})");

		/** Files that docker compose merges into one of a default name. */
		private static final Map<String, List<String>> OVERRIDES = Map.of("compose.yaml",
				List.of("compose.override.yaml", "compose.override.yml"), "compose.yml",
				List.of("compose.override.yml", "compose.override.yaml"), "docker-compose.yml",
				List.of("docker-compose.override.yml", "docker-compose.override.yaml"), "docker-compose.yaml",
				List.of("docker-compose.override.yaml", "docker-compose.override.yml"));

		private static final Pattern MEMORY = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)\\s*([bkmgtp]?)i?b?");

		/**
		 * A port in the short form. Without a first one it gets any free port of the
		 * host.
		 */
		private static final Pattern PORT = Pattern.compile(
				"(?:(?:(?<address>\\[[^]]*]|[^\\[\\]]*):)?(?:(?<first>[0-9]{1,5})(?:-(?<last>[0-9]{1,5}))?)?:)?[0-9]{1,5}(?<to>-[0-9]{1,5})?(?:/(?<protocol>.*))?");

		private static final Pattern CONSTRAINT = Pattern
			.compile("\\s*(node\\.[A-Za-z0-9_./-]+)\\s*([=!]=)\\s*([^\\s=!]+)\\s*");

		/** Members that name hardware, which only some hosts have. */
		private static final String[][] HARDWARE = { { "devices" }, { "gpus" }, { "platform" }, { "runtime" },
				{ "deploy", "resources", "reservations", "devices" },
				{ "deploy", "resources", "reservations", "generic_resources" } };

		/** Labels of nodes that name a zone. */
		private static final Set<String> ZONES = Set.of("node.labels.zone", "node.labels.az",
				"node.labels.availability_zone", "node.labels.topology.kubernetes.io/zone");

		private final List<String> notSeen = new ArrayList<>();

		private final Set<String> global = new TreeSet<>();

		private final Set<String> withoutCpu = new TreeSet<>();

		private final Set<String> withoutMemory = new TreeSet<>();

		private final Map<String, Set<String>> notOnHosts = new TreeMap<>();

		private final Map<String, Set<String>> notInZones = new TreeMap<>();

		private final ComposePorts taken = new ComposePorts();

		/** Profiles that services have. */
		private final Set<String> known = new TreeSet<>();

		private final Set<String> withVolumes = new TreeSet<>();

		/** Variables whose defaults were taken. */
		private final Set<String> defaults = new TreeSet<>();

		private final ComposeYaml yaml;

		private final ComposeFamily.Source source;

		private final ComposeFamily family;

		private final Set<String> profiles;

		Parser(String text, String name, @Nullable Path path, Set<String> profiles) {
			this.yaml = new ComposeYaml(text, name);
			this.source = new ComposeFamily.Source(this.yaml, path, name);
			this.family = new ComposeFamily((path != null) ? path.getParent() : null, this.notSeen);
			this.profiles = Set.copyOf(profiles);
		}

		private InvalidModelException wrong(String what, String... path) {
			return this.yaml.wrong(what, path);
		}

		ComposeFile parse() {
			Map<String, Map<?, ?>> services = this.family.services(this.source);
			if (services.isEmpty() || services.size() > MAX_SERVICES) {
				throw wrong("there are %d services; 1 to %d are read".formatted(services.size(), MAX_SERVICES),
						"services");
			}
			overrides();
			List<Service> found = new ArrayList<>();
			Map<String, Set<String>> networks = new LinkedHashMap<>();
			services.forEach((service, members) -> {
				list(service, members, "profiles");
				Set<String> only = names(members.get("profiles"));
				this.known.addAll(only);
				if (!only.isEmpty() && only.stream().noneMatch(this::active)) {
					this.notSeen.add("'%s' runs with the profiles %s only, none of which is chosen; left out"
						.formatted(service, only));
					return;
				}
				Service one = service(service, members);
				if (one != null) {
					found.add(one);
					networks.put(service, networks(members));
				}
			});
			this.profiles.stream()
				.filter((profile) -> !profile.equals("*") && !this.known.contains(profile))
				.sorted()
				.forEach((profile) -> this.notSeen.add("no service has the profile '%s'; %s".formatted(profile,
						this.known.isEmpty() ? "the file has no profiles" : "the profiles are " + this.known)));
			if (found.isEmpty()) {
				throw wrong("all services have 0 replicas, so there is nothing to place", "services");
			}
			List<Edge> declared = declared(services, networks);
			if (!this.withoutCpu.isEmpty()) {
				this.notSeen.add("%s: no cpus are given. Add deploy.resources.limits.cpus".formatted(this.withoutCpu));
			}
			if (!this.withoutMemory.isEmpty()) {
				this.notSeen.add("%s: no memory limit is given. Add deploy.resources.limits.memory"
					.formatted(this.withoutMemory));
			}
			if (!this.withVolumes.isEmpty()) {
				this.notSeen.add("%s %s volumes, which stay on their host; pin those whose data must not be left"
					.formatted(this.withVolumes, (this.withVolumes.size() == 1) ? "has" : "have"));
			}
			if (!this.defaults.isEmpty()) {
				this.notSeen.add(
						"what the environment and .env say of the variables %s; their defaults are taken. Run 'docker compose config' first if they are set"
							.formatted(this.defaults));
			}
			return new ComposeFile(withPorts(found), declared, this.taken.separations(), this.notSeen, this.global,
					this.notOnHosts, this.notInZones);
		}

		/** Names a file that docker compose would merge into this one unasked. */
		private void overrides() {
			Path path = this.source.path();
			if (path != null) {
				OVERRIDES.getOrDefault(String.valueOf(path.getFileName()), List.of())
					.stream()
					.filter((name) -> Files.exists(path.resolveSibling(name)))
					.forEach((name) -> this.notSeen
						.add("'%s' lies beside the file and is not read; run 'docker compose config' first"
							.formatted(name)));
			}
		}

		/** Returns the elements of a list; what should be one and is not is an error. */
		private Iterable<?> list(String service, Map<?, ?> members, String... path) {
			Object value = get(members, path);
			if (value == null || value.equals("")) {
				return List.of();
			}
			if (value instanceof Iterable<?> list) {
				return list;
			}
			throw wrong("%s should be a list, not %s".formatted(path[path.length - 1], ComposeYaml.shortened(value)),
					place(service, path));
		}

		private boolean active(String profile) {
			return this.profiles.contains(profile) || this.profiles.contains("*");
		}

		private @Nullable Object get(Map<?, ?> members, String... path) {
			Object at = members;
			for (String key : path) {
				at = (at instanceof Map<?, ?> map) ? map.get(key) : null;
			}
			return at;
		}

		private @Nullable Service service(String service, Map<?, ?> members) {
			int replicas = replicas(service, members);
			if (replicas == 0) {
				this.notSeen.add("'%s' has 0 replicas; left out".formatted(service));
				return null;
			}
			String[][] cpus = { { "deploy", "resources", "limits", "cpus" }, { "cpus" },
					{ "deploy", "resources", "reservations", "cpus" } };
			String[][] memory = { { "deploy", "resources", "limits", "memory" }, { "mem_limit" },
					{ "deploy", "resources", "reservations", "memory" }, { "mem_reservation" } };
			TreeMap<String, Long> demand = new TreeMap<>();
			TreeMap<String, String> from = new TreeMap<>();
			Long cpu = (get(members, "cpu_quota") != null && first(members, cpus) == null) ? quota(service, members)
					: first(members, service, cpus, this.withoutCpu, true);
			if (cpu != null) {
				demand.put(Resources.CPU, cpu);
				from.put(Resources.CPU, "compose file");
			}
			Long mib = first(members, service, memory, this.withoutMemory, false);
			if (mib != null) {
				demand.put(Resources.MEMORY, mib);
				from.put(Resources.MEMORY, "compose file");
			}
			String mode = String.valueOf(Objects.requireNonNullElse(get(members, "deploy", "mode"), "replicated"));
			if (mode.equals("global")) {
				this.global.add(service);
			}
			else if (!mode.equals("replicated")) {
				this.notSeen.add("'%s' has the mode %s, which is taken for replicated".formatted(service,
						ComposeYaml.shortened(mode)));
			}
			ties(service, members);
			Set<String> zones = new TreeSet<>();
			Set<String> pins = new TreeSet<>();
			constraints(service, members, zones, pins);
			ports(service, members);
			return new Service(service, replicas, new Resources(demand), Set.of(), maxPerNode(service, members), zones,
					pins, from);
		}

		/** Names what ties a service to a host or to another service. */
		private void ties(String service, Map<?, ?> members) {
			if (get(members, "volumes") instanceof Iterable<?> volumes && volumes.iterator().hasNext()) {
				this.withVolumes.add(service);
			}
			if ("host".equals(members.get("network_mode"))) {
				this.notSeen.add("'%s' takes ports of its host by itself (network_mode), which is not checked"
					.formatted(service));
			}
			for (String[] path : HARDWARE) {
				Object kind = get(members, path);
				if (kind != null && !kind.equals("")) {
					this.notSeen
						.add("'%s' needs a host of a certain kind (%s), which is not checked; pin it to hosts that fit"
							.formatted(service, path[path.length - 1]));
				}
			}
			if (get(members, "deploy", "placement", "preferences") != null) {
				this.notSeen.add("'%s': placement preferences are not used".formatted(service));
			}
			for (String shared : List.of("network_mode", "pid", "ipc")) {
				String with = String.valueOf(members.get(shared));
				if (with.startsWith("service:") || with.startsWith("container:")) {
					this.notSeen.add("'%s' must run beside %s (%s), which is not checked; pin both to one host"
						.formatted(service, ComposeYaml.shortened(with.substring(with.indexOf(':') + 1)), shared));
				}
			}
			if (members.get("volumes_from") != null) {
				this.notSeen.add("'%s' must run beside %s (volumes_from), which is not checked; pin both to one host"
					.formatted(service, names(members.get("volumes_from"))));
			}
		}

		private void constraints(String service, Map<?, ?> members, Set<String> zones, Set<String> pins) {
			for (Object element : list(service, members, "deploy", "placement", "constraints")) {
				String text = resolved(String.valueOf(element), place(service, "deploy", "placement", "constraints"));
				Matcher matcher = CONSTRAINT.matcher(text);
				String key = matcher.matches() ? matcher.group(1) : "";
				boolean host = key.equals("node.hostname");
				if (!host && !ZONES.contains(key)) {
					this.notSeen.add("'%s': the constraint %s is not checked; hosts and zones can be named in a model"
						.formatted(service, ComposeYaml.shortened(text)));
				}
				else if (matcher.group(2).equals("==")) {
					only(service, text, host ? pins : zones, matcher.group(3));
				}
				else {
					(host ? this.notOnHosts : this.notInZones).computeIfAbsent(service, (name) -> new TreeSet<>())
						.add(matcher.group(3));
				}
			}
		}

		/** All constraints hold at once, so that two different names allow nothing. */
		private void only(String service, String constraint, Set<String> names, String name) {
			if (!names.isEmpty() && !names.contains(name)) {
				throw wrong("the constraint '%s' contradicts one before it".formatted(constraint),
						place(service, "deploy", "placement", "constraints"));
			}
			names.add(name);
		}

		private int maxPerNode(String service, Map<?, ?> members) {
			String[] path = { "deploy", "placement", "max_replicas_per_node" };
			Object value = get(members, path);
			if (value == null) {
				return Integer.MAX_VALUE;
			}
			String text = resolved(value, place(service, path));
			// 0 is how Swarm writes that there is no limit.
			if (text.matches("[0-9]{1,6}")) {
				int most = Integer.parseInt(text);
				return (most == 0) ? Integer.MAX_VALUE : most;
			}
			throw wrong("'%s' is no number of replicas".formatted(text), place(service, path));
		}

		private @Nullable Long first(Map<?, ?> members, String service, String[][] paths, Set<String> without,
				boolean cpu) {
			for (String[] path : paths) {
				Object value = get(members, path);
				if (value != null) {
					String[] place = place(service, path);
					String text = resolved(value, place);
					long amount = cpu ? cpuMillis(text, place) : memoryMib(text, place);
					// 0 is how Docker writes that there is no limit.
					if (amount > 0) {
						return amount;
					}
				}
			}
			without.add(service);
			return null;
		}

		private @Nullable Object first(Map<?, ?> members, String[][] paths) {
			return Arrays.stream(paths)
				.map((path) -> get(members, path))
				.filter(Objects::nonNull)
				.findFirst()
				.orElse(null);
		}

		/** CPU time in each period, in microseconds, as Docker counts a limit. */
		private @Nullable Long quota(String service, Map<?, ?> members) {
			long quota = micros(service, members, "cpu_quota", "0");
			long period = micros(service, members, "cpu_period", "100000");
			if (quota > 0 && period > 0) {
				return (1000 * quota + period - 1) / period;
			}
			this.withoutCpu.add(service);
			return null;
		}

		private long micros(String service, Map<?, ?> members, String member, String otherwise) {
			String text = resolved(Objects.requireNonNullElse(members.get(member), otherwise), place(service, member));
			// -1 is how Docker writes that there is no limit.
			if (text.equals("-1")) {
				return 0;
			}
			if (text.matches("[0-9]{1,12}")) {
				return Long.parseLong(text);
			}
			throw wrong("'%s' is no number of microseconds such as 50000".formatted(text), place(service, member));
		}

		private static String[] place(String service, String... path) {
			List<String> place = new ArrayList<>(List.of("services", service));
			place.addAll(List.of(path));
			return place.toArray(String[]::new);
		}

		private String resolved(Object value, String... place) {
			Matcher matcher = VARIABLE.matcher(String.valueOf(value));
			StringBuilder text = new StringBuilder();
			while (matcher.find()) {
				String otherwise = matcher.group(3);
				String name = (matcher.group(1) != null) ? matcher.group(1) : matcher.group(2);
				boolean variable = name != null;
				if (variable && otherwise == null) {
					throw wrong(
							"%s has a variable without a default; write the value, or run 'docker compose config' first"
								.formatted(ComposeYaml.shortened(value)),
							place);
				}
				if (variable) {
					this.defaults.add(name);
				}
				// A default may have a default of its own.
				matcher.appendReplacement(text, Matcher.quoteReplacement(variable ? resolved(otherwise, place) : "$"));
			}
			return matcher.appendTail(text).toString().strip();
		}

		private long cpuMillis(String text, String... place) {
			try {
				// An exponent can make a short text a number of a billion digits.
				if (text.length() <= 20 && text.matches("[0-9.]+")) {
					BigDecimal millis = new BigDecimal(text).movePointRight(3).setScale(0, RoundingMode.CEILING);
					if (millis.signum() >= 0 && millis.compareTo(BigDecimal.valueOf(Resources.MAX_AMOUNT)) <= 0) {
						return millis.longValueExact();
					}
				}
			}
			catch (NumberFormatException ex) {
				// Said below.
			}
			throw wrong("'%s' is no number of processors such as 0.5".formatted(text), place);
		}

		private long memoryMib(String text, String... place) {
			Matcher matcher = MEMORY.matcher(text.toLowerCase(Locale.ROOT));
			if (text.length() <= 20 && matcher.matches()) {
				BigDecimal bytes = new BigDecimal(matcher.group(1)).multiply(switch (matcher.group(2)) {
					case "k" -> BigDecimal.valueOf(1L << 10);
					case "m" -> BigDecimal.valueOf(1L << 20);
					case "g" -> BigDecimal.valueOf(1L << 30);
					case "t" -> BigDecimal.valueOf(1L << 40);
					case "p" -> BigDecimal.valueOf(1L << 50);
					default -> BigDecimal.ONE;
				});
				BigDecimal mib = bytes.divide(BigDecimal.valueOf(1L << 20), 0, RoundingMode.CEILING);
				if (mib.compareTo(BigDecimal.valueOf(Resources.MAX_AMOUNT)) <= 0) {
					return mib.longValueExact();
				}
			}
			throw wrong("'%s' is no amount of memory such as 512M or 1g".formatted(text), place);
		}

		private int replicas(String service, Map<?, ?> members) {
			for (String[] path : new String[][] { { "deploy", "replicas" }, { "scale" } }) {
				Object value = get(members, path);
				if (value != null) {
					String text = resolved(value, place(service, path));
					if (text.matches("[0-9]{1,6}") && Integer.parseInt(text) <= Service.MAX_REPLICAS) {
						return Integer.parseInt(text);
					}
					throw wrong("'%s' is no number of replicas between 0 and %d".formatted(text, Service.MAX_REPLICAS),
							place(service, path));
				}
			}
			return 1;
		}

		private void ports(String service, Map<?, ?> members) {
			for (Object element : list(service, members, "ports")) {
				Matcher matcher = element instanceof Map<?, ?> map ? published(service, map)
						: PORT.matcher(resolved(element, place(service, "ports")));
				if (matcher == null) {
					continue;
				}
				if (!matcher.matches()) {
					this.notSeen.add("'%s': the port %s is not understood, and not checked".formatted(service,
							ComposeYaml.shortened(element instanceof Map<?, ?> map ? map.get("published") : element)));
				}
				else if (matcher.group("first") != null) {
					published(service, matcher);
				}
			}
		}

		/**
		 * Puts the long form of a port into the short one, {@code null} if it has none of
		 * the host.
		 */
		private @Nullable Matcher published(String service, Map<?, ?> port) {
			String[] place = place(service, "ports");
			Object published = port.get("published");
			if (published == null) {
				return null;
			}
			String text = resolved(published, place);
			String address = resolved(Objects.requireNonNullElse(port.get("host_ip"), ""), place);
			String protocol = resolved(Objects.requireNonNullElse(port.get("protocol"), "tcp"), place);
			// What is no number must not become another part of the short form.
			return PORT.matcher(!text.matches("[0-9]{1,5}(-[0-9]{1,5})?") ? ""
					: "%s%s:1/%s".formatted(address.isEmpty() ? "" : address + ":", text, protocol));
		}

		/**
		 * A range is published as a whole if the container has one, else one port of it.
		 */
		private void published(String service, Matcher matcher) {
			int first = Integer.parseInt(matcher.group("first"));
			int last = (matcher.group("last") != null) ? Integer.parseInt(matcher.group("last")) : first;
			boolean range = matcher.group("last") != null;
			// 0 is how Docker writes any port that is free.
			if (first == 0 && !range) {
				return;
			}
			if (first < 1 || last > 65535 || first > last) {
				throw wrong(range ? "'%d-%d' is no range of ports between 1 and 65535".formatted(first, last)
						: "the port %d is not between 1 and 65535".formatted(first), place(service, "ports"));
			}
			if (range && matcher.group("to") == null) {
				this.notSeen.add("'%s' takes one of the ports %d-%d, whichever is free; that is not checked"
					.formatted(service, first, last));
				return;
			}
			String address = Objects.requireNonNullElse(matcher.group("address"), "");
			String protocol = Objects.requireNonNullElse(matcher.group("protocol"), "tcp");
			for (int port = first; port <= last; port++) {
				this.taken.add(service, address, protocol, port);
			}
		}

		/** A service that takes a port of its host runs one replica there. */
		private List<Service> withPorts(List<Service> services) {
			Map<String, Set<Integer>> numbers = this.taken.numbers();
			Set<String> alone = this.taken.services();
			return services.stream()
				.map((service) -> new Service(service.name(), service.replicas(), service.demand(),
						numbers.getOrDefault(service.name(), Set.of()),
						(alone.contains(service.name()) && !numbers.containsKey(service.name())) ? 1
								: service.maxPerHost(),
						service.zones(), service.pinnedTo(), service.demandFrom()))
				.toList();
		}

		private static Set<String> networks(Map<?, ?> members) {
			Set<String> networks = names(members.get("networks"));
			return networks.isEmpty() ? Set.of("default") : networks;
		}

		private static Set<String> names(@Nullable Object value) {
			Set<String> names = new LinkedHashSet<>();
			if (value instanceof Map<?, ?> map) {
				map.keySet().forEach((key) -> names.add(String.valueOf(key)));
			}
			else if (value instanceof Iterable<?> list) {
				list.forEach((element) -> names.add(String.valueOf(element)));
			}
			return names;
		}

		private static boolean optional(@Nullable Object dependency) {
			return dependency instanceof Map<?, ?> map && "false".equals(String.valueOf(map.get("required")));
		}

		private List<Edge> declared(Map<String, Map<?, ?>> services, Map<String, Set<String>> networks) {
			Map<String, Edge> edges = new LinkedHashMap<>();
			services.forEach((from, members) -> {
				if (!networks.containsKey(from)) {
					return;
				}
				for (String member : List.of("depends_on", "links")) {
					for (String target : names(members.get(member))) {
						String to = target.contains(":") ? target.substring(0, target.indexOf(':')) : target;
						if (!services.containsKey(to) && optional(get(members, member, target))) {
							this.notSeen
								.add("'%s' may do without '%s', which the file does not have".formatted(from, to));
							continue;
						}
						if (!services.containsKey(to)) {
							throw wrong("'%s' names the service '%s', which the file does not have%s".formatted(from,
									to, this.family.elsewhere()), place(from, member));
						}
						Set<String> others = networks.get(to);
						if (others == null || to.equals(from)) {
							continue;
						}
						Set<String> shared = new TreeSet<>(others);
						shared.retainAll(networks.getOrDefault(from, Set.of()));
						if (shared.isEmpty()) {
							this.notSeen.add("'%s' -> '%s' is declared, but they share no network; left out"
								.formatted(from, to));
							continue;
						}
						edges.putIfAbsent(from + ' ' + to,
								new Edge(from, to, null, null, null, null, null, new Evidence("compose", 0,
										Duration.ZERO, true, "declared by %s, never measured".formatted(member))));
					}
				}
			});
			return List.copyOf(edges.values());
		}

	}

}
