package io.github.vicinal.samples.trainticket.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import io.github.vicinal.samples.trainticket.launch.Service;
import io.github.vicinal.samples.trainticket.launch.UsageException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Shows in a minute and a half what Vicinal changes: the same searches without and with
 * it, and then the pages of a running application.
 */
@Command(name = "demo", mixinStandardHelpOptions = true, sortOptions = false,
		description = { "Runs the services in five JVMs without Vicinal and then with it, compares them,",
				"and leaves those with Vicinal running, so that their pages can be looked at." })
public final class DemoCommand implements Callable<Integer> {

	/** Option without the second compiler, with which JVMs are warm within seconds. */
	private static final List<String> JVM_OPTIONS = List.of("-Xms48m", "-Xmx256m", "-XX:+UseSerialGC",
			"-XX:TieredStopAtLevel=1", "-Xss512k");

	private static final Duration START_TIMEOUT = Duration.ofMinutes(5);

	private static final Duration KEPT_BUSY = Duration.ofSeconds(1);

	@Option(names = "--seconds", paramLabel = "N", defaultValue = "6",
			description = "for how long searches are measured in each mode (default: ${DEFAULT-VALUE})")
	private int seconds;

	@Option(names = "--once", description = "end after the comparison")
	private boolean once;

	@Option(names = "--base-port", paramLabel = "PORT", defaultValue = Service.DEFAULT_BASE_PORT,
			description = "port of the gateway; the other services follow (default: ${DEFAULT-VALUE})")
	private int basePort;

	@Spec
	private @Nullable CommandSpec spec;

	@Override
	public Integer call() throws IOException, InterruptedException {
		if (this.seconds < 1) {
			throw new UsageException("--seconds is " + this.seconds, "--seconds is a number of seconds from 1 on",
					"choose a larger number");
		}
		PrintWriter out = Output.of(this.spec);
		Path logs = Files.createTempDirectory("trainticket-demo");
		logs.toFile().deleteOnExit();
		Bench bench = new Bench(new Bench.Settings(JavaRuntime.find(null).launcherCommand(JVM_OPTIONS), this.basePort,
				logs, List.of(SearchRequest.named("advanced")), new ClosedLoop(1),
				Duration.ofSeconds(5L * this.seconds), Duration.ofSeconds(this.seconds), START_TIMEOUT), out);
		LocalDate day = LocalDate.now(ZoneId.systemDefault()).plusDays(1);
		List<Row> rows = new ArrayList<>();
		out.println("TrainTicket: 18 services in five JVMs on this machine; one search makes 292 calls between them.");
		out.println("Options of the JVMs: " + String.join(" ", JVM_OPTIONS));
		try {
			Answers without = bench.run(Mode.parse("five-http"), day, rows, (running) -> first(out, rows.get(0)));
			Answers with = bench.run(observed(Mode.parse("five-vicinal")), day, rows, (running) -> {
				compare(out, rows);
				if (!this.once) {
					show(out, running, day);
				}
			});
			List<String> differences = with.differences(without);
			if (!differences.isEmpty()) {
				out.println("DIFFERENT ANSWERS: " + String.join("; ", differences));
			}
			out.flush();
			return (differences.isEmpty() && rows.stream().allMatch((row) -> row.errors() == 0))
					? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
		}
		catch (BenchException ex) {
			out.println("Error: " + ex.getMessage());
			out.flush();
			return CommandLine.ExitCode.SOFTWARE;
		}
	}

	/** The gateway's placement page shows the traffic of all services. */
	private Mode observed(Mode mode) {
		String instances = Arrays.stream(Service.values())
			.map((service) -> service.address(mode.plan().host(service), this.basePort) + "/actuator")
			.collect(Collectors.joining(","));
		List<String> properties = new ArrayList<>(mode.properties());
		properties.add("vicinal.placement.instances=" + instances);
		return new Mode(mode.name(), mode.plan(), mode.planName(), properties);
	}

	/** The comparison comes only after other JVMs have started and are warm. */
	private static void first(PrintWriter out, Row http) {
		out.printf(Locale.ROOT, "Without Vicinal, one search takes %.1f ms, and %.1f ms of CPU%s.%n", http.p50Millis(),
				http.cpuMillisPerOperation(), http.steady() ? "" : ", while the JVMs are still warming up");
		out.flush();
	}

	private static void compare(PrintWriter out, List<Row> rows) {
		Row http = rows.get(0);
		Row vicinal = rows.get(1);
		out.println();
		out.printf("%-28s %12s %12s%n", "one search", "HTTP", "Vicinal");
		boolean steady = http.steady() && vicinal.steady();
		line(out, "median, ms", http.p50Millis(), vicinal.p50Millis(), steady);
		line(out, "99th percentile, ms", http.p99Millis(), vicinal.p99Millis(), steady);
		line(out, "CPU of all JVMs, ms", http.cpuMillisPerOperation(), vicinal.cpuMillisPerOperation(), steady);
		TreeSet<String> paths = new TreeSet<>(http.callsPerOperation().keySet());
		paths.addAll(vicinal.callsPerOperation().keySet());
		for (String path : paths) {
			out.printf(Locale.ROOT, "%-28s %12.1f %12.1f%n", "calls over " + path, calls(http, path),
					calls(vicinal, path));
		}
		if (!steady) {
			out.println("The JVMs are still warming up, so these figures are too high, and their ratios say nothing.");
			out.println("For figures that last: benchmarks-jmh/bench trainticket");
		}
		out.println();
		out.flush();
	}

	/** A ratio to an opponent that is not warm would flatter. */
	private static void line(PrintWriter out, String name, double http, double vicinal, boolean steady) {
		String ratio = steady ? String.format(Locale.ROOT, "   1/%.1f", http / vicinal) : "";
		out.printf(Locale.ROOT, "%-28s %12.1f %12.1f%s%n", name, http, vicinal, ratio);
	}

	private static double calls(Row row, String path) {
		return row.callsPerOperation().getOrDefault(path, 0.0);
	}

	/** Keeps the services a little busy until somebody ends the demo. */
	private static void show(PrintWriter out, RunningMode running, LocalDate day) {
		URI gateway = running.gateway();
		out.println("They run on. Look at");
		out.println("  who calls whom, over which path:  "
				+ running.address(Service.TRAVEL).resolve("/actuator/vicinalchannels/page"));
		out.println("  what belongs together:            " + gateway.resolve("/actuator/vicinalplacement/page"));
		out.println("Press Enter, or Ctrl-C, to end.");
		out.flush();
		HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
		HttpRequest search = SearchRequest.named("advanced").httpRequest(gateway, day);
		Load load = new OpenLoop(1);
		try {
			while (System.in.available() == 0) {
				load.run(client, search, KEPT_BUSY);
			}
		}
		catch (IOException ex) {
			// The input has ended, so Enter cannot be pressed.
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
