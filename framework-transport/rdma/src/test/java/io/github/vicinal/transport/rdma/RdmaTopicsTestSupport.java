package io.github.vicinal.transport.rdma;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.testing.TestCertificates;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.observation.TopicObservations;
import io.github.vicinal.topic.remote.RemoteTopics;
import io.github.vicinal.topic.remote.TopicCarrier;
import io.github.vicinal.transport.shm.topic.ShmTopics;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Two directories, which are two hosts, and both prove who they are. */
abstract class RdmaTopicsTestSupport {

	static final Duration PATIENCE = Duration.ofSeconds(120);

	static final TopicSettings<byte[]> NUMBERS = TopicSettings.of("numbers", TopicModel.PUB_SUB, byte[].class);

	@TempDir
	private static Path keys;

	static TestCertificates certificates;

	Path first;

	Path second;

	final Deque<AutoCloseable> closeables = new ArrayDeque<>();

	/** Returns the devices that both sides use. */
	abstract RdmaDevices devices();

	/** Returns limits. */
	abstract RdmaOptions options();

	/** Returns the address that certificates are for. */
	String address() {
		return "127.0.0.1";
	}

	@BeforeAll
	static void makeAuthority() throws Exception {
		certificates = new TestCertificates(keys).authority("ca");
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

	RdmaPathServer server() {
		RdmaPathServer server = new RdmaPathServer(PeerIdentity.create(PeerIdentity.NO_HOST), devices(),
				new ServiceRegistry(), options());
		this.closeables.push(server);
		return server;
	}

	static TopicTls tls(String key) throws Exception {
		return new TopicTls("mesh", material(key));
	}

	static TopicTls.Material material(String key) throws Exception {
		return new TopicTls.Material(certificates.context(key, "ca"), List.of(), List.of());
	}

	RdmaTopicCarrier carrier(RdmaPathServer server, TopicTls tls) {
		RdmaTopicCarrier carrier = new RdmaTopicCarrier(() -> server, devices(), options(), tls);
		this.closeables.push(carrier);
		return carrier;
	}

	ShmTopics topics(Path directory, String application, List<TopicCarrier> carriers, String... publishers) {
		Rendezvous rendezvous = Rendezvous.open(directory.toString());
		ShmTopics topics = new ShmTopics(PeerIdentity.create(rendezvous.hostId()), application, rendezvous,
				JsonMapper.builder().build(), TopicObservations.none(), List.of(), TopicGrants.all(),
				new RemoteTopics() {

					@Override
					public List<TopicCarrier> carriers() {
						return carriers;
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

	static byte[] number(long number) {
		return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
	}

	static void awaitAttached(Subscription subscription) {
		await().atMost(PATIENCE)
			.untilAsserted(
					() -> assertThat(subscription.report().attached()).as("%s", subscription.report()).isEqualTo(1));
	}

}
