package io.github.vicinal.stream;

import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.vicinal.boot.topic.TopicRooms;
import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.SubscriptionReport;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicReport;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.topic.WhenFull;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GroupStreamsTests {

	private final AskedTopics topics = new AskedTopics();

	private final GroupStreams groups = new GroupStreams("orders", (topic) -> this.topics, new Rooms());

	private List<String> names() {
		return this.groups.all().stream().map((stream) -> stream.settings().name()).toList();
	}

	@Test
	void groupsOfTheDestinationAreLearned() {
		assertThat(names()).isEmpty();
		this.topics.awaited = Set.of("orders_.billing", "orders", "orders.billing", "bills_.billing", "jobs");
		assertThat(names()).containsExactly("orders_.billing");
		this.topics.awaited = Set.of("orders_.audit");
		assertThat(names()).containsExactlyInAnyOrder("orders_.billing", "orders_.audit");
	}

	@Test
	void manyGroupsDoNotTakeAllMemory() {
		this.groups.require(List.of("must"), 0);
		this.topics.awaited = IntStream.range(0, 1000).mapToObj((i) -> "orders_.g" + i).collect(Collectors.toSet());
		assertThat(names()).hasSize(GroupStreams.MAX_LEARNED + 1).contains("orders_.must");
		this.groups.require(List.of("late"), 0);
		assertThat(names()).contains("orders_.late");
	}

	@Test
	void aGroupThatCannotBeOpenedKeepsNothingFromTheOthers() {
		this.topics.refused = "orders_.billing";
		this.topics.awaited = new LinkedHashSet<>(List.of("orders_.billing", "orders_.audit"));
		assertThat(names()).containsExactly("orders_.audit");
		this.groups.close();
		this.topics.awaited = Set.of("orders_.late");
		assertThat(names()).isEmpty();
	}

	/** Topics of which some are asked for. */
	private static final class AskedTopics implements Topics {

		private Set<String> awaited = Set.of();

		private String refused = "";

		@Override
		@SuppressWarnings("unchecked")
		public <T> Topic<T> topic(TopicSettings<T> settings) {
			if (settings.name().equals(this.refused)) {
				throw new TopicException("refused");
			}
			return (Topic<T>) Proxy.newProxyInstance(Topic.class.getClassLoader(), new Class<?>[] { Topic.class },
					(proxy, method, arguments) -> settings);
		}

		@Override
		public <T> Subscription subscribe(TopicSettings<T> settings, SubscriberSettings subscriber,
				MessageHandler<T> handler) {
			throw new UnsupportedOperationException();
		}

		@Override
		public List<TopicReport> topics() {
			return List.of();
		}

		@Override
		public List<SubscriptionReport> subscriptions() {
			return List.of();
		}

		@Override
		public Set<String> awaitedStreams() {
			return this.awaited;
		}

		@Override
		public void close() {
		}

	}

	private static final class Rooms implements TopicRooms {

		@Override
		public <T> TopicSettings<T> settings(String name, TopicModel model, Type type) {
			return new TopicSettings<>(name, model, type, TopicSettings.DEFAULT_CAPACITY_BYTES, WhenFull.FAIL,
					Duration.ZERO);
		}

	}

}
