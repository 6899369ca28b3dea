package io.github.vicinal.boot.exchange;

import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What anybody may have written into a service registry. */
class RegisteredPathsTests {

	private final RegisteredPaths registered = new RegisteredPaths();

	@Test
	void whatIsSaidOfAnInstanceIsReturnedOnce() {
		this.registered.note("Host:80", Map.of("vicinal-tcp", "10.0.0.7:4711", "zone", "z1"));
		assertThat(this.registered.take("other:80")).isEmpty();
		assertThat(this.registered.take("hOST:80")).containsExactly(Map.entry("vicinal-tcp", "10.0.0.7:4711"));
		assertThat(this.registered.take("host:80")).isEmpty();
	}

	@Test
	void whatIsNoAddressIsNotKept() {
		Map<String, String> said = new HashMap<>();
		said.put("vicinal-tcp", "x".repeat(257));
		said.put("vicinal-" + "x".repeat(300), "10.0.0.7:4711");
		said.put("vicinal-rdma", null);
		this.registered.note("host:80", said);
		assertThat(this.registered.take("host:80")).isEmpty();
	}

	@Test
	void littleIsKept() {
		for (int i = 0; i < 2 * RegisteredPaths.MAX_INSTANCES; i++) {
			this.registered.note("host" + i + ":80", Map.of("vicinal-tcp", "10.0.0.7:" + i));
		}
		assertThat(this.registered.take("host0:80")).isNotEmpty();
		assertThat(this.registered.take("host" + (2 * RegisteredPaths.MAX_INSTANCES - 1) + ":80")).isEmpty();
		this.registered.note("again:80", Map.of("vicinal-tcp", "10.0.0.7:1"));
		assertThat(this.registered.take("again:80")).as("in the place of the first").isNotEmpty();
	}

}
