package io.github.vicinal.benchmarks.trainticket;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs the driver of the TrainTicket sample in all modes. */
public final class TrainTicketMeasurement implements Measurement {

	private static final String MODES = "spread-http,spread-uds,spread-vicinal,two-vicinal,merged-vicinal";

	@Override
	public String name() {
		return "trainticket";
	}

	@Override
	public String description() {
		return "AdvancedSearch of TrainTicket (292 internal calls): 18 JVMs over http, uds and shm, in two JVMs, in one";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		Path jar = settings.trainTicketJar();
		if (jar == null || !Files.isRegularFile(jar)) {
			throw new IOException(
					"The TrainTicket sample's jar is missing (%s): start this through benchmarks-jmh/bench"
						.formatted(jar));
		}
		Path json = Files.createTempFile("trainticket", ".json");
		try {
			List<String> command = new ArrayList<>(
					List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar",
							jar.toAbsolutePath().toString(), "bench", "--modes=" + MODES, "--requests=advanced",
							"--rate=" + (settings.quick() ? "1" : "2"), "--warmup=" + (settings.quick() ? "60" : "180"),
							"--duration=" + (settings.quick() ? "10" : "30"), "--json=" + json));
			settings.say("%s", String.join(" ", command.subList(3, command.size())));
			int exit = new ProcessBuilder(command).inheritIO().start().waitFor();
			JsonNode outcome = JsonMapper.builder().build().readTree(json.toFile());
			return report(outcome, exit);
		}
		finally {
			Files.deleteIfExists(json);
		}
	}

	private static Report report(JsonNode outcome, int exit) {
		Report report = new Report("mode", "JVMs", "p50 ms", "p90 ms", "p99 ms", "CPU ms/op", "RSS MB",
				"calls/op by path")
			.chart("AdvancedSearch, 292 internal calls: CPU time of all processes per search, in ms", "CPU ms/op",
					"mode");
		Map<String, Double> cpu = new HashMap<>();
		for (JsonNode row : outcome.get("rows")) {
			String mode = row.get("mode").asString();
			cpu.put(mode, row.get("cpuMillisPerOperation").asDouble());
			report.row(mode, row.get("processes").asInt(), row.get("p50Millis").asDouble(),
					row.get("p90Millis").asDouble(), row.get("p99Millis").asDouble(),
					row.get("cpuMillisPerOperation").asDouble(), row.get("rssKb").asLong() / 1024,
					row.get("callsPerOperation")
						.properties()
						.stream()
						.map((calls) -> String.format(Locale.ROOT, "%s %.1f", calls.getKey(),
								calls.getValue().asDouble()))
						.collect(Collectors.joining(", ")));
		}
		double http = cpu.getOrDefault("spread-http", Double.NaN);
		report.bar("spread with Vicinal, uds: CPU / spread over http",
				cpu.getOrDefault("spread-uds", Double.NaN) / http, 1 / 4.0);
		report.bar("spread with Vicinal, shm: CPU / spread over http",
				cpu.getOrDefault("spread-vicinal", Double.NaN) / http, 1 / 10.0);
		report.bar("merged with Vicinal: CPU / spread over http", cpu.getOrDefault("merged-vicinal", Double.NaN) / http,
				1 / 20.0);
		report.bar("answers that differ between modes, and errors", exit, 0);
		return report;
	}

}
