package io.github.vicinal.boot.server;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

class DrainTimeoutsTests {

	private final MockEnvironment environment = new MockEnvironment();

	private final LifecycleProperties properties = new LifecycleProperties();

	@Test
	void callsHaveTheTimeOfThePhase() {
		assertThat(DrainTimeouts.ofPhase(this.environment, this.properties)).hasSeconds(29);
		this.properties.setTimeoutPerShutdownPhase(Duration.ofSeconds(60));
		assertThat(DrainTimeouts.ofPhase(this.environment, this.properties)).hasSeconds(59);
		this.properties.setTimeoutPerShutdownPhase(Duration.ofSeconds(2));
		assertThat(DrainTimeouts.ofPhase(this.environment, this.properties)).hasMillis(1800);
		assertThat(DrainTimeouts.ofPhase(this.environment, null)).hasSeconds(9);
	}

	@Test
	void anImmediateShutdownWaitsForNothing() {
		this.environment.setProperty("server.shutdown", "immediate");
		assertThat(DrainTimeouts.ofPhase(this.environment, this.properties)).isZero();
	}

}
