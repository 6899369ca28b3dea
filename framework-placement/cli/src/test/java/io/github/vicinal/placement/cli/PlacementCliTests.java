package io.github.vicinal.placement.cli;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.sun.net.httpserver.HttpServer;
import io.github.vicinal.placement.model.ModelJson;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class PlacementCliTests {

	private static final String INSTANCE = """
			4 2 3
			500 512
			500 512
			500 512
			500 512
			1000 2048
			1000 2048
			0 1 10
			1 2 1
			2 3 5
			""";

	private final StringWriter out = new StringWriter();

	private final StringWriter err = new StringWriter();

	@TempDir
	@SuppressWarnings("NullAway.Init")
	private Path directory;

	private int run(String... arguments) {
		CommandLine commandLine = PlacementCli.commandLine();
		commandLine.setOut(new PrintWriter(this.out)).setErr(new PrintWriter(this.err));
		return commandLine.execute(arguments);
	}

	private String file(String name, String text) throws IOException {
		return Files.writeString(this.directory.resolve(name), text).toString();
	}

	@Test
	void namesItsVersion() {
		assertThat(run("--version")).isZero();
		assertThat(run("solve", "--version")).isZero();
		assertThat(this.out.toString().lines()).hasSize(2).allMatch((line) -> line.startsWith("vicinal-placement "));
	}

	@Test
	void solvesAnInstance() throws IOException {
		Path json = this.directory.resolve("out.json");
		assertThat(
				run("solve", "--instance", file("small", INSTANCE), "--iterations", "20000", "--json", json.toString()))
			.isZero();
		assertThat(this.out.toString()).contains("Traffic between hosts: 6.250 % of calls (routing: uniform)")
			.contains("Verified: feasible")
			.contains("h0: ")
			.contains("seed 1")
			.containsPattern("s0, s1 {2}\\(cpuMillis 1000/1000");
		assertThat(Files.readString(json)).contains("\"format\" : \"vicinal-placement-recommendation\"")
			.contains("\"crossHostShare\" : 0.0625");
	}

	@Test
	void theSameSeedGivesTheSamePlan() throws IOException {
		String instance = file("small", INSTANCE);
		run("solve", "--instance", instance, "--iterations", "5000", "--seed", "7");
		String first = this.out.toString().replaceAll("in [0-9.]+ s", "");
		this.out.getBuffer().setLength(0);
		run("solve", "--instance", instance, "--iterations", "5000", "--seed", "7");
		assertThat(this.out.toString().replaceAll("in [0-9.]+ s", "")).isEqualTo(first);
	}

	@Test
	void solvesAModelWithinAMoveBudget() throws IOException {
		String model = file("model.json", """
				{ "format": "vicinal-placement-model", "version": 1,
				  "services": [ { "name": "a", "demand": { "cpuMillis": 500 } },
				    { "name": "b", "demand": { "cpuMillis": 500 } },
				    { "name": "c", "demand": { "cpuMillis": 500 } } ],
				  "hosts": [ { "name": "x", "capacity": { "cpuMillis": 1500 } },
				    { "name": "y", "capacity": { "cpuMillis": 1500 } } ],
				  "edges": [ { "from": "a", "to": "b", "callsPerSecond": 1000 },
				    { "from": "b", "to": "c", "callsPerSecond": 10 } ],
				  "current": { "a": { "x": 1 }, "b": { "y": 1 }, "c": { "y": 1 } } }
				""");
		assertThat(run("solve", "--model", model, "--iterations", "20000", "--max-moves", "1")).isZero();
		assertThat(this.out.toString()).contains("Move: a x -> y")
			.contains("before: 99.010 %")
			.contains("Traffic between hosts: 0.000 %")
			.contains("Recommendation: apply, it pays");
	}

	@Test
	void badInputNamesTheLine() throws IOException {
		assertThat(run("solve", "--instance", file("cut", INSTANCE.substring(0, 38)))).isEqualTo(2);
		assertThat(this.err.toString()).contains("cut, line").contains("truncated");
	}

	@Test
	void badUsageSaysWhatThereIs() throws IOException {
		assertThat(run("solve")).isEqualTo(2);
		assertThat(this.err.toString()).contains("--instance").contains("--model");
		assertThat(run("solve", "--instance", file("small", INSTANCE), "--solver", "magic")).isEqualTo(2);
		assertThat(this.err.toString()).contains("no solver 'magic'").contains("vicinal");
		assertThat(run("solve", "--instance", file("small", INSTANCE), "--time", "soon")).isEqualTo(2);
		assertThat(this.err.toString()).contains("'soon' is not a time");
		assertThat(run("solve", "--instance", file("small", INSTANCE), "--max-moves", "3")).isEqualTo(2);
		assertThat(this.err.toString()).contains("does not say where replicas run now");
	}

	@Test
	void aMissingFileIsAnErrorWithoutAStackTrace() {
		assertThat(run("solve", "--instance", "nowhere")).isEqualTo(2);
		assertThat(this.err.toString()).contains("nowhere").doesNotContain("\tat ");
	}

	private static final String COMPOSE = """
			services:
			  shop:
			    cpus: 0.5
			    mem_limit: 256m
			    depends_on: [ orders ]
			  orders: { cpus: 0.5, mem_limit: 256m }
			  stock: { cpus: 0.5, mem_limit: 256m }
			""";

	private static final String LINKS = """
			[ { "parent": "shop", "child": "orders", "callCount": 6000 },
			  { "parent": "orders", "child": "stock", "callCount": 60 },
			  { "parent": "shop", "child": "mail", "callCount": 600 } ]
			""";

	@Test
	void aComposeFileAndTracesMakeAPlan() throws IOException {
		Path svg = this.directory.resolve("plan.svg");
		Path dot = this.directory.resolve("plan.dot");
		Path override = this.directory.resolve("override.yml");
		Path model = this.directory.resolve("model.json");
		assertThat(run("solve", "--compose", file("compose.yml", COMPOSE), "--host", "a=1000:1024", "--host",
				"b=1000:1024:west", "--traffic", "zipkin=" + file("links.json", LINKS), "--iterations", "20000",
				"--minimum-calls", "50", "--explain", "--svg", svg.toString(), "--dot", dot.toString(),
				"--compose-override", override.toString(), "--model-out", model.toString()))
			.as(this.err.toString())
			.isZero();
		assertThat(this.out.toString()).contains("Traffic between hosts: 0.990 % of calls")
			.contains("Not seen: 'mail' is not among the services")
			.contains("orders -> stock")
			.contains("stock does not go to")
			.contains("it needs 500 of cpuMillis, and 0 are left");
		assertThat(Files.readString(svg)).startsWith("<svg").contains("orders").endsWith("</svg>\n");
		assertThat(Files.readString(dot)).startsWith("digraph").contains("\"shop@").contains("label=\"10\"");
		assertThat(Files.readString(override)).contains("services:", "orders:", "node.hostname == ");
		this.out.getBuffer().setLength(0);
		assertThat(run("solve", "--model", model.toString(), "--iterations", "20000", "--figure", "annotated", "--svg",
				svg.toString()))
			.isZero();
		assertThat(this.out.toString()).contains("0.990 %").contains("partial");
		assertThat(Files.readString(svg)).contains(">10<");
	}

	@Test
	void edgesWithTooFewSampledCallsAreLeftOutAndNamed() throws IOException {
		assertThat(run("solve", "--compose", file("compose.yml", COMPOSE), "--host", "a=9000:9000", "--traffic",
				"zipkin=" + file("links.json", LINKS), "--iterations", "1000"))
			.isZero();
		assertThat(this.out.toString())
			.contains("Not seen: 'orders' -> 'stock': 60 sampled calls are less than the 100 that count as evidence");
	}

	@Test
	void defaultsOfPathCostsAreSaid() throws IOException {
		String model = SPREAD.replace("\"edges\"",
				"\"current\": { \"a\": { \"x\": 2 }, \"b\": { \"y\": 2 } }, \"edges\"");
		assertThat(run("solve", "--model", file("model.json", model), "--iterations", "1000")).isZero();
		assertThat(this.out.toString()).contains("Not seen: what calls cost here; the defaults stand");
	}

	/** Another instance reports over HTTP as the endpoint does. */
	@Test
	void pathCostsComeFromTheInstancesThatAreAsked() throws IOException {
		String report = """
				{ "format": "vicinal-placement-instance", "version": 1, "service": "%s", "instance": "%s", "host": "h",
				  "uptimeSeconds": 100, "incomingCalls": 1000, "incomingSeconds": 0.02, "outgoing": [ %s ] }""";
		String call = """
				{ "target": "b", "instance": "i-b", "path": "shm", "calls": 1000, "cost": { "fixedNanos": 33000 } }""";
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/", (exchange) -> {
			String name = exchange.getRequestURI().getPath().substring(1, 2);
			byte[] body = report.formatted(name, "i-" + name, name.equals("a") ? call : "")
				.getBytes(StandardCharsets.UTF_8);
			exchange.sendResponseHeaders(200, body.length);
			exchange.getResponseBody().write(body);
			exchange.close();
		});
		server.start();
		Path out = this.directory.resolve("observed.json");
		try {
			String base = "http://127.0.0.1:" + server.getAddress().getPort();
			assertThat(run("solve", "--model", file("model.json", SPREAD), "--iterations", "1000", "--traffic",
					"instances=%s/a,%s/b".formatted(base, base), "--model-out", out.toString()))
				.as(this.err.toString())
				.isZero();
		}
		finally {
			server.stop(0);
		}
		assertThat(this.out.toString()).contains("Not seen: the cost of calls between hosts: nobody measured it");
		assertThat(new ModelJson().read(out).pathCosts().sameHost().latencyMicros()).isCloseTo(13, within(1e-6));
	}

	@Test
	void unreadableInputSaysWhatToDo() throws IOException {
		String compose = file("compose.yml", COMPOSE);
		assertThat(run("solve", "--compose", compose)).isEqualTo(2);
		assertThat(this.err.toString()).contains("--host a=8000:16384");
		refused("'lots'", "solve", "--compose", compose, "--host", "lots");
		refused("prometheus=URL", "solve", "--compose", compose, "--host", "a=1:1", "--traffic", "gossip");
		refused("larger than any host", "solve", "--compose", compose, "--host", "a=100:1024");
		refused("needs --names", "solve", "--compose", compose, "--host", "a=9000:9000", "--traffic", "pcap=x");
		refused("http://127.0.0.1:1", "solve", "--compose", compose, "--host", "a=9000:9000", "--traffic",
				"prometheus=http://127.0.0.1:1");
		refused("Is it running", "solve", "--model", "http://127.0.0.1:1/actuator/vicinalplacement/model");
		refused("no address", "solve", "--compose", compose, "--host", "a=9000:9000", "--traffic",
				"prometheus=ftp://x");
		refused("compose.yml, line 2", "solve", "--compose", file("compose.yml", COMPOSE.substring(0, 26)), "--host",
				"a=1:1");
	}

	private void refused(String message, String... arguments) {
		this.err.getBuffer().setLength(0);
		assertThat(run(arguments)).isNotZero();
		assertThat(this.err.toString()).contains(message).doesNotContain("\tat ");
	}

	/** With and without declared dependencies the evidence is the same: none. */
	@Test
	void aComposeFileAloneGivesNoVerdict() throws IOException {
		for (String text : List.of(COMPOSE, COMPOSE.replace("    depends_on: [ orders ]\n", ""))) {
			this.out.getBuffer().setLength(0);
			assertThat(run("solve", "--compose", file("compose.yml", text), "--host", "a=9000:9000", "--iterations",
					"1000"))
				.as(this.err.toString())
				.isZero();
			assertThat(this.out.toString())
				.startsWith("Recommendation: undecided, nobody measured calls between the services")
				.contains("Traffic between hosts: not known, no calls were measured (routing: uniform)")
				.contains("Not known: how far from the best plan this is, as no calls were measured")
				.doesNotContain("Proven")
				.doesNotContain("% of calls");
		}
		this.out.getBuffer().setLength(0);
		run("solve", "--compose", file("compose.yml", COMPOSE.replaceAll("cpus: 0.5,? ?", "")), "--host", "a=9000:9000",
				"--iterations", "1000", "--sampled", "1", "--traffic", "zipkin=" + file("links.json", LINKS));
		assertThat(this.out.toString()).startsWith("Recommendation: undecided, nobody says how much cpuMillis")
			.contains("Assumed: 'orders', 'shop', 'stock' need no cpuMillis: nobody says how much");
	}

	@Test
	void whereFiguresComeFromIsExplained() throws IOException {
		String model = file("model.json", """
				{ "format": "vicinal-placement-model", "version": 1,
				  "services": [
				    { "name": "a", "demand": { "cpuMillis": 500, "memoryMiB": 400 },
				      "demandFrom": { "memoryMiB": "peak 347 MiB plus 15 %" } },
				    { "name": "b" } ],
				  "hosts": [ { "name": "x", "capacity": { "cpuMillis": 1500, "memoryMiB": 1000 } } ] }
				""");
		assertThat(run("solve", "--model", model, "--iterations", "1000", "--explain")).as(this.err.toString())
			.isZero();
		assertThat(this.out.toString()).contains(
				"  a: cpuMillis 500 (as the model states), memoryMiB 400 (peak 347 MiB plus 15 %)",
				"  b: nobody says what", "No calls were measured, between hosts or within.");
	}

	@ParameterizedTest
	@ValueSource(strings = { "24h", "1d" })
	void timesMayBeHoursAndDays(String window) throws IOException {
		assertThat(run("solve", "--compose", file("compose.yml", COMPOSE), "--host", "a=9000:9000", "--iterations",
				"1000", "--window", window, "--traffic", "zipkin=" + file("links.json", LINKS)))
			.as(this.err.toString())
			.isZero();
	}

	/** A part of all calls that nobody states can be any part. */
	@Test
	void sampledCallsAreEvidenceOnceTheirPartIsStated() throws IOException {
		String[] zipkin = { "solve", "--compose", file("compose.yml", COMPOSE), "--host", "a=9000:9000", "--iterations",
				"1000", "--traffic", "zipkin=" + file("links.json", LINKS) };
		assertThat(run(zipkin)).isZero();
		assertThat(this.out.toString()).startsWith("Recommendation: undecided, all evidence of what moves is partial");
		this.out.getBuffer().setLength(0);
		String[] stated = Arrays.copyOf(zipkin, zipkin.length + 2);
		stated[zipkin.length] = "--sampled";
		stated[zipkin.length + 1] = "0.5";
		assertThat(run(stated)).isZero();
		assertThat(this.out.toString()).startsWith("Recommendation: apply");
		stated[zipkin.length + 1] = "5";
		refused("--sampled: The sampled part is 5.0; it must be above 0 and at most 1", stated);
	}

	@Test
	void concessionsArePrintedFirst() throws IOException {
		String model = file("model.json", """
				{ "format": "vicinal-placement-model", "version": 1,
				  "services": [ { "name": "a", "replicas": 2, "demand": { "cpuMillis": 5 } },
				    { "name": "b", "replicas": 2, "demand": { "cpuMillis": 5 } } ],
				  "hosts": [ { "name": "x", "zone": "n", "capacity": { "cpuMillis": 100 } },
				    { "name": "y", "zone": "s", "capacity": { "cpuMillis": 100 } } ],
				  "edges": [ { "from": "a", "to": "b", "callsPerSecond": 8000 } ],
				  "current": { "a": { "x": 1, "y": 1 }, "b": { "x": 1, "y": 1 } } }""");
		assertThat(run("solve", "--model", model, "--iterations", "5000")).isZero();
		assertThat(this.out.toString()).startsWith("Recommendation: keep");
		this.out.getBuffer().setLength(0);
		assertThat(run("solve", "--model", model, "--iterations", "5000", "--concentrate", "a,b")).isZero();
		assertThat(this.out.toString())
			.startsWith("Gives up: 'a' runs on 1 host instead of 2 and in 1 zone instead of 2")
			.contains("Recommendation: apply");
		refused("--concentrate names 'c', which is not among the services [a, b]", "solve", "--model", model,
				"--concentrate", "c");
	}

	@Test
	void theOverrideMakesTheMovesThatAreWorthMaking() throws IOException {
		String model = file("model.json",
				"""
						{ "format": "vicinal-placement-model", "version": 1,
						  "services": [ { "name": "a", "demand": { "cpuMillis": 500 } }, { "name": "b", "demand": { "cpuMillis": 500 } },
						    { "name": "c", "demand": { "cpuMillis": 500 } }, { "name": "d", "demand": { "cpuMillis": 500 } } ],
						  "hosts": [ { "name": "x", "capacity": { "cpuMillis": 1000 } }, { "name": "y", "capacity": { "cpuMillis": 1000 } },
						    { "name": "z", "capacity": { "cpuMillis": 1000 } } ],
						  "edges": [ { "from": "a", "to": "b", "callsPerSecond": 5000 }, { "from": "c", "to": "d", "callsPerSecond": 1 } ],
						  "current": { "a": { "x": 1 }, "b": { "y": 1 }, "c": { "x": 1 }, "d": { "z": 1 } } }""");
		Map<String, Integer> together = new LinkedHashMap<>();
		for (String moves : List.of("all", "worthwhile", "1", "0", "99")) {
			Path override = this.directory.resolve(moves + ".yml");
			assertThat(run("solve", "--model", model, "--iterations", "5000", "--compose-override", override.toString(),
					"--override-moves", moves))
				.as(this.err.toString())
				.isZero();
			Map<String, String> on = new LinkedHashMap<>();
			Matcher matcher = Pattern.compile("(?m)^  ([abcd]):$[^=]*node.hostname == ([xyz])$")
				.matcher(Files.readString(override));
			while (matcher.find()) {
				on.put(matcher.group(1), matcher.group(2));
			}
			assertThat(on).hasSize(4);
			together.put(moves, (on.get("a").equals(on.get("b")) ? 1 : 0) + (on.get("c").equals(on.get("d")) ? 2 : 0));
		}
		assertThat(together).isEqualTo(Map.of("all", 3, "worthwhile", 1, "1", 1, "0", 0, "99", 3));
		assertThat(this.directory.resolve("worthwhile.yml")).content().contains("# The first 1 of 2 moves");
		refused("--override-moves is 'some'; it is all, worthwhile or a number", "solve", "--model", model,
				"--compose-override", this.directory.resolve("some.yml").toString(), "--override-moves", "some");
	}

	/** Swarm spreads replicas over the hosts that constraints leave. */
	@Test
	void theOverrideKeepsReplicasOnTheirHosts() throws IOException {
		String model = file("model.json",
				"""
						{ "format": "vicinal-placement-model", "version": 1,
						  "services": [ { "name": "a", "replicas": 2, "demand": { "cpuMillis": 5 } },
						    { "name": "b", "replicas": 3, "demand": { "cpuMillis": 5 } },
						    { "name": "every", "replicas": 4, "maxPerHost": 1, "demand": { "cpuMillis": 5 } },
						    { "name": "one", "demand": { "cpuMillis": 5 } } ],
						  "hosts": [ { "name": "w", "capacity": { "cpuMillis": 100 } }, { "name": "x", "capacity": { "cpuMillis": 100 } },
						    { "name": "y", "capacity": { "cpuMillis": 100 } }, { "name": "z", "capacity": { "cpuMillis": 100 } } ],
						  "current": { "a": { "x": 1, "y": 1 }, "b": { "x": 2, "y": 1 }, "one": { "z": 1 },
						    "every": { "w": 1, "x": 1, "y": 1, "z": 1 } } }""");
		Path override = this.directory.resolve("override.yml");
		assertThat(run("solve", "--model", model, "--iterations", "1000", "--compose-override", override.toString()))
			.as(this.err.toString())
			.isZero();
		List<String> others = List.of("node.hostname != w", "node.hostname != z");
		Map<String, Object> services = Map.of("a", placed(Map.of("constraints", others, "max_replicas_per_node", 1)),
				"b", placed(Map.of("constraints", others, "max_replicas_per_node", 2)), "one",
				placed(Map.of("constraints", List.of("node.hostname == z"))));
		String text = Files.readString(override);
		assertThat(new Yaml().<Object>load(text)).isEqualTo(Map.of("services", services));
		assertThat(text).contains("# Swarm decides which of their hosts run more: [b {x=2, y=1}]");
	}

	/**
	 * A host that is drained, or that the model leaves out: each move that leaves it is
	 * printed, and neither override leaves anything there.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "", ", { \"name\": \"old\", \"capacity\": { \"cpuMillis\": 100 }, \"maxReplicas\": 0 }" })
	void movesAndOverridesEmptyADrainedHost(String drained) throws IOException {
		String model = file("model.json",
				"""
						{ "format": "vicinal-placement-model", "version": 1,
						  "services": [ { "name": "a", "replicas": 2, "demand": { "cpuMillis": 5 } }, { "name": "b", "demand": { "cpuMillis": 5 } },
						    { "name": "c", "demand": { "cpuMillis": 5 } }, { "name": "d", "demand": { "cpuMillis": 5 } } ],
						  "hosts": [ { "name": "x", "capacity": { "cpuMillis": 100 } }, { "name": "y", "capacity": { "cpuMillis": 100 } }%s ],
						  "edges": [ { "from": "c", "to": "d", "callsPerSecond": 5000 } ],
						  "current": { "a": { "x": 1, "old": 1 }, "b": { "old": 1 }, "c": { "x": 1 }, "d": { "y": 1 } } }"""
					.formatted(drained));
		for (String moves : List.of("all", "worthwhile")) {
			Path override = this.directory.resolve(moves + ".yml");
			this.out.getBuffer().setLength(0);
			assertThat(run("solve", "--model", model, "--iterations", "5000", "--compose-override", override.toString(),
					"--override-moves", moves))
				.as(this.err.toString())
				.isZero();
			assertThat(this.out.toString()).contains("Recommendation: apply", "Move: a old -> y", "Move: b old -> ")
				.doesNotContain("does not fit");
			assertThat(override).content()
				.contains("  a:\n    deploy:\n      placement:\n        constraints:\n        - node.hostname != old\n")
				.containsPattern("  b:\n +deploy:\n +placement:\n +constraints:\n +- node.hostname == [xy]\n")
				.doesNotContain("== old");
		}
	}

	private static Map<String, Object> placed(Map<String, Object> placement) {
		return Map.of("deploy", Map.of("placement", placement));
	}

	@Test
	void numbersOutOfRangeAreNamed() throws IOException {
		String[] solve = { "solve", "--instance", file("small", INSTANCE) };
		refused("--max-moves is -5; it must be at least 0, or be left out for no limit",
				and(solve, "--max-moves", "-5"));
		refused("--iterations is 0; it must be at least 1", and(solve, "--iterations", "0"));
		refused("--minimum-calls is -1; it must be at least 0", and(solve, "--minimum-calls", "-1"));
		refused("'999999999m' is longer than 365 days", and(solve, "--time", "999999999m"));
		refused("--observe is for instances", and(solve, "--observe", "10s"));
		refused("--observe is 1000 ms; it must be at least 10 s",
				and(solve, "--observe", "1s", "--traffic", "instances=http://127.0.0.1:1"));
		refused("--json and --svg name one file", and(solve, "--json", "x", "--svg", "./x"));
		refused("--override-moves is '-1'", and(solve, "--override-moves", "-1", "--time", "1m"));
	}

	/** An option that would have no effect is a mistake. */
	@Test
	void optionsWithoutEffectAreRefused() throws IOException {
		String instance = file("small", INSTANCE);
		String compose = file("compose.yml", COMPOSE);
		refused("--override-moves is for an override; add --compose-override OUT, or leave it out", "solve",
				"--instance", instance, "--override-moves", "worthwhile");
		refused("--profile is for a compose file; leave it out, or give --compose FILE", "solve", "--instance",
				instance, "--profile", "dev");
		for (String option : List.of("--window=5m", "--minimum-calls=5", "--prometheus-matchers=a='b'", "--sampled=1",
				"--names=names.txt", "--bearer-token-file=token")) {
			refused(option.substring(0, option.indexOf('=')) + " is for --traffic ", "solve", "--instance", instance,
					option);
		}
		refused("--sampled is for --traffic zipkin=…; add one of these, or leave the option out", "solve", "--instance",
				instance, "--traffic", "pcap=x", "--names", "names.txt", "--sampled", "0.5");
		for (String option : List.of("--accept=user", "--saved-mib=10")) {
			refused(option.substring(0, option.indexOf('='))
					+ " is for files of services; add --application NAME=FILE, or leave it out", "solve", "--instance",
					instance, option);
		}
		refused("--host names 'a' twice", "solve", "--compose", compose, "--host", "a=9000:9000", "--host",
				"a=1000:9000");
		refused("--host 'a=-1:1': ", "solve", "--compose", compose, "--host", "a=-1:1");
		assertThat(run("solve", "--compose", compose, "--host", "a=9000:9000", "--iterations", "1000", "--profile",
				"nobody"))
			.isZero();
		assertThat(this.out.toString())
			.contains("Not seen: no service has the profile 'nobody'; the file has no profiles");
		refused("--slo names the route 'shop', but no routes are known; add --traffic zipkin=URL, which sees them, or write routes into the model",
				"solve", "--instance", instance, "--slo", "shop=10ms");
	}

	/** Nothing is searched for that could not be written, and the option is named. */
	@Test
	void anOutputThatCannotBeWrittenIsNamed() throws IOException {
		String[] solve = { "solve", "--instance", file("small", INSTANCE), "--time", "1m" };
		String none = this.directory.resolve("none").toString();
		refused("--json '%s/x.json': the directory '%s' does not exist; make it, or choose another place"
			.formatted(none, none), and(solve, "--json", none + "/x.json"));
		refused("--svg '%s' is a directory; give a file".formatted(this.directory),
				and(solve, "--svg", this.directory.toString()));
	}

	private static String[] and(String[] arguments, String... more) {
		return Stream.concat(Arrays.stream(arguments), Arrays.stream(more)).toArray(String[]::new);
	}

	/** Names that match no service leave an empty graph, in which all plans are alike. */
	@Test
	void trafficOfUnknownNamesIsNoEvidence() throws IOException {
		assertThat(run("solve", "--compose", file("compose.yml", COMPOSE), "--host", "a=9000:9000", "--iterations",
				"1000", "--traffic",
				"zipkin=" + file("links.json", LINKS.replaceAll("\"(shop|orders|stock)", "\"x-$1"))))
			.isZero();
		assertThat(this.out.toString()).startsWith("Recommendation: undecided, nobody measured calls")
			.contains("Not seen: 'x-");
	}

	@Test
	void headRoomIsLeftFree() throws IOException {
		String compose = file("compose.yml", COMPOSE);
		String links = "zipkin=" + file("links.json", LINKS);
		assertThat(run("solve", "--compose", compose, "--host", "a=1500:9000", "--host", "b=1500:9000", "--traffic",
				links, "--iterations", "1000", "--head-room", "30"))
			.isZero();
		assertThat(this.out.toString()).contains("cpuMillis 1000/1050", "cpuMillis 500/1050");
		refused("the largest has 150 after reserve and head-room", "solve", "--compose", compose, "--host",
				"a=1500:9000", "--head-room", "90");
		refused("The head-room is 101 %", "solve", "--compose", compose, "--host", "a=1500:9000", "--head-room", "101");
	}

	@Test
	void errorsAreShort() throws IOException {
		refused("There is no file 'nowhere'", "solve", "--instance", "nowhere");
		for (String option : List.of("--instance", "--model", "--compose")) {
			refused(option + " '.' is a directory", "solve", option, ".");
		}
		refused("--traffic '.' is a directory", "solve", "--model", "m.json", "--traffic", "zipkin=.");
		refused("--bearer-token-file '.' is a directory", "solve", "--model", "http://localhost:1",
				"--bearer-token-file", ".");
		refused("--host has 'lots'", "solve", "--compose", file("compose.yml", COMPOSE), "--host", "lots");
		assertThat(this.err.toString()).hasLineCount(2).contains("solve --help");
	}

	/** A small heap for a large model: a sentence, and no stack trace. */
	@Test
	@Timeout(120)
	void aModelThatDoesNotFitIntoTheHeapIsSaid() throws Exception {
		StringBuilder model = new StringBuilder(
				"{\"format\":\"vicinal-placement-model\",\"version\":1,\"services\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"hosts\":[{\"name\":\"x\"}],\"edges\":[");
		for (int e = 0; e < 200_000; e++) {
			model.append((e > 0) ? "," : "")
				.append("{\"from\":\"a\",\"to\":\"b\",\"callsPerSecond\":")
				.append(e)
				.append('}');
		}
		String file = file("large.json", model.append("]}").toString());
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx12m", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
				PlacementCli.class.getName(), "solve", "--model", file, "--iterations", "10")
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(output).isEqualTo(2);
		assertThat(output).contains("The model does not fit into", "MiB of heap").doesNotContain("\tat ");
	}

	/** A million edges between 5,000 services: the JVM as a whole stays below 1 GiB. */
	@Test
	@Tag("deep")
	@Timeout(240)
	void aMillionEdgesFitIntoAGibibyte() throws Exception {
		Path file = this.directory.resolve("large.json");
		try (BufferedWriter out = Files.newBufferedWriter(file)) {
			out.write("{\"format\":\"vicinal-placement-model\",\"version\":1,\"hosts\":[");
			for (int h = 0; h < 100; h++) {
				out.write("%s{\"name\":\"h%d\",\"capacity\":{\"cpuMillis\":60000}}".formatted((h > 0) ? "," : "", h));
			}
			out.write("],\"services\":[");
			for (int s = 0; s < 5000; s++) {
				out.write("%s{\"name\":\"s%d\",\"demand\":{\"cpuMillis\":1000}}".formatted((s > 0) ? "," : "", s));
			}
			out.write("],\"edges\":[");
			for (int e = 0; e < 1_000_000; e++) {
				out.write("%s{\"from\":\"s%d\",\"to\":\"s%d\",\"callsPerSecond\":%d}".formatted((e > 0) ? "," : "",
						e % 5000, (e % 5000 + 1 + e / 5000) % 5000, 1 + e % 97));
			}
			out.write("]}");
		}
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx800m", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
				PlacementCli.class.getName(), "solve", "--model", file.toString(), "--iterations", "200000", "--quiet")
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(output).isZero();
		assertThat(output).contains("Verified: feasible");
	}

	/** As Ctrl-C does through the hook. */
	@Test
	@Timeout(60)
	void anInterruptEndsTheSearchWithTheBestSoFar() throws IOException {
		// A ring of 40 services on four full hosts: too many placements to try all.
		StringBuilder ring = new StringBuilder("40 4 40\n" + "10 10\n".repeat(40) + "100 100\n".repeat(4));
		for (int s = 0; s < 40; s++) {
			ring.append(s).append(' ').append((s + 1) % 40).append(' ').append(1 + s % 7).append('\n');
		}
		String instance = file("ring", ring.toString());
		Path json = this.directory.resolve("best.json");
		Thread.currentThread().interrupt();
		try {
			assertThat(run("solve", "--instance", instance, "--time", "50s", "--json", json.toString()))
				.as(this.err.toString())
				.isZero();
		}
		finally {
			Thread.interrupted();
		}
		assertThat(this.out.toString()).contains("Verified: feasible", "stopped early");
		assertThat(json).content().contains("\"stopped\" : true");
	}

	private Process start(String... arguments) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
						System.getProperty("java.class.path"), PlacementCli.class.getName()));
		command.addAll(List.of(arguments));
		return new ProcessBuilder(command).start();
	}

	/** The same for a signal, which ends the JVM. */
	@Test
	@Timeout(60)
	void aSignalEndsTheSearchWithTheBestSoFar() throws Exception {
		StringBuilder ring = new StringBuilder("40 4 40\n" + "10 10\n".repeat(40) + "100 100\n".repeat(4));
		for (int s = 0; s < 40; s++) {
			ring.append(s).append(' ').append((s + 1) % 40).append(' ').append(1 + s % 7).append('\n');
		}
		Path json = this.directory.resolve("best.json");
		Process process = start("solve", "--instance", file("ring", ring.toString()), "--time", "50s", "--json",
				json.toString());
		try (BufferedReader progress = process.errorReader()) {
			assertThat(progress.readLine()).contains("objective");
			// That of the process itself would close its streams.
			process.toHandle().destroy();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			assertThat(process.waitFor()).isEqualTo(143);
			assertThat(output).contains("Verified: feasible", "stopped early");
		}
		finally {
			process.destroyForcibly();
		}
		assertThat(json).content().contains("\"stopped\" : true");
	}

	/** Two callers of different ages: 40 calls a second to 10. */
	@Test
	@Tag("deep")
	@Timeout(60)
	void observedInstancesHaveRatesThatAreDriven() throws IOException {
		String report = """
				{ "format": "vicinal-placement-instance", "version": 1, "service": "%s", "instance": "i-%s", "host": "h",
				  "uptimeSeconds": %f, "incomingCalls": 0, "incomingSeconds": 0, "outgoing": [ %s ] }""";
		String call = "{ \"target\": \"c\", \"path\": \"http\", \"calls\": %f }";
		long start = System.nanoTime();
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/", (exchange) -> {
			String name = exchange.getRequestURI().getPath().substring(1, 2);
			double seconds = (System.nanoTime() - start) / 1e9;
			double uptime = (name.equals("a") ? 5000 : 100) + seconds;
			String calls = String.format(Locale.ROOT, call, (name.equals("a") ? 40 : 10) * seconds);
			byte[] body = String.format(Locale.ROOT, report, name, name, uptime, name.equals("c") ? "" : calls)
				.getBytes(StandardCharsets.UTF_8);
			exchange.sendResponseHeaders(200, body.length);
			exchange.getResponseBody().write(body);
			exchange.close();
		});
		server.start();
		Path out = this.directory.resolve("observed.json");
		try {
			String base = "http://127.0.0.1:" + server.getAddress().getPort();
			assertThat(run("solve", "--compose", file("compose.yml",
					"services: { a: { cpus: 1, mem_limit: 1m }, b: { cpus: 1, mem_limit: 1m }, c: { cpus: 1, mem_limit: 1m } }"),
					"--host", "h=9000:9000", "--iterations", "1000", "--minimum-calls", "1", "--observe", "10s",
					"--traffic", "instances=%1$s/a,%1$s/b,%1$s/c".formatted(base), "--model-out", out.toString()))
				.as(this.err.toString())
				.isZero();
		}
		finally {
			server.stop(0);
		}
		assertThat(new ModelJson().read(out).edges()).hasSize(2).allSatisfy((edge) -> {
			double driven = edge.from().equals("a") ? 40 : 10;
			assertThat(edge.callsPerSecond()).isCloseTo(driven, within(0.05 * driven));
			assertThat(edge.evidence().partial()).isFalse();
		});
	}

	@Test
	void aBearerTokenAndMatchersAreSent() throws IOException {
		List<String> seen = new ArrayList<>();
		List<String> asked = new ArrayList<>();
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/", (exchange) -> {
			seen.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
			asked.add(exchange.getRequestURI().getQuery());
			exchange.sendResponseHeaders(401, -1);
			exchange.close();
		});
		server.start();
		try {
			String address = "prometheus=http://127.0.0.1:" + server.getAddress().getPort();
			refused("bearer token", "solve", "--compose", file("compose.yml", COMPOSE), "--host", "a=9000:9000",
					"--traffic", address, "--bearer-token-file", file("token", "s3cret\n"), "--prometheus-matchers",
					"env=\"prod\"");
			refused("printable characters", "solve", "--compose", file("compose.yml", COMPOSE), "--host", "a=9000:9000",
					"--traffic", address, "--bearer-token-file", file("token", "two words"));
		}
		finally {
			server.stop(0);
		}
		assertThat(seen).containsOnly("Bearer s3cret");
		assertThat(asked).anySatisfy((query) -> assertThat(query).contains("istio_requests_total{env=\"prod\"}[600s]"));
		assertThat(this.err.toString()).doesNotContain("s3cret", "two words");
	}

	@Test
	void longNamesAreBrokenAfterSeparators() {
		assertThat(Figure.wrapped("orders")).containsExactly("orders");
		assertThat(Figure.wrapped("ts-verification-code-service x2")).containsExactly("ts-", "verification-",
				"code-service x2");
		assertThat(Figure.wrapped("averyveryverylongname")).containsExactly("averyveryverylongname");
	}

	/**
	 * Three replicas each of services that all call each other, as a compose file says.
	 */
	@Test
	void replicasOfAComposeFileAreNotPutOnOneHost() throws IOException {
		String service = "{ cpus: 0.5, mem_limit: 256m, deploy: { replicas: 3 } }";
		String compose = file("compose.yml", "services: { shop: %1$s, orders: %1$s, stock: %1$s }".formatted(service));
		Path json = this.directory.resolve("out.json");
		assertThat(run("solve", "--compose", compose, "--host", "a=16000:16384:n", "--host", "b=16000:16384:s",
				"--host", "c=16000:16384:w", "--traffic", "zipkin=" + file("links.json", LINKS), "--sampled", "1",
				"--minimum-calls", "1", "--iterations", "20000", "--json", json.toString()))
			.as(this.err.toString())
			.isZero();
		assertThat(this.out.toString()).startsWith("Recommendation: apply, nothing is known to run yet")
			.contains("Assumed: nothing runs yet");
		JsonNode plan = JsonMapper.shared().readTree(Files.readString(json)).get("after").get("plan");
		for (String name : List.of("shop", "orders", "stock")) {
			assertThat(plan.get(name).size()).as(name).isGreaterThanOrEqualTo(2);
		}
	}

	/** Two replicas on the only two hosts: a constraint has nothing to say. */
	private static final String SPREAD = """
			{ "format": "vicinal-placement-model", "version": 1,
			  "services": [ { "name": "a", "replicas": 2, "maxPerHost": 1, "demand": { "cpuMillis": 5 } },
			    { "name": "b", "replicas": 2, "maxPerHost": 1, "demand": { "cpuMillis": 5 } } ],
			  "hosts": [ { "name": "x", "capacity": { "cpuMillis": 10 } },
			    { "name": "y", "capacity": { "cpuMillis": 10 } } ],
			  "edges": [ { "from": "a", "to": "b", "callsPerSecond": 8 } ] }
			""";

	@Test
	void anErrorLeavesNoFileBehind() throws IOException {
		String model = file("model.json", SPREAD);
		String json = this.directory.resolve("out.json").toString();
		String svg = this.directory.resolve("out.svg").toString();
		refused("A compose override would say nothing", "solve", "--model", model, "--iterations", "1000", "--json",
				json, "--svg", svg, "--compose-override", this.directory.resolve("override.yml").toString());
		refused("does not exist", "solve", "--model", model, "--iterations", "1000", "--json", json, "--svg", svg,
				"--dot", this.directory.resolve("nowhere").resolve("out.dot").toString());
		refused("is a directory", "solve", "--model", model, "--iterations", "1000", "--json", json, "--svg",
				this.directory.toString());
		try (Stream<Path> files = Files.list(this.directory)) {
			assertThat(files).extracting((file) -> file.getFileName().toString()).containsExactly("model.json");
		}
	}

	@Test
	@EnabledOnOs(OS.LINUX)
	void anOutputThatDoesNotFitIsNamed() throws IOException {
		String model = file("model.json", SPREAD);
		refused("'/dev/full' cannot be written (No space left on device)", "solve", "--model", model, "--iterations",
				"1000", "--json", "/dev/full");
		refused("'/proc/out.json' cannot be written", "solve", "--model", model, "--iterations", "1000", "--json",
				"/proc/out.json");
	}

	/** A search may take an hour. */
	@Test
	void outputsThatCannotBeWrittenAreNamedBeforeTheSearch() throws IOException {
		String model = file("model.json", SPREAD);
		refused("does not exist", "solve", "--model", model, "--iterations", "1000", "--json",
				this.directory.resolve("nowhere").resolve("out.json").toString());
		refused("is a directory", "solve", "--model", model, "--iterations", "1000", "--svg",
				this.directory.toString());
		assertThat(this.out.toString()).isEmpty();
	}

	/** /dev/stdout, for instance, must not become a file. */
	@Test
	@Timeout(60)
	void pipesAndLinksAreWrittenToAsTheyAre() throws Exception {
		Path pipe = this.directory.resolve("pipe");
		Process mkfifo = new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start();
		assertThat(mkfifo.waitFor()).isZero();
		Path linked = Files.writeString(this.directory.resolve("linked.dot"), "old");
		Path link = Files.createSymbolicLink(this.directory.resolve("link.dot"), linked);
		CompletableFuture<String> read = new CompletableFuture<>();
		Thread reader = new Thread(() -> {
			try {
				read.complete(Files.readString(pipe));
			}
			catch (IOException ex) {
				read.completeExceptionally(ex);
			}
		});
		reader.setDaemon(true);
		reader.start();
		assertThat(run("solve", "--model", file("model.json", SPREAD), "--iterations", "1000", "--json",
				pipe.toString(), "--dot", link.toString()))
			.as(this.err.toString())
			.isZero();
		assertThat(Files.isRegularFile(pipe)).isFalse();
		assertThat(read.get()).contains("vicinal-placement-recommendation");
		assertThat(link).isSymbolicLink();
		assertThat(Files.readString(linked)).startsWith("digraph");
	}

	/** A web server or another user reads what a job of operations wrote. */
	@Test
	void filesHaveThePermissionsOfOthersAndKeepTheirOwn() throws IOException {
		Path usual = Files.createFile(this.directory.resolve("usual"));
		Path kept = Files.createFile(this.directory.resolve("out.svg"));
		Files.setPosixFilePermissions(kept, PosixFilePermissions.fromString("rw-r-----"));
		Path json = this.directory.resolve("out.json");
		assertThat(run("solve", "--model", file("model.json", SPREAD), "--iterations", "1000", "--json",
				json.toString(), "--svg", kept.toString()))
			.as(this.err.toString())
			.isZero();
		assertThat(Files.getPosixFilePermissions(json)).isEqualTo(Files.getPosixFilePermissions(usual));
		assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept))).isEqualTo("rw-r-----");
		assertThat(Files.readString(kept)).startsWith("<svg");
	}

	/** A second run reads what the first one wrote. */
	@Test
	void sentencesOfOthersArePrintable() throws IOException {
		String compose = file("compose.yml",
				"services: { a: { cpus: 1, deploy: { placement: { constraints: [ \"node.role == \\e[2J\\nNot seen: nothing\" ] } } } }");
		Path model = this.directory.resolve("model.json");
		assertThat(run("solve", "--compose", compose, "--host", "h=8000:8192", "--iterations", "1000", "--model-out",
				model.toString()))
			.as(this.err.toString())
			.isZero();
		assertThat(this.out.toString()).doesNotContain("\u001B", "\nNot seen: nothing").contains("\\u001B[2J");
		assertThat(run("solve", "--model", model.toString(), "--iterations", "1000")).as(this.err.toString()).isZero();
	}

	@Test
	void textsInAnotherCharacterSetAreNamed() throws IOException {
		Path names = Files.write(this.directory.resolve("names.txt"), new byte[] { '1', ' ', (byte) 0xfc });
		Path token = Files.write(this.directory.resolve("token"), new byte[] { (byte) 0xfc });
		Path instance = Files.write(this.directory.resolve("instance"), new byte[] { (byte) 0xfc });
		String model = file("model.json", SPREAD);
		refused("names.txt' is no text in UTF-8", "solve", "--model", model, "--traffic", "pcap=x", "--names",
				names.toString());
		refused("token' is no text in UTF-8", "solve", "--model", model, "--traffic", "zipkin=http://localhost:1",
				"--bearer-token-file", token.toString());
		refused("instance' is no text in UTF-8", "solve", "--instance", instance.toString());
	}

	@Test
	void thatNothingIsKnownOfSharingAJvmIsSaidOnce() throws IOException {
		assertThat(run("solve", "--instance", file("small", INSTANCE), "--iterations", "20000")).isZero();
		assertThat(this.out.toString()).containsOnlyOnce("Not known: which services may share a JVM")
			.doesNotContain("May not share a JVM");
	}

	@Test
	void applicationsSayWhichServicesMayShareAJvm() throws IOException {
		String pom = "<project><parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId><version>%s</version><relativePath/></parent></project>";
		String newer = file("newer.xml", pom.formatted("4.1.1"));
		String older = file("older.xml", pom.formatted("2.7.18"));
		String instance = file("small", INSTANCE);
		assertThat(run("solve", "--instance", instance, "--iterations", "20000", "--application", "s0=" + newer,
				"--application", "s1=" + newer))
			.isZero();
		assertThat(this.out.toString()).contains("May share a JVM").contains("s0, s1");
		assertThat(run("solve", "--instance", instance, "--iterations", "20000", "--application", "s0=" + newer,
				"--application", "s1=" + older))
			.isZero();
		assertThat(this.out.toString()).contains("May not share a JVM").contains("'s1' has Spring Boot 2.7.18");
		refused("--application names 'typo', which is not among the services [s0, s1, s2, s3]", "solve", "--instance",
				instance, "--application", "typo=" + newer);
		refused("There is no file 'gone.jar'", "solve", "--instance", instance, "--application", "s0=gone.jar");
	}

	/** What was accepted for the layout stands in the way of no recommendation. */
	@Test
	void whatIsAcceptedKeepsNoServicesApart() throws IOException {
		Files.createDirectory(this.directory.resolve("app"));
		Files.createDirectory(this.directory.resolve("root"));
		String app = file("app/Dockerfile", "FROM eclipse-temurin:21-jre\nUSER app");
		String root = file("root/Dockerfile", "FROM eclipse-temurin:21-jre\nUSER root");
		String pom = file("pom.xml",
				"<project><parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId><version>4.1.1</version><relativePath/></parent></project>");
		List<String> line = new ArrayList<>(
				List.of("solve", "--instance", file("small", INSTANCE), "--iterations", "20000"));
		for (String each : List.of("s0=" + pom, "s0=" + app, "s1=" + pom, "s1=" + root)) {
			line.addAll(List.of("--application", each));
		}
		assertThat(run(line.toArray(String[]::new))).isZero();
		assertThat(this.out.toString()).contains("May not share a JVM").contains("they run as different users");
		line.addAll(List.of("--accept", "user"));
		assertThat(run(line.toArray(String[]::new))).isZero();
		assertThat(this.out.toString()).contains("May share a JVM").contains("s0, s1");
		line.addAll(List.of("--accept", "usr"));
		refused("There is no rule 'usr'", line.toArray(String[]::new));
	}

	/** Containers have a port each, and in one JVM they need different ones. */
	@Test
	void portsThatServicesGetAreThoseThatAreCompared() throws IOException {
		String image = file("Dockerfile", "FROM eclipse-temurin:21-jre\nEXPOSE 8080");
		String pom = file("pom.xml",
				"<project><parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId><version>4.1.1</version><relativePath/></parent></project>");
		List<String> line = new ArrayList<>(
				List.of("solve", "--instance", file("small", INSTANCE), "--iterations", "20000"));
		for (String each : List.of("s0=" + pom, "s0=" + image, "s1=" + pom, "s1=" + image)) {
			line.addAll(List.of("--application", each));
		}
		assertThat(run(line.toArray(String[]::new))).isZero();
		assertThat(this.out.toString()).contains("May not share a JVM").contains("--port s1=PORT");
		line.addAll(List.of("--port", "s1=8081"));
		assertThat(run(line.toArray(String[]::new))).isZero();
		assertThat(this.out.toString()).contains("May share a JVM").contains("s0, s1");
		line.addAll(List.of("--port", "s2=8081"));
		refused("--port names 's2', which no --application describes", line.toArray(String[]::new));
	}

	@Test
	void theServiceGraphIsDrawnWithoutWeightsAndHosts() throws IOException {
		Path svg = this.directory.resolve("graph.svg");
		assertThat(run("solve", "--instance", file("small", INSTANCE), "--iterations", "1000", "--figure", "graph",
				"--svg", svg.toString()))
			.isZero();
		String drawn = Files.readString(svg);
		assertThat(drawn.split("<circle", -1)).as("a circle for each service").hasSize(5);
		assertThat(drawn.split("<path", -1)).as("a line for each edge").hasSize(4);
		assertThat(drawn).contains(">s3</tspan>").doesNotContain(">10<", ">h0<");
		assertThat(run("solve", "--instance", file("small", INSTANCE), "--iterations", "1000", "--figure", "annotated",
				"--svg", svg.toString()))
			.isZero();
		assertThat(Files.readString(svg)).contains(">10<").doesNotContain(">h0<");
	}

	/** Drawing 1,000 services does not look at each edge for each pair of them. */
	@Test
	@Timeout(120)
	void largeGraphsAreDrawn() throws IOException {
		StringBuilder instance = new StringBuilder(
				"1000 20 50000\n" + "10 10\n".repeat(1000) + "1000 1000\n".repeat(20));
		for (int e = 0; e < 50_000; e++) {
			instance.append("%d %d 1\n".formatted(e % 1000, (e % 1000 + 1 + e / 1000) % 1000));
		}
		Path svg = this.directory.resolve("graph.svg");
		assertThat(run("solve", "--instance", file("large", instance.toString()), "--iterations", "1000", "--quiet",
				"--figure", "graph", "--svg", svg.toString()))
			.isZero();
		assertThat(Files.readString(svg).split("<circle", -1)).hasSize(1001);
	}

	private static final String ROUTED = """
			{ "format": "vicinal-placement-model", "version": 1,
			  "services": [ { "name": "shop", "demand": { "cpuMillis": 500, "memoryMiB": 1 } },
			    { "name": "stock", "demand": { "cpuMillis": 500, "memoryMiB": 1 } } ],
			  "hosts": [ { "name": "a", "capacity": { "cpuMillis": 2000, "memoryMiB": 9 } },
			    { "name": "b", "capacity": { "cpuMillis": 2000, "memoryMiB": 9 } } ],
			  "edges": [ { "from": "shop", "to": "stock", "callsPerSecond": 10000, "applicationBytesPerSecond": 0 } ],
			  "routes": [ { "name": "shop a=b", "callsPerSecond": 5000, "p99Micros": 9000,
			    "criticalPath": [ { "from": "shop", "to": "stock", "calls": 2 } ] } ],
			  "current": { "shop": { "a": 1 }, "stock": { "b": 1 } } }""";

	/** Times and money as an operator reads them. */
	@Test
	void savingsAndRoutesAreShown() throws IOException {
		String model = file("routed.json", ROUTED);
		assertThat(run("solve", "--model", model, "--time", "100ms", "--prices", "EUR:0.04:0.5", "--slo",
				"shop a=b=10ms", "--edge-weight", "critical-path"))
			.as(this.err.toString())
			.isZero();
		assertThat(this.out.toString()).contains("Recommendation: apply", "Saves: 1.38 +-", "1 host freed",
				"40.30 +- 19 EUR a month for cores and 365.0 for hosts", "shop a=b waits 0.2940 -> 0.1100 ms",
				"p99 9.000 -> 8.816 ms", "limit 10.00 ms: kept");
	}

	@Test
	void wrongPricesAndLimitsAreNamed() throws IOException {
		String model = file("routed.json", ROUTED);
		assertThat(run("solve", "--model", model, "--prices", "EUR:cheap")).isEqualTo(2);
		assertThat(this.err.toString()).contains("--prices is 'EUR:cheap'", "EUR:0.04:0.30");
		assertThat(run("solve", "--model", model, "--slo", "shop=10ms")).isEqualTo(2);
		assertThat(this.err.toString()).contains("the route 'shop'", "[shop a=b]");
		assertThat(run("solve", "--model", model, "--slo", "shop a=b=soon")).isEqualTo(2);
		assertThat(this.err.toString()).contains("'soon' is not a time");
	}

}
