package io.github.vicinal.chronicle;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;

import io.github.vicinal.topic.DurableTopics;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.transport.shm.topic.ShmTopics;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/** The operation by which people end what is kept for a consumer. */
@Timeout(90)
class PositionsEndpointTests {

	private static final TopicSettings<String> ORDERS = TopicSettings.of("orders", TopicModel.PUB_SUB, String.class);

	@TempDir
	private Path volume;

	private Path rendezvous;

	private ConfigurableApplicationContext application;

	@BeforeEach
	void start() throws Exception {
		this.rendezvous = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");
		this.application = new SpringApplicationBuilder(Application.class)
			.properties("server.port=0", "spring.main.banner-mode=off", "spring.jmx.enabled=false",
					"management.endpoints.web.exposure.include=vicinaltopics",
					"management.endpoint.vicinaltopics.access=unrestricted",
					"vicinal.rendezvous.directory=" + this.rendezvous,
					"vicinal.topics.durable.directory=" + this.volume, "vicinal.topics.durable.min-free=0B",
					"vicinal.topics.durable.block-size=1MB")
			.run();
	}

	@AfterEach
	void close() throws Exception {
		this.application.close();
		FileSystemUtils.deleteRecursively(this.rendezvous);
	}

	private HttpResponse<String> response(String place) throws Exception {
		return response("DELETE", place);
	}

	private HttpResponse<String> response(String method, String place) throws Exception {
		String port = this.application.getEnvironment().getRequiredProperty("local.server.port");
		return HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/vicinaltopics" + place))
				.method(method, HttpRequest.BodyPublishers.noBody())
				.build(), HttpResponse.BodyHandlers.ofString());
	}

	private int delete(String place) throws Exception {
		return response(place).statusCode();
	}

	@Test
	void theStoredPositionOfAConsumerThatIsNotSubscribedIsDeleted() throws Exception {
		DurableTopics topics = this.application.getBean(DurableTopics.class);
		assertThat(delete("/orders/billing")).isEqualTo(400);
		Subscription subscription = topics.subscribe(ORDERS, SubscriberSettings.of("billing"), (message) -> {
		});
		DurableFixture.await(() -> !topics.positions().get("orders").isEmpty());
		topics.topic(ORDERS).publish("one");
		DurableFixture.await(() -> topics.positions().get("orders").get(0).lag() == 0);
		HttpResponse<String> subscribed = response("/orders/billing");
		assertThat(subscribed.statusCode()).isEqualTo(400);
		assertThat(subscribed.body()).contains("The consumer 'billing' of topic 'orders' is subscribed");
		assertThat(delete("/orders/audit")).isEqualTo(400);
		assertThat(delete("/bills/billing")).isEqualTo(400);
		assertThat(topics.positions().get("orders")).extracting("consumer").containsExactly("billing");
		subscription.close();
		assertThat(delete("/orders/billing")).isEqualTo(204);
		assertThat(topics.positions().get("orders")).isEmpty();
		assertThat(this.volume.resolve("orders/consumers/billing")).doesNotExist();
		assertThat(delete("/orders/billing")).isEqualTo(400);
	}

	@Test
	void bellsAreNeitherShownNorMetered() throws Exception {
		DurableTopics topics = this.application.getBean(DurableTopics.class);
		Topics memory = this.application.getBean(ShmTopics.class);
		memory.topic(TopicSettings.of("door.bell", TopicModel.PUB_SUB, String.class));
		topics.topic(ORDERS);
		topics.subscribe(ORDERS, SubscriberSettings.of("billing"), (message) -> {
		});
		assertThat(memory.topics()).extracting("topic").containsExactlyInAnyOrder("door.bell", "orders.bell");
		DurableFixture.await(() -> memory.subscriptions().stream().anyMatch((it) -> it.topic().equals("orders.bell")));
		assertThat(response("GET", "").body()).contains("\"orders\"", "\"door.bell\"").doesNotContain("orders.bell");
		MeterRegistry meters = this.application.getBean(MeterRegistry.class);
		assertThat(meters.getMeters()).extracting((meter) -> meter.getId().getTag("topic"))
			.contains("orders", "door.bell")
			.doesNotContain("orders.bell");
	}

	@Test
	void aNameThatIsNoneReachesNoFile() throws Exception {
		DurableTopics topics = this.application.getBean(DurableTopics.class);
		topics.topic(ORDERS).publish("one");
		assertThat(delete("/orders/..%2ftopic.properties")).isEqualTo(400);
		assertThat(delete("/orders/.hidden")).isEqualTo(400);
		assertThat(this.volume.resolve("orders/topic.properties")).exists();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
