package io.github.vicinal.boot.actuate;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration;
import io.github.vicinal.boot.topic.TopicAutoConfiguration;
import io.github.vicinal.boot.topic.TopicFactory;
import io.github.vicinal.boot.transport.LocalTopicAutoConfiguration;
import io.github.vicinal.topic.AffinityListener;
import io.github.vicinal.topic.DurableTopics.StoredPosition;
import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.topic.WhenFull;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.Lifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Timeout(60)
class TopicAutoConfigurationTests {

	private Path directory;

	private ApplicationContextRunner runner;

	@BeforeEach
	void makeDirectory() throws Exception {
		this.directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");
		this.runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, VicinalAutoConfiguration.class,
					LocalTopicAutoConfiguration.class, TopicAutoConfiguration.class,
					TopicsEndpointAutoConfiguration.class, EndpointAutoConfiguration.class))
			.withPropertyValues("vicinal.rendezvous.directory=" + this.directory,
					"management.endpoints.web.exposure.include=vicinaltopics",
					"management.endpoints.jmx.exposure.include=vicinaltopics");
	}

	@AfterEach
	void deleteDirectory() throws Exception {
		FileSystemUtils.deleteRecursively(this.directory);
	}

	@Test
	void listenersGetWhatAnotherApplicationPublishes() {
		this.runner.withUserConfiguration(Billing.class)
			.withPropertyValues("spring.application.name=billing", "orders=new-orders")
			.run((billing) -> this.runner
				.withPropertyValues("spring.application.name=shop", "vicinal.topics.named.new-orders.capacity=64KB",
						"vicinal.topics.named.new-orders.when-full=drop-oldest")
				.run((shop) -> {
					Topic<Order> topic = shop.getBean(TopicFactory.class)
						.topic("new-orders", TopicModel.PUB_SUB, Order.class);
					assertThat(topic.settings().capacityBytes()).isEqualTo(64 << 10);
					assertThat(topic.settings().whenFull()).isEqualTo(WhenFull.DROP_OLDEST);
					while (topic.report().subscribers().size() < 2) {
						Thread.onSpinWait();
					}
					topic.publish(new Order(7, "book"));
					Billing beans = billing.getBean(Billing.class);
					assertThat(beans.payloads.poll(10, TimeUnit.SECONDS)).isEqualTo(new Order(7, "book"));
					Message<Order> message = beans.messages.poll(10, TimeUnit.SECONDS);
					assertThat(message).isNotNull();
					assertThat(message.payload()).isEqualTo(new Order(7, "book"));
					assertThat(message.sequence()).isOne();
					TopicsEndpoint.TopicsDescriptor published = shop.getBean(TopicsEndpoint.class).topics();
					assertThat(published.topics().get(0).subscribers()).extracting("name")
						.containsExactlyInAnyOrder("billing.payload", "whole");
					assertThat(billing.getBean(TopicsEndpoint.class).topics().subscriptions()).extracting("topic")
						.isEqualTo(List.of("new-orders", "new-orders"));
					billing.getBean("vicinalTopicListeners", Lifecycle.class).stop();
					while (!topic.report().subscribers().isEmpty()) {
						Thread.onSpinWait();
					}
				}));
	}

	@Test
	void aTopicThatCannotBeAsItsPropertiesSayIsExplained() {
		this.runner
			.withPropertyValues("vicinal.topics.named.orders.capacity=15MB",
					"vicinal.topics.named.bills.other-hosts=true")
			.run((shop) -> {
				TopicFactory topics = shop.getBean(TopicFactory.class);
				assertThatExceptionOfType(TopicException.class)
					.isThrownBy(() -> topics.topic("orders", TopicModel.STREAM, Order.class))
					.withMessageContaining("The capacity of topic 'orders' must be a power of two");
				assertThatExceptionOfType(TopicException.class)
					.isThrownBy(() -> topics.topic("bills", TopicModel.STREAM, Order.class))
					.withMessageContaining("add vicinal-transport-tcp");
				assertThatExceptionOfType(TopicException.class)
					.isThrownBy(() -> topics.topic("newOrders", TopicModel.STREAM, Order.class))
					.withMessageContaining("lower-case letters");
			});
	}

	@Test
	void topicsAreMetered() {
		this.runner.withUserConfiguration(Billing.class, Meters.class)
			.withPropertyValues("orders=orders")
			.withConfiguration(AutoConfigurations.of(VicinalMetricsAutoConfiguration.class))
			.run((billing) -> this.runner.withUserConfiguration(Meters.class)
				.withConfiguration(AutoConfigurations.of(VicinalMetricsAutoConfiguration.class))
				.run((shop) -> {
					MeterRegistry meters = shop.getBean(MeterRegistry.class);
					shop.getBean(TopicMetrics.class).bindTo(meters);
					assertThat(meters.getMeters()).extracting((meter) -> meter.getId().getName())
						.noneMatch((name) -> name.startsWith("vicinal.topic."));
					Topic<Order> topic = shop.getBean(TopicFactory.class)
						.topic("orders", TopicModel.PUB_SUB, Order.class);
					while (topic.report().subscribers().size() < 2) {
						Thread.onSpinWait();
					}
					topic.publish(new Order(7, "book"));
					assertThat(billing.getBean(Billing.class).messages.poll(10, TimeUnit.SECONDS)).isNotNull();
					assertThat(billing.getBean(Billing.class).payloads.poll(10, TimeUnit.SECONDS)).isNotNull();
					assertThat(counter(meters, "published")).isOne();
					assertThat(counter(meters, "dropped")).isZero();
					assertThat(counter(meters, "refused")).isZero();
					assertThat(gauge(meters, "subscribers")).isEqualTo(2);
					assertThat(gauge(meters, "capacity")).isEqualTo(4 << 20);
					while (gauge(meters, "used") > 0 || gauge(meters, "backlog") > 0
							|| gauge(meters, "backlog.size") > 0) {
						Thread.onSpinWait();
					}
					MeterRegistry ofBilling = billing.getBean(MeterRegistry.class);
					// Bound after the subscriptions have begun.
					billing.getBean(TopicMetrics.class).bindTo(ofBilling);
					while (counter(ofBilling, "delivered") < 1) {
						Thread.onSpinWait();
					}
					assertThat(ofBilling.get("vicinal.topic.delivered").tag("subscriber", "whole").functionCounters())
						.hasSize(1);
					assertThat(counter(ofBilling, "failed")).isZero();
					assertThat(counter(ofBilling, "redelivered")).isZero();
					assertThat(counter(ofBilling, "missed")).isZero();
					assertThat(gauge(ofBilling, "publishers")).isOne();
					billing.getBean("vicinalTopicListeners", Lifecycle.class).stop();
					assertThat(counter(ofBilling, "delivered")).isOne();
					assertThat(gauge(ofBilling, "publishers")).isZero();
					topic.close();
					shop.getBean(TopicFactory.class)
						.topic("orders", TopicModel.PUB_SUB, Order.class)
						.publish(new Order(8, "pen"));
					assertThat(counter(meters, "published")).isEqualTo(2);
				}));
	}

	private static double counter(MeterRegistry meters, String name) {
		return meters.get("vicinal.topic." + name).tag("topic", "orders").functionCounter().count();
	}

	private static double gauge(MeterRegistry meters, String name) {
		return meters.get("vicinal.topic." + name).tag("topic", "orders").gauge().value();
	}

	@Test
	void thereIsAPageForPeople() {
		this.runner.run((context) -> {
			TopicsPageEndpointExtension extension = context.getBean(TopicsPageEndpointExtension.class);
			WebEndpointResponse<Object> page = extension.topics("page");
			assertThat(page).isNotNull();
			assertThat(page.getContentType()).hasToString("text/html;charset=UTF-8");
			assertThat((String) page.getBody()).startsWith("<!doctype html>")
				.contains("<title>Topics</title>")
				.contains("function watch(", "color-scheme:light dark")
				.doesNotContain("/*page.");
			assertThat(extension.topics("other")).isNull();
			assertThat(context.getBean(TopicsEndpoint.class).topics().positions()).isEmpty();
		});
	}

	/** The page would round numbers of this size. */
	@Test
	void indexesOfStoredPositionsAreExactOnThePage() {
		StoredPosition position = new StoredPosition("billing", (1L << 53) + 1, 3);
		TopicsEndpoint endpoint = new TopicsEndpoint(List::of, List::of, () -> Map.of("orders", List.of(position)),
				(topic, consumer) -> {
				});
		assertThat(JsonMapper.shared().writeValueAsString(endpoint.topics()))
			.contains("\"index\":\"9007199254740993\"");
		assertThat(Page.response("topics.html").getBody()).asString().contains("BigInt(one.index)");
	}

	/** The room of a durable topic was 1.02e+3 MiB. */
	@Test
	void thePageHasUnitsForTheRoomOfDurableTopics() {
		assertThat(Page.response("topics.html").getBody()).asString().contains("'MiB', 'GiB', 'TiB'");
	}

	@Test
	void topicsCanBeSwitchedOff() {
		this.runner.withPropertyValues("vicinal.topics.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(Topics.class).doesNotHaveBean(TopicFactory.class));
	}

	@Test
	void nothingIsOpenedBeforeItIsUsed() {
		this.runner.run((context) -> {
			assertThat(context.getBean(TopicsEndpoint.class).topics().topics()).isEmpty();
			assertThat(context.getSourceApplicationContext().getBeanFactory().containsSingleton("vicinalTopics"))
				.isFalse();
			assertThat(context).hasSingleBean(Topics.class);
			try (var files = Files.list(this.directory)) {
				assertThat(files.filter((file) -> file.toString().endsWith(".pub"))).isEmpty();
			}
		});
	}

	@Test
	void listenersThatCannotBeCalledFailTheStart() {
		this.runner.withUserConfiguration(TwoPayloads.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("The listener TwoPayloads.handle must have a parameter for the payload")
				.hasMessageContaining("java.lang.Integer"));
		this.runner.withUserConfiguration(Raw.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("name the type of its payload, as in Message<Order>"));
		this.runner.withUserConfiguration(BadName.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("The listener BadName.handle cannot be used: The name of a topic"));
	}

	record Order(int number, String what) {
	}

	@Configuration(value = "billing", proxyBeanMethods = false)
	static class Billing {

		private final BlockingQueue<Order> payloads = new LinkedBlockingQueue<>();

		private final BlockingQueue<Message<Order>> messages = new LinkedBlockingQueue<>();

		@AffinityListener(topic = "${orders}")
		void payload(Order order) {
			this.payloads.add(order);
		}

		@AffinityListener(topic = "${orders}", name = "${whole:whole}")
		public void message(Message<Order> message) {
			this.messages.add(message);
		}

		@Bean
		String other() {
			return "no listener";
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Meters {

		@Bean
		MeterRegistry meters() {
			return new SimpleMeterRegistry();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoPayloads {

		@AffinityListener(topic = "a")
		void handle(String payload, Integer more) {
			throw new AssertionError(payload + more);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Raw {

		@AffinityListener(topic = "a")
		@SuppressWarnings("rawtypes") // that is what is tested
		void handle(Message message) {
			throw new AssertionError(message);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class BadName {

		@AffinityListener(topic = "No Name")
		void handle(String payload) {
			throw new AssertionError(payload);
		}

	}

}
