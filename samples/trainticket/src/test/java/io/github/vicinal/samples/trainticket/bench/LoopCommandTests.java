package io.github.vicinal.samples.trainticket.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import io.github.vicinal.samples.trainticket.launch.Plan;
import io.github.vicinal.samples.trainticket.launch.PlanReader;
import io.github.vicinal.samples.trainticket.launch.Service;

import static org.assertj.core.api.Assertions.assertThat;

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

}
