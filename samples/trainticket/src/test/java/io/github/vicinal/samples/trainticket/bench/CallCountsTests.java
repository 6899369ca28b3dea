package io.github.vicinal.samples.trainticket.bench;

import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class CallCountsTests {

	@Test
	@DisplayName("sums the calls of all channels and peers by path")
	void byPath() {
		String document = """
				{"channels": [{"name": "a", "peers": [
				{"address": "x:1", "paths": [{"path": "uds", "calls": 3}, {"path": "http", "calls": 1}]},
				{"address": "x:2", "paths": [{"path": "uds", "calls": 4}, {"path": "direct", "calls": 0}]}]},
				{"name": "b", "peers": []}]}""";

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
