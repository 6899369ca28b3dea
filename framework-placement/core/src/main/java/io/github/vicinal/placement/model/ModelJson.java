package io.github.vicinal.placement.model;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON form of a {@link PlacementModel}, version {@value #VERSION}. The guide shows
 * it, and {@code placement-model-1.schema.json} beside this class is its schema (JSON
 * Schema 2020-12); a member {@code $schema} is for editors and ignored. Names of numbers
 * end in their unit; unknown names are errors, because a rule that is misspelt would
 * silently not hold.
 *
 * @since 0.1.0
 */
public final class ModelJson {

	/** Value of the member {@code format}. */
	public static final String FORMAT = "vicinal-placement-model";

	/** Value of the member {@code version}. */
	public static final int VERSION = 1;

	/** The largest file that is read, in bytes. */
	public static final long MAX_BYTES = 256L << 20;

	/** Rejects two members of the same name, because one would silently be lost. */
	private final JsonMapper mapper = JsonMapper.builder()
		.enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
		.build();

	/**
	 * Reads a model.
	 * @param file the file
	 * @return the model
	 * @throws IOException if the file cannot be read
	 * @throws InvalidModelException if it is no valid model; the message names the member
	 */
	public PlacementModel read(Path file) throws IOException {
		long size = Files.size(file);
		if (size > MAX_BYTES) {
			throw new InvalidModelException(
					"%s has %d bytes; at most %d are read".formatted(file.getFileName(), size, MAX_BYTES));
		}
		try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
				JsonParser parser = this.mapper.createParser(in)) {
			return read(parser);
		}
		catch (JacksonIOException ex) {
			throw ex.getCause();
		}
		catch (InvalidModelException ex) {
			throw new InvalidModelException(file.getFileName() + ": " + ex.getMessage(), ex.culprits());
		}
	}

	/**
	 * Reads a model.
	 * @param json the text
	 * @return the model
	 * @throws InvalidModelException if it is no valid model; the message names the member
	 */
	public PlacementModel read(String json) {
		try (JsonParser parser = this.mapper.createParser(json)) {
			return read(parser);
		}
	}

	private static PlacementModel read(JsonParser parser) {
		ModelReader reader = new ModelReader();
		Map<String, Function<JsonMember, Object>> elements = Map.of("services", ModelJson::service, "hosts",
				ModelJson::host, "edges", (edge) -> edge(edge, reader), "separations", ModelJson::separation,
				"preferences", ModelJson::preference, "routes", (route) -> route(route, reader));
		JsonMember root;
		try {
			root = reader.read(parser, elements);
		}
		catch (JacksonIOException ex) {
			throw ex;
		}
		catch (JacksonException ex) {
			// Where an unfinished object begins is hidden by the parser.
			throw new InvalidModelException(
					"This is no JSON: " + ex.getOriginalMessage().replaceAll(" \\(start marker at .*|: enable `.*", "")
							+ ((ex.getLocation() != null) ? ", line " + ex.getLocation().getLineNr() : ""));
		}
		root.only("$schema", "format", "version", "services", "hosts", "edges", "separations", "pathCosts", "objective",
				"current", "mayConcentrate", "doubts", "routes", "prices", "jvmSharing", "preferences");
		root.text("$schema", "");
		if (!root.text("format", "").equals(FORMAT) || root.integer("version", 0, 0, Integer.MAX_VALUE) != VERSION) {
			throw new InvalidModelException(
					"A model begins with \"format\": \"%s\", \"version\": %d; this one says '%s', %d".formatted(FORMAT,
							VERSION, root.text("format", ""), root.integer("version", 0, 0, Integer.MAX_VALUE)));
		}
		List<Service> services = reader.list("services", Service.class);
		JsonMember costs = root.object("pathCosts");
		JsonMember current = root.object("current");
		JsonMember doubts = root.object("doubts");
		JsonMember prices = root.object("prices");
		JsonMember sharing = root.object("jvmSharing");
		return new PlacementModel(services, reader.list("hosts", Host.class), reader.list("edges", Edge.class),
				reader.list("separations", Separation.class), (costs != null) ? pathCosts(costs) : PathCosts.defaults(),
				objective(root.object("objective")), (current != null) ? plan(current) : null,
				concentrating(root, services), (doubts != null) ? doubts(doubts) : Doubts.none(),
				reader.list("routes", Route.class), (prices != null) ? prices(prices) : null,
				(sharing != null) ? sharing(sharing) : JvmSharing.none(), reader.list("preferences", Preference.class));
	}

	private static Set<String> concentrating(JsonMember root, List<Service> services) {
		Set<String> names = root.texts("mayConcentrate");
		for (String name : names) {
			if (services.stream().noneMatch((service) -> service.name().equals(name))) {
				throw root.wrong("mayConcentrate names '%s', which is not among the services".formatted(name));
			}
		}
		return names;
	}

	private static Doubts doubts(JsonMember doubts) {
		doubts.only("notSeen", "unlocated", "unanswered");
		return new Doubts(List.copyOf(doubts.texts("notSeen")), doubts.texts("unlocated"),
				List.copyOf(doubts.texts("unanswered")));
	}

	private static Service service(JsonMember service) {
		service.only("name", "replicas", "demand", "ports", "maxPerHost", "zones", "pinnedTo", "demandFrom");
		Set<Integer> ports = new TreeSet<>();
		service.list("ports").forEach((port) -> ports.add((int) port.asInteger(1, 65535)));
		return new Service(service.text("name"), (int) service.integer("replicas", 1, 1, Service.MAX_REPLICAS),
				resources(service.object("demand")), ports,
				(int) service.integer("maxPerHost", Integer.MAX_VALUE, 1, Integer.MAX_VALUE), service.texts("zones"),
				service.texts("pinnedTo"), demandFrom(service.object("demandFrom")));
	}

	private static Map<String, String> demandFrom(@Nullable JsonMember member) {
		Map<String, String> from = new TreeMap<>();
		if (member != null) {
			member.members().keySet().forEach((resource) -> from.put(resource, member.text(resource)));
		}
		return from;
	}

	private static Host host(JsonMember host) {
		host.only("name", "zone", "capacity", "reserve", "maxReplicas");
		return new Host(host.text("name"), host.text("zone", ""), resources(host.object("capacity")),
				resources(host.object("reserve")),
				(int) host.integer("maxReplicas", Integer.MAX_VALUE, 0, Integer.MAX_VALUE));
	}

	private static Resources resources(@Nullable JsonMember member) {
		TreeMap<String, Long> amounts = new TreeMap<>();
		if (member != null) {
			member.members().forEach((name, amount) -> amounts.put(name, amount.asInteger(0, Resources.MAX_AMOUNT)));
		}
		return new Resources(amounts);
	}

	private static Edge edge(JsonMember edge, ModelReader reader) {
		edge.only("from", "to", "callsPerSecond", "applicationBytesPerSecond", "wireBytesPerSecond",
				"hopBytesPerSecond", "p90LatencyMicros", "evidence");
		JsonMember evidence = edge.object("evidence");
		return new Edge(reader.shared(edge.text("from")), reader.shared(edge.text("to")), edge.number("callsPerSecond"),
				edge.number("applicationBytesPerSecond"), edge.number("wireBytesPerSecond"),
				edge.number("hopBytesPerSecond"), edge.number("p90LatencyMicros"),
				reader.shared((evidence != null) ? evidence(evidence) : null));
	}

	private static Route route(JsonMember route, ModelReader reader) {
		route.only("name", "callsPerSecond", "criticalPath", "p99Micros", "sloMicros", "evidence");
		JsonMember evidence = route.object("evidence");
		return new Route(route.text("name"), route.number("callsPerSecond"),
				route.list("criticalPath").stream().map(ModelJson::hop).toList(), route.number("p99Micros"),
				route.number("sloMicros"), reader.shared((evidence != null) ? evidence(evidence) : null));
	}

	private static Route.Hop hop(JsonMember hop) {
		hop.only("from", "to", "calls");
		return new Route.Hop(hop.text("from"), hop.text("to"), hop.number("calls", 1));
	}

	private static Prices prices(JsonMember prices) {
		prices.only("currency", "perCoreHour", "perHostHour");
		return new Prices(prices.text("currency"), prices.number("perCoreHour", 0), prices.number("perHostHour", 0));
	}

	private static JvmSharing sharing(JsonMember sharing) {
		sharing.only("groups", "savedMib");
		if (sharing.list("groups").isEmpty()) {
			throw sharing.wrong("'groups' is missing; without groups nothing shares a JVM");
		}
		return new JvmSharing(sharing.list("groups").stream().map(JsonMember::asTexts).toList(),
				sharing.integer("savedMib", JvmSharing.DEFAULT_SAVED_MIB, 0, Resources.MAX_AMOUNT));
	}

	private static Evidence evidence(JsonMember evidence) {
		evidence.only("source", "samples", "windowSeconds", "partial", "note");
		double seconds = evidence.number("windowSeconds", 0);
		if (!(seconds >= 0 && seconds <= 1e10)) {
			throw evidence.wrong("windowSeconds is %s; it must be between 0 and 1e10".formatted(seconds));
		}
		return new Evidence(evidence.text("source", Evidence.GIVEN), evidence.integer("samples", 0, 0, Long.MAX_VALUE),
				Duration.ofMillis(Math.round(seconds * 1000)), evidence.flag("partial"), evidence.text("note", ""));
	}

	private static Separation separation(JsonMember separation) {
		separation.only("services", "scope", "reason", "maximum");
		String scope = separation.text("scope", "host");
		if (!scope.equals("host") && !scope.equals("zone")) {
			throw separation.wrong("scope is '%s'; it is host or zone".formatted(scope));
		}
		return new Separation(List.copyOf(separation.texts("services")),
				scope.equals("host") ? Separation.Scope.HOST : Separation.Scope.ZONE, separation.text("reason", ""),
				(int) separation.integer("maximum", 1, 1, Integer.MAX_VALUE));
	}

	private static Preference preference(JsonMember preference) {
		preference.only("services", "weight", "reason");
		Double weight = preference.number("weight");
		if (weight == null) {
			throw preference.wrong("'weight' is missing; that of traffic is 1 unless the objective says otherwise");
		}
		return new Preference(List.copyOf(preference.texts("services")), weight, preference.text("reason", ""));
	}

	private static PathCosts pathCosts(JsonMember costs) {
		costs.only("sameHost", "otherHost", "otherZone", "sameJvm");
		JsonMember near = costs.object("sameHost");
		JsonMember far = costs.object("otherHost");
		if (near == null || far == null) {
			throw costs.wrong("both sameHost and otherHost are needed");
		}
		JsonMember zone = costs.object("otherZone");
		JsonMember jvm = costs.object("sameJvm");
		return new PathCosts(pathCost(near), pathCost(far), (zone != null) ? pathCost(zone) : null,
				(jvm != null) ? pathCost(jvm) : null);
	}

	private static PathCost pathCost(JsonMember cost) {
		cost.only("path", "latencyMicros", "latencyMicrosPerKib", "cpuMicros", "cpuMicrosPerKib", "relativeError");
		return new PathCost(cost.text("path"), cost.number("latencyMicros", 0), cost.number("latencyMicrosPerKib", 0),
				cost.number("cpuMicros", 0), cost.number("cpuMicrosPerKib", 0), cost.number("relativeError", 0));
	}

	private static Objective objective(@Nullable JsonMember objective) {
		if (objective == null) {
			return Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM);
		}
		objective.only("edgeWeight", "routing", "communication", "imbalance", "moves", "hosts", "memory");
		return new Objective(EdgeWeight.of(objective.text("edgeWeight", EdgeWeight.CALLS.id())),
				Routing.of(objective.text("routing", Routing.UNIFORM.id())), objective.number("communication", 1),
				objective.number("imbalance", 0), objective.number("moves", 0), objective.number("hosts", 0),
				objective.number("memory", Objective.DEFAULT_MEMORY));
	}

	/**
	 * Reads a plan: an object by service of objects by host of numbers of replicas.
	 */
	private static Plan plan(JsonMember plan) {
		Map<String, Map<String, Integer>> replicas = new LinkedHashMap<>();
		plan.members().forEach((service, byHost) -> {
			Map<String, Integer> counts = new TreeMap<>();
			byHost.members().forEach((host, count) -> counts.put(host, (int) count.asInteger(0, Service.MAX_REPLICAS)));
			replicas.put(service, counts);
		});
		return new Plan(replicas);
	}

	/**
	 * Writes a model.
	 * @param model the model
	 * @return JSON that {@link #read(String)} reads to an equal model
	 */
	public String write(PlacementModel model) {
		return this.mapper.writerWithDefaultPrettyPrinter().writeValueAsString(ModelDescriptor.of(model));
	}

}
