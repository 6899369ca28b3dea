package io.github.vicinal.benchmarks.placement;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.github.vicinal.benchmarks.BenchJvm;
import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.recommend.CompiledModel;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.Solution;
import io.github.vicinal.placement.solver.VicinalSolver;
import io.github.vicinal.placement.verify.PlacementVerifier;

/**
 * Quality at 1,000 and 10,000 services, and how the time of a fixed amount of search
 * grows with the number of services. Runs in a JVM of its own with a bounded heap and two
 * processors.
 */
public final class ScaleMeasurement implements Measurement {

	/** The first argument of the JVM that solves. */
	public static final String COMMAND = "placement-scale-process";

	private static final String RESULT = "result ";

	/**
	 * Steps per service in which the time is measured; some of everything happens in
	 * them.
	 */
	private static final int STEPS_PER_SERVICE = 2000;

	@Override
	public String name() {
		return "placement-scale";
	}

	@Override
	public String description() {
		return "traffic between hosts at 1,000 and 10,000 services, 512 MiB of heap, and time by size";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		Report report = new Report("instance", "solver", "traffic between hosts %", "feasible", "search s",
				"us/service")
			.chart("Time of %d steps per service, in us per service, by size".formatted(STEPS_PER_SERVICE),
					"us/service", "instance");
		quality(settings, report, "synth", 1000, 40, 2, Double.NaN);
		quality(settings, report, "planted", 1000, 50, 2, 10.5);
		quality(settings, report, "synth", 10_000, 300, 10, 5.5);
		quality(settings, report, "planted", 10_000, 500, 10, 11);
		growth(settings, report);
		return report;
	}

	private static void quality(Settings settings, Report report, String kind, int services, int hosts, int seconds,
			double limit) throws IOException, InterruptedException {
		String name = "%s-%d".formatted(kind, services);
		int millis = settings.quick() ? 250 * seconds : 1000 * seconds;
		settings.say("%s, %d ms in a JVM of its own with 512 MiB ...", name, millis);
		Result result = solve(kind, services, hosts, "time", millis);
		report.row(name, VicinalSolver.NAME, result.percent(), result.feasible(), result.seconds(), "");
		if (!Double.isNaN(limit)) {
			report.bar(name + ": % between hosts", result.feasible() ? result.percent() : Double.NaN, limit);
		}
		report.bar(name + ": search s", result.seconds(), 1.05 * seconds);
	}

	private static void growth(Settings settings, Report report) throws IOException, InterruptedException {
		List<double[]> points = new ArrayList<>();
		for (int services : settings.quick() ? new int[] { 500, 2000, 8000 }
				: new int[] { 300, 1000, 3000, 10_000, 30_000 }) {
			settings.say("%d services, %d steps each ...", services, STEPS_PER_SERVICE);
			Result result = solve("synth", services, services / 30, "steps", (long) STEPS_PER_SERVICE * services);
			report.row("synth-" + services, VicinalSolver.NAME, result.percent(), result.feasible(), result.seconds(),
					result.seconds() * 1e6 / services);
			points.add(new double[] { Math.log(services), Math.log(result.seconds()) });
		}
		report.bar("growth of time with size: exponent", slope(points), 1.3);
	}

	private static double slope(List<double[]> points) {
		double x = points.stream().mapToDouble((point) -> point[0]).average().orElse(0);
		double y = points.stream().mapToDouble((point) -> point[1]).average().orElse(0);
		double both = points.stream().mapToDouble((point) -> (point[0] - x) * (point[1] - y)).sum();
		double square = points.stream().mapToDouble((point) -> (point[0] - x) * (point[0] - x)).sum();
		return both / square;
	}

	private record Result(double percent, boolean feasible, double seconds) {
	}

	private static Result solve(String kind, int services, int hosts, String bound, long amount)
			throws IOException, InterruptedException {
		List<String> command = BenchJvm.command(List.of("-Xmx512m", "-XX:ActiveProcessorCount=2"), COMMAND, kind,
				String.valueOf(services), String.valueOf(hosts), bound, String.valueOf(amount));
		Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		Result result = null;
		try (BufferedReader lines = new BufferedReader(
				new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				if (line.startsWith(RESULT)) {
					String[] words = line.substring(RESULT.length()).split(" ");
					result = new Result(Double.parseDouble(words[0]), Boolean.parseBoolean(words[1]),
							Double.parseDouble(words[2]));
				}
			}
		}
		int exit = process.waitFor();
		if (result == null) {
			throw new IOException("The JVM that solves ended with %d and without a result".formatted(exit));
		}
		return result;
	}

	/**
	 * Solves one instance and writes the result to the standard output.
	 * @param arguments the command, kind, services, hosts, {@code time} or {@code steps},
	 * and how many milliseconds or steps
	 */
	public static void main(String[] arguments) {
		int services = Integer.parseInt(arguments[2]);
		int hosts = Integer.parseInt(arguments[3]);
		PlacementModel model = arguments[1].equals("synth") ? Instances.synth(services, hosts, 1)
				: Instances.planted(services, hosts, 0.90, 1);
		long amount = Long.parseLong(arguments[5]);
		Trial trial;
		if (arguments[4].equals("time")) {
			trial = Trial.run(new VicinalSolver(), model, Duration.ofMillis(amount), -1);
		}
		else {
			CompiledModel compiled = new CompiledModel(model, -1);
			// The compiler of the JVM has to be through before the time counts.
			new VicinalSolver().solve(new CompiledModel(Instances.synth(300, 10, 2), -1).problem(),
					Budget.ofTime(Duration.ofSeconds(2), 1), Progress.none());
			Solution solution = new VicinalSolver().solve(compiled.problem(), Budget.ofIterations(amount, 1),
					Progress.none());
			trial = new Trial(solution, compiled.plan(solution.placement()),
					new PlacementVerifier().verify(model, compiled.plan(solution.placement())));
		}
		System.out.printf(Locale.ROOT, "%s%.6f %b %.6f%n", RESULT, trial.crossHostPercent(), trial.feasible(),
				trial.solution().time().toNanos() / 1e9);
	}

}
