package io.github.vicinal.samples.trainticket.bench;

import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class CallCountsTests {

	@Test
	@DisplayName("sums the calls of all channels by path, wherever they are")
	void byPath() {
		String document = """
				{"channels": [{"name": "a", "calls": {"uds": 3, "http": 1}, "peers": [{"id": 1}]},
				{"name": "b", "calls": {"uds": 4}}, {"name": "c", "calls": 7}, {"name": "d"}]}""";

		assertThat(CallCounts.byPath(new JsonMapper().readTree(document))).isEqualTo(Map.of("uds", 7L, "http", 1L));
	}

	@Test
	@DisplayName("nothing comes of an unknown document")
	void unknown() {
		assertThat(CallCounts.byPath(new JsonMapper().readTree("[1, {\"x\": null}]"))).isEmpty();
	}

	@Test
	@DisplayName("the difference leaves out what has not changed")
	void difference() {
		assertThat(CallCounts.difference(Map.of("uds", 7L, "http", 5L, "shm", 2L), Map.of("uds", 3L, "http", 5L)))
			.isEqualTo(Map.of("uds", 4L, "shm", 2L));
	}

}
