package io.github.vicinal.samples.trainticket.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.vicinal.samples.trainticket.launch.Plan;
import io.github.vicinal.samples.trainticket.launch.PlanReader;
import io.github.vicinal.samples.trainticket.launch.Service;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

class LoopCommandTests {

	@TempDir
	Path directory = Path.of("");

	@Test
	void theAnswerOfTheEndpointIsAPlan() throws Exception {
		String answer = Arrays.stream(Service.values())
			.map((service) -> "\"%s\": { \"jvm-%d\": 1 }".formatted(service.serviceName(), service.ordinal() % 3))
			.collect(Collectors.joining(",", "{", "}"));
		Path file = Files.writeString(this.directory.resolve("plan.yml"),
				LoopCommand.plan(JsonMapper.builder().build().readTree(answer)));
		Plan plan = PlanReader.read(file.toString());
		assertThat(plan.groups()).extracting(Plan.Group::name).containsExactly("jvm-0", "jvm-1", "jvm-2");
		assertThat(plan.group("jvm-1").services()).contains(Service.TRAVEL).hasSize(6);
	}

	@Test
	void onlyWhatIsToBeAppliedIsApplied() {
		String answer = """
				{ "action": "%s", "reason": "it does not pay", "after": { "plan": { "ts-ui": { "jvm-1": 1 } } } }""";
		JsonMapper mapper = JsonMapper.builder().build();
		assertThat(LoopCommand.toApply(mapper.readTree(answer.formatted("apply")))).contains("services: [ts-ui]");
		for (String action : new String[] { "keep", "none", "" }) {
			assertThatExceptionOfType(BenchException.class)
				.isThrownBy(() -> LoopCommand.toApply(mapper.readTree(answer.formatted(action))))
				.satisfies((ex) -> assertThat(ex.toString()).contains("does not recommend"));
		}
	}

	@Test
	void aPlanIsReplacedAsAWhole() throws Exception {
		Path file = Files.writeString(this.directory.resolve("recommended.yml"), "old");
		LoopCommand.replace(file, "new");
		assertThat(file).hasContent("new");
		Path there = Files.createDirectories(this.directory.resolve("there").resolve("full"));
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> LoopCommand.replace(there.getParent(), "new"));
		try (Stream<Path> files = Files.list(this.directory)) {
			assertThat(files).containsExactlyInAnyOrder(file, there.getParent());
		}
	}

	@Test
	void costsOfJvmsThemselvesAreNotBlamedOnCalls() {
		// 100 calls of 52.5 us that become direct ones of 2.5 us, and 10 JVMs of 0.5 ms.
		Row two = row(2, 7, 100);
		Row spread = row(12, 7 + 5 + 5, 0);
		assertThat(LoopCommand.farMicros(two, spread, 0.5)).isCloseTo(52.5, within(1e-9));
	}

	private static Row row(int processes, double cpuMillis, double direct) {
		return new Row("mode", "advanced", processes, 0, 1, 0, 0, 0, 0, cpuMillis, 0, 0, Map.of("direct", direct),
				true);
	}

}
