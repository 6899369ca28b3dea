package io.github.vicinal.boot.transport;

import java.time.Duration;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.path.PathMeters;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.transport.direct.DirectPathServer;
import io.github.vicinal.transport.shm.ShmOptions;
import io.github.vicinal.transport.shm.ShmPathProvider;
import io.github.vicinal.transport.shm.topic.ShmTopics;
import io.github.vicinal.transport.uds.UdsOptions;
import io.github.vicinal.transport.uds.UdsPathProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.Mockito;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/**
 * Beans by condition, and messages of mistakes at start. Applications with channels are
 * tested in {@code vicinal-spring-boot}.
 */
class LocalTransportAutoConfigurationTests {

	private final ApplicationContextRunner empty = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(LocalTransportAutoConfiguration.class, LocalTopicAutoConfiguration.class));

	private final ApplicationContextRunner runner = this.empty.withBean(Codecs.class,
			() -> new Codecs(new JsonMapper(), true));

	@Test
	void needsWhatChannelsShare() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(UdsPathProvider.class)
			.hasSingleBean(ShmPathProvider.class)
			.hasSingleBean(DirectPathServer.class)
			.hasSingleBean(ShmTopics.class));
		this.empty.run((context) -> assertThat(context).hasNotFailed()
			.doesNotHaveBean(UdsPathProvider.class)
			.doesNotHaveBean(ShmTopics.class)
			.doesNotHaveBean(PathMeters.class));
	}

	/** An application may leave the paths out and keep the starter. */
	@Test
	void worksWithoutThePaths() {
		this.runner.withClassLoader(new FilteredClassLoader("io.github.vicinal.transport"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LocalTransportAutoConfiguration.class)
				.doesNotHaveBean(LocalTopicAutoConfiguration.class));
	}

	/** Although nothing has been asked for that would need them. */
	@ParameterizedTest
	@CsvSource({ "lanes, 3", "lanes, 512", "inline-size, 1KB", "inline-size, 2049B", "inline-size, 3GB",
			"max-frame-size, 100B", "max-frame-size, 3GB", "max-memory-per-peer, -1MB", "max-peers, 0",
			"max-threads, 0", "max-lanes, 32", "idle-timeout, 0s", "max-heap-per-peer, -1B", "wait, forever",
			"wait, ''", "wait, spin-20001", "wait, spin-5+yield-1001" })
	void impossibleSharedMemoryFailsAtStart(String property, String value) {
		failsAtStart("vicinal.shm." + property, value);
	}

	@ParameterizedTest
	@CsvSource({ "max-connections-per-peer, 0", "max-connections, -1", "max-frame-size, 10B",
			"max-frame-size, 1025MB" })
	void impossibleSocketsFailAtStart(String property, String value) {
		failsAtStart("vicinal.uds." + property, value);
	}

	private void failsAtStart(String property, String value) {
		this.runner.withPropertyValues(property + "=" + value).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).rootCause()
				.asInstanceOf(type(InvalidConfigurationPropertyValueException.class))
				.satisfies((failure) -> {
					assertThat(failure.getName()).isEqualTo(property);
					assertThat(failure.getValue()).isEqualTo(value);
					assertThat(failure.getReason()).startsWith("It must be ").contains("vicinal.server.paths");
				});
		});
	}

	@ParameterizedTest
	@CsvSource({ "lanes, 256", "inline-size, 1MB", "max-frame-size, 1GB", "max-memory-per-peer, 0", "max-lanes, 64",
			"max-heap-per-peer, 1MB", "idle-timeout, 1m", "wait, spin-20", "wait, park", "wait, yield-5",
			"wait, spin-200+yield-50", "wait, spin-20000+yield-1000" })
	void possibleSharedMemoryIsTaken(String property, String value) {
		this.runner.withPropertyValues("vicinal.shm." + property + "=" + value)
			.run((context) -> assertThat(context.getBean(ShmOptions.class)).usingRecursiveComparison()
				.isNotEqualTo(ShmOptions.defaults()));
	}

	@Test
	void withoutPropertiesTheOptionsAreTheDefaults() {
		this.runner.run((context) -> {
			assertThat(context.getBean(ShmOptions.class)).usingRecursiveComparison().isEqualTo(ShmOptions.defaults());
			assertThat(context.getBean(UdsOptions.class)).usingRecursiveComparison().isEqualTo(UdsOptions.defaults());
		});
	}

	/** It is made when a client asks for the first contract, and must not fail then. */
	@Test
	void theLargestFrameOfSocketsIsTaken() {
		this.runner.withPropertyValues("vicinal.uds.max-frame-size=1GB")
			.run((context) -> assertThat(context.getBean(UdsOptions.class).maxFrameBytes()).isEqualTo(1 << 30));
	}

	/** One limit for both paths between processes. */
	@Test
	void heapOfSocketsIsLimitedAsThatOfSharedMemory() {
		this.runner.withPropertyValues("vicinal.shm.max-heap-per-peer=3MB")
			.run((context) -> assertThat(context.getBean(UdsOptions.class).maxHeapBytes()).isEqualTo(3 << 20));
	}

	@Test
	void anImmediateShutdownWaitsForNothing() {
		this.runner.withPropertyValues("server.shutdown=immediate").run((context) -> {
			assertThat(context.getBean(ShmOptions.class).drainTimeout()).isZero();
			assertThat(context.getBean(UdsOptions.class).drainTimeout()).isZero();
		});
		this.runner.withPropertyValues("server.shutdown=graceful")
			.run((context) -> assertThat(context.getBean(UdsOptions.class).drainTimeout())
				.isEqualTo(Duration.ofSeconds(10)));
	}

	@Test
	void anApplicationsOwnOptionsReplaceThose() {
		ShmOptions own = ShmOptions.defaults();
		this.runner.withBean(ShmOptions.class, () -> own)
			.run((context) -> assertThat(context).getBean(ShmOptions.class).isSameAs(own));
	}

	@Test
	void topicsAreOffByPropertyOrReplaced() {
		this.runner.withPropertyValues("vicinal.topics.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Topics.class));
		this.runner.withBean(Topics.class, () -> Mockito.mock(Topics.class))
			.run((context) -> assertThat(context).hasSingleBean(Topics.class).doesNotHaveBean(ShmTopics.class));
	}

}
