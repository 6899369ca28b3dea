package io.github.vicinal.boot.placement;

import java.time.Duration;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.placement.sources.InstanceReport;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.support.StaticApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

class LocalInstanceTests {

	private static LocalInstance instance(@Nullable MeterRegistry meters) {
		return new LocalInstance("shop", PeerIdentity.create(PeerIdentity.NO_HOST), "a", "", () -> null, () -> null,
				() -> meters);
	}

	private static void ready(LocalInstance instance) {
		instance.onApplicationEvent(new ApplicationReadyEvent(new SpringApplication(), new String[0],
				new StaticApplicationContext(), Duration.ZERO));
	}

	/** Calls over a time that begins with the JVM would be too few after a restart. */
	@Test
	void theTimeOfTheStartCountsForNothing() {
		LocalInstance instance = instance(new SimpleMeterRegistry());
		InstanceReport before = instance.report();
		ready(instance);
		InstanceReport after = instance.report();
		assertThat(before.uptimeSeconds()).isPositive();
		assertThat(after.uptimeSeconds()).isNotNegative().isLessThan(before.uptimeSeconds());
		assertThat(after.cpuSeconds()).isNotNegative().isLessThan(before.cpuSeconds());
	}

	@Test
	void callsOfTheStartKeepTheirTime() {
		MeterRegistry meters = new SimpleMeterRegistry();
		meters.timer("http.client.requests", "client.name", "stock").record(Duration.ofMillis(1));
		LocalInstance instance = instance(meters);
		InstanceReport before = instance.report();
		ready(instance);
		assertThat(before.outgoing()).hasSize(1);
		assertThat(instance.report().uptimeSeconds()).isGreaterThanOrEqualTo(before.uptimeSeconds());
	}

}
