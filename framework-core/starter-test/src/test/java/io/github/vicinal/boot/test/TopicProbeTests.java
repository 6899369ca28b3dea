package io.github.vicinal.boot.test;

import java.nio.file.Files;
import java.nio.file.Path;

import io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration;
import io.github.vicinal.boot.topic.TopicAutoConfiguration;
import io.github.vicinal.boot.transport.LocalTopicAutoConfiguration;
import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Timeout(60)
class TopicProbeTests {

	private Path directory;

	private ConfigurableApplicationContext context;

	private Topics topics;

	@BeforeEach
	void open() throws Exception {
		this.directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");
		this.context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("vicinal.rendezvous.directory=" + this.directory)
			.run();
		this.topics = this.context.getBean(Topics.class);
	}

	@AfterEach
	void close() throws Exception {
		this.context.close();
		FileSystemUtils.deleteRecursively(this.directory);
	}

	@Test
	void aTestGetsTheMessagesThatItExpects() {
		Topic<String> topic = this.topics.topic(TopicSettings.of("news", TopicModel.PUB_SUB, String.class));
		try (TopicProbe<String> probe = TopicProbe.subscribe(this.topics, "news", TopicModel.PUB_SUB, String.class)) {
			TopicProbe.awaitSubscribers(topic, 1);
			topic.publish("a");
			topic.publish("b");
			assertThat(probe.next().payload()).isEqualTo("a");
			assertThat(probe.next().payload()).isEqualTo("b");
			topic.publish("c");
			assertThat(probe.await(3)).extracting(Message::payload).containsExactly("a", "b", "c");
			assertThat(probe.messages()).hasSize(3);
		}
		assertThat(this.topics.subscriptions()).isEmpty();
	}

	@Test
	void anExpectationThatFailsNamesTheMessagesReceived() {
		try (TopicProbe<String> probe = TopicProbe.subscribe(this.topics, "news", TopicModel.PUB_SUB, String.class)) {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(AssertionError.class).isThrownBy(probe::next)
				.withMessage("Expected one more message of topic 'news', but there are 0, and the publishers are {}");
			Topic<String> topic = this.topics.topic(TopicSettings.of("other", TopicModel.PUB_SUB, String.class));
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> TopicProbe.awaitSubscribers(topic, 1))
				.withMessage("Topic 'other' has the subscribers [], but 1 were expected");
			assertThat(Thread.interrupted()).isTrue();
		}
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ JacksonAutoConfiguration.class, VicinalAutoConfiguration.class,
			LocalTopicAutoConfiguration.class, TopicAutoConfiguration.class })
	static class Application {

	}

}
