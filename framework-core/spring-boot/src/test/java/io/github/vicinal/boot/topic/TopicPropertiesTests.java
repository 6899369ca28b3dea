package io.github.vicinal.boot.topic;

import java.util.List;

import io.github.vicinal.topic.TopicGrants;
import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;

class TopicPropertiesTests {

	private final MockEnvironment environment = new MockEnvironment()
		.withProperty("vicinal.topics.named.orders.capacity", "64KB")
		.withProperty("vicinal.topics.named.orders.subscribers", "billing")
		.withProperty("vicinal.topics.named.orders.other-hosts", "true")
		.withProperty("vicinal.topics.named[orders_.audit].capacity", "128KB");

	private final NamedTopics topics = NamedTopics
		.of(Binder.get(this.environment).bind("vicinal.topics", TopicProperties.class).get(), this.environment);

	@Test
	void theStreamOfAGroupHasThePropertiesOfItsTopicUnlessItHasItsOwn() {
		assertThat(this.topics.room("orders").capacity()).isEqualTo(DataSize.ofKilobytes(64));
		assertThat(this.topics.room(GroupTopics.name("orders", "billing"))).isEqualTo(this.topics.room("orders"));
		assertThat(this.topics.room(GroupTopics.name("orders", "audit")).capacity())
			.isEqualTo(DataSize.ofKilobytes(128));
		assertThat(this.topics.room(GroupTopics.name("bills", "audit"))).isEqualTo(this.topics.room("other"));
	}

	@Test
	void grantsAreThoseOfTheTopic() {
		TopicGrants grants = new PropertyGrants(this.topics);
		assertThat(grants.maySubscribe("orders", "billing")).isTrue();
		assertThat(grants.maySubscribe("orders", "spy")).isFalse();
		assertThat(grants.maySubscribe("orders_.spies", "spy")).isFalse();
		assertThat(grants.maySubscribe("orders.bell", "spy")).isFalse();
		assertThat(grants.maySubscribe("orders_.spies.bell", "spy")).isFalse();
		assertThat(grants.mayPublish("orders_.spies", "spy")).isTrue();
		assertThat(new PropertyRemoteTopics(this.topics, List.of()).isOffered("orders_.any")).isTrue();
	}

	@Test
	void namesAreTakenApart() {
		assertThat(GroupTopics.topic("orders_.billing")).isEqualTo("orders");
		assertThat(GroupTopics.group("orders_.billing")).isEqualTo("billing");
		assertThat(GroupTopics.topic("orders")).isNull();
		assertThat(GroupTopics.group("_.billing")).isNull();
	}

}
