package io.github.vicinal.transport.shm.topic;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicFullException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.WhenFull;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.shm.bell.SocketBells;
import io.github.vicinal.transport.wire.SocketFile;
import io.github.vicinal.transport.wire.WireException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Whatever other processes write: others go on, and there is a reason. */
@Timeout(60)
class HostileTopicTests {

	private static final int CAPACITY = 64 << 10;

	/** Bytes of a message of 100 bytes in the log. */
	private static final int RECORD = TopicLog.recordBytes(0, 100);

	private Path directory;

	@BeforeEach
	void makeDirectory() throws Exception {
		this.directory = TopicFixture.memoryDirectory();
	}

	@AfterEach
	void leaveNothing() throws Exception {
		TopicFixture.assertEmptyAndDelete(this.directory);
	}

	@Test
	void requestsOfAnyBytesAreRefusedAndOthersGoOn() throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.PUB_SUB, CAPACITY, WhenFull.BLOCK);
		Random random = new Random(21);
		byte[] valid = request("numbers");
		try (ShmTopics topics = TopicFixture.topics(this.directory, "publisher")) {
			Topic<byte[]> topic = topics.topic(settings);
			AtomicInteger received = new AtomicInteger();
			topics.subscribe(settings, SubscriberSettings.of("honest"), (message) -> received.incrementAndGet());
			TopicFixture.await(() -> topic.report().subscribers().size() == 1);
			for (int i = 0; i < 500; i++) {
				byte[] bytes = valid.clone();
				for (int changes = random.nextInt(4); changes >= 0; changes--) {
					bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
				}
				say(bytes, random.nextInt(bytes.length + 1));
			}
			topic.publish(new byte[1]);
			TopicFixture.await(() -> received.get() == 1 && topic.report().subscribers().size() == 1);
		}
	}

	@Test
	void aSubscriberThatLeavesBeforeItTakesItsPageLeavesNoFile() throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.PUB_SUB, CAPACITY, WhenFull.BLOCK);
		byte[] request = request("numbers");
		try (ShmTopics topics = TopicFixture.topics(this.directory, "publisher")) {
			topics.topic(settings);
			for (int i = 0; i < 20; i++) {
				say(request, request.length);
			}
			TopicFixture.await(() -> !hasPages());
		}
	}

	/** A process that is stopped while it sleeps is rung, and does not wake. */
	@Test
	@Timeout(60)
	void aSubscriberThatDoesNotWakeLeavesTheMessageOfAStreamToAnother() throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.STREAM, CAPACITY, WhenFull.BLOCK);
		try (ShmTopics publisher = TopicFixture.topics(this.directory, "publisher", BellSupport.socketOnly());
				ShmTopics reader = TopicFixture.topics(this.directory, "reader")) {
			Topic<byte[]> topic = publisher.topic(settings);
			try (Stopped stopped = attach(publisher)) {
				TopicFixture.await(() -> topic.report().subscribers().size() == 1);
				AtomicInteger received = new AtomicInteger();
				reader.subscribe(settings, SubscriberSettings.of("reader"), (message) -> received.incrementAndGet());
				TopicFixture.await(() -> topic.report().subscribers().size() == 2);
				for (int i = 1; i <= 5; i++) {
					int number = i;
					stopped.pair().asleep(0, true);
					topic.publish(new byte[10]);
					TopicFixture.await(() -> received.get() == number);
				}
			}
		}
	}

	/** Others get each message as it was published, once or as a redelivery. */
	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@Timeout(60)
	void aSubscriberThatWritesAnythingIntoItsPageHarmsNobodyElse(TopicModel model) throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(model, CAPACITY, WhenFull.BLOCK)
			.whenFull(WhenFull.BLOCK, Duration.ofMillis(1));
		Random random = new Random(77);
		try (ShmTopics publisher = TopicFixture.topics(this.directory, "publisher", BellSupport.socketOnly());
				ShmTopics reader = TopicFixture.topics(this.directory, "reader")) {
			Topic<byte[]> topic = publisher.topic(settings);
			Set<Integer> received = ConcurrentHashMap.newKeySet();
			List<String> wrong = new CopyOnWriteArrayList<>();
			reader.subscribe(settings, SubscriberSettings.of("reader"), (message) -> {
				int number = ByteBuffer.wrap(message.payload()).getInt();
				if (message.payload().length != 100 || (!received.add(number) && !message.redelivered())) {
					wrong.add(message.toString());
				}
			});
			TopicFixture.await(() -> topic.report().subscribers().size() == 1);
			Set<Integer> sent = new HashSet<>();
			long bytes = 0;
			for (int round = 0; round < 40; round++) {
				try (Stopped scribbler = attach(publisher, model)) {
					TopicFixture.await(() -> topic.report().subscribers().size() == 2);
					for (int i = 0; i < 50; i++) {
						scribble(scribbler.pair(), random, bytes);
						int number = 50 * round + i;
						try {
							topic.publish(ByteBuffer.allocate(100).putInt(number).array());
							sent.add(number);
							bytes += RECORD;
						}
						catch (TopicFullException ex) {
							// It may say that it is slow.
						}
						assertThat(topic.report().subscribers()).allMatch((each) -> each.lagBytes() >= 0);
					}
				}
				TopicFixture.await(() -> topic.report().subscribers().size() == 1);
				topic.publish(ByteBuffer.allocate(100).putInt(-1 - round).array());
				sent.add(-1 - round);
				bytes += RECORD;
				TopicFixture.await(() -> received.containsAll(sent));
			}
			assertThat(received).isEqualTo(sent);
			assertThat(wrong).isEmpty();
		}
	}

	private static void scribble(PairMemory pair, Random random, long bytes) {
		long position = (random.nextInt(4) == 0) ? random.nextLong()
				: bytes - random.nextInt(8) * RECORD + random.nextInt(3) * 8;
		if (random.nextBoolean()) {
			pair.hold(0, position);
		}
		else {
			pair.position(position);
		}
	}

	private Stopped attach(ShmTopics topics) throws Exception {
		return attach(topics, TopicModel.STREAM);
	}

	/** Subscribes, and does nothing any more. */
	private Stopped attach(ShmTopics topics, TopicModel model) throws Exception {
		SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
		try (var sockets = Files.newDirectoryStream(this.directory, "*" + SocketFile.TOPICS)) {
			channel.connect(UnixDomainSocketAddress.of(sockets.iterator().next()));
		}
		new Handshake.Request("numbers", model, "bytes", "stopped", "a", 1, 1, Set.of("socket"), true, Resume.NONE)
			.send(channel);
		Handshake.Grant grant = Handshake.Grant.parse(answer(channel));
		PairMemory pair = PairMemory.adopt(this.directory, grant.pair(), 1, 1);
		SocketBells bells = topics.bells().connect(this.directory, grant.place(), 1, topics.peerCheck(), (cause) -> {
		});
		Handshake.sendReady(channel);
		Handshake.Start.parse(answer(channel));
		return new Stopped(channel, pair, bells);
	}

	private static byte[] answer(SocketChannel channel) throws Exception {
		byte[] answer = Handshake.receive(channel);
		assertThat(answer).isNotNull();
		return (answer != null) ? answer : new byte[0];
	}

	private boolean hasPages() {
		try (var files = Files.newDirectoryStream(this.directory, "*.seg")) {
			return files.iterator().hasNext();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void say(byte[] bytes, int length) throws IOException {
		try (var sockets = Files.newDirectoryStream(this.directory, "*" + SocketFile.TOPICS);
				SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
			channel.connect(UnixDomainSocketAddress.of(sockets.iterator().next()));
			channel.write(ByteBuffer.wrap(bytes, 0, length));
			channel.shutdownOutput();
			ByteBuffer answer = ByteBuffer.allocate(Handshake.MAX_BYTES);
			while (channel.read(answer) >= 0 && answer.hasRemaining()) {
				Thread.onSpinWait();
			}
		}
		catch (IOException ex) {
			assertThat(ex).hasMessageMatching("(?s).*(Broken pipe|Connection reset).*");
		}
	}

	private byte[] request(String topic) throws IOException {
		Path file = this.directory.resolve("recorded");
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
			new Handshake.Request(topic, TopicModel.PUB_SUB, "bytes", "s", "a", 1, 1, Set.of("socket", "futex"), true,
					Resume.NONE)
				.send(channel);
			return Files.readAllBytes(file);
		}
		finally {
			Files.delete(file);
		}
	}

	@Test
	void answersOfAnyBytesAreRefused() {
		Random random = new Random(22);
		for (int i = 0; i < 20_000; i++) {
			byte[] bytes = new byte[random.nextInt(80)];
			random.nextBytes(bytes);
			if (bytes.length > 0 && random.nextBoolean()) {
				bytes[0] = (byte) (1 + random.nextInt(2));
			}
			try {
				Handshake.Grant grant = Handshake.Grant.parse(bytes);
				assertThat(Integer.bitCount(grant.capacity())).isOne();
			}
			catch (WireException | Handshake.RefusedException ex) {
				assertThat(ex.getMessage()).isNotNull();
			}
		}
	}

	@Test
	void aDamagedLogIsLeftWithAReason() throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.PUB_SUB, CAPACITY, WhenFull.BLOCK);
		Random random = new Random(23);
		for (int round = 0; round < 20; round++) {
			try (ShmTopics publisher = TopicFixture.topics(this.directory, "publisher");
					ShmTopics reader = TopicFixture.topics(this.directory, "reader")) {
				Topic<byte[]> topic = publisher.topic(settings);
				AtomicInteger received = new AtomicInteger();
				Subscription subscription = reader.subscribe(settings, SubscriberSettings.of("reader"),
						(message) -> received.incrementAndGet());
				TopicFixture.await(() -> topic.report().subscribers().size() == 1);
				damage(random);
				// No record can be as long as the ring allows, wherever it begins.
				topic.publish(new byte[10]);
				TopicFixture.await(() -> received.get() == 1 || subscription.report()
					.publishers()
					.values()
					.stream()
					.anyMatch((it) -> it.startsWith("left")));
			}
		}
	}

	/** The handler runs before its message counts as read. */
	@Test
	void aPublisherThatTakesBackWhatIsBeingReadIsLeft() throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.PUB_SUB, CAPACITY, WhenFull.BLOCK);
		try (ShmTopics publisher = TopicFixture.topics(this.directory, "publisher");
				ShmTopics reader = TopicFixture.topics(this.directory, "reader")) {
			Topic<byte[]> topic = publisher.topic(settings);
			Subscription subscription = reader.subscribe(settings, SubscriberSettings.of("reader"),
					(message) -> published(0));
			TopicFixture.await(() -> topic.report().subscribers().size() == 1);
			topic.publish(new byte[10]);
			TopicFixture.await(
					() -> subscription.report().publishers().values().stream().anyMatch((it) -> it.startsWith("left")));
		}
	}

	/**
	 * The copy of a log gives up what it has before it publishes what comes behind a gap,
	 * so a subscriber may see the one without the other.
	 */
	@Test
	void aSubscriberWaitsForWhatIsPublishedBehindAGap() throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.PUB_SUB, CAPACITY, WhenFull.DROP_OLDEST);
		CountDownLatch published = new CountDownLatch(1);
		List<Long> received = new CopyOnWriteArrayList<>();
		try (ShmTopics publisher = TopicFixture.topics(this.directory, "publisher");
				ShmTopics reader = TopicFixture.topics(this.directory, "reader")) {
			Topic<byte[]> topic = publisher.topic(settings);
			Subscription subscription = reader.subscribe(settings, SubscriberSettings.of("reader"), (message) -> {
				if (message.sequence() == 1) {
					published.await();
					write(TopicLog.FLOOR_OFFSET, 5L * RECORD);
				}
				received.add(message.sequence());
			});
			TopicFixture.await(() -> topic.report().subscribers().size() == 1);
			topic.publish(new byte[100]);
			topic.publish(new byte[100]);
			published.countDown();
			TopicFixture.await(() -> received.contains(1L) && waitsForMore("vicinal-topic-numbers-0"));
			for (int i = 3; i <= 6; i++) {
				topic.publish(new byte[100]);
			}
			TopicFixture.await(() -> received.contains(6L));
			assertThat(received).containsExactly(1L, 6L);
			assertThat(subscription.report().dropped()).isEqualTo(4);
		}
	}

	/** Returns whether the only thread of a subscription waits for messages. */
	private static boolean waitsForMore(String thread) {
		return Thread.getAllStackTraces()
			.entrySet()
			.stream()
			.filter((each) -> each.getKey().getName().equals(thread))
			.anyMatch((each) -> Arrays.stream(each.getValue())
				.anyMatch((frame) -> frame.getMethodName().equals("awaitMore")));
	}

	private void published(long position) {
		write(TopicLog.PUBLISHED_OFFSET, position);
	}

	private void write(int offset, long position) {
		try (var logs = Files.newDirectoryStream(this.directory, "*.log");
				FileChannel log = FileChannel.open(logs.iterator().next(), StandardOpenOption.WRITE)) {
			ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(java.nio.ByteOrder.nativeOrder());
			log.write(word.putLong(0, position), offset);
		}
		catch (IOException ex) {
			throw new java.io.UncheckedIOException(ex);
		}
	}

	/** Says that more is published, of what are any bytes. */
	private void damage(Random random) throws IOException {
		try (var logs = Files.newDirectoryStream(this.directory, "*.log");
				FileChannel log = FileChannel.open(logs.iterator().next(), StandardOpenOption.WRITE)) {
			byte[] noise = new byte[CAPACITY];
			random.nextBytes(noise);
			log.write(ByteBuffer.wrap(noise), 4096);
			ByteBuffer published = ByteBuffer.allocate(Long.BYTES).order(java.nio.ByteOrder.nativeOrder());
			published.putLong(0, random.nextInt(CAPACITY) & ~7);
			log.write(published, 128);
		}
	}

	/** A subscriber that does nothing. */
	private record Stopped(SocketChannel channel, PairMemory pair, SocketBells bells) implements AutoCloseable {

		@Override
		public void close() throws IOException {
			this.bells.close();
			this.channel.close();
		}

	}

}
