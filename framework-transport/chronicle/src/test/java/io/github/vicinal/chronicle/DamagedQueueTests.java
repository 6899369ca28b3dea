package io.github.vicinal.chronicle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

import io.github.vicinal.topic.ReplayFrom;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Files that are not what was written: no wrong message, no crash, and a reason. */
@Timeout(240)
class DamagedQueueTests {

	private static final TopicSettings<String> NEWS = TopicSettings.of("news", TopicModel.PUB_SUB, String.class);

	private static final int MESSAGES = 200;

	private static final int ROUNDS = 60;

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

	private List<String> publish() {
		List<String> texts = new ArrayList<>();
		try (ChronicleTopics topics = this.fixture.application("shop")) {
			Topic<String> topic = topics.topic(NEWS);
			for (int i = 0; i < MESSAGES; i++) {
				texts.add("text " + i);
				topic.publish(texts.get(i));
			}
		}
		return texts;
	}

	@Test
	void noWrongMessageComesOutOfADamagedQueue() throws Exception {
		List<String> texts = publish();
		List<Path> files;
		try (var all = Files.list(this.directory.resolve("news/queue"))) {
			files = all.toList();
		}
		Random random = new Random(41);
		int refused = 0;
		for (int round = 0; round < ROUNDS; round++) {
			Path file = files.get(random.nextInt(files.size()));
			byte[] before = damage(file, random);
			refused += replay(texts) ? 1 : 0;
			Files.write(file, before);
		}
		assertThat(refused).isPositive();
	}

	/** Returns whether the topic was refused, with a reason. */
	private boolean replay(List<String> texts) {
		List<String> received = Collections.synchronizedList(new ArrayList<>());
		try (ChronicleTopics topics = this.fixture.application("reader")) {
			Subscription subscription = topics.replay(NEWS, SubscriberSettings.of("reader"), ReplayFrom.start(),
					(message) -> received.add(message.payload()));
			DurableFixture.await(() -> received.size() >= MESSAGES || subscription.report().attached() == 0);
			assertThat(texts).containsAll(received);
			String state = String.valueOf(subscription.report().publishers().get("queue"));
			if (state.startsWith("left: ")) {
				assertThat(state).contains(this.directory.toString());
				return true;
			}
			return false;
		}
		catch (TopicException ex) {
			assertThat(ex).hasMessageContaining(this.directory.toString());
			return true;
		}
	}

	/** No subscriber could read what it publishes. */
	@Test
	void aPublisherOfADamagedNewestFileIsRefusedUntilItIsMovedAway() throws Exception {
		publish();
		Path file;
		try (var all = Files.list(this.directory.resolve("news/queue"))) {
			file = all.filter((each) -> each.toString().endsWith(".cq4")).max(Comparator.naturalOrder()).orElseThrow();
		}
		String content = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
		int last = content.lastIndexOf("text ");
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
			channel.write(ByteBuffer.wrap(new byte[] { 'T' }), last);
		}
		try (ChronicleTopics topics = this.fixture.application("shop")) {
			assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topics.topic(NEWS))
				.withMessageContaining(file.toString())
				.withMessageContaining("checksum")
				.withMessageContaining("move the file away");
		}
		Files.move(file, this.directory.resolve("damaged"));
		List<String> received = Collections.synchronizedList(new ArrayList<>());
		try (ChronicleTopics topics = this.fixture.application("shop")) {
			topics.subscribe(NEWS, SubscriberSettings.of("reader"), (message) -> received.add(message.payload()));
			topics.topic(NEWS).publish("afterwards");
			DurableFixture.await(() -> received.contains("afterwards"));
		}
	}

	/** What it appended to files without a name would be kept for nobody. */
	@Test
	void aTopicWhoseDirectoryIsDeletedTakesNoMoreMessages() throws Exception {
		ChronicleTopics topics = this.fixture.application("shop");
		List<String> received = Collections.synchronizedList(new ArrayList<>());
		Subscription subscription = topics.subscribe(NEWS, SubscriberSettings.of("reader"),
				(message) -> received.add(message.payload()));
		Topic<String> topic = topics.topic(NEWS);
		topic.publish("before");
		DurableFixture.await(() -> received.contains("before"));
		try (var files = Files.walk(this.directory.resolve("news"))) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
		String reason = "The directory %s of the durable topic 'news' has been deleted or replaced since this application opened it: restart all applications of the topic"
			.formatted(this.directory.resolve("news/queue"));
		assertThatExceptionOfType(TopicException.class)
			.isThrownBy(() -> topics.subscribe(NEWS, SubscriberSettings.of("late"), (message) -> {
			}))
			.withMessageContaining(reason);
		// Another application makes it anew.
		this.fixture.application("other").topic(NEWS).publish("elsewhere");
		DurableFixture.await(() -> !isTaken(topic, reason));
		DurableFixture.await(() -> subscription.report().attached() == 0);
		assertThat(String.valueOf(subscription.report().publishers().get("queue"))).contains(reason);
	}

	/** What is behind a message whose handling cannot be stored is not handled. */
	@Test
	void aSubscriberWhosePositionIsCutOffReadsNoFurther() throws Exception {
		ChronicleTopics topics = this.fixture.application("reader");
		topics.keepFor(NEWS, "reader");
		publish();
		List<String> received = Collections.synchronizedList(new ArrayList<>());
		Subscription subscription = topics.subscribe(NEWS, SubscriberSettings.of("reader"), (message) -> {
			received.add(message.payload());
			try (FileChannel channel = FileChannel.open(this.directory.resolve("news/consumers/reader"),
					StandardOpenOption.WRITE)) {
				channel.truncate(0);
			}
		});
		DurableFixture.await(() -> subscription.report().attached() == 0);
		// The JVM reports the fault some time after the access.
		assertThat(String.valueOf(subscription.report().publishers().get("queue"))).startsWith("left: ")
			.contains(this.directory.resolve("news").toString());
		assertThat(received).first().isEqualTo("text 0");
		assertThat(received).hasSizeLessThan(MESSAGES);
	}

	/** A publisher looks at its directory ten times a second. */
	private static boolean isTaken(Topic<String> topic, String reason) {
		try {
			topic.publish("afterwards");
			return true;
		}
		catch (TopicException ex) {
			assertThat(ex).hasMessageContaining(reason);
			return false;
		}
	}

	/** Changes bytes that are not zero, as most of a file is; returns what was there. */
	static byte[] damage(Path file, Random random) throws IOException {
		byte[] before = Files.readAllBytes(file);
		int[] used = IntStream.range(0, before.length).filter((i) -> before[i] != 0).toArray();
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
			for (int changes = random.nextInt(4); changes >= 0; changes--) {
				channel.write(ByteBuffer.wrap(new byte[] { (byte) random.nextInt() }),
						used[random.nextInt(used.length)]);
			}
		}
		return before;
	}

	@Test
	void filesThatAreNotOursAreRefusedByName() throws Exception {
		publish();
		Path properties = this.directory.resolve("news/topic.properties");
		byte[] before = Files.readAllBytes(properties);
		Files.writeString(properties, "version=7\n");
		ChronicleTopics topics = this.fixture.application("reader");
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topics.topic(NEWS))
			.withMessageContaining("topic.properties has the version '7', not 1");
		Files.writeString(properties, "version=\\u12\n");
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topics.topic(NEWS))
			.withMessageContaining("topic.properties is damaged");
		Files.write(properties, before);
		Path payload = this.directory.resolve("news/payload.properties");
		before = Files.readAllBytes(payload);
		Files.write(payload, new byte[0]);
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topics.topic(NEWS))
			.withMessageContaining("payload.properties has the version 'null', not 1");
		Files.write(payload, before);
		Files.write(this.directory.resolve("news/consumers/reader"), new byte[32]);
		Files.writeString(this.directory.resolve("news/consumers/other"), "this is no position, but a text");
		topics.subscribe(NEWS, SubscriberSettings.of("reader"), (message) -> {
		});
		assertThatExceptionOfType(TopicException.class)
			.isThrownBy(() -> topics.subscribe(NEWS, SubscriberSettings.of("other"), (message) -> {
			}))
			.withMessageContaining("consumers/other begins with");
	}

	@Test
	void recordsOfAnyBytesAreRefused() {
		Random random = new Random(42);
		byte[] valid = written(Map.of("name", "value"));
		DurableRecord.Reader reader = new DurableRecord.Reader(this.directory);
		DurableRecord read = reader.read(new DurableLog.Entry(1, valid));
		assertThat(read.publisher()).isEqualTo("publisher");
		assertThat(read.micros()).isEqualTo(17);
		assertThat(read.headers()).containsOnlyKeys("name").containsValue("value");
		assertThat(read.payload()).containsExactly(1, 2);
		for (int i = 0; i < 20_000; i++) {
			byte[] bytes = Arrays.copyOf(valid, random.nextInt(valid.length + 4));
			for (int changes = random.nextInt(3); changes >= 0 && bytes.length > 0; changes--) {
				bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
			}
			if (!Arrays.equals(bytes, valid)) {
				assertThatExceptionOfType(DamagedQueueException.class)
					.isThrownBy(() -> reader.read(new DurableLog.Entry(1, bytes)));
			}
		}
	}

	@Test
	void aRecordWithoutAPublisherIsRefused() {
		byte[] bytes = DurableRecord.write(new byte[0], 17, new byte[] { 1 }, 1);
		assertThatExceptionOfType(DamagedQueueException.class)
			.isThrownBy(() -> new DurableRecord.Reader(this.directory).read(new DurableLog.Entry(1, bytes)));
	}

	@Test
	void headersOfOneMessageAreNotThoseOfTheNext() {
		DurableRecord.Reader reader = new DurableRecord.Reader(this.directory);
		for (Map<String, String> headers : List.<Map<String, String>>of(Map.of(), Map.of("name", "value"),
				Map.of("name", "other"), Map.of("name", "other"), Map.of(), Map.of())) {
			DurableRecord read = reader.read(new DurableLog.Entry(1, written(headers)));
			assertThat(read.headers()).isEqualTo(headers);
			assertThat(read.publisher()).isEqualTo("publisher");
			assertThatExceptionOfType(UnsupportedOperationException.class)
				.isThrownBy(() -> read.headers().put("name", "mine"));
		}
	}

	private static byte[] written(Map<String, String> headers) {
		return DurableRecord.write(DurableRecord.names("publisher", headers), 17, new byte[] { 1, 2 }, 2);
	}

}
