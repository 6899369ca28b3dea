package io.github.vicinal.boot.feign;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

import feign.FeignException;
import io.github.vicinal.boot.RunningApplications;
import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.boot.feign.Shelf.Customer;
import io.github.vicinal.boot.feign.Shelf.Line;
import io.github.vicinal.boot.feign.Shelf.Order;
import io.github.vicinal.boot.feign.Shelf.State;
import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelListener;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.testing.InTurn;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.cloud.openfeign.EnableFeignClients;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Typed calls of Feign clients end as over HTTP, and the server sees the same requests.
 * The oracle is the same client without Vicinal.
 */
@Timeout(300)
class FeignChannelTests {

	private static final int ROUNDS = 3;

	/** Headers of responses that say when and over which connection they came. */
	private static final Set<String> OF_CONNECTIONS = Set.of("connection", "date", "keep-alive", "transfer-encoding",
			"content-length", "vicinal-peer");

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	@TempDir(factory = MemoryTempDirFactory.class)
	private Path rendezvous;

	@FunctionalInterface
	interface Behaviour {

		@Nullable Object of(Shelf shelf) throws Exception;

	}

	/** Calls by name, each of which ends in some way. */
	private static Map<String, Behaviour> behaviours() {
		Map<String, Behaviour> all = new LinkedHashMap<>();
		for (long id : new long[] { 0, 1, 2, 3, -5, Long.MAX_VALUE }) {
			all.put("get " + id, (shelf) -> shelf.get(id));
		}
		all.put("find", (shelf) -> shelf.find("ann", null, "t"));
		all.put("find one", (shelf) -> shelf.find("ann", 1, "tenant with blanks, and commas"));
		all.put("lists", (shelf) -> shelf.lists(List.of(1, 2, 3), List.of("a", "b c", "\u00e4&=")));
		all.put("lists of one", (shelf) -> shelf.lists(List.of(7), List.of("x")));
		for (String text : List.of("plain", "a b&c=d", "\u00e4\u20ac\uD83D\uDE00", "+", ",", "{x}", "#?",
				"*~'()!$;:@[]", "-._", " ", " x ", "a\\b", "\"q\"", "<>|^`")) {
			all.put("echo " + text, (shelf) -> shelf.echo(text));
		}
		for (String text : List.of("plain", "a b", "\u00e4\u00df", "a+b", "a,b", "a@b:c", "x.y~z", "-_")) {
			all.put("path " + text, (shelf) -> shelf.echoPath(text));
		}
		for (String text : List.of("plain", "a, b;c=\"d\"", "{x}", "a+b", "?#&")) {
			all.put("header " + text, (shelf) -> shelf.echoHeader(text));
		}
		all.put("no header", (shelf) -> shelf.echoHeader(null));
		all.put("values", (shelf) -> shelf.values(new UUID(1, -2), State.PAID, new BigDecimal("1E+3"),
				Instant.parse("2026-01-02T03:04:05.120Z"), true, -0.0));
		all.put("other values", (shelf) -> shelf.values(new UUID(-1, 2), State.OPEN, new BigDecimal("-0.00"),
				Instant.EPOCH, false, 1e300));
		all.put("save", (shelf) -> shown(shelf.save(order())));
		all.put("save nulls", (shelf) -> shown(shelf.save(new Order(1, null, null, null, null, null, null))));
		all.put("save all", (shelf) -> shelf.saveAll(List.of(new Line(1, "a"), new Line(-2, "\u00e4"))));
		all.put("save none", (shelf) -> shelf.saveAll(List.of()));
		all.put("change", (shelf) -> shelf.change(1, customer()));
		all.put("change nothing", (shelf) -> shelf.change(1, new Customer()));
		all.put("touch", (shelf) -> {
			shelf.touch(3);
			return "touched";
		});
		all.put("remove", (shelf) -> {
			shelf.remove(1, 2);
			return "removed";
		});
		all.put("inherited", CountedShelf::count);
		all.put("flag", Shelf::flag);
		all.put("nothing", Shelf::nothing);
		all.put("empty", Shelf::empty);
		for (int size : new int[] { 0, 1, 100, 300_000 }) {
			all.put("bytes " + size, (shelf) -> Arrays.hashCode(shelf.bytes(size)));
		}
		all.put("map", Shelf::map);
		for (int status : new int[] { 200, 201, 202, 204, 304, 404, 500 }) {
			all.put("entity " + status, (shelf) -> shown(shelf.entity(status)));
		}
		for (int status : new int[] { 400, 401, 403, 404, 409, 410, 418, 429, 500, 503 }) {
			all.put("fail " + status, (shelf) -> shelf.fail(status));
		}
		for (int status : new int[] { 400, 401, 407, 500 }) {
			all.put("fail by POST " + status, (shelf) -> shelf.failPost(status, new Line(1, "a")));
		}
		all.put("broken", Shelf::broken);
		all.put("own error", Shelf::ownError);
		all.put("later", (shelf) -> shelf.later("ever" + UUID.randomUUID()));
		all.put("default method", (shelf) -> shelf.twice("x"));
		all.put("redirect", (shelf) -> {
			shelf.see(302);
			return "seen";
		});
		all.put("redirect of POST", (shelf) -> {
			shelf.seeOther(303);
			return "seen";
		});
		return all;
	}

	/** Calls that only HTTP carries. */
	private static Map<String, Behaviour> leftToHttp() {
		Map<String, Behaviour> all = new LinkedHashMap<>();
		for (String text : List.of("", "100%", "a%20b", "a/b")) {
			all.put("echo " + text, (shelf) -> shelf.echo(text));
		}
		all.put("blank path", (shelf) -> shelf.echoPath(" x"));
		all.put("encoded path", (shelf) -> shelf.echoPath("a%20b"));
		all.put("path with a slash", (shelf) -> shelf.echoPath("a/b"));
		all.put("encoded header", (shelf) -> shelf.echoHeader("%2F"));
		all.put("header beyond ASCII", (shelf) -> shelf.echoHeader("\u00e4"));
		all.put("empty list", (shelf) -> shelf.lists(List.of(), List.of("a")));
		all.put("list with commas", (shelf) -> shelf.lists(List.of(1), List.of("a,b", "c")));
		all.put("day", (shelf) -> shelf.day(LocalDate.of(2026, 1, 2)));
		all.put("text", (shelf) -> shelf.text(1, "text"));
		all.put("patch", (shelf) -> shelf.patch(1, customer()));
		all.put("null body", (shelf) -> shelf.saveAll(null));
		all.put("tolerant", (shelf) -> shelf.tolerant(1));
		all.put("map of parameters", (shelf) -> new TreeMap<>(shelf.mapped(Map.of("a", "1", "b", "x y"))));
		all.put("query map", (shelf) -> new TreeMap<>(shelf.queried(new Line(1, "x"))));
		all.put("optional", (shelf) -> shelf.optional(1));
		all.put("no optional", (shelf) -> shelf.optional(0));
		all.put("fixed parameter", Shelf::fixed);
		all.put("problem", Shelf::problem);
		all.put("path with a sign", (shelf) -> shelf.echoPath("\u20ac"));
		return all;
	}

	private static Order order() {
		return new Order(9, List.of(new Line(-1, "x")), State.OPEN, Instant.EPOCH,
				new LinkedHashMap<>(Map.of("b", new BigDecimal("0.00"), "a", BigDecimal.TEN)), new UUID(1, 2),
				LocalDate.EPOCH);
	}

	private static Customer customer() {
		Customer customer = new Customer();
		customer.setFirstName("Ann");
		customer.setTags(new ArrayList<>(Arrays.asList("x", null)));
		customer.setRank(7);
		return customer;
	}

	private static String shown(ResponseEntity<?> entity) {
		Map<String, Object> headers = new TreeMap<>();
		entity.getHeaders().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
		headers.keySet().removeAll(OF_CONNECTIONS);
		return entity.getStatusCode() + " " + headers + " " + entity.getBody();
	}

	private static String ending(Behaviour behaviour, Shelf shelf) {
		try {
			return String.valueOf(behaviour.of(shelf));
		}
		catch (FeignException ex) {
			Map<String, Object> headers = new TreeMap<>();
			ex.responseHeaders().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
			headers.keySet().removeAll(OF_CONNECTIONS);
			return normal("%s %s %s %s %s %s".formatted(ex.getClass(), ex.getMessage(), ex.status(), headers,
					ex.responseBody().map((body) -> StandardCharsets.UTF_8.decode(body).toString()).orElse("nothing"),
					ex.getCause()));
		}
		catch (Exception ex) {
			return normal(ex + " because of " + ex.getCause());
		}
	}

	private static String normal(String text) {
		// The request after the redirect of a POST has the default Accept of the JDK.
		return text.replaceAll("accept=\\[text/html[^\\]]*]", "accept=[*/*]")
			.replaceAll("timestamp\":\"[^\"]*", "timestamp\":\"T")
			.replaceAll("ever[0-9a-f-]{36}", "ever");
	}

	private ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(Map.of("vicinal.rendezvous.directory",
				this.rendezvous.resolve("meet").toString(), "spring.cloud.openfeign.httpclient.hc5.enabled", "false"));
		all.putAll(properties);
		return this.applications.start(type, all);
	}

	private static String url(ConfigurableApplicationContext server) {
		return "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
	}

	private static void awaitPath(ConfigurableApplicationContext client, String path) {
		client.getBean(Shelf.class).count();
		await().untilAsserted(() -> {
			ChannelReport report = client.getBean(ChannelsEndpoint.class).channel("shelf");
			assertThat(report).isNotNull();
			assertThat(report.peers()).isNotEmpty();
			assertThat(report.peers().get(0).path()).as(String.valueOf(report.peers().get(0))).isEqualTo(path);
		});
	}

	@ParameterizedTest
	@InTurn(value = { "direct,false", "shm,true", "uds,false", "direct,true", "shm,false" }, rows = 2)
	void callsEndAsOverHttp(String path, boolean apache) {
		ConfigurableApplicationContext server = start(Server.class, Map.of());
		Map<String, Object> library = Map.of("spring.cloud.openfeign.httpclient.hc5.enabled", apache, "shelf.url",
				url(server));
		Map<String, Object> withoutVicinal = new TreeMap<>(library);
		withoutVicinal.put("vicinal.enabled", "false");
		Shelf plain = start(Client.class, withoutVicinal).getBean(Shelf.class);
		Map<String, Object> withVicinal = new TreeMap<>(library);
		withVicinal.put("vicinal.channels.shelf.paths", path);
		ConfigurableApplicationContext client = start(Client.class, withVicinal);
		Shelf typed = client.getBean(Shelf.class);
		awaitPath(client, path);
		Seen seen = server.getBean(Seen.class);
		Carried carried = client.getBean(Carried.class);
		Map<String, Behaviour> all = new LinkedHashMap<>(behaviours());
		leftToHttp().forEach((name, behaviour) -> all.put("by HTTP: " + name, behaviour));
		Map<String, String> expected = new LinkedHashMap<>();
		Map<String, List<String>> expectedRequests = new LinkedHashMap<>();
		all.forEach((name, behaviour) -> {
			seen.requests.clear();
			expected.put(name, ending(behaviour, plain));
			expectedRequests.put(name, List.copyOf(seen.requests));
		});
		Set<String> left = new LinkedHashSet<>();
		for (int round = 0; round < ROUNDS; round++) {
			Map<String, String> actual = new LinkedHashMap<>();
			Map<String, List<String>> requests = new LinkedHashMap<>();
			left.clear();
			all.forEach((name, behaviour) -> {
				seen.requests.clear();
				carried.ways.clear();
				actual.put(name, ending(behaviour, typed));
				requests.put(name, List.copyOf(seen.requests));
				if (!carried.ways.stream().allMatch(path::equals) || carried.ways.isEmpty()) {
					left.add(name + " " + carried.ways);
				}
			});
			for (String name : all.keySet()) {
				assertThat(actual.get(name)).as("%s in round %d", name, round).isEqualTo(expected.get(name));
				assertThat(requests.get(name)).as("requests of %s in round %d", name, round)
					.isEqualTo(expectedRequests.get(name));
			}
		}
		assertThat(left).as("left to HTTP").allSatisfy((name) -> assertThat(name).startsWith("by HTTP: "));
		// HttpURLConnection knows no PATCH.
		assertThat(left).hasSize(leftToHttp().size() - (apache ? 1 : 0));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ ShelfController.class, Noting.class })
	static class Server {

	}

	@Configuration(proxyBeanMethods = false)
	static class Noting {

		@Bean
		Seen seen() {
			return new Seen();
		}

		@Bean
		FilterRegistrationBean<Filter> noting(Seen seen) {
			return new FilterRegistrationBean<>((request, response, chain) -> {
				seen.note((HttpServletRequest) request);
				chain.doFilter(request, response);
			});
		}

	}

	/** Requests as filters of the server see them. */
	static class Seen {

		private final List<String> requests = Collections.synchronizedList(new ArrayList<>());

		void clear() {
			this.requests.clear();
		}

		List<String> requests() {
			return List.copyOf(this.requests);
		}

		void note(HttpServletRequest request) {
			Map<String, List<String>> headers = new TreeMap<>();
			// The server leaves calls to HTTP if a filter looks at the length of a body.
			for (String name : List.of("accept", "accept-charset", "accept-encoding", "accept-language",
					"authorization", "cache-control", "connection", "content-type", "cookie", "host", "pragma",
					"referer", "te", "traceparent", "user-agent", "x-tenant", "x-text")) {
				headers.put(name, Collections.list(request.getHeaders(name)));
			}
			this.requests.add(normal("%s %s %s %s %s %s %s".formatted(request.getMethod(), request.getRequestURI(),
					request.getQueryString(), request.getRemoteAddr(), request.getScheme(), request.getServerName(),
					headers)));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableFeignClients(clients = Shelf.class)
	static class Client {

		@Bean
		Carried carried() {
			return new Carried();
		}

	}

	/** Notes what carried each call. */
	static class Carried implements ChannelListener {

		private final List<String> ways = Collections.synchronizedList(new ArrayList<>());

		void clear() {
			this.ways.clear();
		}

		List<String> ways() {
			return List.copyOf(this.ways);
		}

		@Override
		public void calling(Channel channel, ContractMethod method, PathKind path, @Nullable String reason) {
			this.ways.add((reason != null) ? path.id() + " because " + reason : path.id());
		}

	}

}
