package io.github.vicinal.boot.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;
import org.jspecify.annotations.Nullable;

/**
 * A subscriber for tests: keeps the messages of a topic, and waits for those that a test
 * expects. Thread-safe.
 *
 * <pre class="code">
 * try (TopicProbe&lt;Bill&gt; bills = TopicProbe.subscribe(topics, "bills", TopicModel.PUB_SUB, Bill.class)) {
 *     TopicProbe.awaitSubscribers(orders, 1);
 *     orders.publish(new Order(7));
 *     assertThat(bills.next().payload().order()).isEqualTo(7);
 * }
 * </pre>
 *
 * @param <T> the type of the payload
 * @since 0.1.0
 */
public final class TopicProbe<T> implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final long LOOK_MILLIS = 10;

	private final String topic;

	/** Guarded by this. */
	private final List<Message<T>> messages = new ArrayList<>();

	/** Number of messages that were asked for. Guarded by this. */
	private int taken;

	private final Subscription subscription;

	private TopicProbe(Topics topics, TopicSettings<T> settings) {
		this.topic = settings.name();
		this.subscription = topics.subscribe(settings, SubscriberSettings.of("test"), this::add);
	}

	/**
	 * Subscribes to a topic.
	 * @param topics the application's topics
	 * @param name name of the topic
	 * @param model distribution of the messages; in a stream the probe takes them away
	 * from others
	 * @param type the type of the payload
	 * @param <T> the type of the payload
	 * @return the probe, which the test closes
	 */
	public static <T> TopicProbe<T> subscribe(Topics topics, String name, TopicModel model, Class<T> type) {
		return new TopicProbe<>(topics, TopicSettings.of(name, model, type));
	}

	/**
	 * Waits until a publisher knows a number of subscribers, since what is published in
	 * publish/subscribe before that goes nowhere.
	 * @param topic the topic at its publisher
	 * @param count number of subscribers
	 * @throws AssertionError if there are fewer after ten seconds
	 */
	public static void awaitSubscribers(Topic<?> topic, int count) {
		long end = System.nanoTime() + PATIENCE.toNanos();
		while (topic.report().subscribers().size() < count) {
			if (System.nanoTime() - end > 0 || Thread.currentThread().isInterrupted()) {
				throw new AssertionError("Topic '%s' has the subscribers %s, but %d were expected"
					.formatted(topic.settings().name(), topic.report().subscribers(), count));
			}
			Thread.onSpinWait();
		}
	}

	private synchronized void add(Message<T> message) {
		this.messages.add(message);
		notifyAll();
	}

	/**
	 * Waits for the next message.
	 * @return the first message that was not returned yet
	 * @throws AssertionError if there is none within ten seconds
	 */
	public synchronized Message<T> next() {
		return await((known) -> known.size() > this.taken, "one more message", PATIENCE).get(this.taken++);
	}

	/**
	 * Waits for a number of messages.
	 * @param count the number of all of them
	 * @return all messages
	 * @throws AssertionError if there are fewer after ten seconds
	 */
	public List<Message<T>> await(int count) {
		return await((known) -> known.size() >= count, count + " messages in all", PATIENCE);
	}

	/**
	 * Returns the messages that have come.
	 * @return messages, the latest one last
	 */
	public synchronized List<Message<T>> messages() {
		return List.copyOf(this.messages);
	}

	private synchronized List<Message<T>> await(Predicate<List<Message<T>>> condition, String expected,
			Duration patience) {
		long end = System.nanoTime() + patience.toNanos();
		@Nullable InterruptedException interrupted = null;
		while (!condition.test(this.messages)) {
			if (System.nanoTime() - end > 0 || interrupted != null) {
				AssertionError error = new AssertionError(
						"Expected %s of topic '%s', but there are %d, and the publishers are %s".formatted(expected,
								this.topic, this.messages.size(), this.subscription.report().publishers()));
				if (interrupted != null) {
					error.addSuppressed(interrupted);
				}
				throw error;
			}
			try {
				wait(LOOK_MILLIS);
			}
			catch (InterruptedException ex) {
				interrupted = ex;
			}
		}
		return List.copyOf(this.messages);
	}

	@Override
	public void close() {
		this.subscription.close();
	}

}
