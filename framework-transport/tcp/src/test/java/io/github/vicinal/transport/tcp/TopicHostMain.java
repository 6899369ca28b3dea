package io.github.vicinal.transport.tcp;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicReport;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.WhenFull;
import io.github.vicinal.topic.observation.TopicObservations;
import io.github.vicinal.topic.remote.RemoteTopics;
import io.github.vicinal.topic.remote.TopicCarrier;
import io.github.vicinal.transport.shm.topic.ShmTopics;
import tools.jackson.databind.json.JsonMapper;

/** A process that publishes numbers to another host, or gets them from there. */
final class TopicHostMain {

	/** Interval between two messages of continuous traffic. */
	private static final long INTERVAL_NANOS = Duration.ofMillis(1).toNanos();

	private TopicHostMain() {
	}

	/**
	 * Publishes what standard input asks for, or writes what it gets, until standard
	 * input ends.
	 * @param args rendezvous directory, key store, trust store, model, own address, port
	 * of a publisher or 0, number of its first message, and for a subscriber the
	 * addresses of publishers
	 */
	public static void main(String[] args) throws Exception {
		TlsMaterial material = material(Path.of(args[1]), Path.of(args[2]));
		TcpOptions options = TcpOptions.builder()
			.listeningOn(args[4], Integer.parseInt(args[5]))
			.pings(Duration.ofMillis(500), Duration.ofMillis(500))
			.handshakeTimeout(Duration.ofSeconds(1))
			.build();
		Rendezvous rendezvous = Rendezvous.open(args[0]);
		PeerIdentity identity = PeerIdentity.create(rendezvous.hostId());
		TopicSettings<byte[]> settings = TopicSettings.of("numbers", TopicModel.valueOf(args[3]), byte[].class)
			.withCapacity(1 << 20)
			.whenFull(WhenFull.BLOCK, Duration.ofSeconds(30));
		List<String> publishers = List.of(args).subList(7, args.length);
		try (TcpPathServer server = new TcpPathServer(identity, new ServiceRegistry(), options,
				Tls.server(material, TcpProperties.ClientAuth.NEED));
				TcpTopicCarrier carrier = new TcpTopicCarrier(() -> server, options, Tls.client(material, true));
				ShmTopics topics = new ShmTopics(identity, "numbers", rendezvous, JsonMapper.builder().build(),
						TopicObservations.none(), List.of(), TopicGrants.all(), remote(carrier, publishers));
				BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
			if (publishers.isEmpty()) {
				new Publisher(topics.topic(settings), Long.parseLong(args[6])).obey(input);
			}
			else {
				topics.subscribe(settings, SubscriberSettings.of("s"), (message) -> System.out
					.println((message.redelivered() ? "-" : "+") + ByteBuffer.wrap(message.payload()).getLong()));
				System.out.println("ready");
				while (input.readLine() != null) {
					System.out.println(topics.subscriptions().get(0).publishers());
				}
			}
		}
		System.out.println("closed");
	}

	private static RemoteTopics remote(TopicCarrier carrier, List<String> publishers) {
		return new RemoteTopics() {

			@Override
			public List<TopicCarrier> carriers() {
				return List.of(carrier);
			}

			@Override
			public boolean isOffered(String topic) {
				return publishers.isEmpty();
			}

			@Override
			public List<String> publishers(String topic) {
				return publishers;
			}

		};
	}

	private static TlsMaterial material(Path keys, Path trusted) throws Exception {
		char[] password = Certificates.PASSWORD.toCharArray();
		KeyManagerFactory key = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		key.init(store(keys, password), password);
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trust.init(store(trusted, password));
		return new TlsMaterial("mesh", key, true, trust, true, null, null);
	}

	private static KeyStore store(Path file, char[] password) throws Exception {
		KeyStore store = KeyStore.getInstance("PKCS12");
		try (InputStream in = Files.newInputStream(file)) {
			store.load(in, password);
		}
		return store;
	}

	/** Publishes numbers. */
	private static final class Publisher {

		private final Topic<byte[]> topic;

		private volatile long number;

		private volatile boolean stopping;

		/** Publishes continuously, {@code null} while nothing does. */
		private Thread traffic;

		private volatile RuntimeException failure;

		Publisher(Topic<byte[]> topic, long first) {
			this.topic = topic;
			this.number = first - 1;
		}

		/**
		 * Each line is how many messages to publish, or {@code run} or {@code stop} for
		 * continuous traffic. Answers with the last number, the bytes in use and the
		 * number of subscribers.
		 */
		void obey(BufferedReader input) throws Exception {
			System.out.println("ready");
			for (String line = input.readLine(); line != null; line = input.readLine()) {
				switch (line) {
					case "run" -> {
						this.stopping = false;
						this.traffic = new Thread(this::run);
						this.traffic.start();
					}
					case "stop" -> {
						this.stopping = true;
						this.traffic.join();
					}
					default -> {
						for (long last = this.number + Long.parseLong(line); this.number < last;) {
							publish();
						}
					}
				}
				if (this.failure != null) {
					throw this.failure;
				}
				TopicReport report = this.topic.report();
				System.out.println(this.number + " " + report.usedBytes() + " " + report.subscribers().size());
			}
		}

		private void run() {
			try {
				while (!this.stopping) {
					publish();
					LockSupport.parkNanos(INTERVAL_NANOS);
				}
			}
			catch (RuntimeException ex) {
				this.failure = ex;
			}
		}

		private synchronized void publish() {
			long next = this.number + 1;
			this.topic.publish(ByteBuffer.allocate(Long.BYTES).putLong(next).array());
			this.number = next;
		}

	}

}
