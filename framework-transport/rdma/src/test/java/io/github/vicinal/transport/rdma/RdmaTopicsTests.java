package io.github.vicinal.transport.rdma;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import javax.net.ssl.SSLEngine;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.TopicsUnavailableException;
import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.shm.topic.ShmTopics;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.PublisherAddress;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Topics over devices that are emulated in memory. */
@Timeout(120)
@Tag("every-jdk")
class RdmaTopicsTests extends RdmaTopicsTestSupport {

	private final MemoryFabric fabric = new MemoryFabric();

	@BeforeAll
	static void makeKeys() throws Exception {
		certificates.authority("stranger")
			.signed("publisher", "ca", "-ext", "san=ip:127.0.0.1")
			.signed("subscriber", "ca", "-ext", "san=ip:127.0.0.1")
			.signed("nobody", "stranger", "-ext", "san=ip:127.0.0.1")
			.signed("elsewhere", "ca", "-ext", "san=ip:10.9.9.9");
	}

	@Override
	RdmaDevices devices() {
		return this.fabric.devices();
	}

	@Override
	RdmaOptions options() {
		return RdmaTestSupport.options();
	}

	private Topic<byte[]> publish(RdmaPathServer server) throws Exception {
		return topics(this.first, "shop", List.of(carrier(server, tls("publisher")))).topic(NUMBERS);
	}

	private ShmTopics subscriber(RdmaPathServer server) throws Exception {
		return topics(this.second, "billing", List.of(carrier(server, tls("subscriber"))),
				server.address().orElseThrow());
	}

	@Test
	void messagesOfAllSizesArriveInOrder() throws Exception {
		RdmaPathServer server = server();
		Topic<byte[]> topic = publish(server);
		List<byte[]> received = Collections.synchronizedList(new ArrayList<>());
		awaitAttached(subscriber(server).subscribe(NUMBERS, SubscriberSettings.of("billing"),
				(message) -> received.add(message.payload())));
		Random random = new Random(31);
		List<byte[]> sent = new ArrayList<>();
		for (int i = 0; i < 2000; i++) {
			byte[] payload = new byte[(i % 100 == 0) ? random.nextInt(1_000_000) : random.nextInt(200)];
			random.nextBytes(payload);
			sent.add(payload);
			topic.publish(payload);
		}
		await().atMost(PATIENCE).until(() -> received.size() == sent.size());
		for (int i = 0; i < sent.size(); i++) {
			assertThat(received.get(i)).isEqualTo(sent.get(i));
		}
	}

	/** Nothing that was published can be read in the memory that the device writes. */
	@Test
	void whatLeavesTheHostIsEncrypted() throws Exception {
		RdmaPathServer server = server();
		Topic<byte[]> topic = publish(server);
		AtomicLong received = new AtomicLong();
		awaitAttached(subscriber(server).subscribe(NUMBERS, SubscriberSettings.of("billing"),
				(message) -> received.incrementAndGet()));
		String secret = "a secret that is easy to find";
		topic.publish(secret.repeat(20).getBytes(StandardCharsets.ISO_8859_1));
		await().atMost(PATIENCE).until(() -> received.get() == 1);
		for (MemoryFabric.MemoryQueuePair each : this.fabric.all()) {
			for (ByteBuffer memory : List.of(each.inbound(), each.outbound())) {
				byte[] all = new byte[memory.capacity()];
				memory.get(0, all);
				String text = new String(all, StandardCharsets.ISO_8859_1);
				assertThat(text.contains(secret)).isFalse();
				assertThat(text).contains("Vcnl");
			}
		}
	}

	@Test
	void eachMessageOfAStreamGoesToOneSubscriber() throws Exception {
		TopicSettings<byte[]> stream = TopicSettings.of("numbers", TopicModel.STREAM, byte[].class);
		RdmaPathServer server = server();
		Topic<byte[]> topic = topics(this.first, "shop", List.of(carrier(server, tls("publisher")))).topic(stream);
		List<Long> received = Collections.synchronizedList(new ArrayList<>());
		for (int i = 0; i < 2; i++) {
			awaitAttached(subscriber(server).subscribe(stream, SubscriberSettings.of("billing"),
					(message) -> received.add(ByteBuffer.wrap(message.payload()).getLong())));
		}
		for (long i = 1; i <= 2000; i++) {
			topic.publish(number(i));
		}
		await().atMost(PATIENCE).until(() -> received.size() == 2000);
		assertThat(received).doesNotHaveDuplicates();
	}

	@Test
	void asSubscriberOrPublisherAStrangerIsRefused() throws Exception {
		RdmaPathServer server = server();
		publish(server);
		String address = server.address().orElseThrow();
		RdmaTopicCarrier stranger = carrier(server, tls("nobody"));
		// With TLS 1.3 the server refuses after the client has finished.
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> {
			try (TopicConnection connection = stranger.connect(stranger.resolve(address).get(0))) {
				connection.send(ByteBuffer.wrap(new byte[1]));
				connection.receive(Duration.ofSeconds(20).toNanos());
				throw new AssertionError("a stranger was let in");
			}
		});
		assertThat(server.metrics().refusals().get(Refusal.STRANGER.id()).sum()).isPositive();
		RdmaPathServer elsewhere = server();
		topics(this.first, "other", List.of(carrier(elsewhere, tls("elsewhere")))).topic(NUMBERS);
		RdmaTopicCarrier subscriber = carrier(server, tls("subscriber"));
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> subscriber.connect(subscriber.resolve(elsewhere.address().orElseThrow()).get(0)).close())
			.withMessageContaining("subject alternative names");
	}

	@Test
	void aServerWithoutTopicsForOtherHostsSaysSo() throws Exception {
		RdmaPathServer server = server();
		server.start();
		RdmaTopicCarrier carrier = carrier(server, tls("subscriber"));
		String address = carrier.resolve(server.address().orElseThrow()).get(0);
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> carrier.connect(address).close())
			.withMessageContaining("other-hosts=true");
	}

	@Test
	void anAddressThatIsNoneSaysSo() throws Exception {
		RdmaTopicCarrier carrier = carrier(server(), tls("subscriber"));
		for (String bad : List.of("", "host", ":7", "host:", "host:0", "host:70000", "host:x")) {
			assertThatExceptionOfType(IOException.class).as(bad)
				.isThrownBy(() -> carrier.resolve(bad))
				.withMessageContaining("10.0.0.7:7400");
		}
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> carrier.resolve("[::1]:7400"))
			.withMessageContaining("IPv4");
		assertThat(carrier.resolve("127.0.0.1:7400")).containsExactly("127.0.0.1/127.0.0.1:7400");
	}

	@Test
	void aBundleThatCannotBeUsedIsTheReason() {
		RdmaPathServer server = server();
		TopicTls unusable = new TopicTls("mesh", "it has no key");
		assertThatExceptionOfType(TopicsUnavailableException.class)
			.isThrownBy(() -> topics(this.first, "shop", List.of(carrier(server, unusable))).topic(NUMBERS))
			.withMessageContaining("'mesh'")
			.withMessageContaining("it has no key");
	}

	/** One carrier that cannot be used does not keep the others from working. */
	@Test
	void anotherCarrierThatCannotServeIsNoReasonToEnd() throws Exception {
		RdmaPathServer server = server();
		RdmaTopicCarrier usable = carrier(server, tls("publisher"));
		RdmaTopicCarrier unusable = carrier(server(), new TopicTls("mesh", "it has no key"));
		Topic<byte[]> topic = topics(this.first, "shop", List.of(unusable, usable)).topic(NUMBERS);
		AtomicLong received = new AtomicLong();
		awaitAttached(subscriber(server).subscribe(NUMBERS, SubscriberSettings.of("billing"),
				(message) -> received.incrementAndGet()));
		topic.publish(number(1));
		await().atMost(PATIENCE).until(() -> received.get() == 1);
	}

	@Test
	void piecesOfAnyBytesAreRefusedAndOthersGoOn() throws Exception {
		RdmaPathServer server = server();
		Topic<byte[]> topic = publish(server);
		Set<Long> received = ConcurrentHashMap.newKeySet();
		awaitAttached(subscriber(server).subscribe(NUMBERS, SubscriberSettings.of("billing"),
				(message) -> received.add(ByteBuffer.wrap(message.payload()).getLong())));
		RdmaTopicCarrier hostile = carrier(server, tls("subscriber"));
		String address = hostile.resolve(server.address().orElseThrow()).get(0);
		Random random = new Random(32);
		for (int i = 0; i < 20; i++) {
			byte[] bytes = new byte[random.nextInt(300)];
			random.nextBytes(bytes);
			try (TopicConnection connection = hostile.connect(address)) {
				connection.send(ByteBuffer.wrap(bytes));
				assertThatExceptionOfType(IOException.class).isThrownBy(() -> {
					while (connection.receive(Duration.ofSeconds(20).toNanos()) != null) {
						Thread.onSpinWait();
					}
				});
			}
		}
		topic.publish(number(7));
		await().atMost(PATIENCE).until(() -> received.contains(7L));
		assertThat(topic.report().subscribers()).hasSize(1);
	}

	/** Before both sides know each other, and in the middle of the handshake. */
	@Test
	void bytesThatAreNoTlsAreRefused() throws Exception {
		RdmaPathServer server = server();
		Topic<byte[]> topic = publish(server);
		AtomicLong received = new AtomicLong();
		awaitAttached(subscriber(server).subscribe(NUMBERS, SubscriberSettings.of("billing"),
				(message) -> received.incrementAndGet()));
		long before = server.metrics().open().sum();
		byte[] hello = hello();
		Random random = new Random(33);
		List<CompletableFuture<String>> open = new ArrayList<>();
		for (int i = 0; i < 60; i++) {
			byte[] bytes = hello.clone();
			if (i % 2 == 0) {
				bytes = new byte[1 + random.nextInt(2000)];
				random.nextBytes(bytes);
			}
			else {
				bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
			}
			CompletableFuture<String> ended = new CompletableFuture<>();
			RdmaConnection raw = raw(server, ended);
			raw.send(new Outgoing(frame(FrameType.TOPIC, bytes)));
			// What is missing of a record never comes, and the server waits, or another
			// frame does.
			raw.send(new Outgoing(frame((i % 3 == 0) ? FrameType.CALL : FrameType.TOPIC, new byte[100])));
			open.add(ended);
			if (open.size() == 15) {
				for (CompletableFuture<String> each : open) {
					assertThat(each.get(60, TimeUnit.SECONDS)).isNotEmpty();
				}
				open.clear();
			}
		}
		topic.publish(number(1));
		await().atMost(PATIENCE).until(() -> received.get() == 1);
		assertThat(server.metrics().refusals().get(Refusal.STRANGER.id()).sum()).isPositive();
		assertThat(server.metrics().refusals().get(Refusal.MALFORMED.id()).sum()).isPositive();
		await().atMost(PATIENCE).until(() -> server.metrics().open().sum() == before);
	}

	/** Returns what a client says first. */
	private static byte[] hello() throws Exception {
		SSLEngine engine = tls("subscriber").connecting("127.0.0.1", 1);
		engine.beginHandshake();
		ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
		engine.wrap(ByteBuffer.allocate(0), hello);
		return Arrays.copyOf(hello.array(), hello.position());
	}

	private static EncodeBuffer frame(FrameType type, byte[] payload) {
		EncodeBuffer out = new EncodeBuffer(FrameDescriptor.HEADER_BYTES + payload.length);
		int start = FrameDescriptor.begin(out);
		out.write(payload, 0, payload.length);
		FrameDescriptor.end(out, start, type);
		return out;
	}

	/** A connection whose frames are those of the test. */
	private RdmaConnection raw(RdmaPathServer server, CompletableFuture<String> ended) throws Exception {
		QueuePair queuePair = this.fabric.verbs()
			.connect(PublisherAddress.resolve(server.address().orElseThrow()).get(0).address(),
					RdmaConnection.resources(options()), Duration.ofSeconds(20));
		RdmaConnection raw = new RdmaConnection(queuePair, options(), false, 1 << 20, new RdmaConnection.Listener() {

			@Override
			public boolean reads(long assemblingBytes) {
				return true;
			}

			@Override
			public void received(ReceivedFrame frame) throws WireException {
				if (frame.header().type == FrameType.REFUSED) {
					throw new WireException(Refusal.FAILED, frame.payload().readString());
				}
			}

			@Override
			public void ended(String why, WireException refused) {
				ended.complete(why);
			}

		});
		raw.start("raw");
		raw.ready().get(20, TimeUnit.SECONDS);
		return raw;
	}

	@Test
	void connectionsAreMadeAnewWithNewCertificatesAndLoseNothing() throws Exception {
		RdmaPathServer server = server();
		TopicTls tls = tls("publisher");
		Topic<byte[]> topic = topics(this.first, "shop", List.of(carrier(server, tls))).topic(NUMBERS);
		List<Long> received = Collections.synchronizedList(new ArrayList<>());
		awaitAttached(subscriber(server).subscribe(NUMBERS, SubscriberSettings.of("billing"),
				(message) -> received.add(ByteBuffer.wrap(message.payload()).getLong())));
		for (long i = 1; i <= 1000; i++) {
			topic.publish(number(i));
			if (i == 500) {
				tls.replace(material("subscriber"));
			}
		}
		await().atMost(PATIENCE).until(() -> received.size() >= 1000);
		for (int i = 0; i < 1000; i++) {
			assertThat(received.get(i)).isEqualTo(i + 1L);
		}
	}

	/** A subscriber that takes nothing for a while loses nothing, and neither spins. */
	@Test
	void moreThanBothSidesHoldWaitsForTheSubscriber() throws Exception {
		RdmaPathServer server = server();
		List<TopicConnection> accepted = Collections.synchronizedList(new ArrayList<>());
		carrier(server, tls("publisher")).serve(accepted::add);
		RdmaTopicCarrier subscriber = carrier(server, tls("subscriber"));
		TopicConnection connection = subscriber.connect(subscriber.resolve(server.address().orElseThrow()).get(0));
		await().atMost(PATIENCE).until(() -> accepted.size() == 1);
		byte[] piece = new byte[200_000];
		AtomicLong sent = new AtomicLong();
		Thread sending = new Thread(() -> {
			try {
				for (int i = 0; i < 50; i++) {
					accepted.get(0).send(ByteBuffer.wrap(piece));
					sent.incrementAndGet();
				}
			}
			catch (IOException ex) {
				sent.set(-1);
			}
		});
		sending.start();
		await().atMost(PATIENCE).until(() -> sent.get() > 0 && sending.getState() == Thread.State.WAITING);
		assertThat(sent.get()).isBetween(1L, 30L);
		for (int i = 0; i < 50; i++) {
			assertThat(connection.receive(PATIENCE.toNanos())).isEqualTo(ByteBuffer.wrap(piece));
		}
		sending.join();
		assertThat(sent).hasValue(50);
		connection.close();
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> accepted.get(0).receive(PATIENCE.toNanos()));
	}

}
