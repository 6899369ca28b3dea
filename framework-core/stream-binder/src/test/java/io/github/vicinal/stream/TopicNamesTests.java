package io.github.vicinal.stream;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.github.vicinal.boot.topic.GroupTopics;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.cloud.stream.provisioning.ProvisioningException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class TopicNamesTests {

	@Test
	void usualNamesStayAsTheyAre() {
		assertThat(TopicNames.topic("new-orders.v2")).isEqualTo("new-orders.v2");
		assertThat(TopicNames.topic("processOrder-out-0")).isEqualTo("process_order-out-0");
		assertThat(TopicNames.topic("Orders")).isEqualTo("_orders");
		assertThat(TopicNames.stream("orders", "Billing")).isEqualTo("orders_._billing");
		assertThat(GroupTopics.topic("orders_._billing")).isEqualTo("orders");
		assertThat(GroupTopics.group("orders_._billing")).isEqualTo("_billing");
	}

	@Test
	void aStreamSaysWhichPartitionItHas() {
		assertThat(TopicNames.stream("orders", "Billing", 12)).isEqualTo("orders_._billing_-12");
		assertThat(TopicNames.partition("orders_._billing_-12")).isEqualTo(12);
		assertThat(TopicNames.consumer("Billing", 12)).isEqualTo("_billing_-12");
		assertThat(TopicNames.partition(TopicNames.stream("orders", "billing_-12"))).isEqualTo(TopicNames.NO_PARTITION);
		assertThat(TopicNames.partition("orders_.billing_-of-others")).isEqualTo(TopicNames.NO_PARTITION);
		assertThatExceptionOfType(ProvisioningException.class)
			.isThrownBy(() -> TopicNames.consumer("billing_-12", TopicNames.NO_PARTITION))
			.withMessageContaining("ends as the partitions of groups do");
	}

	@Test
	void differentNamesHaveDifferentTopics() {
		Random random = new Random(1);
		String letters = "aAbB_.-0";
		Map<String, List<String>> seen = new HashMap<>();
		for (int i = 0; i < 200_000; i++) {
			List<String> names = (i % 2 == 0) ? List.of(name(random, letters))
					: List.of(name(random, letters), name(random, letters));
			String topic;
			try {
				String destination = TopicNames.topic(names.get(0));
				topic = (names.size() == 1) ? destination : TopicNames.stream(destination, names.get(1));
				assertThat(GroupTopics.topic(topic)).isEqualTo((names.size() == 1) ? null : destination);
			}
			catch (ProvisioningException ex) {
				continue;
			}
			List<String> other = seen.putIfAbsent(topic, names);
			assertThat(other == null || other.equals(names)).as("%s and %s are both '%s'", names, other, topic)
				.isTrue();
			assertThat(TopicSettings.of(topic, TopicModel.STREAM, byte[].class).name()).isEqualTo(topic);
		}
		assertThat(seen).hasSizeGreaterThan(50_000);
	}

	private static String name(Random random, String letters) {
		StringBuilder name = new StringBuilder();
		for (int left = 1 + random.nextInt(5); left > 0; left--) {
			name.append(letters.charAt(random.nextInt(letters.length())));
		}
		return name.toString();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", ".orders", "-orders", "orders,bills", "orders/new", "or ders", "\u00e4" })
	void namesThatCannotBeTopicsAreRefused(String name) {
		assertThatExceptionOfType(ProvisioningException.class).isThrownBy(() -> TopicNames.topic(name))
			.withMessageContaining("the destination '" + name + "'");
		assertThatExceptionOfType(ProvisioningException.class).isThrownBy(() -> TopicNames.stream("orders", name))
			.withMessageContaining("the group '" + name + "'");
	}

	/** Its topic would be taken for the stream of a group. */
	@Test
	void anUnderscoreBeforeADotIsRefused() {
		assertThatExceptionOfType(ProvisioningException.class).isThrownBy(() -> TopicNames.topic("orders_.billing"))
			.withMessageContaining("an underscore before a dot");
	}

	@Test
	void namesThatAreTooLongAreRefused() {
		assertThatExceptionOfType(ProvisioningException.class)
			.isThrownBy(() -> TopicNames.stream("o".repeat(40), "b".repeat(40)))
			.withMessageContaining("has 82 characters, and may have 64");
	}

}
