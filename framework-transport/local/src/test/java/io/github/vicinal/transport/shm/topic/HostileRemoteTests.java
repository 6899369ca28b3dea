package io.github.vicinal.transport.shm.topic;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.WhenFull;
import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.wire.WireException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Whatever another host sends: this one goes on, and leaves nothing. */
@Timeout(120)
class HostileRemoteTests {

	private static final int CAPACITY = 64 << 10;

	private static final String INSTANCE = "0123456789abcdef0123456789abcdef";

	private static final String HOST = "fedcba9876543210fedcba9876543210";

	private Path directory;

	private SocketCarrier carrier;

	private final List<ShmTopics> all = new ArrayList<>();

	@BeforeEach
	void makeDirectory() throws Exception {
		this.directory = TopicFixture.memoryDirectory();
		this.carrier = new SocketCarrier();
	}

	@AfterEach
	void leaveNothing() throws Exception {
		this.all.forEach(ShmTopics::close);
		this.carrier.close();
		TopicFixture.assertEmptyAndDelete(this.directory);
	}

	private ShmTopics keep(ShmTopics topics) {
		this.all.add(topics);
		return topics;
	}

	private static RemoteRequest request(RemoteRequest.Purpose purpose, TopicModel model) {
		return new RemoteRequest(purpose, "numbers", model, "bytes", "s", "a", INSTANCE, HOST, 4, Resume.NONE, 0);
	}

	@Test
	void requestsAndAnswersOfAnyBytesAreRefused() {
		Random random = new Random(41);
		byte[] request = request(RemoteRequest.Purpose.COPY, TopicModel.PUB_SUB).bytes().array();
		byte[] grant = new RemoteGrant(INSTANCE, HOST, "shop", CAPACITY, 7, true, new Handshake.Start(64, 2)).bytes()
			.array();
		int parsed = 0;
		for (int i = 0; i < 40_000; i++) {
			byte[] bytes = ((i & 1) == 0) ? request.clone() : grant.clone();
			for (int changes = random.nextInt(4); changes > 0; changes--) {
				bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
			}
			int length = random.nextInt(4) == 0 ? random.nextInt(bytes.length) : bytes.length;
			try {
				if ((i & 1) == 0) {
					assertThat(RemoteRequest.parse(ByteBuffer.wrap(bytes, 0, length)).slots()).isBetween(1,
							RemoteRequest.MAX_SLOTS);
				}
				else {
					assertThat(RemoteGrant.parse(ByteBuffer.wrap(bytes, 0, length)).start().position() & 7).isZero();
				}
				parsed++;
			}
			catch (WireException | Handshake.RefusedException ex) {
				assertThat(ex.getMessage()).isNotNull();
			}
		}
		assertThat(parsed).isPositive();
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void aSubscriberThatSaysAnythingDisturbsNobody(TopicModel model) throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(model, CAPACITY, WhenFull.BLOCK);
		ShmTopics shop = keep(
				TopicFixture.remoteTopics(this.directory, "shop", TopicGrants.all(), this.carrier, true, List.of()));
		Topic<byte[]> topic = shop.topic(settings);
		AtomicInteger received = new AtomicInteger();
		shop.subscribe(settings, SubscriberSettings.of("honest"), (message) -> received.incrementAndGet());
		TopicFixture.await(() -> topic.report().subscribers().size() == 1);
		Random random = new Random(42);
		RemoteRequest.Purpose purpose = (model == TopicModel.STREAM) ? RemoteRequest.Purpose.COMPETE
				: RemoteRequest.Purpose.COPY;
		for (int round = 0; round < 50; round++) {
			try (TopicConnection connection = this.carrier.connect(this.carrier.address())) {
				Resume resume = new Resume(random.nextLong(), random.nextInt(CAPACITY), 1);
				connection.send(new RemoteRequest(purpose, "numbers", model, "bytes", "s", "a", INSTANCE, HOST, 4,
						resume, random.nextLong())
					.bytes());
				connection.receive(Duration.ofSeconds(20).toNanos());
				for (int i = 0; i < 3; i++) {
					byte[] bytes = new byte[random.nextInt(12)];
					random.nextBytes(bytes);
					if (bytes.length > 0) {
						bytes[0] = (byte) random.nextInt(10);
					}
					connection.send(ByteBuffer.wrap(bytes));
				}
			}
			catch (IOException ex) {
				assertThat(ex).isNotNull();
			}
			if (round % 10 == 0) {
				topic.publish(new byte[10]);
			}
		}
		// A host that has left without a word keeps its place for a while.
		TopicFixture.await(() -> topic.report().subscribers().size() == 1 && topic.report().usedBytes() == 0);
		int before = received.get();
		topic.publish(new byte[1]);
		TopicFixture.await(() -> received.get() == before + 1);
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void aPublisherThatSendsAnythingIsLeft(TopicModel model) throws Exception {
		Random random = new Random(43);
		AtomicInteger rounds = new AtomicInteger();
		this.carrier.serve((connection) -> {
			Thread thread = new Thread(() -> publish(connection, random, rounds), "hostile");
			thread.setDaemon(true);
			thread.start();
		});
		TopicSettings<byte[]> settings = TopicFixture.bytes(model, CAPACITY, WhenFull.BLOCK);
		AtomicInteger received = new AtomicInteger();
		keep(TopicFixture.remoteTopics(this.directory, "billing", TopicGrants.all(), this.carrier, false,
				List.of(this.carrier.address())))
			.subscribe(settings, SubscriberSettings.of("billing"), (message) -> received.incrementAndGet());
		TopicFixture.await(() -> rounds.get() >= 5);
	}

	private void publish(TopicConnection connection, Random random, AtomicInteger rounds) {
		try (connection) {
			while (true) {
				ByteBuffer asked = connection.receive(Long.MAX_VALUE);
				if (asked == null) {
					return;
				}
				RemoteRequest request = RemoteRequest.parse(asked);
				long epoch = rounds.get();
				connection
					.send(new RemoteGrant(INSTANCE, HOST, "shop", CAPACITY, epoch, false, new Handshake.Start(0, 1))
						.bytes());
				if (request.purpose() == RemoteRequest.Purpose.COPY
						|| request.purpose() == RemoteRequest.Purpose.COMPETE) {
					rounds.incrementAndGet();
					for (int i = 0; i < 3; i++) {
						connection.send(piece(random, request.purpose()));
					}
				}
			}
		}
		catch (IOException | WireException ex) {
			// The other side has left.
		}
	}

	private static ByteBuffer piece(Random random, RemoteRequest.Purpose purpose) {
		byte[] bytes = new byte[random.nextInt(200)];
		random.nextBytes(bytes);
		ByteBuffer piece = ByteBuffer.allocate(1 + 2 * Long.BYTES + bytes.length).order(ByteOrder.nativeOrder());
		if (purpose == RemoteRequest.Purpose.COPY) {
			piece.put(RemoteProtocol.RECORDS).order(ByteOrder.BIG_ENDIAN).putLong(0).order(ByteOrder.nativeOrder());
			piece.putInt((random.nextInt(30) - 3) * Long.BYTES).putInt(random.nextInt(4));
		}
		else {
			piece.put(RemoteProtocol.MESSAGE).putInt(random.nextInt(20) - 2).put((byte) 0).putLong(1);
		}
		return piece.put(bytes, 0, Math.min(bytes.length, piece.remaining())).flip();
	}

}
