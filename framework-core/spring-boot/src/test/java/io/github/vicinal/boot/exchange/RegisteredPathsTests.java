package io.github.vicinal.boot.exchange;

import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Entries that anybody may have written into a service registry. */
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
		int count = 2 * RegisteredPaths.MAX_INSTANCES;
		for (int i = 0; i < count; i++) {
			this.registered.note("host" + i + ":80", Map.of("vicinal-tcp", "10.0.0.7:" + i));
		}
		int kept = 0;
		for (int i = 0; i < count - 1; i++) {
			kept += this.registered.take("host" + i + ":80").isEmpty() ? 0 : 1;
		}
		assertThat(kept).isLessThan(RegisteredPaths.MAX_INSTANCES);
		assertThat(this.registered.take("host" + (count - 1) + ":80")).as("the last one").isNotEmpty();
	}

}
