package io.github.vicinal.boot;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.vicinal.boot.EndToEndTests.BasketController;
import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.boot.autoconfigure.InvalidChannelException;
import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathMeter;
import io.github.vicinal.path.PathMeters;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.report.ChannelReport.PathReport;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.github.vicinal.server.PathServer;
import io.github.vicinal.server.Service;
import io.github.vicinal.server.ServiceRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * A kind of path that no class of the framework names: its beans are all that an
 * application needs. Calls run on a thread of the server.
 */
@Timeout(120)
class ToyPathTests {

	private static final PathKind TOY = new PathKind("toy", 150, PathKind.Reach.NETWORK);

	/** The servers of this JVM, by their instance ids. */
	private static final Map<String, ToyServer> SERVERS = new ConcurrentHashMap<>();

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private String service(Map<String, Object> properties) {
		return "http://localhost:" + this.applications.start(ToyService.class, properties)
			.getEnvironment()
			.getRequiredProperty("local.server.port");
	}

	private ConfigurableApplicationContext client(String url, String paths) {
		return this.applications.start(ToyClient.class,
				Map.of("spring.http.serviceclient.baskets.base-url", url, "vicinal.channels.baskets.paths", paths));
	}

	private static PeerReport called(ConfigurableApplicationContext client, String path) {
		await().untilAsserted(() -> {
			assertThat(client.getBean(Baskets.class).get(7).id()).isEqualTo(7);
			assertThat(report(client).path()).isEqualTo(path);
		});
		assertThat(client.getBean(Baskets.class).get(8).id()).isEqualTo(8);
		return report(client);
	}

	private static PeerReport report(ConfigurableApplicationContext client) {
		return client.getBean(ChannelsEndpoint.class).channel("baskets").peers().get(0);
	}

	@Test
	void itIsChosenReportedAndMetered() {
		ConfigurableApplicationContext client = client(service(Map.of()), "toy");
		PeerReport peer = called(client, "toy");
		assertThat(peer.reason()).isEqualTo("over the network");
		assertThat(peer.paths()).extracting(PathReport::path).containsExactly("direct", "shm", "toy", "uds", "http");
		assertThat(peer.paths()).filteredOn((path) -> path.path().equals("toy")).singleElement().satisfies((path) -> {
			assertThat(path.state()).isEqualTo("in use");
			assertThat(path.calls()).isPositive();
			assertThat(path.details()).containsEntry("toys", 1);
		});
		assertThat(client.getBean(MeterRegistry.class).find("vicinal.channel.calls").tag("path", "toy").timers())
			.isNotEmpty()
			.allMatch((timer) -> timer.count() > 0);
		assertThat(client.getBean(MeterRegistry.class).get("vicinal.toy.toys").tag("side", "client").gauge()).satisfies(
				(gauge) -> assertThat(gauge.value()).isEqualTo(3),
				(gauge) -> assertThat(gauge.getId().getBaseUnit()).isEqualTo("toys"));
	}

	@Test
	void itIsAnnouncedWithoutConfiguration() throws Exception {
		assertThat(announcement(service(Map.of()))).contains("p=direct,shm,toy,uds;");
		assertThat(announcement(service(Map.of("vicinal.server.paths", "TOY")))).contains("p=toy;",
				"n=direct:not-configured,shm:not-configured,uds:not-configured");
	}

	private static String announcement(String url) throws Exception {
		HttpResponse<String> response = HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create(url + "/baskets/1"))
				.header(PeerAnnouncement.REQUEST_HEADER, Baskets.class.getName())
				.build(), HttpResponse.BodyHandlers.ofString());
		return response.headers().firstValue(PeerAnnouncement.HEADER).orElse("none");
	}

	@Test
	void aClientWithoutItIgnoresTheAnnouncement() {
		String url = service(Map.of("vicinal.server.paths", "toy"));
		ConfigurableApplicationContext client = this.applications.start(EndToEndTests.BasketClient.class,
				Map.of("spring.http.serviceclient.baskets.base-url", url));
		await().untilAsserted(() -> {
			assertThat(client.getBean(Baskets.class).get(7).id()).isEqualTo(7);
			assertThat(report(client).reason()).contains("direct: the peer does not offer it");
		});
		assertThat(report(client).path()).isEqualTo("http");
	}

	@Test
	void anUnknownIdOfAChannelIsNamedWithThoseThatAreKnown() {
		assertThatThrownBy(() -> client("http://localhost:1", "shm,tyo"))
			.hasRootCauseInstanceOf(InvalidChannelException.class)
			.rootCause()
			.hasMessage("There is no path 'tyo', which vicinal.channels.baskets.paths names; "
					+ "the paths of this application are direct, shm, toy, uds, http");
	}

	@Test
	void anUnknownIdOfAServerIsNamedWithThoseThatAreKnown() {
		assertThatThrownBy(() -> service(Map.of("vicinal.server.paths", "tyo")))
			.isInstanceOfSatisfying(InvalidChannelException.class,
					(ex) -> assertThat(ex.action()).isEqualTo("Correct vicinal.server.paths, or add the module that "
							+ "provides the path to the class path"))
			.hasMessage("There is no path 'tyo', which vicinal.server.paths names; "
					+ "the paths of this application are direct, shm, toy, uds, http");
	}

	@Test
	void anUnknownIdForExchangesFailsTheStart() {
		assertThatThrownBy(() -> this.applications.start(ToyClient.class,
				Map.of("spring.main.web-application-type", "none", "vicinal.http-exchanges.paths", "shm,tyo")))
			.isInstanceOf(InvalidChannelException.class)
			.hasMessage("There is no path 'tyo', which vicinal.http-exchanges.paths names; "
					+ "the paths of this application are direct, shm, toy, uds, http");
	}

	@Test
	void aPeerOfExchangesThatIsNoHostFailsTheStart() {
		assertThatThrownBy(() -> this.applications.start(ToyClient.class,
				Map.of("spring.main.web-application-type", "none", "vicinal.http-exchanges.peers",
						"shop,http://orders:8080")))
			.isInstanceOf(InvalidChannelException.class)
			.hasMessage("The value 'http://orders:8080' of vicinal.http-exchanges.peers is not a host");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(BasketController.class)
	static class ToyService {

		@Bean
		ToyServer toyServer(PeerIdentity identity, ServiceRegistry services) {
			return new ToyServer(identity, services);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "baskets", types = Baskets.class)
	static class ToyClient {

		@Bean
		ToyProvider toyProvider(Codecs codecs) {
			return new ToyProvider(codecs);
		}

		@Bean
		PathMeters toyMeters() {
			return () -> List.of(new PathMeter(PathMeter.Type.GAUGE, "vicinal.toy.toys", Map.of("side", "client"),
					"Toys of the path", "toys", () -> 3));
		}

	}

	static final class ToyServer implements PathServer {

		private final ExecutorService threads = Executors.newSingleThreadExecutor();

		private final PeerIdentity identity;

		private final ServiceRegistry services;

		ToyServer(PeerIdentity identity, ServiceRegistry services) {
			this.identity = identity;
			this.services = services;
		}

		@Override
		public PathKind kind() {
			return TOY;
		}

		@Override
		public void start() {
			SERVERS.put(this.identity.instanceId(), this);
		}

		@Override
		public Optional<String> unavailable() {
			return Optional.empty();
		}

		Future<Reply> answer(CallFrame frame) {
			Service service = this.services.find(frame.contract().name());
			return (service == null)
					? CompletableFuture.failedFuture(new IllegalStateException(frame.contract().name()))
					: this.threads.submit(() -> service.invoke(frame));
		}

		@Override
		public void close() {
			SERVERS.remove(this.identity.instanceId());
			this.threads.shutdown();
		}

	}

	static final class ToyProvider implements PathProvider {

		private final Codecs codecs;

		ToyProvider(Codecs codecs) {
			this.codecs = codecs;
		}

		@Override
		public PathKind kind() {
			return TOY;
		}

		@Override
		public Attempt connect(Contract contract, PeerAnnouncement peer) {
			ToyServer server = SERVERS.get(peer.peer().instanceId());
			return (server == null) ? new Unavailable("no such toy", false)
					: new Connected(new ToyPath(server, this.codecs.choose(contract, Set.of("jackson"))));
		}

		@Override
		public void close() {
		}

	}

	private record ToyPath(ToyServer server, CodecChoice codec) implements CallPath {

		@Override
		public PathKind kind() {
			return TOY;
		}

		@Override
		public Reply call(CallFrame frame) throws PathException {
			try {
				return this.server.answer(frame).get(20, TimeUnit.SECONDS);
			}
			catch (InterruptedException | ExecutionException | TimeoutException ex) {
				throw new PathException(PathException.Reason.IO, true, "no answer", ex);
			}
		}

		@Override
		public boolean isOpen() {
			return true;
		}

		@Override
		public long bytesCarried() {
			return 0;
		}

		@Override
		public Map<String, Object> details() {
			return Map.of("toys", 1);
		}

		@Override
		public void close() {
		}

	}

}
