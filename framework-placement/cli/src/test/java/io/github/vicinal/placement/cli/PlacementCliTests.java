package io.github.vicinal.placement.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

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

}
