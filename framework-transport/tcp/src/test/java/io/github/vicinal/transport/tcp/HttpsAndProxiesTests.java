package io.github.vicinal.transport.tcp;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.github.vicinal.report.ChannelReport.PeerReport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Servers that are reached by https, or by way of something else. */
@Timeout(120)
class HttpsAndProxiesTests extends ShelfApplications {

	@TempDir
	private static Path directory;

	private static Map<String, Object> bundle;

	@BeforeAll
	static void makeKeys() throws Exception {
		Certificates certificates = new Certificates(directory).authority("ca")
			.signed("server", "ca", "-ext", "san=ip:127.0.0.1");
		bundle = bundle(certificates.write("server.p12", certificates.keys("server")),
				certificates.write("trust.p12", certificates.trust("ca")));
	}

	private String portOf(ConfigurableApplicationContext service) {
		return service.getEnvironment().getRequiredProperty("local.server.port");
	}

	private Map<String, Object> https() {
		Map<String, Object> properties = new TreeMap<>(bundle);
		properties.put("server.ssl.bundle", "mesh");
		properties.put("spring.http.serviceclient.shelf.ssl.bundle", "mesh");
		return properties;
	}

	private ConfigurableApplicationContext client(Map<String, Object> properties, String url) {
		Map<String, Object> all = new TreeMap<>(properties);
		all.put("spring.http.serviceclient.shelf.base-url", url);
		all.keySet().removeIf((key) -> key.startsWith("server.ssl."));
		return start(ShelfClient.class, all);
	}

	private void goesBy(ConfigurableApplicationContext client, String path, String reason) {
		await().untilAsserted(() -> {
			assertThat(client.getBean(Shelf.class).book(7)).isEqualTo(new Book(7, "seven"));
			assertThat(peers(client, "shelf")).first()
				.returns(path, PeerReport::path)
				.satisfies((peer) -> assertThat(peer.reason()).contains(reason));
		});
		assertThat(client.getBean(Shelf.class).book(8)).isEqualTo(new Book(8, "seven"));
	}

	@Test
	void tcpWithTlsOnBothSidesStandsInForHttps() throws Exception {
		Map<String, Object> properties = https();
		ConfigurableApplicationContext service = start(ShelfService.class, properties);
		goesBy(client(properties, "https://127.0.0.1:" + portOf(service)), "tcp", "over the network");
	}

	@Test
	void tcpWithoutTlsDoesNotStandInForHttps() throws Exception {
		Map<String, Object> properties = https();
		properties.put("vicinal.tcp.ssl.bundle", "");
		ConfigurableApplicationContext service = start(ShelfService.class, properties);
		goesBy(client(properties, "https://127.0.0.1:" + portOf(service)), "http", "comes by TLS");
	}

	@Test
	void tcpThatAcceptsClientsWithoutACertificateDoesNotStandInForHttps() throws Exception {
		Map<String, Object> properties = https();
		properties.put("vicinal.tcp.ssl.client-auth", "want");
		ConfigurableApplicationContext service = start(ShelfService.class, properties);
		goesBy(client(properties, "https://127.0.0.1:" + portOf(service)), "http", "comes by TLS");
	}

	@Test
	void aClientThatShowsACertificateToHttpStaysThere() throws Exception {
		Map<String, Object> properties = https();
		properties.put("server.ssl.client-auth", "need");
		ConfigurableApplicationContext service = start(ShelfService.class, properties);
		goesBy(client(properties, "https://127.0.0.1:" + portOf(service)), "http", "shows a certificate to HTTP");
	}

	@Test
	void localPathsStandInForHttpsOnlyIfBothSidesSaySo() throws Exception {
		Map<String, Object> properties = https();
		properties.put("vicinal.channels.shelf.paths", "direct,shm,uds");
		properties.put("vicinal.https.local-paths", "true");
		properties.put("vicinal.server.paths", "uds");
		properties.put("vicinal.rendezvous.directory", directory.resolve("rendezvous").toString());
		ConfigurableApplicationContext service = start(ShelfService.class, properties);
		String url = "https://127.0.0.1:" + portOf(service);
		goesBy(client(properties, url), "uds", "same host");
		properties.put("vicinal.https.local-paths", "false");
		goesBy(client(properties, url), "http", "set vicinal.https.local-paths=true");
	}

	/** Something ends TLS in front of the server, without a trace in requests. */
	@Test
	void aServerBehindSomethingThatEndsTlsIsNotReachedInPlaintext() throws Exception {
		Map<String, Object> properties = https();
		properties.remove("server.ssl.bundle");
		properties.put("vicinal.tcp.ssl.bundle", "");
		ConfigurableApplicationContext service = start(ShelfService.class, properties);
		Map<String, Object> server = new TreeMap<>(properties);
		server.put("server.ssl.bundle", "mesh");
		try (TlsEnd end = new TlsEnd(new Certificates(directory), Integer.parseInt(portOf(service)))) {
			goesBy(client(server, "https://127.0.0.1:" + end.port()), "http", "requests go by https");
		}
	}

	@Test
	void aProxyIsNotGoneAroundUnlessTheClientSaysSo() throws Exception {
		Map<String, Object> properties = Map.of("vicinal.tcp.enabled", "true", "vicinal.channels.shelf.paths", "tcp");
		ConfigurableApplicationContext service = start(ShelfService.class, properties);
		try (Proxy proxy = new Proxy(Integer.parseInt(portOf(service)))) {
			String url = "http://127.0.0.1:" + proxy.port();
			goesBy(client(properties, url), "http", "something between sends them on");
			Map<String, Object> saying = new TreeMap<>(properties);
			saying.put("vicinal.network.past-intermediaries", "true");
			goesBy(client(saying, url), "tcp", "over the network");
		}
	}

	/**
	 * To name a server asks it for paths, and does not say that a proxy may be left out.
	 */
	@Test
	void exchangesWithANamedServerDoNotGoAroundAProxyUnlessTheClientSaysSo() throws Exception {
		ConfigurableApplicationContext service = start(ShelfService.class, Map.of("vicinal.tcp.enabled", "true"));
		try (Proxy proxy = new Proxy(Integer.parseInt(portOf(service)))) {
			String address = "127.0.0.1:" + proxy.port();
			Map<String, Object> properties = new TreeMap<>(Map.of("vicinal.tcp.enabled", "true",
					"vicinal.http-exchanges.paths", "tcp", "vicinal.http-exchanges.peers", address));
			exchangesGoBy(start(ShelfClient.class, properties), address, "http", "something between sends them on");
			properties.put("vicinal.network.past-intermediaries", "true");
			exchangesGoBy(start(ShelfClient.class, properties), address, "tcp", "over the network");
		}
	}

	private void exchangesGoBy(ConfigurableApplicationContext client, String address, String path, String reason) {
		RestClient requests = client.getBean(RestClient.Builder.class).baseUrl("http://" + address).build();
		await().untilAsserted(() -> {
			assertThat(requests.get().uri("/shelf/7").retrieve().body(Book.class)).isEqualTo(new Book(7, "seven"));
			assertThat(peers(client, "http-exchanges")).first()
				.returns(path, PeerReport::path)
				.satisfies((peer) -> assertThat(peer.reason()).contains(reason));
		});
	}

	/** Sends bytes on, and adds nothing. */
	static class Proxy implements AutoCloseable {

		private final ServerSocket listener;

		private final int target;

		private final ExecutorService threads = Executors.newCachedThreadPool();

		Proxy(int target) throws IOException {
			this(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), target);
		}

		Proxy(ServerSocket listener, int target) {
			this.listener = listener;
			this.target = target;
			this.threads.execute(this::accept);
		}

		int port() {
			return this.listener.getLocalPort();
		}

		private void accept() {
			try {
				while (true) {
					Socket client = this.listener.accept();
					Socket server = new Socket(InetAddress.getLoopbackAddress(), this.target);
					this.threads.execute(() -> copy(client, server));
					this.threads.execute(() -> copy(server, client));
				}
			}
			catch (IOException ex) {
				// The test has ended.
			}
		}

		private static void copy(Socket from, Socket to) {
			try (from; to; InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
				in.transferTo(out);
			}
			catch (IOException ex) {
				// Either side has closed its connection.
			}
		}

		@Override
		public void close() throws IOException {
			this.listener.close();
			this.threads.shutdown();
		}

	}

	/** Ends TLS, and sends what is in it on. */
	private static final class TlsEnd extends Proxy {

		TlsEnd(Certificates certificates, int target) throws Exception {
			super(certificates.context("server")
				.getServerSocketFactory()
				.createServerSocket(0, 50, InetAddress.getByName("127.0.0.1")), target);
		}

	}

}
