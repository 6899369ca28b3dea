package io.github.vicinal.samples.trainticket.launch;

import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class PlanReaderTests {

	@ParameterizedTest
	@CsvSource({ "spread,18", "two,2", "merged,1" })
	@DisplayName("the shipped plans place all services")
	void shipped(String name, int groups) {
		Plan plan = PlanReader.read(name);

		assertThat(plan.groups()).hasSize(groups);
		assertThat(Arrays.stream(Service.values()).map(plan::host)).containsOnly("localhost");
	}

	@Test
	@DisplayName("a group has a name, a host and services")
	void group() {
		Plan plan = PlanReader.parse("p", "groups:\n  one: {host: alpha, services: [gateway, " + rest() + "]}\n"
				+ "  other: {host: beta, services: [station]}\n");

		assertThat(plan.group("other")).isEqualTo(new Plan.Group("other", "beta", List.of(Service.STATION)));
		assertThat(plan.host(Service.GATEWAY)).isEqualTo("alpha");
		assertThat(plan.host(Service.STATION)).isEqualTo("beta");
		assertThatExceptionOfType(UsageException.class).isThrownBy(() -> plan.group("third"))
			.withMessageContaining("'third'")
			.withMessageContaining("one, other");
	}

	@Test
	@DisplayName("a service in two groups is refused by name")
	void twoGroups() {
		assertThatExceptionOfType(UsageException.class)
			.isThrownBy(() -> PlanReader.parse("p",
					"groups:\n  one: {host: a, services: [gateway, station]}\n"
							+ "  other: {host: a, services: [station]}\n"))
			.withMessageContaining("'station' in group 'one' and in group 'other'")
			.withMessageContaining("Rule:")
			.withMessageContaining("Remedy:");
	}

	@Test
	@DisplayName("a service in no group is refused by name")
	void noGroup() {
		assertThatExceptionOfType(UsageException.class)
			.isThrownBy(() -> PlanReader.parse("p", "groups: {one: {host: a, services: [gateway]}}"))
			.withMessageContaining("places service 'travel' nowhere");
	}

	@Test
	@DisplayName("an unknown service is refused with the list of all services")
	void unknownService() {
		assertThatExceptionOfType(UsageException.class)
			.isThrownBy(() -> PlanReader.parse("p", "groups: {one: {host: a, services: [gatewy]}}"))
			.withMessageContaining("Unknown service 'gatewy'")
			.withMessageContaining("gateway, travel, travel2");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "[]", "groups", "groups:", "groups: []", "group: {}", "groups: {one: 1}",
			"groups: {one: {host: a}}", "groups: {one: {services: [gateway]}}",
			"groups: {one: {host: a, services: []}}", "groups: {one: {host: a, services: gateway}}",
			"groups: {one: {host: a, services: [gateway], hosts: b}}",
			"groups: {one: {host: a, services: [gateway]}, one: {host: a, services: [travel]}}", "{", "\u0000",
			"groups: !!javax.script.ScriptEngineManager {}" })
	@DisplayName("what is not a plan is refused with the shape of a plan")
	void malformed(String yaml) {
		assertThatExceptionOfType(UsageException.class).isThrownBy(() -> PlanReader.parse("p.yml", yaml))
			.withMessageContaining("Plan 'p.yml' cannot be read")
			.withMessageContaining("groups: { NAME:");
	}

	@Test
	@DisplayName("a missing file is refused by name")
	void missingFile() {
		assertThatExceptionOfType(UsageException.class).isThrownBy(() -> PlanReader.read("no-such-plan.yml"))
			.withMessageContaining("'no-such-plan.yml'")
			.withMessageContaining("spread, five, two, merged");
	}

	private static String rest() {
		return Service.names(Arrays.stream(Service.values())
			.filter((service) -> service != Service.GATEWAY && service != Service.STATION)
			.toList());
	}

}
