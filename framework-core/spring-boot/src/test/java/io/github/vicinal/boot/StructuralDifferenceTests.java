package io.github.vicinal.boot;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.channel.ChannelListener;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.github.vicinal.testing.InTurn;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotBlank;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.util.FileSystemUtils;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.annotation.PutExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two sides whose classes differ more or less. Each call ends as over HTTP, wherever it
 * goes; methods whose name begins with {@code same} go by the path, the others do not.
 */
@Timeout(300)
class StructuralDifferenceTests {

	/** Results that the client's class refuses, so that a request shows how that ends. */
	private static final Set<String> UNREADABLE = Set.of("samePickyResult", "samePickyPost", "sameReturnsMore");

	/** Bodies that the server's class refuses. */
	private static final String REFUSED = "samePicky refused";

	private static final int ROUNDS = 3;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private Path rendezvous;

	@BeforeEach
	void createDirectory() throws IOException {
		Path memory = Path.of("/dev/shm");
		this.rendezvous = Files.isDirectory(memory) ? Files.createTempDirectory(memory, "vicinal-difference")
				: Files.createTempDirectory("vicinal-difference");
	}

	@AfterEach
	void deleteDirectory() {
		FileSystemUtils.deleteRecursively(this.rendezvous.toFile());
	}

	private ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(
				Map.of("vicinal.rendezvous.directory", this.rendezvous.resolve("meet").toString()));
		all.putAll(properties);
		return this.applications.start(type, all);
	}

	private ConfigurableApplicationContext client(String port, String path, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(properties);
		for (String channel : List.of("shop", "records", "picking")) {
			all.put("spring.http.serviceclient." + channel + ".base-url", "http://localhost:" + port);
			all.put("vicinal.channels." + channel + ".paths", path);
		}
		return start(Client.class, all);
	}

	private static String port(ConfigurableApplicationContext server) {
		return server.getEnvironment().getRequiredProperty("local.server.port");
	}

	private static PeerReport peer(ConfigurableApplicationContext client) {
		return client.getBean(ChannelsEndpoint.class).channel("shop").peers().get(0);
	}

	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void callsEndAsOverHttp(String path) {
		callsEndAsOverHttp(path, "", "");
	}

	/** Settings of the mappers of both sides. */
	@ParameterizedTest
	@CsvSource({ "uds,deserialization.fail-on-unknown-properties=true,''",
			"uds,'',deserialization.fail-on-unknown-properties=true", "uds,default-property-inclusion=non_null,''",
			"direct,'',default-property-inclusion=non_null" })
	void callsEndAsOverHttpWithSettings(String path, String ofClient, String ofServer) {
		callsEndAsOverHttp(path, ofClient, ofServer);
	}

	private void callsEndAsOverHttp(String path, String ofClient, String ofServer) {
		ConfigurableApplicationContext server = start(Server.class, jackson(ofServer));
		ConfigurableApplicationContext overHttp = client(port(server), "http", jackson(ofClient));
		ConfigurableApplicationContext client = client(port(server), path, jackson(ofClient));
		Shop oracle = overHttp.getBean(Shop.class);
		Shop shop = client.getBean(Shop.class);
		shop.samePing();
		await().untilAsserted(() -> assertThat(peer(client).path()).as(peer(client).reason()).isEqualTo(path));
		Carried carried = client.getBean(Carried.class);
		AtomicInteger handled = server.getBean(ShopController.class).handled;
		List<String> differences = new ArrayList<>();
		Set<String> wrongWays = new TreeSet<>();
		calls().forEach((name, call) -> {
			int before = handled.get();
			String expected = ending(() -> call.apply(oracle));
			int once = handled.get() - before;
			for (int i = 1; i <= ROUNDS; i++) {
				before = handled.get();
				carried.ways.clear();
				String actual = ending(() -> call.apply(shop));
				int times = handled.get() - before;
				boolean again = UNREADABLE.contains(name) && !name.equals("samePickyPost");
				if (!actual.equals(expected) || (times != once && !again)) {
					differences.add(
							"\n%s, call %d, by %s, handled %d times instead of %d\n  over HTTP:   %s\n  on the path: %s"
								.formatted(name, i, carried.ways, times, once, expected, actual));
				}
			}
			boolean same = name.startsWith("same");
			boolean typed = carried.ways.equals(List.of(path));
			boolean unsettled = UNREADABLE.contains(name) || name.equals(REFUSED)
					|| hasOtherInclusion(ofClient, ofServer);
			if (same != typed && !unsettled) {
				wrongWays.add(name + " " + carried.ways);
			}
		});
		assertThat(differences).isEmpty();
		assertThat(wrongWays).isEmpty();
	}

	/** Beans have no structure where the mapper leaves null out. */
	private static boolean hasOtherInclusion(String ofClient, String ofServer) {
		return (ofClient + ofServer).contains("non_null");
	}

	private static Map<String, Object> jackson(String setting) {
		if (setting.isEmpty()) {
			return Map.of();
		}
		String[] parts = setting.split("=", 2);
		return Map.of("spring.jackson." + parts[0], parts[1]);
	}

	private static Map<String, Function<Shop, @Nullable Object>> calls() {
		Map<String, Function<Shop, @Nullable Object>> calls = new LinkedHashMap<>();
		calls.put("sameRenamed", (shop) -> shop.sameRenamed(new Renamed("a", 1)));
		calls.put("ignored", (shop) -> shop.ignored(new Ignored("a", "b")));
		calls.put("moreConstants", (shop) -> shop.moreConstants(Few.ONE));
		calls.put("moreConstants unknown", (shop) -> shop.moreConstants(Few.TWO));
		calls.put("optional", (shop) -> shop.optional(new Maybe("x")));
		calls.put("sameGeneric", (shop) -> shop.sameGeneric(new Items(List.of(new Item("x", BigDecimal.ONE)), 1)));
		calls.put("sameInherited", (shop) -> shop.sameInherited(new Flat("x", 2)));
		calls.put("typed", (shop) -> shop.typed(new Animal("dog", "Rex")));
		calls.put("moreAtServer", (shop) -> shop.moreAtServer(new Less("x")));
		calls.put("moreAtClient", (shop) -> shop.moreAtClient(new More("x", "y")));
		calls.put("moreAtClient null", (shop) -> shop.moreAtClient(new More("x", null)));
		calls.put("boxed", (shop) -> shop.boxed(new Boxed(null)));
		calls.put("boxed present", (shop) -> shop.boxed(new Boxed(3)));
		calls.put("longs", (shop) -> shop.longs(new Longs(1L << 40)));
		calls.put("decimals", (shop) -> shop.decimals(new Decimals(new BigDecimal("1.10"))));
		calls.put("samePicky", (shop) -> shop.samePicky(new Easy("fine")));
		calls.put("samePicky refused", (shop) -> shop.samePicky(new Easy("")));
		calls.put("sameTrimming", (shop) -> shop.sameTrimming(new Easy(" x ")));
		calls.put("samePickyResult", (shop) -> shop.samePickyResult("bad"));
		calls.put("samePickyPost", (shop) -> shop.samePickyPost(new Easy("bad")));
		calls.put("samePickyResult fine", (shop) -> shop.samePickyResult("fine"));
		calls.put("sameValid", (shop) -> shop.sameValid(new Amount("x", 3)));
		calls.put("sameValid refused", (shop) -> shop.sameValid(new Amount("", 30)));
		calls.put("sameLimited", (shop) -> shop.sameLimited(3));
		calls.put("sameLimited refused", (shop) -> shop.sameLimited(30));
		calls.put("sameEntity", (shop) -> shown(shop.sameEntity("ok")));
		calls.put("sameEntity empty", (shop) -> shown(shop.sameEntity("none")));
		calls.put("sameEntity accepted", (shop) -> shown(shop.sameEntity("accepted")));
		calls.put("sameEntity missing", (shop) -> shown(shop.sameEntity("missing")));
		calls.put("samePlain", (shop) -> shop.samePlain("ok"));
		calls.put("samePlain empty", (shop) -> shop.samePlain("none"));
		calls.put("sameCreated", (shop) -> shown(shop.sameCreated()));
		calls.put("sameNumber", (shop) -> shop.sameNumber(4));
		calls.put("sameNumber null", (shop) -> shop.sameNumber(-1));
		calls.put("sameList", (shop) -> shop.sameList(List.of("b", "a", "b")));
		calls.put("sameList one", (shop) -> shop.sameList(List.of("a")));
		calls.put("set", (shop) -> shop.set(Set.of("a")));
		calls.put("collection", (shop) -> shop.collection(List.of("b", "a", "b")));
		calls.put("sameArray", (shop) -> shop.sameArray(new String[] { "b", "a", "b" }));
		calls.put("withDefault", (shop) -> shop.withDefault(null));
		calls.put("sameTexts",
				(shop) -> shop.sameTexts(new UUID(1, 2), Few.TWO, new BigDecimal("1.50"), Instant.EPOCH, true));
		calls.put("sameOptional", (shop) -> shop.sameOptional(Optional.of(3)));
		calls.put("sameOptional empty", (shop) -> shop.sameOptional(Optional.empty()));
		calls.put("sameHeaders", (shop) -> shop.sameHeaders("t", "c"));
		calls.put("sameHeaders none", (shop) -> shop.sameHeaders("t", null));
		calls.put("unwrapped", (shop) -> shop.unwrapped(new Wide("a", 1, "b")));
		calls.put("sameDates", (shop) -> shop.sameDates(new Dates(LocalDate.EPOCH, Instant.EPOCH)));
		calls.put("sameFlags", (shop) -> shop.sameFlags(new Flags(true, false)));
		calls.put("derived", (shop) -> shop.derived());
		calls.put("sameBase", (shop) -> shop.sameBase(5));
		calls.put("sameReturnsMore", (shop) -> shop.sameReturnsMore());
		calls.put("sameDefaults", (shop) -> shop.sameDefaults(new Preset()));
		calls.put("sameNulls", (shop) -> shop.sameNulls(Arrays.asList(new Item(null, null), null)));
		return calls;
	}

	private static String shown(ResponseEntity<?> entity) {
		Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		entity.getHeaders().forEach(headers::put);
		headers.keySet()
			.removeAll(
					List.of("Date", "Connection", "Keep-Alive", "Content-Length", "Transfer-Encoding", "Vicinal-Peer"));
		return entity.getStatusCode() + " " + headers + " " + entity.getBody();
	}

	private static String ending(Callable<@Nullable Object> call) {
		try {
			Object result = call.call();
			return (result instanceof Object[] array) ? Arrays.toString(array) : String.valueOf(result);
		}
		catch (RestClientResponseException ex) {
			return ex.getClass() + " " + ex.getMessage().replaceAll("[0-9T:.-]+Z", "")
					+ ex.getResponseHeaders().getContentType();
		}
		catch (RestClientException ex) {
			return ex.getClass() + " "
					+ ((ex.getMostSpecificCause() != ex) ? ex.getMostSpecificCause().getClass() : "");
		}
		catch (Exception ex) {
			return ex.getClass().getName();
		}
	}

	/** Records alone, in another order than the server's, travel in the flat format. */
	@ParameterizedTest
	@InTurn({ "direct", "shm", "uds" })
	void recordsOfAnotherOrderTravelInTheFlatFormat(String path) {
		Map<String, Function<Records, @Nullable Object>> calls = new LinkedHashMap<>();
		calls.put("part", (each) -> each.part(5));
		calls.put("items", (each) -> each.items(Arrays.asList(new Item("x", new BigDecimal("1.0")), null)));
		calls.put("dates", (each) -> each.dates(new Dates(LocalDate.MAX, Instant.MIN)));
		calls.put("mix", (each) -> each.mix(4));
		assertThat(codecAfter("records", Records.class, calls, path)).isEqualTo("flat");
	}

	/** A value that a record refuses is an error of reading JSON. */
	@ParameterizedTest
	@InTurn({ "direct", "shm" })
	void recordsThatRefuseValuesTravelAsJson(String path) {
		Map<String, Function<Picking, @Nullable Object>> calls = new LinkedHashMap<>();
		calls.put("fine", (each) -> each.pickyPost(new Easy("fine")));
		calls.put("refused result", (each) -> each.pickyPost(new Easy("bad")));
		assertThat(codecAfter("picking", Picking.class, calls, path)).isEqualTo("jackson");
	}

	/** Makes calls, each of which takes the path, and returns the codec. */
	private <T> String codecAfter(String channel, Class<T> type, Map<String, Function<T, @Nullable Object>> calls,
			String path) {
		ConfigurableApplicationContext server = start(Server.class, Map.of());
		T oracle = client(port(server), "http", Map.of()).getBean(type);
		ConfigurableApplicationContext client = client(port(server), path, Map.of());
		T proxy = client.getBean(type);
		List<String> ways = client.getBean(Carried.class).ways;
		calls.forEach((name, call) -> {
			String expected = ending(() -> call.apply(oracle));
			await().untilAsserted(() -> {
				ways.clear();
				assertThat(ending(() -> call.apply(proxy))).as("%s by %s", name, ways).isEqualTo(expected);
				assertThat(ways).as(name).containsExactly(path);
			});
		});
		PeerReport peer = client.getBean(ChannelsEndpoint.class).channel(channel).peers().get(0);
		assertThat(peer.codec()).isNotNull();
		return peer.codec().name();
	}

	/** Each redeployment has the same address and other classes. */
	@Test
	void aServerIsRedeployedWithAnotherStructure() throws Exception {
		ConfigurableApplicationContext server = start(OldServer.class, Map.of());
		String port = port(server);
		ConfigurableApplicationContext client = client(port, "uds", Map.of("vicinal.reconnect-delay", "10ms"));
		Shop shop = client.getBean(Shop.class);
		Carried carried = client.getBean(Carried.class);
		awaitTyped(shop, carried);
		assertThat(shop.sameBase(5)).isEqualTo(new Part(5, "old"));

		server.close();
		ConfigurableApplicationContext renamed = start(RenamingServer.class, Map.of("server.port", port));
		await().ignoreExceptions().until(() -> shop.sameBase(5) != null);
		for (int i = 0; i < ROUNDS; i++) {
			carried.ways.clear();
			assertThat(shop.sameBase(5)).isEqualTo(new Part(5, null));
			assertThat(carried.ways).allSatisfy((way) -> assertThat(way).startsWith("http because"));
		}

		renamed.close();
		start(OldServer.class, Map.of("server.port", port));
		await().ignoreExceptions().until(() -> shop.sameBase(5) != null);
		awaitTyped(shop, carried);
		assertThat(shop.sameBase(5)).isEqualTo(new Part(5, "old"));
	}

	private static void awaitTyped(Shop shop, Carried carried) {
		await().untilAsserted(() -> {
			carried.ways.clear();
			shop.sameBase(5);
			assertThat(carried.ways).containsExactly("uds");
		});
	}

	@Test
	void handlersThatAreRefusedSayWhy() {
		ConfigurableApplicationContext server = start(BindingServer.class, Map.of());
		ConfigurableApplicationContext client = client(port(server), "uds", Map.of());
		assertThat(client.getBean(Shop.class).sameBase(5)).isEqualTo(new Part(5, "old"));
		assertThat(peer(client).reason()).contains("Binding has an @InitBinder method");
		client.getBean(Shop.class).sameBase(5);
		assertThat(client.getBean(Carried.class).ways).last()
			.asString()
			.contains("http because", "Binding has an @InitBinder method");
	}

	/** Names of the client are made by its naming strategy. */
	@Test
	void namingStrategiesAreFollowed() {
		ConfigurableApplicationContext server = start(SnakeServer.class, Map.of());
		ConfigurableApplicationContext client = client(port(server), "uds",
				Map.of("spring.jackson.property-naming-strategy", "SNAKE_CASE"));
		Shop shop = client.getBean(Shop.class);
		Carried carried = client.getBean(Carried.class);
		await().untilAsserted(() -> {
			carried.ways.clear();
			assertThat(shop.sameSnake(new Camel("a", 2))).isEqualTo(new Camel("a", 2));
			assertThat(carried.ways).containsExactly("uds");
		});
		assertThat(server.getBean(SnakeController.class).seen).isEqualTo("a 2");
	}

	@AffinityChannel
	@HttpExchange("/shop")
	interface Records {

		@GetExchange("/base/{id}")
		Part part(@PathVariable long id);

		@PostExchange("/nulls")
		List<Item> items(@RequestBody List<Item> body);

		@PostExchange("/dates")
		Dates dates(@RequestBody Dates body);

		@GetExchange("/mix/{number}")
		Mix mix(@PathVariable int number);

	}

	@AffinityChannel
	@HttpExchange("/shop")
	interface Picking {

		@PostExchange("/picky-post")
		Picky pickyPost(@RequestBody Easy body);

	}

	/** The components of the server's record have the opposite order. */
	@SuppressWarnings("ArrayRecordComponent")
	record Mix(int number, Few few, Part part, List<Part> parts, long[] longs, Map<String, Integer> counts) {

		@Override
		public String toString() {
			return this.number + " " + this.few + this.part + this.parts + Arrays.toString(this.longs) + this.counts;
		}

	}

	@AffinityChannel
	@HttpExchange("/shop")
	interface Shop {

		@GetExchange("/ping")
		String samePing();

		@PostExchange("/renamed")
		Renamed sameRenamed(@RequestBody Renamed body);

		@PostExchange("/ignored")
		Ignored ignored(@RequestBody Ignored body);

		@PostExchange("/constants")
		Few moreConstants(@RequestBody Few body);

		@PostExchange("/optional")
		Maybe optional(@RequestBody Maybe body);

		@PostExchange("/generic")
		Items sameGeneric(@RequestBody Items body);

		@PostExchange("/inherited")
		Flat sameInherited(@RequestBody Flat body);

		@PostExchange("/typed")
		Animal typed(@RequestBody Animal body);

		@PostExchange("/more-at-server")
		Less moreAtServer(@RequestBody Less body);

		@PostExchange("/more-at-client")
		More moreAtClient(@RequestBody More body);

		@PostExchange("/boxed")
		Boxed boxed(@RequestBody Boxed body);

		@PostExchange("/longs")
		Longs longs(@RequestBody Longs body);

		@PostExchange("/decimals")
		Decimals decimals(@RequestBody Decimals body);

		@PostExchange("/picky")
		Easy samePicky(@RequestBody Easy body);

		@PostExchange("/trimming")
		Easy sameTrimming(@RequestBody Easy body);

		@GetExchange("/picky-result/{text}")
		Picky samePickyResult(@PathVariable String text);

		@PostExchange("/picky-post")
		Picky samePickyPost(@RequestBody Easy body);

		@PostExchange("/valid")
		Amount sameValid(@RequestBody Amount body);

		@GetExchange("/limited")
		String sameLimited(@RequestParam int number);

		@GetExchange("/entity/{how}")
		ResponseEntity<Item> sameEntity(@PathVariable String how);

		@GetExchange("/entity/{how}")
		Item samePlain(@PathVariable String how);

		@PostExchange("/created")
		ResponseEntity<Void> sameCreated();

		@GetExchange("/number/{number}")
		int sameNumber(@PathVariable int number);

		@GetExchange("/list")
		String sameList(@RequestParam List<String> values);

		@GetExchange("/set")
		String set(@RequestParam Set<String> values);

		@GetExchange("/collection")
		String collection(@RequestParam Collection<String> values);

		@GetExchange("/array")
		String[] sameArray(@RequestParam String[] values);

		@GetExchange("/default")
		String withDefault(@RequestParam(required = false) @Nullable String value);

		@GetExchange("/texts/{id}")
		String sameTexts(@PathVariable UUID id, @RequestParam Few few, @RequestParam BigDecimal price,
				@RequestParam Instant at, @RequestParam boolean flag);

		@GetExchange("/optional-parameter")
		String sameOptional(@RequestParam Optional<Integer> number);

		@GetExchange("/headers")
		String sameHeaders(@RequestHeader("x-tenant") String tenant,
				@CookieValue(name = "c", required = false) @Nullable String cookie);

		@PostExchange("/unwrapped")
		Wide unwrapped(@RequestBody Wide body);

		@PostExchange("/dates")
		Dates sameDates(@RequestBody Dates body);

		@PostExchange("/flags")
		Flags sameFlags(@RequestBody Flags body);

		@GetExchange("/derived")
		Map<String, String> derived();

		@GetExchange("/base/{id}")
		Part sameBase(@PathVariable long id);

		@GetExchange("/returns-more")
		Plain sameReturnsMore();

		@PostExchange("/defaults")
		Preset sameDefaults(@RequestBody Preset body);

		@PostExchange("/nulls")
		List<Item> sameNulls(@RequestBody List<Item> body);

		@PutExchange("/snake")
		Camel sameSnake(@RequestBody Camel body);

	}

	record Renamed(String name, int count) {
	}

	record Ignored(String shown, String hidden) {
	}

	enum Few {

		ONE, TWO

	}

	record Maybe(String value) {
	}

	record Item(String name, BigDecimal price) {
	}

	record Items(List<Item> content, int number) {
	}

	record Flat(String id, int version) {
	}

	record Animal(String kind, String name) {
	}

	record Less(String one) {
	}

	record More(String one, String other) {
	}

	record Boxed(Integer number) {
	}

	record Longs(long number) {
	}

	record Decimals(BigDecimal number) {
	}

	record Easy(String text) {
	}

	record Picky(String text) {

		Picky {
			if (text.equals("bad")) {
				throw new IllegalArgumentException("It is bad");
			}
		}

	}

	record Amount(String unit, int value) {
	}

	record Wide(String a, int count, String name) {
	}

	record Dates(LocalDate day, Instant at) {
	}

	record Flags(boolean isShut, boolean open) {
	}

	record Part(long id, String label) {
	}

	record Plain(String text) {
	}

	record Camel(String firstName, int itemCount) {
	}

	static class Preset {

		private String name = "preset";

		private List<String> tags = new ArrayList<>(List.of("a"));

		public String getName() {
			return this.name;
		}

		public void setName(String name) {
			this.name = name;
		}

		public List<String> getTags() {
			return this.tags;
		}

		public void setTags(List<String> tags) {
			this.tags = tags;
		}

		@Override
		public String toString() {
			return this.name + this.tags;
		}

	}

	/** Methods that a controller with an identity has in common with others. */
	abstract static class Base<T> {

		final AtomicInteger handled = new AtomicInteger();

		abstract T make(long id);

		@GetMapping("/base/{id}")
		T base(@PathVariable long id) {
			this.handled.incrementAndGet();
			return make(id);
		}

	}

	@RestController
	@RequestMapping("/shop")
	@SuppressWarnings("unused")
	static class ShopController extends Base<TheirPart> {

		private <T> T handled(T value) {
			this.handled.incrementAndGet();
			return value;
		}

		@Override
		TheirPart make(long id) {
			return new TheirPart("old", id);
		}

		@GetMapping("/ping")
		String ping() {
			return "pong";
		}

		@PostMapping("/renamed")
		TheirRenamed renamed(@RequestBody TheirRenamed body) {
			return handled(body);
		}

		@PostMapping("/ignored")
		TheirIgnored ignored(@RequestBody TheirIgnored body) {
			return handled(body);
		}

		@PostMapping("/constants")
		Many constants(@RequestBody Many body) {
			return handled((body == Many.TWO) ? Many.THREE : body);
		}

		@PostMapping("/optional")
		TheirMaybe optional(@RequestBody TheirMaybe body) {
			return handled(body);
		}

		@PostMapping("/generic")
		Page<TheirItem> generic(@RequestBody Page<TheirItem> body) {
			return handled(body);
		}

		@PostMapping("/inherited")
		Derived inherited(@RequestBody Derived body) {
			return handled(body);
		}

		@PostMapping("/typed")
		TheirAnimal typed(@RequestBody TheirAnimal body) {
			return handled(body);
		}

		@PostMapping("/more-at-server")
		More moreAtServer(@RequestBody More body) {
			return handled(new More(body.one(), String.valueOf(body.other())));
		}

		@PostMapping("/more-at-client")
		Less moreAtClient(@RequestBody Less body) {
			return handled(body);
		}

		@PostMapping("/boxed")
		TheirPrimitive boxed(@RequestBody TheirPrimitive body) {
			return handled(body);
		}

		@PostMapping("/longs")
		TheirPrimitive longs(@RequestBody TheirPrimitive body) {
			return handled(body);
		}

		@PostMapping("/decimals")
		TheirDoubles decimals(@RequestBody TheirDoubles body) {
			return handled(body);
		}

		@PostMapping("/picky")
		TheirPicky picky(@RequestBody TheirPicky body) {
			return handled(body);
		}

		@PostMapping("/trimming")
		TheirTrimming trimming(@RequestBody TheirTrimming body) {
			return handled(body);
		}

		@GetMapping("/picky-result/{text}")
		Easy pickyResult(@PathVariable String text) {
			return handled(new Easy(text));
		}

		@PostMapping("/picky-post")
		Easy pickyPost(@RequestBody Easy body) {
			return handled(body);
		}

		@GetMapping("/mix/{number}")
		TheirMix mix(@PathVariable int number) {
			TheirPart part = new TheirPart("a", 1);
			return handled(
					new TheirMix(Map.of("c", 3), new long[] { 1, -2 }, List.of(part), part, TheirFew.TWO, number));
		}

		@PostMapping("/valid")
		TheirAmount valid(@Valid @RequestBody TheirAmount body) {
			return handled(body);
		}

		@GetMapping("/limited")
		String limited(@RequestParam @Max(10) int number) {
			return handled("limited " + number);
		}

		@GetMapping("/entity/{how}")
		ResponseEntity<TheirItem> entity(@PathVariable String how) {
			TheirItem item = new TheirItem(how, BigDecimal.TEN);
			return handled(switch (how) {
				case "none" -> ResponseEntity.noContent().header("X-How", how).build();
				case "accepted" -> ResponseEntity.accepted().header("X-How", how, "twice").body(item);
				case "missing" -> ResponseEntity.status(HttpStatus.NOT_FOUND).body(item);
				default -> ResponseEntity.ok(item);
			});
		}

		@PostMapping("/created")
		@ResponseStatus(HttpStatus.CREATED)
		void created() {
			handled("");
		}

		@GetMapping("/number/{number}")
		Integer number(@PathVariable Integer number) {
			return handled((number < 0) ? null : number + 1);
		}

		@GetMapping("/list")
		String list(@RequestParam List<String> values) {
			return handled(values.getClass().getSimpleName() + values);
		}

		@GetMapping("/set")
		String set(@RequestParam Set<String> values) {
			return handled(values.getClass().getSimpleName() + values);
		}

		@GetMapping("/collection")
		String collection(@RequestParam Collection<String> values) {
			return handled(values.getClass().getSimpleName() + values);
		}

		@GetMapping("/array")
		String[] array(@RequestParam String[] values) {
			return handled(values);
		}

		@GetMapping("/default")
		String withDefault(@RequestParam(defaultValue = "seven") String value) {
			return handled(value);
		}

		@GetMapping("/texts/{id}")
		String texts(@PathVariable UUID id, @RequestParam TheirFew few, @RequestParam BigDecimal price,
				@RequestParam Instant at, @RequestParam boolean flag) {
			return handled(id + " " + few + " " + price + " " + at + " " + flag);
		}

		@GetMapping("/optional-parameter")
		String optionalParameter(@RequestParam Optional<Integer> number) {
			return handled(number.toString());
		}

		@GetMapping("/headers")
		String headers(@RequestHeader("X-Tenant") String tenant, @CookieValue(name = "c", required = false) String c) {
			return handled(tenant + c);
		}

		@PostMapping("/unwrapped")
		Unwrapping unwrapped(@RequestBody Unwrapping body) {
			return handled(body);
		}

		@PostMapping("/dates")
		TheirDates dates(@RequestBody TheirDates body) {
			return handled(body);
		}

		@PostMapping("/flags")
		TheirFlags flags(@RequestBody TheirFlags body) {
			return handled(body);
		}

		@GetMapping("/derived")
		Computing derived() {
			return handled(new Computing("x"));
		}

		@GetMapping("/returns-more")
		Plainer returnsMore() {
			Plainest more = new Plainest();
			more.setText("x");
			return handled(more);
		}

		@PostMapping("/defaults")
		TheirPreset defaults(@RequestBody TheirPreset body) {
			return handled(body);
		}

		@PostMapping("/nulls")
		List<TheirItem> nulls(@RequestBody List<TheirItem> body) {
			return handled(body);
		}

	}

	record TheirPart(String label, long id) {
	}

	@SuppressWarnings("ArrayRecordComponent")
	record TheirMix(Map<String, Integer> counts, long[] longs, List<TheirPart> parts, TheirPart part, TheirFew few,
			int number) {
	}

	record TheirRenamed(@JsonProperty("name") String title, @JsonProperty("count") int number) {
	}

	record TheirIgnored(String shown, @JsonIgnore String hidden) {
	}

	enum Many {

		ONE, TWO, THREE

	}

	enum TheirFew {

		ONE, TWO

	}

	record TheirMaybe(Optional<String> value) {
	}

	record TheirItem(String name, BigDecimal price) {
	}

	record Page<T>(List<T> content, int number) {
	}

	static class Identified {

		private String id;

		public String getId() {
			return this.id;
		}

		public void setId(String id) {
			this.id = id;
		}

	}

	static class Derived extends Identified {

		private int version;

		public int getVersion() {
			return this.version;
		}

		public void setVersion(int version) {
			this.version = version;
		}

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
	@JsonSubTypes(@JsonSubTypes.Type(value = Dog.class, name = "dog"))
	interface TheirAnimal {

		String name();

	}

	record Dog(String name) implements TheirAnimal {
	}

	record TheirPrimitive(int number) {
	}

	record TheirDoubles(double number) {
	}

	record TheirPicky(String text) {

		TheirPicky {
			if (text.isEmpty()) {
				throw new IllegalArgumentException("It is empty");
			}
		}

	}

	record TheirTrimming(String text) {

		TheirTrimming {
			text = text.strip();
		}

		@Override
		public String text() {
			return this.text + "!";
		}

	}

	record TheirAmount(@NotBlank String unit, @Max(10) int value) {
	}

	record Inside(int count, String name) {
	}

	record Unwrapping(String a, @JsonUnwrapped Inside inside) {
	}

	record TheirDates(LocalDate day, Instant at) {
	}

	static class TheirFlags {

		private boolean open;

		@JsonProperty("isShut")
		private boolean shut;

		public boolean isOpen() {
			return this.open;
		}

		public void setOpen(boolean open) {
			this.open = open;
		}

	}

	record Computing(String text) {

		public String getLoud() {
			return this.text + "!";
		}

	}

	static class Plainer {

		private String text;

		public String getText() {
			return this.text;
		}

		public void setText(String text) {
			this.text = text;
		}

	}

	static class Plainest extends Plainer {

		public String getSecond() {
			return "more";
		}

	}

	static class TheirPreset {

		public String name;

		public List<String> tags;

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(ShopController.class)
	static class Server {

	}

	@RestController
	@RequestMapping("/shop")
	static class OldController extends Base<TheirPart> {

		@Override
		TheirPart make(long id) {
			return new TheirPart("old", id);
		}

	}

	record RenamedPart(long id, String title) {
	}

	@RestController
	@RequestMapping("/shop")
	static class RenamingController extends Base<RenamedPart> {

		@Override
		RenamedPart make(long id) {
			return new RenamedPart(id, "new");
		}

	}

	@SuppressWarnings("checkstyle:RecordComponentName")
	record Snake(String first_name, int item_count) {
	}

	@RestController
	@RequestMapping("/shop")
	static class SnakeController {

		volatile String seen;

		@PutMapping("/snake")
		Snake snake(@RequestBody Snake body) {
			this.seen = body.first_name() + " " + body.item_count();
			return body;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(OldController.class)
	static class OldServer {

	}

	@ControllerAdvice
	static class Binding {

		@InitBinder
		void bind(WebDataBinder binder) {
			binder.setBindEmptyMultipartFiles(false);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ OldController.class, Binding.class })
	static class BindingServer {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(RenamingController.class)
	static class RenamingServer {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(SnakeController.class)
	static class SnakeServer {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "shop", types = Shop.class)
	@ImportHttpServices(group = "records", types = Records.class)
	@ImportHttpServices(group = "picking", types = Picking.class)
	static class Client {

		@Bean
		Carried carried() {
			return new Carried();
		}

	}

	/** Notes what carried each call. */
	static class Carried implements ChannelListener {

		private final List<String> ways = Collections.synchronizedList(new ArrayList<>());

		@Override
		public void calling(io.github.vicinal.channel.Channel channel, io.github.vicinal.contract.ContractMethod method,
				io.github.vicinal.path.PathKind path, @Nullable String reason) {
			this.ways.add((reason != null) ? path.id() + " because " + reason : path.id());
		}

	}

}
