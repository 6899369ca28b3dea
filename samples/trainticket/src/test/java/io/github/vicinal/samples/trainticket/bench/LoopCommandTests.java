package io.github.vicinal.samples.trainticket.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import io.github.vicinal.samples.trainticket.launch.Plan;
import io.github.vicinal.samples.trainticket.launch.PlanReader;
import io.github.vicinal.samples.trainticket.launch.Service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

class LoopCommandTests {

	@TempDir
	Path directory = Path.of("");

	@Test
	void whatTheEndpointAnswersIsAPlan() throws Exception {
		String answer = Arrays.stream(Service.values())
			.map((service) -> "\"%s\": { \"jvm-%d\": 1 }".formatted(service.serviceName(), service.ordinal() % 3))
			.collect(Collectors.joining(",", "{", "}"));
		Path file = Files.writeString(this.directory.resolve("plan.yml"),
				LoopCommand.plan(JsonMapper.builder().build().readTree(answer)));
		Plan plan = PlanReader.read(file.toString());
		assertThat(plan.groups()).extracting(Plan.Group::name).containsExactly("jvm-0", "jvm-1", "jvm-2");
		assertThat(plan.group("jvm-1").services()).contains(Service.TRAVEL).hasSize(6);
	}

	private static Row row(int processes, double far, double cpuMillis) {
		return new Row("mode", "advanced", processes, 0, 100, 0, 1, 1, 1, cpuMillis, -1, -1,
				Map.of("direct", 292 - far, "uds", far));
	}

	@Test
	void calibrationTellsCallsFromJvms() {
		LoopCommand.Calibration calibration = LoopCommand.Calibration.of(row(1, 0, 20),
				row(2, 100, 20 + 100 * 0.08 + 0.5), row(18, 292, 20 + 292 * 0.08 + 17 * 0.5));
		assertThat(calibration.farMicros()).isCloseTo(80, within(1e-6));
		assertThat(calibration.jvmMillis()).isCloseTo(0.5, within(1e-6));
	}

	@Test
	void aJvmNeverCostsLessThanNothing() {
		LoopCommand.Calibration calibration = LoopCommand.Calibration.of(row(1, 0, 20), row(2, 200, 40),
				row(18, 250, 45));
		assertThat(calibration.jvmMillis()).isZero();
		assertThat(calibration.farMicros()).isCloseTo(100, within(1e-6));
	}

	@Test
	void nonsenseIsSaid() {
		assertThatExceptionOfType(BenchException.class)
			.isThrownBy(() -> LoopCommand.Calibration.of(row(1, 0, 50), row(2, 100, 40), row(18, 292, 30)))
			.withMessageContaining("too busy");
	}

}
