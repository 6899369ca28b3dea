package io.github.vicinal.boot.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration;
import io.github.vicinal.boot.server.RequestServerAutoConfiguration;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.report.ChannelReport.PathDecision;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.github.vicinal.requestserver.RequestServerReport;
import io.github.vicinal.requestserver.RequestServerReport.Quantiles;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link VicinalHealthIndicator} and of its auto-configuration.
 */
class VicinalHealthIndicatorTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, VicinalAutoConfiguration.class,
				RequestServerAutoConfiguration.class, VicinalHealthAutoConfiguration.class));

	private static RequestServerReport server(boolean overloaded, int waiting) {
		Quantiles none = new Quantiles(0, 0, 0, 0, 0, 0);
		return new RequestServerReport("requests", 4, 4, waiting, 100, overloaded, 1, 0, 0, 0, Map.of(), none, none,
				none, Map.of());
	}

	private static ChannelReport channel(String path, PathDecision... decisions) {
		return new ChannelReport("baskets", "shop.Baskets", "hash", null, List.of(), Map.of(), List.of(),
				List.of(new PeerReport("localhost:8081", "id", path, "", null, List.of(), List.of(decisions))),
				List.of());
	}

	private static PathDecision decision(String from, String to, String why, double gainMicros) {
		return new PathDecision(Instant.EPOCH, from, to, "all calls", why, null, null, gainMicros, 0);
	}

	@Test
	void allIsWell() {
		Health health = VicinalHealthIndicator.health(server(false, 0),
				List.of(channel("shm", decision("http", "shm", "same host", 0))));
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("overloaded", false)
			.containsEntry("channels", 1)
			.containsEntry("lostPaths", Map.of());
	}

	@Test
	void anOverloadedServerIsDegraded() {
		Health health = VicinalHealthIndicator.health(server(true, 12), List.of());
		assertThat(health.getStatus()).isEqualTo(VicinalHealthIndicator.DEGRADED);
		assertThat(health.getDetails()).containsEntry("overloaded", true).containsEntry("waitingRequests", 12);
	}

	@Test
	void aServerWhereNobodyWaitsIsNotOverloaded() {
		assertThat(VicinalHealthIndicator.health(server(true, 0), List.of()).getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void aLostPathIsNamed() {
		Health health = VicinalHealthIndicator.health(null, List.of(channel("http",
				decision("http", "shm", "same host", 0), decision("shm", "http", "the peer is gone", 0))));
		assertThat(health.getStatus()).isEqualTo(VicinalHealthIndicator.DEGRADED);
		assertThat(health.getDetails()).containsEntry("lostPaths",
				Map.of("baskets -> localhost:8081", "shm: the peer is gone"));
	}

	@Test
	void aPathThatIsCheaperIsNoLoss() {
		Health health = VicinalHealthIndicator.health(null,
				List.of(channel("http", decision("shm", "http", "the expected gain exceeds the loss", 12))));
		assertThat(health.getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void aPeerThatNeverHadAPathHasNotLostIt() {
		assertThat(VicinalHealthIndicator.health(null, List.of(channel("http"))).getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void applicationsWithActuatorHaveIt() {
		this.runner.run((context) -> assertThat(context).getBean(VicinalHealthIndicator.class)
			.satisfies((indicator) -> assertThat(indicator.health().getStatus()).isEqualTo(Status.UP)));
	}

	@Test
	void itCanBeSwitchedOff() {
		this.runner.withPropertyValues("management.health.vicinal.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(VicinalHealthIndicator.class));
		this.runner.withPropertyValues("vicinal.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(VicinalHealthIndicator.class));
	}

	@Test
	void applicationsWithoutHealthDoWithoutIt() {
		this.runner.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
			.run((context) -> assertThat(context).hasNotFailed());
	}

}
