package io.github.vicinal.chronicle;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.vicinal.topic.ReplayFrom;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicModel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Processes that are killed, at random times with fixed seeds. */
class DurableKillTests {

	private static final int FEW = 3;

	private static final int MANY = Integer.getInteger("topic.kills", 100);

	@TempDir
	private Path directory;

	private DurableFixture fixture;

	@BeforeEach
	void open() throws Exception {
		this.fixture = new DurableFixture(this.directory);
	}

	@AfterEach
	void close() throws Exception {
		this.fixture.close();
	}

	@Test
	@Timeout(240)
	void messagesOfAKilledPublisherAreThere() throws Exception {
		killPublishers(FEW);
	}

	@Test
	@Tag("deep")
	@Timeout(7200)
	void messagesOfManyKilledPublishersAreThere() throws Exception {
		killPublishers(MANY);
	}

	private void killPublishers(int kills) throws Exception {
		Random random = new Random(31);
		ChronicleTopics topics = this.fixture.application("reader");
		List<Long> received = Collections.synchronizedList(new ArrayList<>());
		topics.subscribe(DurableFixture.numbers(TopicModel.PUB_SUB), SubscriberSettings.of("reader"),
				(message) -> received.add(ByteBuffer.wrap(message.payload()).getLong()));
		long first = 1;
		for (int kill = 0; kill < kills; kill++) {
			long said = first - 1;
			try (DurableFixture.Child child = this.fixture.child("publish", "PUB_SUB", Long.toString(first))) {
				assertThat(child.line()).isEqualTo("ready");
				int after = random.nextInt(2000) + 1;
				for (int line = 0; line < after; line++) {
					said = Long.parseLong(child.line());
				}
				child.kill();
			}
			long published = said;
			DurableFixture.await(() -> last(received) >= published);
			// The next one publishes although the dead one may have held Chronicle's
			// lock.
			first = published + 1_000_000;
		}
		for (int i = 1; i < received.size(); i++) {
			long step = received.get(i) - received.get(i - 1);
			assertThat(step).matches((each) -> each == 1 || each > 500_000, "is no gap within one publisher");
		}
		List<Long> replayed = Collections.synchronizedList(new ArrayList<>());
		topics.replay(DurableFixture.numbers(TopicModel.PUB_SUB), SubscriberSettings.of("audit"), ReplayFrom.start(),
				(message) -> replayed.add(ByteBuffer.wrap(message.payload()).getLong()));
		DurableFixture.await(() -> last(replayed) == last(received));
		// Retention deletes the oldest files once the reader has handled their messages.
		assertThat(replayed).isEqualTo(received.subList(received.size() - replayed.size(), received.size()));
	}

	private static long last(List<Long> numbers) {
		synchronized (numbers) {
			return numbers.isEmpty() ? 0 : numbers.get(numbers.size() - 1);
		}
	}

	@Test
	@Timeout(240)
	void messagesOfAKilledSubscriberAreRedelivered() throws Exception {
		killSubscribers(FEW);
	}

	@Test
	@Tag("deep")
	@Timeout(7200)
	void messagesOfManyKilledSubscribersAreRedelivered() throws Exception {
		killSubscribers(MANY);
	}

	private void killSubscribers(int kills) throws Exception {
		Random random = new Random(32);
		Topic<byte[]> topic = this.fixture.application("boss").topic(DurableFixture.numbers(TopicModel.STREAM));
		Map<Long, Integer> times = new ConcurrentHashMap<>();
		long published = 0;
		int again = 0;
		for (int kill = 0; kill < kills; kill++) {
			// What is left from before counts, so that the topic does not fill up.
			while (published < times.size() + 300) {
				topic.publish(ByteBuffer.allocate(Long.BYTES).putLong(++published).array());
			}
			try (DurableFixture.Child child = this.fixture.child("subscribe", "STREAM")) {
				assertThat(child.line()).isEqualTo("ready");
				int after = random.nextInt(200) + 1;
				String line = "";
				for (int lines = 0; !line.equals("end"); lines++) {
					if (lines == after) {
						child.kill();
					}
					line = child.line();
					if (line.matches("-?[0-9]+")) {
						again += line.startsWith("-") ? 1 : 0;
						times.merge(Math.abs(Long.parseLong(line)), 1, Integer::sum);
					}
				}
			}
		}
		List<Long> redelivered = Collections.synchronizedList(new ArrayList<>());
		this.fixture.application("survivor")
			.subscribe(DurableFixture.numbers(TopicModel.STREAM), SubscriberSettings.of("survivor"), (message) -> {
				long number = ByteBuffer.wrap(message.payload()).getLong();
				if (message.redelivered()) {
					redelivered.add(number);
				}
				times.merge(number, 1, Integer::sum);
			});
		long count = published;
		DurableFixture.await(() -> times.size() == count);
		assertThat(times.values()).allMatch((each) -> each <= 2);
		long twice = times.values().stream().filter((each) -> each == 2).count();
		assertThat(twice).isLessThanOrEqualTo(again + redelivered.size());
	}

	@Test
	@Timeout(240)
	void aConsumerThatIsKilledGoesOnWhereItWas() throws Exception {
		Random random = new Random(33);
		Topic<byte[]> topic = this.fixture.application("boss").topic(DurableFixture.numbers(TopicModel.PUB_SUB));
		List<Long> received = new ArrayList<>();
		long published = 0;
		for (int kill = 0; kill < FEW; kill++) {
			try (DurableFixture.Child child = this.fixture.child("subscribe", "PUB_SUB")) {
				assertThat(child.line()).isEqualTo("ready");
				for (int i = 0; i < 300; i++) {
					topic.publish(ByteBuffer.allocate(Long.BYTES).putLong(++published).array());
				}
				int after = random.nextInt(200) + 1;
				String line = "";
				for (int lines = 0; !line.equals("end"); lines++) {
					if (lines == after) {
						child.kill();
					}
					line = child.line();
					if (line.matches("-?[0-9]+")) {
						received.add(Long.parseLong(line));
					}
				}
			}
		}
		long expected = 1;
		for (long number : received) {
			// What was begun and not said to be handled comes again, and says so.
			if (number < 0 && -number == expected - 1) {
				continue;
			}
			assertThat(Math.abs(number)).isEqualTo(expected);
			expected++;
		}
	}

	/** What was begun with the batch and is not stored as handled comes again. */
	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@Timeout(240)
	void aConsumerThatIsKilledWithinABatchGetsItAgain(TopicModel model) throws Exception {
		Random random = new Random(34);
		Topic<byte[]> topic = this.fixture.application("boss").topic(DurableFixture.numbers(model));
		Set<Long> seen = new HashSet<>();
		long published = 0;
		for (int kill = 0; kill <= FEW; kill++) {
			try (DurableFixture.Child child = this.fixture.child("subscribe", model.name(),
					Integer.toString(2 + random.nextInt(100)))) {
				assertThat(child.line()).isEqualTo("ready");
				for (int i = 0; i < 300; i++) {
					topic.publish(ByteBuffer.allocate(Long.BYTES).putLong(++published).array());
				}
				int after = (kill < FEW) ? random.nextInt(200) + 1 : Integer.MAX_VALUE;
				String line = "";
				for (int lines = 0; !line.equals("end") && seen.size() < published; lines++) {
					if (lines == after) {
						child.kill();
					}
					line = child.line();
					if (line.matches("-?[0-9]+")) {
						long number = Long.parseLong(line);
						assertThat(number < 0 || seen.add(number)).as("%d comes again and does not say so", number)
							.isTrue();
						seen.add(Math.abs(number));
					}
				}
			}
		}
		assertThat(seen).hasSize((int) published);
	}

}
