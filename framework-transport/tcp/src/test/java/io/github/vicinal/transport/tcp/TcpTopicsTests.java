package io.github.vicinal.transport.tcp;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.TopicsUnavailableException;
import io.github.vicinal.topic.observation.TopicObservations;
import io.github.vicinal.topic.remote.RemoteTopics;
import io.github.vicinal.topic.remote.TopicCarrier;
import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.shm.topic.ShmTopics;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Topics over tcp. Two directories are two hosts, and both prove who they are. */
@Timeout(120)
class TcpTopicsTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final TopicSettings<byte[]> NUMBERS = TopicSettings.of("numbers", TopicModel.PUB_SUB, byte[].class);

	@TempDir
	private static Path keys;

	private static Certificates certificates;

	private Path first;

	private Path second;

	private final Deque<AutoCloseable> closeables = new ArrayDeque<>();

	@BeforeAll
	static void makeKeys() throws Exception {
		certificates = new Certificates(keys).authority("ca")
			.authority("stranger")
			.signed("publisher", "ca", "-ext", "san=ip:127.0.0.1")
			.signed("subscriber", "ca", "-ext", "san=ip:127.0.0.1")
			.signed("nobody", "stranger", "-ext", "san=ip:127.0.0.1")
			.signed("elsewhere", "ca", "-ext", "san=ip:10.9.9.9");
	}

	@BeforeEach
	void makeHosts() throws Exception {
		this.first = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");
		this.second = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");
	}

	@AfterEach
	void close() throws Exception {
		while (!this.closeables.isEmpty()) {
			this.closeables.pop().close();
		}
		for (Path directory : List.of(this.first, this.second)) {
			try (var files = Files.walk(directory)) {
				for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
					Files.delete(file);
				}
			}
		}
	}

	private TcpPathServer server(String key) throws Exception {
		return server(Tls.server(certificates.material(key, new String[] { "ca" }), TcpProperties.ClientAuth.NEED),
				TcpOptions.defaults());
	}

	private TcpPathServer server(@Nullable Tls tls, TcpOptions options) {
		TcpPathServer server = new TcpPathServer(PeerIdentity.create(TcpTestSupport.HOST), new ServiceRegistry(),
				options, tls);
		this.closeables.push(server);
		return server;
	}

	private TcpTopicCarrier carrier(TcpPathServer server, @Nullable Tls tls) {
		TcpTopicCarrier carrier = new TcpTopicCarrier(() -> server, TcpOptions.defaults(), tls);
		this.closeables.push(carrier);
		return carrier;
	}

	private Tls client(String key) throws Exception {
		return Tls.client(certificates.material(key, new String[] { "ca" }), true);
	}

	private ShmTopics topics(Path directory, String application, TopicCarrier carrier, String... publishers) {
		Rendezvous rendezvous = Rendezvous.open(directory.toString());
		ShmTopics topics = new ShmTopics(PeerIdentity.create(rendezvous.hostId()), application, rendezvous,
				JsonMapper.builder().build(), TopicObservations.none(), List.of(), TopicGrants.all(),
				new RemoteTopics() {

					@Override
					public List<TopicCarrier> carriers() {
						return List.of(carrier);
					}

					@Override
					public boolean isOffered(String topic) {
						return publishers.length == 0;
					}

					@Override
					public List<String> publishers(String topic) {
						return List.of(publishers);
					}

				});
		this.closeables.push(topics);
		return topics;
	}

	private static byte[] number(long number) {
		return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
	}

	private static void awaitAttached(Subscription subscription) {
		await().atMost(PATIENCE).until(() -> subscription.report().attached() == 1);
	}

	@Test
	void messagesOfAllSizesArriveInOrder() throws Exception {
		TcpPathServer server = server("publisher");
		Topic<byte[]> topic = topics(this.first, "shop", carrier(server, client("publisher"))).topic(NUMBERS);
		List<byte[]> received = Collections.synchronizedList(new ArrayList<>());
		awaitAttached(
				topics(this.second, "billing", carrier(server, client("subscriber")), server.address().orElseThrow())
					.subscribe(NUMBERS, SubscriberSettings.of("billing"),
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

	@Test
	void eachMessageOfAStreamGoesToOneSubscriber() throws Exception {
		TopicSettings<byte[]> stream = TopicSettings.of("numbers", TopicModel.STREAM, byte[].class);
		TcpPathServer server = server("publisher");
		ShmTopics shop = topics(this.first, "shop", carrier(server, client("publisher")));
		Topic<byte[]> topic = shop.topic(stream);
		List<Long> received = Collections.synchronizedList(new ArrayList<>());
		for (int i = 0; i < 2; i++) {
			awaitAttached(topics(this.second, "billing", carrier(server, client("subscriber")),
					server.address().orElseThrow())
				.subscribe(stream, SubscriberSettings.of("billing"),
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
		TcpPathServer server = server("publisher");
		topics(this.first, "shop", carrier(server, client("publisher"))).topic(NUMBERS);
		String address = server.address().orElseThrow();
		TcpTopicCarrier stranger = carrier(server, client("nobody"));
		// With TLS 1.3 the server refuses after the client has finished.
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> {
			try (TopicConnection connection = stranger.connect(stranger.resolve(address).get(0))) {
				connection.send(ByteBuffer.wrap(new byte[1]));
				connection.receive(Duration.ofSeconds(20).toNanos());
				throw new AssertionError("a stranger was let in");
			}
		});
		TcpPathServer elsewhere = server("elsewhere");
		topics(this.first, "other", carrier(elsewhere, client("publisher"))).topic(NUMBERS);
		TcpTopicCarrier subscriber = carrier(server, client("subscriber"));
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> subscriber.connect(subscriber.resolve(elsewhere.address().orElseThrow()).get(0)).close())
			.withMessageContaining("subject alternative names");
	}

	@Test
	void plaintextIsRefusedWithWhatToSet() throws Exception {
		TcpPathServer plain = server((Tls) null, TcpOptions.defaults());
		assertThatExceptionOfType(TopicsUnavailableException.class)
			.isThrownBy(() -> topics(this.first, "shop", carrier(plain, null)).topic(NUMBERS))
			.withMessageContaining("vicinal.tcp.ssl.bundle");
		TcpPathServer anonymous = server(
				Tls.server(certificates.material("publisher", new String[] { "ca" }), TcpProperties.ClientAuth.WANT),
				TcpOptions.defaults());
		assertThatExceptionOfType(TopicsUnavailableException.class)
			.isThrownBy(() -> topics(this.first, "shop", carrier(anonymous, null)).topic(NUMBERS))
			.withMessageContaining("vicinal.tcp.ssl.client-auth=need");
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> carrier(plain, null).connect("127.0.0.1/127.0.0.1:1").close())
			.withMessageContaining("vicinal.tcp.ssl.bundle");
	}

	@Test
	void anAddressThatIsNoneSaysSo() throws Exception {
		TcpTopicCarrier carrier = carrier(server("publisher"), client("subscriber"));
		for (String bad : List.of("", "host", ":7", "host:", "host:0", "host:70000", "host:x")) {
			assertThatExceptionOfType(IOException.class).as(bad)
				.isThrownBy(() -> carrier.resolve(bad))
				.withMessageContaining("10.0.0.7:7400");
		}
		assertThat(carrier.resolve("[::1]:7400")).containsExactly("::1/0:0:0:0:0:0:0:1:7400");
		assertThat(carrier.resolve("127.0.0.1:7400")).containsExactly("127.0.0.1/127.0.0.1:7400");
	}

	@Test
	void aServerWithoutTopicsForOtherHostsSaysSo() throws Exception {
		TcpPathServer server = server("publisher");
		server.start();
		TcpTopicCarrier carrier = carrier(server, client("subscriber"));
		try (TopicConnection connection = carrier.connect(carrier.resolve(server.address().orElseThrow()).get(0))) {
			connection.send(ByteBuffer.wrap(new byte[1]));
			assertThatExceptionOfType(IOException.class)
				.isThrownBy(() -> connection.receive(Duration.ofSeconds(20).toNanos()))
				.withMessageContaining("other-hosts=true");
		}
	}

	@Test
	void piecesOfAnyBytesAreRefusedAndOthersGoOn() throws Exception {
		TcpPathServer server = server("publisher");
		Topic<byte[]> topic = topics(this.first, "shop", carrier(server, client("publisher"))).topic(NUMBERS);
		Set<Long> received = ConcurrentHashMap.newKeySet();
		awaitAttached(
				topics(this.second, "billing", carrier(server, client("subscriber")), server.address().orElseThrow())
					.subscribe(NUMBERS, SubscriberSettings.of("billing"),
							(message) -> received.add(ByteBuffer.wrap(message.payload()).getLong())));
		TcpTopicCarrier hostile = carrier(server, client("subscriber"));
		String address = hostile.resolve(server.address().orElseThrow()).get(0);
		Random random = new Random(32);
		for (int i = 0; i < 40; i++) {
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
		try (Socket plain = new Socket("127.0.0.1", Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)));
				OutputStream out = plain.getOutputStream()) {
			out.write(new byte[100]);
			plain.setSoTimeout(20_000);
			plain.getInputStream().readAllBytes();
		}
		topic.publish(number(7));
		await().atMost(PATIENCE).until(() -> received.contains(7L));
		assertThat(topic.report().subscribers()).hasSize(1);
	}

	@Test
	void connectionsAreMadeAnewWithNewCertificatesAndLoseNothing() throws Exception {
		Tls tls = Tls.server(certificates.material("publisher", new String[] { "ca" }), TcpProperties.ClientAuth.NEED);
		TcpPathServer server = server(tls, TcpOptions.defaults());
		Topic<byte[]> topic = topics(this.first, "shop", carrier(server, client("publisher"))).topic(NUMBERS);
		List<Long> received = Collections.synchronizedList(new ArrayList<>());
		awaitAttached(
				topics(this.second, "billing", carrier(server, client("subscriber")), server.address().orElseThrow())
					.subscribe(NUMBERS, SubscriberSettings.of("billing"),
							(message) -> received.add(ByteBuffer.wrap(message.payload()).getLong())));
		for (long i = 1; i <= 1000; i++) {
			topic.publish(number(i));
			if (i == 500) {
				tls.replace(() -> material("subscriber"));
			}
		}
		await().atMost(PATIENCE).until(() -> received.size() >= 1000);
		for (int i = 0; i < 1000; i++) {
			assertThat(received.get(i)).isEqualTo(i + 1L);
		}
	}

	private TlsMaterial material(String key) {
		try {
			return certificates.material(key, new String[] { "ca" });
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
