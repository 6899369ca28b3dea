package io.github.vicinal.samples.trainticket.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.ModelJson;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCost;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.samples.trainticket.launch.Plan;
import io.github.vicinal.samples.trainticket.launch.PlanReader;
import io.github.vicinal.samples.trainticket.launch.Service;
import io.github.vicinal.samples.trainticket.launch.UsageException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Closes the loop: measures the services, each in its own JVM, takes the recommendation
 * of the gateway's placement endpoint, starts them as recommended, and compares the CPU
 * time that this saves with what was predicted.
 * <p>
 * A host of the model is a JVM here: calls within it are direct, all others go over the
 * path that is compared. What a call costs over that path comes from a calibration with
 * the shipped plan "two", not from the plan that is predicted. What a JVM costs that does
 * nothing is measured, too: with a JVM for each service it is more than all their calls.
 */
@Command(name = "loop", mixinStandardHelpOptions = true, sortOptions = false,
		description = "Measures, asks the placement endpoint, applies its answer, and measures again.")
public final class LoopCommand implements Callable<Integer> {

	/** CPU time of a direct call, both ends, as 'bench call' measures it. */
	private static final double DIRECT_MICROS = 2.5;

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	/** Time between two questions to the endpoint; it needs at least 10 s. */
	private static final Duration OBSERVED = Duration.ofSeconds(15);

	/** Resolution of a process's CPU time: 10 ms. */
	private static final long IDLE_MILLIS = 20_000;

	/** Maximum time for which a JVM works on after the load has ended. */
	private static final long SETTLE_MILLIS = 5_000;

	@Option(names = "--path", paramLabel = "PATH", defaultValue = "uds",
			description = "the path between JVMs: uds or vicinal (default: ${DEFAULT-VALUE})")
	private String path = "uds";

	@Option(names = "--jvms", paramLabel = "N", defaultValue = "3",
			description = "JVMs that may be shared (default: ${DEFAULT-VALUE})")
	private int jvms;

	@Option(names = "--services-per-jvm", paramLabel = "N", defaultValue = "8",
			description = "maximum number of services in one of them (default: ${DEFAULT-VALUE})")
	private int servicesPerJvm;

	@Option(names = "--rate", paramLabel = "N", defaultValue = "10",
			description = "requests per second, sent at fixed times; at low rates a request costs what the JVMs do "
					+ "beside it (default: ${DEFAULT-VALUE})")
	private double rate;

	@Option(names = "--warmup", paramLabel = "SECONDS", defaultValue = "120",
			description = "the longest warm-up before measuring, which ends once the CPU time of a request no longer "
					+ "changes (default: ${DEFAULT-VALUE})")
	private int warmup;

	@Option(names = "--duration", paramLabel = "SECONDS", defaultValue = "30",
			description = "duration of the measurement (default: ${DEFAULT-VALUE})")
	private int duration;

	@Option(names = "--json", paramLabel = "FILE", description = "write all numbers to this file, too")
	private @Nullable Path json;

	@Option(names = "--base-port", paramLabel = "PORT", defaultValue = Service.DEFAULT_BASE_PORT,
			description = "port of the gateway; the other services follow (default: ${DEFAULT-VALUE})")
	private int basePort;

	@Option(names = "--jvm-options", paramLabel = "OPTIONS", split = " ", splitSynopsisLabel = " ",
			defaultValue = "-Xms48m -Xmx256m -XX:+UseSerialGC -Xss512k",
			description = "options of every child (default: ${DEFAULT-VALUE})")
	private List<String> jvmOptions = List.of();

	@Spec
	private @Nullable CommandSpec spec;

	private final JsonMapper mapper = JsonMapper.builder().build();

	/**
	 * Result of the loop.
	 *
	 * @param rows one for each mode
	 * @param crossJvmShare the part of the calls that the plan leaves between JVMs
	 * @param farMicros CPU time of a call between JVMs, from the calibration
	 * @param idleMillisPerJvm CPU time that a JVM takes in a second in which nothing is
	 * asked
	 * @param predictedMillis CPU time that the plan is predicted to save, per request
	 * @param observedMillis CPU time that it saved, per request
	 * @param errors requests without a good answer, and requests that modes answered
	 * differently
	 */
	record Comparison(List<Row> rows, double crossJvmShare, double farMicros, double idleMillisPerJvm,
			double predictedMillis, double observedMillis, long errors) {
	}

	@Override
	public Integer call() throws IOException, InterruptedException {
		if (this.jvms < 1 || this.jvms * (long) this.servicesPerJvm < Service.values().length) {
			throw new UsageException("--jvms is %d and --services-per-jvm %d".formatted(this.jvms, this.servicesPerJvm),
					"together they hold all %d services".formatted(Service.values().length), "choose larger numbers");
		}
		PrintWriter out = Output.of(this.spec);
		Path directory = Files.createTempDirectory("trainticket-loop");
		Path model = Files.writeString(directory.resolve("model.json"), model());
		Bench bench = new Bench(
				new Bench.Settings(JavaRuntime.find(null).launcherCommand(this.jvmOptions), this.basePort, directory,
						List.of(SearchRequest.named("advanced")), new OpenLoop(this.rate),
						Duration.ofSeconds(this.warmup), Duration.ofSeconds(this.duration), Duration.ofMinutes(5)),
				out);
		LocalDate day = LocalDate.now(ZoneId.systemDefault()).plusDays(1);
		List<Row> rows = new ArrayList<>();
		Mode two = Mode.parse("two-" + this.path);
		Answers reference = bench.run(two, day, rows, (running) -> {
		});
		Mode spread = observed(Mode.parse("spread-" + this.path), model);
		List<JsonNode> answer = new ArrayList<>();
		List<Double> far = new ArrayList<>();
		List<Double> idle = new ArrayList<>();
		Answers before = bench.run(spread, day, rows, (running) -> {
			idle.add(idleMillisPerJvm(running, out));
			far.add(farMicros(rows.get(0), rows.get(1), idle.get(0) / this.rate));
			// Rates of services that started one after the other are comparable once the
			// endpoint has counted itself.
			ask(running.gateway(), far.get(0));
			search(running, day);
			answer.add(ask(running.gateway(), far.get(0)));
		});
		JsonNode recommendation = answer.get(0).get("recommendation");
		String plan = toApply(recommendation);
		Path file = Path.of(PlanReader.RECOMMENDED_FILE);
		replace(file, plan);
		out.printf("The endpoint recommends (%s):%n%s", file.toAbsolutePath(), plan);
		Plan recommended = PlanReader.read(PlanReader.RECOMMENDED);
		Mode applied = new Mode(PlanReader.RECOMMENDED + "-" + this.path, recommended, file.toAbsolutePath().toString(),
				two.properties());
		Answers after = bench.run(applied, day, rows, (running) -> {
		});
		JsonNode gain = recommendation.get("gain");
		double calls = rows.get(1).callsPerOperation().values().stream().mapToDouble(Double::doubleValue).sum();
		double predicted = gain.get("cpuMicrosPerSecond").asDouble() / gain.get("callsPerSecond").asDouble() * calls
				/ 1000 + (rows.get(1).processes() - rows.get(2).processes()) * idle.get(0) / this.rate;
		double observed = rows.get(1).cpuMillisPerOperation() - rows.get(2).cpuMillisPerOperation();
		long errors = rows.stream().mapToLong(Row::errors).sum() + before.differences(reference).size()
				+ after.differences(reference).size();
		Comparison outcome = new Comparison(rows, recommendation.get("after").get("crossHostShare").asDouble(),
				far.get(0), idle.get(0), predicted, observed, errors);
		print(out, outcome);
		if (this.json != null) {
			this.mapper.writerWithDefaultPrettyPrinter().writeValue(this.json, outcome);
		}
		return (errors == 0) ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
	}

	private static double idleMillisPerJvm(RunningMode running, PrintWriter out) {
		out.printf("  measuring for %d s what the JVMs cost that do nothing%n", IDLE_MILLIS / 1000);
		out.flush();
		try {
			Thread.sleep(SETTLE_MILLIS);
			Duration before = running.cpu();
			Thread.sleep(IDLE_MILLIS);
			return running.cpu().minus(before).toNanos() / 1e6 / running.processes() / (IDLE_MILLIS / 1e3);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new BenchException("Interrupted", "while the services were idle");
		}
	}

	/**
	 * Returns the CPU time of a call between JVMs: what two plans differ by beyond the
	 * JVMs themselves.
	 * @param two the plan with direct calls
	 * @param spread the plan with hardly any
	 * @param idleMillis CPU time that one JVM takes by itself per request
	 */
	static double farMicros(Row two, Row spread, double idleMillis) {
		double calls = spread.cpuMillisPerOperation() - two.cpuMillisPerOperation()
				- (spread.processes() - two.processes()) * idleMillis;
		return DIRECT_MICROS + 1000 * calls / (direct(two) - direct(spread));
	}

	private static double direct(Row row) {
		return row.callsPerOperation().getOrDefault("direct", 0.0);
	}

	private static void print(PrintWriter out, Comparison outcome) {
		out.println();
		out.println(Row.HEADER);
		outcome.rows().forEach((row) -> out.println(row.format()));
		out.printf(Locale.ROOT, "%nCalls between JVMs: %.1f %%%n", 100 * outcome.crossJvmShare());
		out.printf(Locale.ROOT, "CPU of a call between JVMs, calibrated with plan 'two': %.1f us%n",
				outcome.farMicros());
		out.printf(Locale.ROOT, "CPU of a JVM that does nothing: %.2f ms per second%n", outcome.idleMillisPerJvm());
		out.printf(Locale.ROOT, "CPU saved per request: predicted %.2f ms, observed %.2f ms%n",
				outcome.predictedMillis(), outcome.observedMillis());
		out.flush();
	}

	/** Services in JVMs of their own, and JVMs that they may share. */
	private String model() {
		List<io.github.vicinal.placement.model.Service> services = new ArrayList<>();
		List<Host> hosts = new ArrayList<>();
		Map<String, Map<String, Integer>> current = new LinkedHashMap<>();
		for (int i = 1; i <= this.jvms; i++) {
			hosts.add(new Host("jvm-" + i, "", Resources.none(), Resources.none(), this.servicesPerJvm));
		}
		for (Service service : Service.values()) {
			services.add(new io.github.vicinal.placement.model.Service(service.serviceName(), 1, Resources.none()));
			hosts.add(new Host("own-" + service.serviceName(), "", Resources.none(), Resources.none(), 1));
			current.put(service.serviceName(), Map.of("own-" + service.serviceName(), 1));
		}
		// Overrides in the request to the endpoint; calls of any size cost the same.
		PathCosts costs = new PathCosts(new PathCost("direct", DIRECT_MICROS, 0, DIRECT_MICROS, 0, 0.1),
				new PathCost(this.path, 10 * DIRECT_MICROS, 0, 10 * DIRECT_MICROS, 0, 0.1));
		return new ModelJson().write(new PlacementModel(services, hosts, List.of(), List.of(), costs,
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM),
				new io.github.vicinal.placement.model.Plan(current)));
	}

	private Mode observed(Mode mode, Path model) {
		List<String> properties = new ArrayList<>(mode.properties());
		properties.add("vicinal.placement.model=" + model.toUri());
		properties.add("vicinal.placement.instances=" + List.of(Service.values())
			.stream()
			.map((service) -> service.address(mode.plan().host(service), this.basePort) + "/actuator")
			.collect(Collectors.joining(",")));
		return new Mode(mode.name(), mode.plan(), mode.planName(), properties);
	}

	private void search(RunningMode running, LocalDate day) {
		HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
		try {
			new OpenLoop(this.rate).run(client, SearchRequest.named("advanced").httpRequest(running.gateway(), day),
					OBSERVED);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new BenchException("Interrupted", "while the endpoint observed the services");
		}
	}

	private JsonNode ask(URI gateway, double farMicros) {
		HttpRequest request = HttpRequest.newBuilder(gateway.resolve("/actuator/vicinalplacement"))
			.timeout(TIMEOUT)
			.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers
				.ofString(this.mapper.writeValueAsString(Map.of("sameHostCpuMicros", String.valueOf(DIRECT_MICROS),
						"otherHostCpuMicros", String.valueOf(farMicros), "searchMillis", "2000"))))
			.build();
		try {
			HttpResponse<String> response = HttpClient.newHttpClient()
				.send(request, HttpResponse.BodyHandlers.ofString());
			JsonNode answer = this.mapper.readTree(response.body());
			if (response.statusCode() != 200 || !answer.path("recommendation").isObject()) {
				throw new BenchException("The placement endpoint recommends nothing", response.body());
			}
			return answer;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new BenchException("Interrupted", "while asking " + request.uri());
		}
	}

	/**
	 * Returns the plan of a recommendation to apply it.
	 * @throws BenchException if the endpoint recommends something else
	 */
	static String toApply(JsonNode recommendation) {
		if (!recommendation.path("action").asString("").equals("apply")) {
			throw new BenchException("The placement endpoint does not recommend to apply its plan",
					recommendation.path("reason").asString("it gives no reason")
							+ "; a higher --rate makes moving pay");
		}
		return plan(recommendation.get("after").get("plan"));
	}

	/** The file is there as a whole, as it was or as it is to be. */
	static void replace(Path file, String text) throws IOException {
		Path directory = Objects.requireNonNullElse(file.toAbsolutePath().getParent(), Path.of("."));
		Path part = Files.createTempFile(directory, ".recommended", ".part");
		try {
			Files.writeString(part, text);
			Files.move(part, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
		}
		finally {
			Files.deleteIfExists(part);
		}
	}

	/** Writes hosts with their services as a plan that the launcher reads. */
	static String plan(JsonNode plan) {
		Map<String, List<String>> groups = new TreeMap<>();
		plan.properties()
			.forEach((service) -> groups
				.computeIfAbsent(service.getValue().propertyNames().iterator().next(), (host) -> new ArrayList<>())
				.add(service.getKey()));
		StringBuilder text = new StringBuilder("# Recommended by the placement endpoint.\ngroups:\n");
		groups.forEach((group, services) -> text
			.append("  %s:\n    host: localhost\n    services: [%s]\n".formatted(group, String.join(", ", services))));
		return text.toString();
	}

}
