package io.github.vicinal.stream;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.vicinal.boot.topic.TopicHeaders;
import io.github.vicinal.topic.DurableTopics;
import io.github.vicinal.topic.TopicReport;
import io.github.vicinal.topic.Topics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.stream.function.StreamBridge;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;

import static org.assertj.core.api.Assertions.assertThat;

/** Destinations that are durable: groups are consumers with stored positions. */
@Timeout(120)
class DurableStreamTests extends StreamTestSupport {

	@TempDir
	private Path volume;

	@Override
	ConfigurableApplicationContext start(Class<?> type, String name, String... properties) {
		List<String> all = new ArrayList<>(
				List.of("vicinal.topics.durable.directory=" + this.volume, "vicinal.topics.named.orders.durable=true"));
		all.addAll(List.of(properties));
		return super.start(type, name, all.toArray(String[]::new));
	}

	private ConfigurableApplicationContext startShop() {
		return start(Shop.class, "shop", "spring.cloud.stream.output-bindings=orders-out-0",
				"spring.cloud.stream.bindings.orders-out-0.destination=orders");
	}

	private ConfigurableApplicationContext startGroup(String group) {
		return start(Sink.class, group, "spring.cloud.stream.bindings.sink-in-0.destination=orders",
				"spring.cloud.stream.bindings.sink-in-0.group=" + group);
	}

	@Test
	void eachPartitionOfARequiredGroupWaitsForItsInstance() {
		ConfigurableApplicationContext shop = StreamBinderTests.startPartitions(this::start,
				"spring.cloud.stream.bindings.orders-out-0.producer.required-groups=billing");
		StreamBinderTests.sendKeys(shop, 20);
		StreamBinderTests.requirePartitions(List.of(StreamBinderTests.startPartition(this::start, 0),
				StreamBinderTests.startPartition(this::start, 1)), 20);
	}

	@Test
	void aGroupGoesOnWhereItWasAlthoughAllProcessesHaveEnded() throws Exception {
		ConfigurableApplicationContext billing = startGroup("billing");
		ConfigurableApplicationContext shop = startShop();
		shop.getBean(StreamBridge.class).send("orders-out-0", "one");
		assertThat(next(billing)).isEqualTo("one");
		billing.close();
		shop.getBean(StreamBridge.class).send("orders-out-0", "two");
		shop.close();
		ConfigurableApplicationContext later = startShop();
		later.getBean(StreamBridge.class).send("orders-out-0", "three");
		ConfigurableApplicationContext again = startGroup("billing");
		assertThat(next(again)).isEqualTo("two");
		assertThat(next(again)).isEqualTo("three");
		assertThat(later.getBean(DurableTopics.class).topics()).extracting(TopicReport::topic)
			.containsExactly("orders");
		assertThat(later.getBeansOfType(Topics.class)).hasSize(2);
	}

	@Test
	void aRequiredGroupGetsMessagesFromBeforeItsFirstConsumer() throws Exception {
		ConfigurableApplicationContext shop = start(Shop.class, "shop",
				"spring.cloud.stream.output-bindings=orders-out-0",
				"spring.cloud.stream.bindings.orders-out-0.destination=orders",
				"spring.cloud.stream.bindings.orders-out-0.producer.required-groups=billing");
		shop.getBean(StreamBridge.class).send("orders-out-0", "one");
		assertThat(next(startGroup("billing"))).isEqualTo("one");
	}

	@Test
	void aMessageThatWaitsForItsNextAttemptComesAgainWhenItsConsumerIsBack() throws Exception {
		ConfigurableApplicationContext shop = startShop();
		ConfigurableApplicationContext billing = start(Failing.class, "billing",
				"spring.cloud.stream.bindings.fail-in-0.destination=orders",
				"spring.cloud.stream.bindings.fail-in-0.group=billing",
				"spring.cloud.stream.bindings.fail-in-0.consumer.back-off-initial-interval=150000",
				"spring.cloud.stream.bindings.fail-in-0.consumer.back-off-max-interval=150000");
		shop.getBean(StreamBridge.class).send("orders-out-0", "one");
		assertThat(billing.getBean(Failing.class).attempts.take()).isEqualTo("one");
		billing.close();
		Message<byte[]> again = startGroup("billing").getBean(Sink.class).received.poll(60, TimeUnit.SECONDS);
		assertThat(again).isNotNull();
		assertThat(again.getPayload()).isEqualTo("one".getBytes(StandardCharsets.UTF_8));
		assertThat(again.getHeaders()).containsEntry(TopicHeaders.REDELIVERED, true);
	}

	@Test
	void eachGroupAndEachConsumerWithoutOneGetsAllMessages() throws Exception {
		ConfigurableApplicationContext billing = startGroup("billing");
		ConfigurableApplicationContext audit = startGroup("audit");
		ConfigurableApplicationContext page = start(Sink.class, "page",
				"spring.cloud.stream.bindings.sink-in-0.destination=orders");
		startShop().getBean(StreamBridge.class).send("orders-out-0", "one");
		for (ConfigurableApplicationContext each : List.of(billing, audit, page)) {
			assertThat(next(each)).isEqualTo("one");
		}
		assertThat(page.getBean(DurableTopics.class).positions().get("orders")).extracting("consumer")
			.containsExactlyInAnyOrder("billing", "audit");
	}

	private static String next(ConfigurableApplicationContext application) throws InterruptedException {
		Message<byte[]> message = application.getBean(Sink.class).received.poll(60, TimeUnit.SECONDS);
		assertThat(message).isNotNull();
		return new String(message.getPayload(), StandardCharsets.UTF_8);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Shop {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Failing {

		final BlockingQueue<String> attempts = new LinkedBlockingQueue<>();

		@Bean
		Consumer<String> fail() {
			return (text) -> {
				this.attempts.add(text);
				throw new IllegalStateException("cannot bill " + text);
			};
		}

	}

}
