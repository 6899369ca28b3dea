package io.github.vicinal.placement.cli;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import io.github.vicinal.placement.model.Doubts;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.InstanceFormat;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.ModelJson;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.source.Traffic;
import io.github.vicinal.placement.source.TrafficSource;
import io.github.vicinal.placement.sources.Cluster;
import io.github.vicinal.placement.sources.ComposeFile;
import io.github.vicinal.placement.sources.HttpJson;
import io.github.vicinal.placement.sources.InstanceSource;
import io.github.vicinal.placement.sources.ObservedCosts;
import io.github.vicinal.placement.sources.ObservedModel;
import io.github.vicinal.placement.sources.PcapSource;
import io.github.vicinal.placement.sources.PrometheusSource;
import io.github.vicinal.placement.sources.ZipkinSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Inputs of a search. A model, an instance or a compose file describes services and
 * hosts; any number of sources describe observed traffic.
 */
final class Inputs {

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	@Spec(Spec.Target.MIXEE)
	@SuppressWarnings("NullAway.Init")
	private CommandSpec spec;

	@ArgGroup(exclusive = true, multiplicity = "1")
	@SuppressWarnings("NullAway.Init")
	private What what;

	@Option(names = "--host", paramLabel = "NAME=CPU:MEM[:ZONE]",
			description = "a host with so many thousandths of a processor and MiB of memory: added, or changed if it is there")
	private List<String> hosts = new ArrayList<>();

	@Option(names = "--traffic", paramLabel = "KIND=WHERE",
			description = {
					"what was seen, by prometheus=URL, zipkin=URL|FILE, pcap=FILE or instances=URL (of an actuator); ",
					"may be given more than once, the most trusted first" })
	private List<String> traffic = new ArrayList<>();

	@Option(names = "--window", paramLabel = "TIME", defaultValue = "10m",
			converter = SolveCommand.DurationConverter.class,
			description = "the time that prometheus and zipkin look back (default ${DEFAULT-VALUE})")
	@SuppressWarnings("NullAway.Init")
	private Duration window;

	@Option(names = "--minimum-calls", paramLabel = "N", defaultValue = "100",
			description = "edges with fewer calls are left out, and named; of pcap, which knows no calls, none are (default ${DEFAULT-VALUE})")
	private long minimumCalls;

	@Option(names = "--prometheus-matchers", paramLabel = "MATCHERS", defaultValue = "",
			description = "for prometheus: label matchers of the series that count, such as 'env=\"prod\"'")
	@SuppressWarnings("NullAway.Init")
	private String matchers;

	@Option(names = "--profile", paramLabel = "NAME", split = ",",
			description = "for a compose file: profiles whose services run, too; * for all")
	private List<String> profiles = new ArrayList<>();

	@Option(names = "--sampled", paramLabel = "PART",
			description = "for zipkin: the part of all calls that is sampled, above 0 and at most 1; without it, its counts are partial evidence")
	private @Nullable Double sampled;

	@Option(names = "--observe", paramLabel = "TIME", converter = SolveCommand.DurationConverter.class,
			description = "for instances: ask again after this time, at least 10s, and count what was called in between; without it, rates are means over the lives of instances")
	private @Nullable Duration observe;

	@Option(names = "--names", paramLabel = "FILE",
			description = "for pcap: an address (with or without port) and a service on each line")
	private @Nullable Path names;

	@Option(names = "--bearer-token-file", paramLabel = "FILE",
			description = "for prometheus, zipkin, instances and a model at a URL: a file with a bearer token")
	private @Nullable Path tokenFile;

	@Option(names = "--head-room", paramLabel = "PERCENT",
			description = "part of each host that is left free, for peaks and for hosts that fail")
	private @Nullable Integer headRoom;

	@Option(names = "--concentrate", paramLabel = "NAME", split = ",",
			description = "services that may run on fewer hosts and zones than now; all others keep theirs")
	private List<String> concentrate = new ArrayList<>();

	@Option(names = "--edge-weight", paramLabel = "NAME",
			description = "what counts: calls, application-bytes, wire-bytes, hop-bytes, latency, path-latency, path-cpu, critical-path (default: what the model says, or calls)")
	private @Nullable String edgeWeight;

	/** Reports of instances, if any are asked. */
	private @Nullable Cluster cluster;

	private final List<InstanceSource> instances = new ArrayList<>();

	static final class What {

		@Option(names = "--instance", required = true, paramLabel = "FILE",
				description = "plain instance: 'services hosts edges', then one line each")
		private @Nullable Path instance;

		@Option(names = "--model", required = true, paramLabel = "FILE|URL",
				description = "model as JSON, for instance of http://host:8080/actuator/vicinalplacement/model")
		private @Nullable String model;

		@Option(names = "--compose", required = true, paramLabel = "FILE",
				description = "docker-compose file; give its hosts with --host")
		private @Nullable Path compose;

	}

	/** Reads everything. */
	PlacementModel read() throws IOException {
		if (this.minimumCalls < 0) {
			throw usage("--minimum-calls is %d; it must be at least 0".formatted(this.minimumCalls));
		}
		if (!this.profiles.isEmpty() && this.what.compose == null) {
			throw usage("--profile is for a compose file; leave it out, or give --compose FILE");
		}
		requireTraffic("--window", "prometheus=", "zipkin=", "instances=");
		requireTraffic("--minimum-calls", "prometheus=", "zipkin=", "instances=");
		requireTraffic("--prometheus-matchers", "prometheus=");
		requireTraffic("--sampled", "zipkin=");
		requireTraffic("--names", "pcap=");
		if (this.what.model == null || !HttpJson.isAddress(this.what.model)) {
			requireTraffic("--bearer-token-file", "prometheus=", "zipkin=http", "instances=");
		}
		List<TrafficSource> sources = new ArrayList<>();
		for (String one : this.traffic) {
			sources.add(source(one));
		}
		List<String> notSeen = new ArrayList<>();
		PlacementModel model = withHosts(base(notSeen));
		Integer percent = this.headRoom;
		if (percent != null) {
			model = model.with(model.services(),
					model.hosts().stream().map((host) -> host.withHeadRoom(percent)).toList());
		}
		if (this.edgeWeight != null) {
			model = model.with(model.objective().with(EdgeWeight.of(this.edgeWeight)));
		}
		observe();
		List<Traffic> seen = new ArrayList<>();
		for (TrafficSource source : sources) {
			seen.add(source.observe());
		}
		if (model.pathCosts().equals(PathCosts.defaults())) {
			model = withCosts(model, notSeen);
		}
		PlacementModel doubtful = model.with(model.doubts().and(new Doubts(notSeen, Set.of())));
		return concentrating(ObservedModel.of(doubtful, seen).model());
	}

	/** Refuses an option that was given although it has no effect. */
	private void requireTraffic(String option, String... sources) {
		boolean given = this.spec.commandLine().getParseResult().hasMatchedOption(option);
		if (given && this.traffic.stream().noneMatch((one) -> Arrays.stream(sources).anyMatch(one::startsWith))) {
			throw usage("%s is for --traffic %s…; add one of these, or leave the option out".formatted(option,
					String.join("…, ", sources)));
		}
	}

	/** Asks instances a first time, and waits until what they count is enough. */
	private void observe() throws IOException {
		Duration time = this.observe;
		if (time == null) {
			return;
		}
		if (this.instances.isEmpty()) {
			throw usage("--observe is for instances; add --traffic instances=URL, or leave it out");
		}
		if (time.compareTo(Cluster.MIN_OBSERVED) < 0) {
			throw usage("--observe is %d ms; it must be at least %d s".formatted(time.toMillis(),
					Cluster.MIN_OBSERVED.toSeconds()));
		}
		this.instances.forEach(InstanceSource::refresh);
		PrintWriter err = this.spec.commandLine().getErr();
		err.println("Observing the instances for %d s ...".formatted(time.toSeconds()));
		err.flush();
		try {
			Thread.sleep(time.toMillis());
		}
		catch (InterruptedException ex) {
			throw new InterruptedIOException("Interrupted while the instances were observed");
		}
	}

	private PlacementModel concentrating(PlacementModel model) {
		if (this.concentrate.isEmpty()) {
			return model;
		}
		Set<String> names = new TreeSet<>(model.mayConcentrate());
		for (String name : this.concentrate) {
			if (!model.serviceIndex().containsKey(name)) {
				throw usage("--concentrate names '%s', which is not among the services %s".formatted(name,
						model.serviceIndex().keySet()));
			}
			names.add(name);
		}
		return model.concentrating(names);
	}

	/** The system's own error of a directory names neither it nor the option. */
	private Path file(String option, Path path) {
		if (Files.isDirectory(path)) {
			throw usage("%s '%s' is a directory; give a file".formatted(option, path));
		}
		return path;
	}

	private HttpJson http() throws IOException {
		if (this.tokenFile == null) {
			return new HttpJson(TIMEOUT);
		}
		Path token = file("--bearer-token-file", this.tokenFile);
		try {
			return new HttpJson(TIMEOUT, Files.readString(token).strip());
		}
		catch (CharacterCodingException ex) {
			throw new IOException("'%s' is no text in UTF-8".formatted(this.tokenFile), ex);
		}
		catch (IllegalArgumentException ex) {
			throw usage("--bearer-token-file %s: %s".formatted(this.tokenFile, ex.getMessage()));
		}
	}

	/**
	 * Replaces default costs by those that instances measured, unless costs were given.
	 */
	private PlacementModel withCosts(PlacementModel model, List<String> notSeen) {
		Cluster reports = this.cluster;
		if (reports != null) {
			ObservedCosts costs = reports.pathCosts();
			notSeen.addAll(costs.notSeen());
			return model.with(costs.costs());
		}
		EdgeWeight weight = model.objective().weight();
		if (model.current() != null || weight == EdgeWeight.PATH_CPU || weight == EdgeWeight.PATH_LATENCY
				|| weight == EdgeWeight.CRITICAL_PATH) {
			notSeen.add(
					"what calls cost here; the defaults stand, of one quiet machine. Write pathCosts into the model, or add --traffic instances=URL");
		}
		return model;
	}

	private PlacementModel base(List<String> notSeen) throws IOException {
		if (this.what.instance != null) {
			return InstanceFormat.read(file("--instance", this.what.instance));
		}
		if (this.what.model != null) {
			return model(this.what.model);
		}
		Path compose = this.what.compose;
		if (compose == null) {
			throw usage("One of --model, --instance and --compose is needed");
		}
		ComposeFile file = ComposeFile.read(file("--compose", compose), Set.copyOf(this.profiles));
		notSeen.addAll(file.notSeen());
		if (this.hosts.isEmpty()) {
			throw usage(
					"A compose file names no hosts; add --host NAME=CPU:MEM, such as --host a=8000:16384, for each");
		}
		List<Host> hosts = hosts(List.of());
		return new PlacementModel(file.services(hosts), hosts, file.declared(), file.separations(),
				PathCosts.defaults(), Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), null);
	}

	private PlacementModel model(String place) throws IOException {
		if (!HttpJson.isAddress(place)) {
			return new ModelJson().read(file("--model", Path.of(place)));
		}
		URI uri = HttpJson.address(place);
		String json = http().get(uri).toString();
		try {
			return new ModelJson().read(json);
		}
		catch (InvalidModelException ex) {
			throw new InvalidModelException("%s: %s".formatted(place, ex.getMessage()), ex.culprits());
		}
	}

	private PlacementModel withHosts(PlacementModel model) {
		return this.hosts.isEmpty() ? model : model.with(model.services(), hosts(model.hosts()));
	}

	private List<Host> hosts(List<Host> known) {
		Map<String, Host> all = new LinkedHashMap<>();
		known.forEach((host) -> all.put(host.name(), host));
		Set<String> named = new HashSet<>();
		for (String text : this.hosts) {
			int equals = text.indexOf('=');
			String[] parts = text.substring(equals + 1).split(":", -1);
			try {
				if (equals > 0 && (parts.length == 2 || parts.length == 3)) {
					String name = text.substring(0, equals);
					if (!named.add(name)) {
						throw usage("--host names '%s' twice; give each host once".formatted(name));
					}
					Host host = all.get(name);
					TreeMap<String, Long> capacity = new TreeMap<>(
							(host != null) ? host.capacity().amounts() : Map.of());
					capacity.put(Resources.CPU, Long.parseLong(parts[0]));
					capacity.put(Resources.MEMORY, Long.parseLong(parts[1]));
					String zone = (parts.length == 3) ? parts[2] : (host != null) ? host.zone() : "";
					all.put(name,
							new Host(name, zone, new Resources(capacity),
									(host != null) ? host.reserve() : Resources.none(),
									(host != null) ? host.maxReplicas() : Integer.MAX_VALUE));
					continue;
				}
			}
			catch (NumberFormatException ex) {
				// Said below.
			}
			catch (InvalidModelException ex) {
				throw usage("--host '%s': %s".formatted(text, ex.getMessage()));
			}
			throw usage("--host has '%s'; write NAME=CPU:MEM[:ZONE], such as a=8000:16384".formatted(text));
		}
		return List.copyOf(all.values());
	}

	private TrafficSource source(String text) throws IOException {
		int equals = text.indexOf('=');
		String kind = (equals > 0) ? text.substring(0, equals) : "";
		String where = text.substring(equals + 1);
		HttpJson http = http();
		return switch (kind) {
			case "prometheus" ->
				new PrometheusSource(HttpJson.address(where), this.window, this.minimumCalls, this.matchers, http);
			case "zipkin" -> sampled(HttpJson.isAddress(where)
					? ZipkinSource.server(HttpJson.address(where), this.window, this.minimumCalls, http)
					: ZipkinSource.file(file("--traffic", Path.of(where)), this.window, this.minimumCalls));
			case "pcap" -> {
				if (this.names == null) {
					throw usage("--traffic %s needs --names FILE, which says which address is which service"
						.formatted(text));
				}
				yield new PcapSource(file("--traffic", Path.of(where)), PcapSource.names(file("--names", this.names)));
			}
			case "instances" -> {
				List<URI> addresses = new ArrayList<>();
				for (String address : where.split(",", -1)) {
					addresses.add(HttpJson.address(address));
				}
				Cluster reports = (this.cluster != null) ? this.cluster
						: new Cluster(this.window, Duration.ofDays(1), this.minimumCalls);
				this.cluster = reports;
				InstanceSource asked = new InstanceSource(() -> addresses, reports, http);
				this.instances.add(asked);
				yield asked;
			}
			default ->
				throw usage("--traffic has '%s'; write prometheus=URL, zipkin=URL|FILE, pcap=FILE or instances=URL,URL"
					.formatted(text));
		};
	}

	private ZipkinSource sampled(ZipkinSource source) {
		try {
			return (this.sampled != null) ? source.sampled(this.sampled) : source;
		}
		catch (IllegalArgumentException ex) {
			throw usage("--sampled: " + ex.getMessage());
		}
	}

	private CommandLine.ParameterException usage(String message) {
		return new CommandLine.ParameterException(this.spec.commandLine(), message);
	}

}
