package io.github.vicinal.transport.tcp;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * Typed calls and exchanges between two hosts: they take tcp by themselves, and no
 * acknowledged result is lost when a wire is cut or a host ends.
 */
@Tag("deep")
@Timeout(900)
class TwoHostsTests {

	private static final int PORT = 8080;

	private static final Duration PATIENCE = Duration.ofMinutes(4);

	private static final List<String> CHANNELS = List.of("ledger", "http-exchanges");

	@TempDir
	private Path directory;

	private final Deque<AutoCloseable> closeables = new ArrayDeque<>();

	private TwoHosts hosts;

	private Map<String, String> tls;

	/** Numbers that the client knows to be written down. */
	private final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();

	private final AtomicLong failed = new AtomicLong();

	/** Calls by channel and path since they were looked at last. */
	private final Map<String, AtomicLong> carried = new ConcurrentHashMap<>();

	@BeforeEach
	void createHosts() throws Exception {
		assumeThat(TwoHosts.missing()).isEmpty();
		this.hosts = TwoHosts.create();
		this.closeables.push(this.hosts);
		Certificates certificates = new Certificates(this.directory).authority("ca")
			.signed("first", "ca", "-ext", "san=ip:" + TwoHosts.FIRST)
			.signed("second", "ca", "-ext", "san=ip:" + TwoHosts.SECOND);
		certificates.write("trust.p12", certificates.trust("ca"));
		for (String host : List.of("first", "second")) {
			certificates.write(host + ".p12", certificates.keys(host));
		}
		String jks = "spring.ssl.bundle.jks.mesh.";
		this.tls = Map.of(jks + "keystore.password", Certificates.PASSWORD, jks + "truststore.location",
				this.directory.resolve("trust.p12").toUri().toString(), jks + "truststore.password",
				Certificates.PASSWORD, "vicinal.tcp.enabled", "true", "vicinal.tcp.ssl.bundle", "mesh",
				"vicinal.tcp.ping-interval", "2s", "vicinal.tcp.ping-timeout", "2s");
	}

	@AfterEach
	void close() throws Exception {
		while (!this.closeables.isEmpty()) {
			this.closeables.pop().close();
		}
	}

	private Process start(int host, String role, Map<String, String> properties) throws IOException {
		String name = (host == 1) ? "first" : "second";
		Map<String, String> all = new TreeMap<>(this.tls);
		all.put("spring.ssl.bundle.jks.mesh.keystore.location",
				this.directory.resolve(name + ".p12").toUri().toString());
		all.put("vicinal.tcp.address", (host == 1) ? TwoHosts.FIRST : TwoHosts.SECOND);
		// One kernel, two hosts: they do not share a directory.
		all.put("vicinal.rendezvous.directory", this.directory.resolve("rendezvous-" + name).toString());
		all.put("vicinal.reconnect-delay", "200ms");
		all.put("spring.main.banner-mode", "off");
		all.putAll(properties);
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-XX:+UseSerialGC", "-Xmx256m", "-cp", System.getProperty("java.class.path"),
						TwoHostsMain.class.getName(), role));
		all.forEach((key, value) -> command.add("--" + key + "=" + value));
		Process process = new ProcessBuilder(this.hosts.on(host, command))
			.redirectError(this.directory.resolve(role + ".log").toFile())
			.start();
		this.closeables.push(() -> {
			process.destroyForcibly();
			process.waitFor(10, TimeUnit.SECONDS);
		});
		return process;
	}

	private Process startServer() throws IOException {
		Process server = start(2, "server", Map.of("server.address", TwoHosts.SECOND, "server.port",
				String.valueOf(PORT), "ledger.file", this.directory.resolve("ledger").toString()));
		BufferedReader out = new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
		for (String line = out.readLine(); !"serving".equals(line); line = out.readLine()) {
			assertThat(line).as("what the server says").isNotNull();
		}
		Thread reader = new Thread(() -> out.lines().forEach((line) -> {
		}), "server output");
		reader.setDaemon(true);
		reader.start();
		return server;
	}

	private void startClient() throws IOException {
		Process client = start(1, "client",
				Map.of("server.port", "0", "management.endpoints.web.exposure.include", "*",
						"spring.http.serviceclient.ledger.base-url", "http://%s:%d".formatted(TwoHosts.SECOND, PORT),
						"vicinal.http-exchanges.peers", TwoHosts.SECOND, "spring.http.clients.connect-timeout", "2s",
						"spring.http.clients.read-timeout", "5s", "spring.http.clients.imperative.factory", "jdk"));
		Thread reader = new Thread(
				() -> new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8)).lines()
					.forEach(this::heard),
				"client output");
		reader.setDaemon(true);
		reader.start();
	}

	private void heard(String line) {
		String[] words = line.split(" ");
		if (words[0].equals("ok")) {
			this.acknowledged.add(Long.valueOf(words[3]));
			this.carried.computeIfAbsent(words[1] + " " + words[2], (key) -> new AtomicLong()).incrementAndGet();
		}
		else if (words[0].equals("failed")) {
			this.failed.incrementAndGet();
		}
	}

	private void awaitCalls(String path) {
		this.carried.clear();
		for (String channel : CHANNELS) {
			await("calls of %s by %s".formatted(channel, path)).atMost(PATIENCE)
				.untilAsserted(() -> assertThat(this.carried.getOrDefault(channel + " " + path, new AtomicLong()))
					.hasValueGreaterThan(200));
		}
	}

	private void nothingIsLostOrRepeated() throws IOException {
		List<Long> known = List.copyOf(this.acknowledged);
		List<Long> written = Files.readAllLines(this.directory.resolve("ledger")).stream().map(Long::valueOf).toList();
		Set<Long> once = new HashSet<>(written);
		assertThat(once).as("numbers that were written once").hasSameSizeAs(written);
		assertThat(known.stream().filter((number) -> !once.contains(number))).as("lost numbers").isEmpty();
	}

	@Test
	void callsBetweenHostsTakeTcpAndSurviveACutWire() throws Exception {
		startServer();
		startClient();
		awaitCalls("tcp");
		long before = this.failed.get();
		this.hosts.cut();
		await("calls that fail").atMost(PATIENCE).until(() -> this.failed.get() > before + 4);
		this.hosts.mend();
		awaitCalls("tcp");
		nothingIsLostOrRepeated();
	}

	@Test
	void aHostThatEndsInMidTrafficTakesNoAcknowledgedResultWithIt() throws Exception {
		Process server = startServer();
		startClient();
		awaitCalls("tcp");
		long before = this.failed.get();
		server.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
		await("calls that fail").atMost(PATIENCE).until(() -> this.failed.get() > before + 4);
		startServer();
		awaitCalls("tcp");
		nothingIsLostOrRepeated();
	}

}
