package io.github.vicinal.benchmarks.main;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.benchmarks.cache.CacheAdversarialMeasurement;
import io.github.vicinal.benchmarks.cache.CacheMemoryMeasurement;
import io.github.vicinal.benchmarks.cache.CacheSpeedMeasurement;
import io.github.vicinal.benchmarks.cache.CacheSpeedProcess;
import io.github.vicinal.benchmarks.cache.CacheTable1Measurement;
import io.github.vicinal.benchmarks.cache.CacheTckMeasurement;
import io.github.vicinal.benchmarks.cache.CacheTraceMeasurement;
import io.github.vicinal.benchmarks.cache.CacheTracesMeasurement;
import io.github.vicinal.benchmarks.cache.CacheTrainTicketMeasurement;
import io.github.vicinal.benchmarks.call.CallMeasurement;
import io.github.vicinal.benchmarks.call.EchoServer;
import io.github.vicinal.benchmarks.call.ExchangeMeasurement;
import io.github.vicinal.benchmarks.call.IdleMeasurement;
import io.github.vicinal.benchmarks.call.RdmaMeasurement;
import io.github.vicinal.benchmarks.call.RemoteMeasurement;
import io.github.vicinal.benchmarks.call.RemoteServer;
import io.github.vicinal.benchmarks.call.StartupMeasurement;
import io.github.vicinal.benchmarks.crash.CrashMeasurement;
import io.github.vicinal.benchmarks.crash.Victim;
import io.github.vicinal.benchmarks.locality.LocalityMeasurement;
import io.github.vicinal.benchmarks.locality.ReplicaProcess;
import io.github.vicinal.benchmarks.overload.OverloadHttpMeasurement;
import io.github.vicinal.benchmarks.overload.OverloadServer;
import io.github.vicinal.benchmarks.placement.PieceProcess;
import io.github.vicinal.benchmarks.placement.PlacementMeasurement;
import io.github.vicinal.benchmarks.placement.ScaleMeasurement;
import io.github.vicinal.benchmarks.selector.SelectorMeasurement;
import io.github.vicinal.benchmarks.selector.SelectorServer;
import io.github.vicinal.benchmarks.selector.SelectorSimulationMeasurement;
import io.github.vicinal.benchmarks.server.OverloadMeasurement;
import io.github.vicinal.benchmarks.server.ServerMeasurement;
import io.github.vicinal.benchmarks.shm.ShmChild;
import io.github.vicinal.benchmarks.shm.ShmMeasurement;
import io.github.vicinal.benchmarks.storm.StormMeasurement;
import io.github.vicinal.benchmarks.storm.StormServers;
import io.github.vicinal.benchmarks.topic.TopicMeasurement;
import io.github.vicinal.benchmarks.topic.TopicProcess;
import io.github.vicinal.benchmarks.trainticket.LoopMeasurement;
import io.github.vicinal.benchmarks.trainticket.TrainTicketMeasurement;
import io.github.vicinal.benchmarks.wait.RawServer;
import io.github.vicinal.benchmarks.wait.WaitMeasurement;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** The one entry to measurements. */
@Command(name = "bench", mixinStandardHelpOptions = true,
		description = "Measures by name; 'list' shows the names. Exit code 1: a bar falls short. 2: bad usage.")
public final class Bench implements Callable<Integer> {

	private static final List<Measurement> MEASUREMENTS = List.of(new CallMeasurement(), new ExchangeMeasurement(),
			new StartupMeasurement(), new TrainTicketMeasurement(), new PlacementMeasurement(), new ScaleMeasurement(),
			new LoopMeasurement(), new CacheTable1Measurement(), new CacheTraceMeasurement(),
			new CacheTracesMeasurement(), new CacheAdversarialMeasurement(), new CacheSpeedMeasurement(),
			new CacheMemoryMeasurement(), new CacheTrainTicketMeasurement(), new CacheTckMeasurement(),
			new ShmMeasurement(), new WaitMeasurement(), new CrashMeasurement(), new ServerMeasurement(),
			new OverloadMeasurement(), new OverloadHttpMeasurement(), new LocalityMeasurement(),
			new SelectorSimulationMeasurement(), new SelectorMeasurement(), new StormMeasurement(),
			new TopicMeasurement(), new RemoteMeasurement(), new RdmaMeasurement(), new IdleMeasurement());

	/** Roles of the JVMs that measurements start, by their first argument. */
	private static final Map<String, Role> ROLES = Map.ofEntries(Map.entry(ShmChild.COMMAND, ShmChild::main),
			Map.entry(ReplicaProcess.COMMAND, ReplicaProcess::main), Map.entry(EchoServer.COMMAND, EchoServer::main),
			Map.entry(RemoteServer.COMMAND, RemoteServer::main),
			Map.entry(ScaleMeasurement.COMMAND, ScaleMeasurement::main),
			Map.entry(PieceProcess.COMMAND, PieceProcess::main), Map.entry(RawServer.COMMAND, RawServer::main),
			Map.entry(Victim.COMMAND, Victim::main), Map.entry(CacheSpeedProcess.COMMAND, CacheSpeedProcess::main),
			Map.entry(StormServers.COMMAND, StormServers::main), Map.entry(TopicProcess.COMMAND, TopicProcess::main),
			Map.entry(OverloadServer.COMMAND, OverloadServer::main),
			Map.entry(SelectorServer.COMMAND, SelectorServer::main));

	@Spec
	@SuppressWarnings("NullAway.Init")
	private CommandSpec spec;

	@Parameters(paramLabel = "NAME", description = "the measurement, or 'list'")
	@SuppressWarnings("NullAway.Init")
	private String name;

	@Option(names = "--quick", description = "rough figures in a fraction of the time; not for bars")
	private boolean quick;

	@Option(names = "--check", description = "exit with 1 and name each bar that falls short")
	private boolean check;

	@Option(names = "--json", paramLabel = "FILE", description = "write all figures to this file, too")
	private @Nullable Path json;

	@Option(names = "--svg", paramLabel = "FILE", description = "draw the CPU time per call or operation")
	private @Nullable Path svg;

	@Option(names = "--file", paramLabel = "FILE", description = "cache-trace: one integer key per line")
	private @Nullable Path file;

	@Option(names = "--size", paramLabel = "N", description = "cache-trace: entries")
	private @Nullable Integer size;

	@Option(names = "--policies", paramLabel = "A,B", description = "cache-trace: only these policies")
	private @Nullable String policies;

	@Option(names = "--regimes", paramLabel = "A,B", description = "shm-wait: only these regimes")
	private @Nullable String regimes;

	@Option(names = "--ways", paramLabel = "A,B", description = "shm-wait: only these ways to wait")
	private @Nullable String ways;

	@Option(names = "--kills", paramLabel = "N", description = "shm-crash: how many processes are killed")
	private @Nullable Integer kills;

	@Option(names = "--soak", paramLabel = "MINUTES", description = "shm-crash: kill nobody, call for so long")
	private @Nullable Double soak;

	@Option(names = "--subjects", paramLabel = "A,B",
			description = "cache-speed: only these caches, and Caffeine; 'switches': only the switches of AIC; "
					+ "overload-http: only these controls")
	private @Nullable String subjects;

	@Option(names = "--placement-data", paramLabel = "DIR",
			description = "placement: a directory with models of clusters in JSON")
	private @Nullable Path placementData;

	@Option(names = "--figures", paramLabel = "DIR",
			description = "topics: draw throughput and latency by system and size into this directory")
	private @Nullable Path figures;

	@Option(names = "--project", hidden = true)
	private @Nullable Path project;

	@Option(names = "--trace-libraries", hidden = true)
	private @Nullable Path traceLibraries;

	@Option(names = "--trainticket-jar", hidden = true)
	private @Nullable Path trainTicketJar;

	/**
	 * Runs the command.
	 * @param arguments its arguments
	 * @throws Exception if a child process of a measurement cannot do its part
	 */
	public static void main(String[] arguments) throws Exception {
		Role role = (arguments.length > 0) ? ROLES.get(arguments[0]) : null;
		if (role != null) {
			role.run(arguments);
			return;
		}
		System.exit(new CommandLine(new Bench()).execute(arguments));
	}

	private Map<String, String> options() {
		Map<String, String> options = new LinkedHashMap<>();
		if (this.file != null) {
			options.put("file", this.file.toString());
		}
		if (this.size != null) {
			options.put("size", this.size.toString());
		}
		if (this.policies != null) {
			options.put("policies", this.policies);
		}
		if (this.regimes != null) {
			options.put("regimes", this.regimes);
		}
		if (this.ways != null) {
			options.put("ways", this.ways);
		}
		if (this.kills != null) {
			options.put("kills", this.kills.toString());
		}
		if (this.soak != null) {
			options.put("soak", this.soak.toString());
		}
		if (this.subjects != null) {
			options.put("subjects", this.subjects);
		}
		if (this.figures != null) {
			options.put("figures", this.figures.toString());
		}
		if (this.placementData != null) {
			options.put("placement-data", this.placementData.toString());
		}
		if (this.project != null) {
			options.put("project", this.project.toString());
		}
		if (this.traceLibraries != null) {
			options.put("trace-libraries", this.traceLibraries.toString());
		}
		return options;
	}

	@Override
	public Integer call() throws Exception {
		PrintWriter out = this.spec.commandLine().getOut();
		if (this.name.equals("list")) {
			MEASUREMENTS.forEach((known) -> out.printf("%-17s %s%n", known.name(), known.description()));
			out.printf("%-17s %s%n", "jmh", "single operations, by JMH: 'bench jmh [PATTERN] [options of JMH]'");
			return 0;
		}
		Measurement measurement = MEASUREMENTS.stream()
			.filter((known) -> known.name().equals(this.name))
			.findFirst()
			.orElseThrow(() -> new CommandLine.ParameterException(this.spec.commandLine(),
					"There is no measurement '%s'; the names are %s".formatted(this.name,
							MEASUREMENTS.stream().map(Measurement::name).toList())));
		Machine before = Machine.now();
		out.printf("%s: %s%n", measurement.name(), measurement.description());
		out.printf("Machine: %d processors, JDK %s, %s, load %.2f%n", before.processors(), before.java(),
				before.kernel(), before.load());
		if (!before.quiet()) {
			out.println("The machine is not idle: do not quote these figures.");
		}
		out.flush();
		Report report;
		try {
			report = measurement.run(new Measurement.Settings(this.quick, this.trainTicketJar, out, options()));
		}
		catch (Measurement.UsageException ex) {
			throw new CommandLine.ParameterException(this.spec.commandLine(), String.valueOf(ex.getMessage()), ex);
		}
		out.println();
		out.print(report.table());
		report.bars()
			.forEach((bar) -> out.printf("%s %s: %.4f, at most %.4f%n", bar.passes() ? "holds      " : "FALLS SHORT",
					bar.name(), bar.value(), bar.limit()));
		out.flush();
		if (this.json != null) {
			Map<String, Object> all = new LinkedHashMap<>();
			all.put("measurement", measurement.name());
			all.put("quick", this.quick);
			all.put("machine", before);
			all.put("rows", report.rows());
			all.put("figures", report.figures());
			all.put("bars", report.bars());
			JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValue(this.json, all);
		}
		if (this.svg != null) {
			Files.writeString(this.svg, report.svg());
		}
		boolean fallsShort = report.bars().stream().anyMatch((bar) -> !bar.passes());
		return (this.check && fallsShort) ? 1 : 0;
	}

	/** The main method of a child process. */
	private interface Role {

		void run(String[] arguments) throws Exception;

	}

}
