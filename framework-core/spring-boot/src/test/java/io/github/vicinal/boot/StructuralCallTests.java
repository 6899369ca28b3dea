package io.github.vicinal.boot;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.vicinal.boot.OwnOrders.Customer;
import io.github.vicinal.boot.OwnOrders.Line;
import io.github.vicinal.boot.OwnOrders.Order;
import io.github.vicinal.boot.OwnOrders.State;
import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.ChannelListener;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.github.vicinal.testing.InTurn;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.support.HttpRequestWrapper;
import org.springframework.util.FileSystemUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A client with an interface and classes of its own calls a controller that implements
 * nothing. The oracle is the same client over HTTP.
 */
@Timeout(300)
class StructuralCallTests {

	private static final Order ORDER = new Order(9, List.of(new Line(-1, "x")), State.OPEN, Instant.EPOCH,
			new LinkedHashMap<>(Map.of("b", new BigDecimal("0.00"), "a", BigDecimal.TEN)), new UUID(1, 2));

	/** Headers that a gateway does not forward. */
	private static final Set<String> HOP = Set.of("connection", "content-length", "date", "expect", "host",
			"keep-alive", "transfer-encoding", "upgrade");

	/** Shared memory needs a tmpfs. */
	private Path rendezvous;

	@BeforeEach
	void createDirectory() throws IOException {
		Path memory = Path.of("/dev/shm");
		this.rendezvous = Files.isDirectory(memory) ? Files.createTempDirectory(memory, "vicinal-structure")
				: Files.createTempDirectory("vicinal-structure");
	}

	@AfterEach
	void deleteDirectory() {
		FileSystemUtils.deleteRecursively(this.rendezvous.toFile());
	}

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private final List<String> carried = java.util.Collections.synchronizedList(new ArrayList<>());

	private ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(
				Map.of("vicinal.rendezvous.directory", this.rendezvous.resolve("meet").toString(),
						"vicinal.compare-paths", "false", "vicinal.confirm-interval", "0s", "server.port", "0"));
		all.putAll(properties);
		return this.applications.start(type, all);
	}

	private static int port(ConfigurableApplicationContext server) {
		return Integer.parseInt(server.getEnvironment().getProperty("local.server.port"));
	}

	private OwnOrders client(ConfigurableApplicationContext server, String paths, String base) {
		return client(port(server), paths, base);
	}

	private OwnOrders client(int port, String paths, String base) {
		ConfigurableApplicationContext client = start(Client.class, Map.of("spring.http.serviceclient.orders.base-url",
				"http://localhost:" + port + base, "vicinal.channels.orders.paths", paths));
		client.getBean(Carried.class).into(this.carried);
		this.client = client;
		return client.getBean(OwnOrders.class);
	}

	private @Nullable ConfigurableApplicationContext client;

	private PeerReport peer() {
		ChannelReport report = this.client.getBean(ChannelsEndpoint.class).channel("orders");
		assertThat(report).isNotNull();
		return report.peers().get(0);
	}

	private void awaitPath(OwnOrders orders, String path) {
		orders.get(1);
		await().untilAsserted(() -> assertThat(peer().path()).as(peer().reason()).isEqualTo(path));
	}

	/** Calls by name, each of which ends in some way. */
	private static Map<String, Callable<Object>> matching(OwnOrders orders) {
		Map<String, Callable<Object>> calls = new LinkedHashMap<>();
		for (long id : new long[] { 0, 1, 2, 3, -5, Long.MAX_VALUE }) {
			calls.put("get " + id, () -> orders.get(id));
		}
		calls.put("entity", () -> shown(orders.entity(4L)));
		calls.put("find", () -> orders.find("ann", null, "t"));
		calls.put("find one", () -> orders.find("ann", 1, "tenant"));
		calls.put("save", () -> shown(orders.save(ORDER)));
		calls.put("save nulls", () -> shown(orders.save(new Order(1, null, null, null, null, null))));
		Customer customer = new Customer();
		customer.setFirstName("Ann");
		customer.setTags(new ArrayList<>(java.util.Arrays.asList("x", null)));
		customer.setRank(7);
		calls.put("change", () -> orders.change(1, customer).toString());
		calls.put("change nothing", () -> orders.change(1, new Customer()).toString());
		calls.put("note", () -> orders.note(5, "text "));
		calls.put("no note", () -> orders.note(5, " "));
		calls.put("remove", () -> {
			orders.remove(1, 2);
			return "removed";
		});
		calls.put("gone", () -> orders.fail("gone"));
		calls.put("broken", () -> orders.fail("broken"));
		return calls;
	}

	private static Map<String, Callable<Object>> others(OwnOrders orders) {
		return Map.of("tolerant", () -> orders.tolerant(3), "paged", () -> orders.paged(2), "by parameter",
				() -> orders.byParameter("a") + orders.byParameter("b"));
	}

	private static String shown(ResponseEntity<?> entity) {
		return "%s %s %s %s %s".formatted(entity.getStatusCode(), entity.getHeaders().getContentType(),
				entity.getHeaders().getLocation(), entity.getHeaders().get("X-Saved"), entity.getBody());
	}

	private static String ending(Callable<Object> call) {
		try {
			return String.valueOf(call.call());
		}
		catch (RestClientResponseException ex) {
			return ex.getClass() + " " + ex.getMessage().replaceAll("[0-9T:.-]+Z", "")
					+ ex.getResponseHeaders().getContentType();
		}
		catch (Exception ex) {
			return String.valueOf(ex);
		}
	}

	private static Map<String, String> endings(Map<String, Callable<Object>> calls) {
		Map<String, String> endings = new LinkedHashMap<>();
		calls.forEach((name, call) -> endings.put(name, ending(call)));
		return endings;
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void callsEndAsOverHttp(String path) {
		ConfigurableApplicationContext server = start(Server.class, Map.of());
		Map<String, String> expected = endings(matching(client(server, "http", "")));
		assertThat(expected.get("gone")).contains("Gone");
		assertThat(expected.get("save")).contains("201", "[yes]", "/orders/9");
		OwnOrders orders = client(server, path, "");
		awaitPath(orders, path);
		assertThat(endings(matching(orders))).as("each method for the first time, or later").isEqualTo(expected);
		this.carried.clear();
		int before = server.getBean(PurchaseController.class).calls.get();
		assertThat(endings(matching(orders))).isEqualTo(expected);
		assertThat(this.carried).hasSize(expected.size()).containsOnly(path);
		assertThat(server.getBean(PurchaseController.class).calls.get() - before).as("each handler ran once")
			.isEqualTo(expected.size() + 4);
	}

	/** Calls without a match end as over HTTP, and say why. */
	@Test
	void methodsWithoutAMatchStayOnHttp() {
		ConfigurableApplicationContext server = start(Server.class, Map.of());
		Map<String, String> expected = endings(others(client(server, "http", "")));
		assertThat(expected).containsEntry("tolerant", "Short[id=3]")
			.containsEntry("paged", "[page 2]")
			.containsEntry("by parameter", "ab");
		OwnOrders orders = client(server, "shm", "");
		awaitPath(orders, "shm");
		for (int i = 0; i < 3; i++) {
			this.carried.clear();
			assertThat(endings(others(orders))).isEqualTo(expected);
			assertThat(this.carried).hasSize(4).allSatisfy((way) -> assertThat(way).startsWith("http because"));
		}
		assertThat(this.carried).anySatisfy((way) -> assertThat(way).contains("no handler has the structure"));
		this.carried.clear();
		orders.get(3);
		assertThat(this.carried).containsExactly("shm");
		ChannelReport report = this.client.getBean(ChannelsEndpoint.class).channel("orders");
		assertThat(report.leftToHttp().toString()).contains("tolerant", "no handler has the structure");
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm" })
	void filtersSeeTheRequest(String path) {
		ConfigurableApplicationContext server = start(Filtered.class, Map.of());
		OwnOrders overHttp = client(server, "http", "");
		Map<String, String> expected = endings(matching(overHttp));
		OwnOrders orders = client(server, path, "");
		awaitPath(orders, path);
		endings(matching(orders));
		List<String> seen = server.getBean(Seen.class).requests;
		seen.clear();
		endings(matching(overHttp));
		List<String> seenOverHttp = List.copyOf(seen);
		seen.clear();
		this.carried.clear();
		assertThat(endings(matching(orders))).isEqualTo(expected);
		assertThat(this.carried).containsOnly(path);
		assertThat(seen).isEqualTo(seenOverHttp);
		assertThat(seen).hasSize(expected.size())
			.contains("GET /orders/2 null null", "POST /orders null application/json");
	}

	@Test
	void contextPathIsPartOfTheBaseUrl() {
		ConfigurableApplicationContext server = start(Server.class, Map.of("server.servlet.context-path", "/shop"));
		OwnOrders orders = client(server, "uds", "/shop");
		awaitPath(orders, "uds");
		orders.get(2);
		this.carried.clear();
		assertThat(orders.get(2).lines()).hasSize(2);
		assertThat(this.carried).containsExactly("uds");
	}

	/** The same templates lead to other handlers, because of the base URL. */
	@Test
	void pathBelowTheBaseUrlIsAnotherOne() {
		ConfigurableApplicationContext server = start(TwoControllers.class, Map.of());
		OwnOrders orders = client(server, "direct,shm,uds", "/other");
		for (int i = 0; i < 5; i++) {
			assertThat(orders.get(2).state()).isEqualTo(State.OPEN);
		}
		assertThat(this.carried).allSatisfy((way) -> assertThat(way).startsWith("http"));
		assertThat(peer().reason()).contains("no handler has the structure");
	}

	/** As behind a gateway that rewrites paths, only that this filter is the server's. */
	@Test
	void aRequestThatReachesAnotherHandlerKeepsItsClientOnHttp() {
		ConfigurableApplicationContext server = start(Rewriting.class, Map.of());
		OwnOrders orders = client(server, "direct,shm,uds", "");
		for (int i = 0; i < 5; i++) {
			assertThat(orders.get(2).state()).isEqualTo(State.OPEN);
		}
		assertThat(this.carried).allSatisfy((way) -> assertThat(way).startsWith("http"));
		assertThat(this.carried).last().asString().contains("reach", "OtherController");
	}

	/** Requests of one client say nothing about where those of another one go. */
	@Test
	void eachClientFindsOutWhereItsRequestsGo() throws IOException {
		ConfigurableApplicationContext server = start(TwoControllers.class, Map.of());
		OwnOrders direct = client(server, "uds", "");
		awaitPath(direct, "uds");
		assertThat(direct.get(2).state()).isEqualTo(State.PAID);
		assertThat(this.carried).last().isEqualTo("uds");
		try (RewritingGateway gateway = new RewritingGateway(port(server))) {
			OwnOrders behind = client(gateway.port(), "uds", "");
			behind.remove(1, 2);
			await().untilAsserted(() -> assertThat(peer().path()).as(peer().reason()).isEqualTo("uds"));
			this.carried.clear();
			behind.remove(1, 2);
			assertThat(this.carried).containsExactly("uds");
			for (int i = 0; i < 3; i++) {
				assertThat(behind.get(2).state()).isEqualTo(State.OPEN);
				assertThat(this.carried).last().asString().startsWith("http because");
				behind.remove(1, 2);
				assertThat(this.carried).last().isEqualTo("uds");
			}
			assertThat(this.client.getBean(ChannelsEndpoint.class).channel("orders").leftToHttp().toString())
				.contains("reached its handler");
		}
	}

	/** The server was not asked whether such a request reaches the handler. */
	@Test
	void aRequestThatTheClientSendsToAnotherPathProvesNothing() {
		ConfigurableApplicationContext server = start(Archiving.class, Map.of());
		this.client = start(ArchiveClient.class,
				Map.of("spring.http.serviceclient.orders.base-url", "http://localhost:" + port(server),
						"vicinal.channels.orders.paths", "uds", "vicinal.channels.orders.ignore-client-interceptors",
						"true"));
		this.client.getBean(Carried.class).into(this.carried);
		OwnOrders orders = this.client.getBean(OwnOrders.class);
		orders.remove(1, 2);
		await().untilAsserted(() -> assertThat(peer().path()).as(peer().reason()).isEqualTo("uds"));
		this.carried.clear();
		for (int i = 0; i < 5; i++) {
			assertThat(orders.get(2).state()).isEqualTo(State.OPEN);
		}
		assertThat(this.carried).allSatisfy((way) -> assertThat(way).startsWith("http because"));
	}

	/** Values are never shared between two sides with classes of their own. */
	@Test
	void valuesAreCopiedWithinOneJvm() {
		ConfigurableApplicationContext server = start(Server.class, Map.of());
		OwnOrders orders = client(server, "direct", "");
		awaitPath(orders, "direct");
		Customer customer = new Customer();
		customer.setRank(1);
		orders.change(1, customer);
		this.carried.clear();
		assertThat(orders.change(1, customer).getRank()).isEqualTo(2);
		assertThat(this.carried).containsExactly("direct");
		assertThat(customer.getRank()).isEqualTo(1);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(PurchaseController.class)
	static class Server {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ PurchaseController.class, OtherController.class })
	static class TwoControllers {

	}

	@RestController
	static class OtherController {

		@GetMapping("/other/orders/{id}")
		PurchaseController.Purchase get(@PathVariable long id) {
			return new PurchaseController.Purchase(id, null, PurchaseController.Stage.OPEN, null, null, null);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ PurchaseController.class, ArchiveController.class })
	static class Archiving {

	}

	@RestController
	static class ArchiveController {

		@GetMapping("/archive/{id}/order")
		PurchaseController.Purchase get(@PathVariable long id) {
			return new PurchaseController.Purchase(id, null, PurchaseController.Stage.OPEN, null, null, null);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Client.class)
	static class ArchiveClient {

		@Bean
		RestClientHttpServiceGroupConfigurer archive() {
			return (groups) -> groups.forEachClient((group, builder) -> builder
				.requestInterceptor((request, body, execution) -> execution.execute(new Archived(request), body)));
		}

	}

	/** A request for one order, sent to another path. */
	private static final class Archived extends HttpRequestWrapper {

		Archived(org.springframework.http.HttpRequest request) {
			super(request);
		}

		@Override
		public URI getURI() {
			boolean reads = getRequest().getMethod().equals(HttpMethod.GET);
			URI asked = getRequest().getURI();
			return reads ? asked.resolve(asked.getRawPath().replaceFirst("^/orders/([0-9]+)$", "/archive/$1/order"))
					: asked;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(TwoControllers.class)
	static class Rewriting {

		@Bean
		FilterRegistrationBean<Filter> rewriting() {
			return new FilterRegistrationBean<>((request, response, chain) -> chain
				.doFilter(new Rewritten((HttpServletRequest) request), response));
		}

	}

	/** Sends some requests elsewhere, and changes nothing else. */
	private static final class RewritingGateway implements AutoCloseable {

		private final HttpServer server = HttpServer.create(new InetSocketAddress("localhost", 0), 0);

		private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

		RewritingGateway(int target) throws IOException {
			this.server.createContext("/", (exchange) -> forward(exchange, target));
			this.server.start();
		}

		int port() {
			return this.server.getAddress().getPort();
		}

		private void forward(HttpExchange exchange, int target) throws IOException {
			boolean rewrites = exchange.getRequestMethod().equals("GET");
			HttpRequest.Builder request = HttpRequest
				.newBuilder(URI
					.create("http://localhost:" + target + (rewrites ? "/other" : "") + exchange.getRequestURI()))
				.method(exchange.getRequestMethod(), BodyPublishers.noBody());
			exchange.getRequestHeaders().forEach((name, values) -> {
				if (!HOP.contains(name.toLowerCase(Locale.ROOT))) {
					values.forEach((value) -> request.header(name, value));
				}
			});
			try (exchange) {
				HttpResponse<byte[]> response = this.http.send(request.build(), BodyHandlers.ofByteArray());
				response.headers().map().forEach((name, values) -> {
					if (!HOP.contains(name)) {
						exchange.getResponseHeaders().put(name, values);
					}
				});
				exchange.sendResponseHeaders(response.statusCode(),
						(response.body().length > 0) ? response.body().length : -1);
				exchange.getResponseBody().write(response.body());
			}
			catch (InterruptedException ex) {
				throw new InterruptedIOException();
			}
		}

		@Override
		public void close() {
			this.server.stop(0);
		}

	}

	private static final class Rewritten extends HttpServletRequestWrapper {

		Rewritten(HttpServletRequest request) {
			super(request);
		}

		@Override
		public String getRequestURI() {
			return super.getRequestURI().replaceFirst("^/orders", "/other/orders");
		}

		@Override
		public String getServletPath() {
			return super.getServletPath().replaceFirst("^/orders", "/other/orders");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Server.class)
	static class Filtered {

		@Bean
		Seen seen() {
			return new Seen();
		}

		@Bean
		FilterRegistrationBean<Filter> noting(Seen seen) {
			return new FilterRegistrationBean<>((request, response, chain) -> {
				HttpServletRequest asked = (HttpServletRequest) request;
				seen.requests.add("%s %s %s %s".formatted(asked.getMethod(), asked.getRequestURI(),
						asked.getQueryString(), asked.getContentType()));
				chain.doFilter(request, response);
			});
		}

	}

	static class Seen {

		private final List<String> requests = java.util.Collections.synchronizedList(new ArrayList<>());

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "orders", types = OwnOrders.class)
	static class Client {

		@Bean
		Carried carried() {
			return new Carried();
		}

	}

	/** Notes what carried each call. */
	static class Carried implements ChannelListener {

		private volatile @Nullable List<String> ways;

		void into(List<String> list) {
			this.ways = list;
		}

		@Override
		public void calling(io.github.vicinal.channel.Channel channel, io.github.vicinal.contract.ContractMethod method,
				io.github.vicinal.path.PathKind path, @Nullable String reason) {
			List<String> list = this.ways;
			if (list != null) {
				list.add((reason != null) ? path.id() + " because " + reason : path.id());
			}
		}

	}

}
