package io.github.vicinal.transport.testing.topic;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.SubscriptionReport;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.topic.WhenFull;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.topic.SubscriberForm.Shape;
import io.github.vicinal.transport.testing.topic.TopicKitEnvironment.Application;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.provider.Arguments;

import static org.assertj.core.api.Assertions.assertThat;

/** What all behaviours of topics need. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
abstract class TopicBehaviours {

	static final int SMALLEST = 64 << 10;

	private TopicKitEnvironment environment;

	abstract TopicCompatibilityKit kit();

	@BeforeEach
	void openEnvironment() throws Exception {
		this.environment = kit().createEnvironment();
	}

	@AfterEach
	void closeEnvironment() throws Exception {
		this.environment.close();
	}

	TopicKitEnvironment environment() {
		return this.environment;
	}

	boolean differs(TopicDifference difference) {
		return kit().differences().contains(difference);
	}

	Topics shop() {
		return this.environment.publisher(new Application("shop"));
	}

	Topics billing() {
		return this.environment.subscriber(new Application("billing"));
	}

	/** Returns all forms with both models. */
	Stream<Arguments> formsAndModels() {
		return forms(Shape.SINGLE);
	}

	/** Returns the forms in which messages are attempted again, with both models. */
	Stream<Arguments> retryingForms() {
		return forms(Shape.RETRIED);
	}

	/** Returns the forms that take batches, with both models. */
	Stream<Arguments> batchForms() {
		return forms(Shape.BATCHED);
	}

	/** Returns the forms that take batches and attempt them again, with both models. */
	Stream<Arguments> retryingBatchForms() {
		return forms(Shape.BATCHED_RETRIED);
	}

	Stream<Arguments> deadLetterForms() {
		return forms(Shape.DEAD_LETTERED);
	}

	private Stream<Arguments> forms(Shape shape) {
		return kit().forms()
			.stream()
			.filter((form) -> form.supports(shape))
			.flatMap((form) -> Arrays.stream(TopicModel.values()).map((model) -> Arguments.of(form, model)));
	}

	static TopicSettings<byte[]> numbers(TopicModel model) {
		return TopicSettings.of("numbers", model, byte[].class);
	}

	static TopicSettings<byte[]> small(TopicModel model, WhenFull whenFull, Duration patience) {
		return numbers(model).withCapacity(SMALLEST).whenFull(whenFull, patience);
	}

	static byte[] number(int number) {
		return ByteBuffer.allocate(16).putInt(number).array();
	}

	static int number(Message<byte[]> message) {
		return ByteBuffer.wrap(message.payload()).getInt();
	}

	/** Publishes numbers from one on, the second exclusive. */
	static void publish(Topic<byte[]> topic, int from, int to) {
		for (int i = from; i < to; i++) {
			topic.publish(number(i));
		}
	}

	static List<Integer> range(int from, int to) {
		return IntStream.range(from, to).boxed().toList();
	}

	/** Waits for a state that nobody announces; a test's timeout ends it. */
	static void await(BooleanSupplier condition) {
		try {
			Async.await(condition);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/** Waits until a subscriber is attached to publishers. */
	static void awaitAttached(Topics topics, String subscriber, int publishers) {
		await(() -> topics.subscriptions()
			.stream()
			.anyMatch((report) -> report.subscriber().equals(subscriber) && report.attached() == publishers));
	}

	static SubscriptionReport report(Topics topics, String subscriber) {
		List<SubscriptionReport> reports = topics.subscriptions()
			.stream()
			.filter((report) -> report.subscriber().equals(subscriber))
			.toList();
		assertThat(reports).hasSize(1);
		return reports.get(0);
	}

	/** Waits until the reports of a subscriber have a state that contains a text. */
	static void awaitState(Topics topics, String subscriber, String text) {
		await(() -> report(topics, subscriber).publishers().values().stream().anyMatch((it) -> it.contains(text)));
	}

}
