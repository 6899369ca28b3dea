package io.github.vicinal.boot.topic;

import java.util.List;
import java.util.Map;

import io.github.vicinal.topic.TopicGrants;
import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;

class TopicPropertiesTests {

	private final TopicProperties properties = new Binder(
			new MapConfigurationPropertySource(Map.of("vicinal.topics.named.orders.capacity", "64KB",
					"vicinal.topics.named.orders.subscribers", "billing", "vicinal.topics.named.orders.other-hosts",
					"true", "vicinal.topics.named[orders_.audit].capacity", "128KB")))
		.bind("vicinal.topics", TopicProperties.class)
		.get();

	@Test
	void theStreamOfAGroupHasThePropertiesOfItsTopicUnlessItHasItsOwn() {
		assertThat(this.properties.room("orders").capacity()).isEqualTo(DataSize.ofKilobytes(64));
		assertThat(this.properties.room(GroupTopics.name("orders", "billing")))
			.isEqualTo(this.properties.room("orders"));
		assertThat(this.properties.room(GroupTopics.name("orders", "audit")).capacity())
			.isEqualTo(DataSize.ofKilobytes(128));
		assertThat(this.properties.room(GroupTopics.name("bills", "audit"))).isEqualTo(this.properties.room("other"));
	}

	@Test
	void grantsAreThoseOfTheTopic() {
		TopicGrants grants = new PropertyGrants(this.properties);
		assertThat(grants.maySubscribe("orders", "billing")).isTrue();
		assertThat(grants.maySubscribe("orders", "spy")).isFalse();
		assertThat(grants.maySubscribe("orders_.spies", "spy")).isFalse();
		assertThat(grants.maySubscribe("orders.bell", "spy")).isFalse();
		assertThat(grants.maySubscribe("orders_.spies.bell", "spy")).isFalse();
		assertThat(grants.mayPublish("orders_.spies", "spy")).isTrue();
		assertThat(new PropertyRemoteTopics(this.properties, List.of()).isOffered("orders_.any")).isTrue();
	}

	@Test
	void namesAreTakenApart() {
		assertThat(GroupTopics.topic("orders_.billing")).isEqualTo("orders");
		assertThat(GroupTopics.group("orders_.billing")).isEqualTo("billing");
		assertThat(GroupTopics.topic("orders")).isNull();
		assertThat(GroupTopics.group("_.billing")).isNull();
	}

}
