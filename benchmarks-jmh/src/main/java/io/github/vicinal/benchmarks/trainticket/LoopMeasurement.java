package io.github.vicinal.benchmarks.trainticket;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Measure, recommend, apply, measure: the TrainTicket sample's command {@code loop}. */
public final class LoopMeasurement implements Measurement {

	@Override
	public String name() {
		return "placement-loop";
	}

	@Override
	public String description() {
		return "TrainTicket: measured, placed as its endpoint recommends, measured again; predicted against observed CPU";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		Path jar = settings.trainTicketJar();
		if (jar == null || !Files.isRegularFile(jar)) {
			throw new IOException(
					"The TrainTicket sample's jar is missing (%s): start this through benchmarks-jmh/bench"
						.formatted(jar));
		}
		Path directory = Files.createTempDirectory("placement-loop");
		Path json = directory.resolve("loop.json");
		List<String> command = new ArrayList<>(List.of(
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar",
				jar.toAbsolutePath().toString(), "loop", "--rate=10", "--warmup=" + (settings.quick() ? "60" : "120"),
				"--duration=" + (settings.quick() ? "10" : "30"), "--json=" + json));
		settings.say("%s", String.join(" ", command.subList(3, command.size())));
		// The command writes the plan that it applies into its working directory.
		new ProcessBuilder(command).directory(directory.toFile()).inheritIO().start().waitFor();
		if (!Files.isRegularFile(json)) {
			throw new IOException("The sample wrote no figures; see above");
		}
		return report(JsonMapper.builder().build().readTree(json.toFile()));
	}

	private static Report report(JsonNode outcome) {
		Report report = new Report("mode", "JVMs", "p50 ms", "p90 ms", "CPU ms/op", "calls/op by path", "steady")
			.chart("AdvancedSearch: CPU time of all processes per search, in ms", "CPU ms/op", "mode");
		int unsteady = 0;
		for (JsonNode row : outcome.get("rows")) {
			report.row(row.get("mode").asString(), row.get("processes").asInt(), row.get("p50Millis").asDouble(),
					row.get("p90Millis").asDouble(), row.get("cpuMillisPerOperation").asDouble(),
					row.get("callsPerOperation")
						.properties()
						.stream()
						.map((calls) -> String.format(Locale.ROOT, "%s %.1f", calls.getKey(),
								calls.getValue().asDouble()))
						.collect(Collectors.joining(", ")),
					row.get("steady").asBoolean() ? "yes" : "no");
			unsteady += row.get("steady").asBoolean() ? 0 : 1;
		}
		double predicted = outcome.get("predictedMillis").asDouble();
		double observed = outcome.get("observedMillis").asDouble();
		report.bar("CPU saved per search, predicted %.2f ms against observed %.2f ms: difference / observed"
			.formatted(predicted, observed), Math.abs(predicted - observed) / Math.abs(observed), 0.2);
		report.bar("errors, and answers that differ between modes", outcome.get("errors").asDouble(), 0);
		report.bar("modes that were measured before they were steady", unsteady, 0);
		return report;
	}

}
