package io.github.vicinal.transport.shm.topic;

import java.nio.file.Path;
import java.util.Set;

import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A process without a grant is refused by itself and by its peers. */
@Timeout(60)
class TopicGrantsTests {

	private static final TopicSettings<String> ORDERS = TopicSettings.of("orders", TopicModel.PUB_SUB, String.class);

	private Path directory;

	@BeforeEach
	void makeDirectory() throws Exception {
		this.directory = TopicFixture.memoryDirectory();
	}

	@AfterEach
	void leaveNothing() throws Exception {
		TopicFixture.assertEmptyAndDelete(this.directory);
	}

	private static TopicGrants grants(Set<String> publishers, Set<String> subscribers) {
		return new TopicGrants() {

			@Override
			public boolean mayPublish(String topic, String application) {
				return publishers.contains(application);
			}

			@Override
			public boolean maySubscribe(String topic, String application) {
				return subscribers.contains(application);
			}

		};
	}

	@Test
	void anApplicationRefusesItself() {
		try (ShmTopics topics = TopicFixture.topics(this.directory, "shop", grants(Set.of("a"), Set.of("b")))) {
			assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topics.topic(ORDERS))
				.withMessage(
						"The application 'shop' may not publish to topic 'orders': name it in vicinal.topics.named.orders.publishers");
			assertThatExceptionOfType(TopicException.class)
				.isThrownBy(() -> topics.subscribe(ORDERS, SubscriberSettings.of("s"), (message) -> {
				}))
				.withMessageContaining("may not subscribe to topic 'orders'");
		}
	}

	@Test
	void streamsAreAwaitedByGrantedSubscribers() {
		TopicSettings<String> jobs = TopicSettings.of("jobs", TopicModel.STREAM, String.class);
		try (ShmTopics shop = TopicFixture.topics(this.directory, "shop", grants(Set.of("shop"), Set.of("billing")));
				ShmTopics billing = TopicFixture.topics(this.directory, "billing", TopicGrants.all());
				ShmTopics spy = TopicFixture.topics(this.directory, "spy", TopicGrants.all())) {
			shop.topic(ORDERS);
			Subscription stranger = spy.subscribe(TopicSettings.of("spied", TopicModel.STREAM, String.class),
					SubscriberSettings.of("spy"), (message) -> {
					});
			Subscription other = billing.subscribe(TopicSettings.of("all", TopicModel.PUB_SUB, String.class),
					SubscriberSettings.of("all"), (message) -> {
					});
			TopicFixture.await(() -> waits(stranger) && waits(other));
			assertThat(shop.awaitedStreams()).isEmpty();
			Subscription first = billing.subscribe(jobs, SubscriberSettings.of("one"), (message) -> {
			});
			Subscription second = billing.subscribe(jobs, SubscriberSettings.of("two"), (message) -> {
			});
			TopicFixture.await(() -> waits(first) && waits(second));
			TopicFixture.await(() -> shop.awaitedStreams().equals(Set.of("jobs")));
			assertThat(shop.awaitedStreams()).isSameAs(shop.awaitedStreams());
			first.close();
			// The second may wait, as it knows, before its publisher has read what it
			// asks for.
			TopicFixture.await(() -> shop.awaitedStreams().equals(Set.of("jobs")));
			Topic<String> topic = shop.topic(jobs);
			TopicFixture.await(() -> topic.report().subscribers().size() == 1);
			assertThat(shop.awaitedStreams()).isEmpty();
			topic.close();
			TopicFixture.await(() -> shop.awaitedStreams().equals(Set.of("jobs")));
			second.close();
			TopicFixture.await(() -> shop.awaitedStreams().isEmpty());
		}
	}

	private static boolean waits(Subscription subscription) {
		return subscription.report().publishers().containsValue("waits for the publisher to publish this topic");
	}

	@Test
	void aPublisherRefusesASubscriberWithoutAGrant() {
		try (ShmTopics shop = TopicFixture.topics(this.directory, "shop", grants(Set.of("shop"), Set.of("billing")));
				ShmTopics billing = TopicFixture.topics(this.directory, "billing", TopicGrants.all());
				ShmTopics spy = TopicFixture.topics(this.directory, "spy", TopicGrants.all())) {
			Topic<String> topic = shop.topic(ORDERS);
			billing.subscribe(ORDERS, SubscriberSettings.of("bills"), (message) -> {
			});
			Subscription refused = spy.subscribe(ORDERS, SubscriberSettings.of("spy"), (message) -> {
			});
			TopicFixture.await(() -> refused.report()
				.publishers()
				.containsValue(
						"refused: application 'spy' may not subscribe to topic 'orders' of 'shop': name it in vicinal.topics.named.orders.subscribers there"));
			TopicFixture.await(() -> topic.report().subscribers().size() == 1);
			assertThat(topic.report().subscribers().get(0).application()).isEqualTo("billing");
		}
	}

	@Test
	void aSubscriberLeavesAPublisherWithoutAGrant() {
		try (ShmTopics shop = TopicFixture.topics(this.directory, "shop", TopicGrants.all());
				ShmTopics billing = TopicFixture.topics(this.directory, "billing",
						grants(Set.of("other"), Set.of("billing")))) {
			Topic<String> topic = shop.topic(ORDERS);
			Subscription left = billing.subscribe(ORDERS, SubscriberSettings.of("bills"), (message) -> {
			});
			TopicFixture.await(() -> left.report()
				.publishers()
				.containsValue(
						"left: application 'shop' may not publish to topic 'orders': name it in vicinal.topics.named.orders.publishers of 'billing'"));
			assertThat(topic.report().subscribers()).isEmpty();
		}
	}

}
