package io.github.vicinal.samples.trainticket.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import io.github.vicinal.samples.trainticket.launch.Service;
import io.github.vicinal.samples.trainticket.launch.UsageException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Compares modes. Exit code 1 if requests failed or modes answered differently.
 */
@Command(name = "bench", mixinStandardHelpOptions = true, sortOptions = false,
		description = "Runs modes one after the other as child JVMs under the same load, and compares them.")
public final class BenchCommand implements Callable<Integer> {

	/** From this load per processor on, the numbers say little. */
	private static final double BUSY = 0.5;

	@Option(names = "--modes", paramLabel = "MODE", split = ",",
			defaultValue = "spread-http,spread-vicinal,two-vicinal,merged-vicinal",
			description = "plan (spread, five, two, merged, or a YAML file) with -http, -vicinal or -uds (default: ${DEFAULT-VALUE})")
	private List<String> modes = List.of();

	@Option(names = "--requests", paramLabel = "NAME", split = ",", defaultValue = "advanced,basic",
			description = "advanced, advanced-quickest, advanced-stops, basic, basic-default, basic-other (default: ${DEFAULT-VALUE})")
	private List<String> requests = List.of();

	@Option(names = "--rate", paramLabel = "N", defaultValue = "3",
			description = "requests per second, sent at fixed times (default: ${DEFAULT-VALUE})")
	private double rate;

	@Option(names = "--callers", paramLabel = "N",
			description = "closed loop instead: N callers, each sending the next request after the last answer")
	private @Nullable Integer callers;

	@Option(names = "--warmup", paramLabel = "SECONDS", defaultValue = "60",
			description = "for how long at most before measuring, for each request: it ends when requests cost no less "
					+ "than before (default: ${DEFAULT-VALUE})")
	private int warmup;

	@Option(names = "--duration", paramLabel = "SECONDS", defaultValue = "30",
			description = "duration of the measurement, for each request (default: ${DEFAULT-VALUE})")
	private int duration;

	@Option(names = "--json", paramLabel = "FILE", description = "write all numbers to this file, too")
	private @Nullable Path json;

	@Option(names = "--java", paramLabel = "PATH",
			description = "Java for the children: an executable or the home of a JDK (default: the one that runs this)")
	private @Nullable Path java;

	@Option(names = "--jvm-options", paramLabel = "OPTIONS", split = " ", splitSynopsisLabel = " ",
			defaultValue = "-Xms48m -Xmx256m -XX:+UseSerialGC -Xss512k",
			description = "options of every child, in all modes (default: ${DEFAULT-VALUE})")
	private List<String> jvmOptions = List.of();

	@Option(names = "--base-port", paramLabel = "PORT", defaultValue = Service.DEFAULT_BASE_PORT,
			description = "port of the gateway; the other services follow (default: ${DEFAULT-VALUE})")
	private int basePort;

	@Option(names = "--start-timeout", paramLabel = "SECONDS", defaultValue = "300",
			description = "how long a mode may take to become healthy (default: ${DEFAULT-VALUE})")
	private int startTimeout;

	@Spec
	private @Nullable CommandSpec spec;

	@Override
	public Integer call() throws IOException, InterruptedException {
		List<Mode> parsedModes = this.modes.stream().map(Mode::parse).toList();
		List<SearchRequest> parsedRequests = this.requests.stream().map(SearchRequest::named).toList();
		Load load = load();
		checkSeconds("--warmup", this.warmup, 0);
		checkSeconds("--duration", this.duration, 1);
		checkSeconds("--start-timeout", this.startTimeout, 1);
		checkJson();
		JavaRuntime runtime = JavaRuntime.find(this.java);
		PrintWriter out = Output.of(this.spec);
		int processors = Runtime.getRuntime().availableProcessors();
		double loadBefore = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
		introduce(out, runtime, load, processors, loadBefore);
		Path logs = Files.createTempDirectory("trainticket-bench");
		logs.toFile().deleteOnExit();
		Bench bench = new Bench(new Bench.Settings(runtime.launcherCommand(this.jvmOptions), this.basePort, logs,
				parsedRequests, load, Duration.ofSeconds(this.warmup), Duration.ofSeconds(this.duration),
				Duration.ofSeconds(this.startTimeout)), out);
		List<Row> rows = new ArrayList<>();
		try {
			List<String> differences = bench.run(parsedModes, rows);
			Outcome outcome = new Outcome(runtime.version(), this.jvmOptions, processors, loadBefore, load.describe(),
					this.warmup, this.duration, rows, differences);
			print(out, outcome, parsedModes.size());
			write(outcome);
			return outcome.good() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
		}
		catch (BenchException ex) {
			printRows(out, rows);
			out.println("Error: " + ex.getMessage());
			out.flush();
			return CommandLine.ExitCode.SOFTWARE;
		}
	}

	private Load load() {
		if (this.callers != null) {
			if (this.callers < 1) {
				throw new UsageException("--callers is " + this.callers, "a closed loop needs at least one caller",
						"choose --callers of 1 or more, or remove it for an open loop");
			}
			return new ClosedLoop(this.callers);
		}
		if (!(this.rate > 0 && this.rate <= 1e6)) {
			throw new UsageException("--rate is " + this.rate,
					"an open loop sends more than 0 and at most 1e6 requests per second",
					"choose another --rate, or --callers for a closed loop");
		}
		return new OpenLoop(this.rate);
	}

	private static void checkSeconds(String option, int seconds, int least) {
		if (seconds < least) {
			throw new UsageException(option + " is " + seconds,
					option + " is a number of seconds from " + least + " on", "choose a larger number");
		}
	}

	private void introduce(PrintWriter out, JavaRuntime runtime, Load load, int processors, double loadBefore) {
		out.printf("Java: %s, %s%n", runtime.version(), String.join(" ", this.jvmOptions));
		out.printf("Load: %s%n", load.describe());
		out.printf("Machine: %d processors, load %.2f%n", processors, loadBefore);
		if (loadBefore > BUSY * processors) {
			out.println(
					"WARNING: the machine is busy; compare CPU per operation within this run only, and trust no latency");
		}
		out.flush();
	}

	private static void print(PrintWriter out, Outcome outcome, int modes) {
		printRows(out, outcome.rows());
		if (!outcome.differences().isEmpty()) {
			out.println("DIFFERENT ANSWERS: " + String.join("; ", outcome.differences()));
		}
		else if (modes > 1) {
			out.printf("All %d search requests are answered with equal bytes in all %d modes.%n",
					SearchRequest.values().length, modes);
		}
		out.flush();
	}

	private static void printRows(PrintWriter out, List<Row> rows) {
		out.println();
		out.println(Row.HEADER);
		rows.forEach((row) -> out.println(row.format()));
		out.println();
	}

	/**
	 * Checks before, not after the minutes that a run takes.
	 */
	private void checkJson() {
		if (this.json != null && !Files.isDirectory(this.json.toAbsolutePath().resolveSibling("."))) {
			throw notWritable(this.json, "its directory does not exist");
		}
	}

	private static UsageException notWritable(Path file, String why) {
		return new UsageException("File '" + file + "' cannot be written: " + why,
				"--json names a file in an existing directory", "correct --json");
	}

	private void write(Outcome outcome) {
		if (this.json == null) {
			return;
		}
		try {
			JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValue(this.json, outcome);
		}
		catch (JacksonException ex) {
			throw notWritable(this.json, ex.getOriginalMessage());
		}
	}

}
