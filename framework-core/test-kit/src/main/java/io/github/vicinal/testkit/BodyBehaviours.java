package io.github.vicinal.testkit;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.github.vicinal.testkit.contract.BodiesContract;
import io.github.vicinal.testkit.contract.BodiesContract.Annotated;
import io.github.vicinal.testkit.contract.BodiesContract.Basket;
import io.github.vicinal.testkit.contract.BodiesContract.Bean;
import io.github.vicinal.testkit.contract.BodiesContract.Blob;
import io.github.vicinal.testkit.contract.BodiesContract.Circle;
import io.github.vicinal.testkit.contract.BodiesContract.Decimals;
import io.github.vicinal.testkit.contract.BodiesContract.Grade;
import io.github.vicinal.testkit.contract.BodiesContract.Graded;
import io.github.vicinal.testkit.contract.BodiesContract.Group;
import io.github.vicinal.testkit.contract.BodiesContract.Item;
import io.github.vicinal.testkit.contract.BodiesContract.Maybe;
import io.github.vicinal.testkit.contract.BodiesContract.MixedIn;
import io.github.vicinal.testkit.contract.BodiesContract.Node;
import io.github.vicinal.testkit.contract.BodiesContract.Note;
import io.github.vicinal.testkit.contract.BodiesContract.Numbers;
import io.github.vicinal.testkit.contract.BodiesContract.Page;
import io.github.vicinal.testkit.contract.BodiesContract.Picky;
import io.github.vicinal.testkit.contract.BodiesContract.Plain;
import io.github.vicinal.testkit.contract.BodiesContract.Richer;
import io.github.vicinal.testkit.contract.BodiesContract.Secret;
import io.github.vicinal.testkit.contract.BodiesContract.Shape;
import io.github.vicinal.testkit.contract.BodiesContract.Square;
import io.github.vicinal.testkit.contract.BodiesContract.Texts;
import io.github.vicinal.testkit.contract.BodiesContract.Times;
import io.github.vicinal.testkit.server.KitJson;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.web.client.HttpClientErrorException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Bodies arrive as the JSON in between lets them arrive, no better and no worse.
 */
abstract class BodyBehaviours extends Behaviours {

	private static final Item APPLE = new Item("apple", new BigDecimal("1.10"));

	private static final Item PEAR = new Item(null, new BigDecimal("-0.00"));

	@Test
	@DisplayName("records of records, lists and maps arrive")
	void records() {
		Basket basket = new Basket(7, null, List.of(APPLE, PEAR), Map.of("apple", 3));
		assertThat(same(BodiesContract.class, (client) -> client.echoBasket(basket)).value()).isEqualTo(basket);
	}

	@Test
	@DisplayName("null elements of lists and null values of maps arrive")
	void nullElements() {
		List<@Nullable Item> items = new ArrayList<>();
		items.add(APPLE);
		items.add(null);
		items.add(PEAR);
		assertThat(same(BodiesContract.class, (client) -> client.echoItems(items)).value()).isEqualTo(items);
		Map<String, @Nullable Object> loose = new LinkedHashMap<>();
		loose.put("present", "x");
		loose.put("absent", null);
		assertThat(same(BodiesContract.class, (client) -> client.echoLoose(loose)).value()).isEqualTo(loose);
	}

	@Test
	@DisplayName("null lists in a record stay null instead of becoming empty")
	@SuppressWarnings("NullAway")
	void nullCollections() {
		Basket basket = new Basket(7, "owner", null, null);
		assertThat(same(BodiesContract.class, (client) -> client.echoBasket(basket)).value()).isEqualTo(basket);
	}

	@Test
	@DisplayName("lists, sets, maps and arrays of records arrive with their element type")
	void genericBodies() {
		assertThat(same(BodiesContract.class, (client) -> client.echoItems(List.of(APPLE))).value())
			.isEqualTo(List.of(APPLE));
		assertThat(same(BodiesContract.class, (client) -> client.echoArray(new Item[] { APPLE, PEAR })).value())
			.isEqualTo(new Item[] { APPLE, PEAR });
		Map<String, List<Item>> map = Map.of("fruit", List.of(APPLE, PEAR), "none", List.of());
		assertThat(same(BodiesContract.class, (client) -> client.echoByName(map)).value()).isEqualTo(map);
		LinkedHashSet<Item> set = new LinkedHashSet<>(List.of(PEAR, APPLE));
		assertThat(same(BodiesContract.class, (client) -> client.echoSet(set)).value()).isEqualTo(set);
	}

	@Test
	@DisplayName("maps with enum and number keys arrive with keys of that type")
	void typedKeys() {
		Map<DayOfWeek, Map<Integer, LocalDate>> map = Map.of(DayOfWeek.FRIDAY, Map.of(7, LocalDate.EPOCH));
		assertThat(same(BodiesContract.class, (client) -> client.echoByKey(map)).value()).isEqualTo(map);
	}

	@Test
	@DisplayName("a generic record arrives with its type argument")
	void genericRecord() {
		Page<Item> page = new Page<>(List.of(APPLE, PEAR), 3, true);
		assertThat(same(BodiesContract.class, (client) -> client.echoPage(page)).value()).isEqualTo(page);
	}

	@Test
	@DisplayName("arrays of arrays of primitives arrive")
	void matrix() {
		int[][] matrix = { { 1, 2 }, {}, { Integer.MIN_VALUE } };
		assertThat(same(BodiesContract.class, (client) -> client.echoMatrix(matrix)).value()).isEqualTo(matrix);
	}

	@Test
	@DisplayName("a sealed hierarchy arrives as the subtypes that were sent, also nested and in lists")
	void polymorphicBodies() {
		Shape group = new Group(List.of(new Circle(1.5), new Group(List.of(new Square(2)))));
		assertThat(same(BodiesContract.class, (client) -> client.echoShape(group)).value()).isEqualTo(group);
		List<Shape> shapes = List.of(new Square(1), new Circle(2));
		assertThat(same(BodiesContract.class, (client) -> client.echoShapes(shapes)).value()).isEqualTo(shapes);
	}

	@Test
	@DisplayName("enums arrive, with a JSON value of their own, too, and as map keys")
	void enums() {
		Graded graded = new Graded(Grade.FAIR, DayOfWeek.SUNDAY, Map.of(Grade.POOR, 2));
		assertThat(same(BodiesContract.class, (client) -> client.echoGrade(graded)).value()).isEqualTo(graded);
	}

	@Test
	@DisplayName("times arrive with nanoseconds, and with the time zone that JSON leaves them")
	void times() {
		Times times = new Times(Instant.parse("2026-11-21T10:15:30.123456789Z"), LocalDate.of(1, 1, 1),
				LocalDateTime.of(2026, 2, 28, 23, 59, 59, 1), OffsetDateTime.parse("2026-07-01T12:00:00+05:30"),
				ZonedDateTime.parse("2026-07-01T12:00:00+02:00[Europe/Berlin]"), Duration.ofNanos(-1));
		Times result = same(BodiesContract.class, (client) -> client.echoTimes(times)).value(Times.class);
		assertThat(result.instant()).isEqualTo(times.instant());
		assertThat(result.duration()).isEqualTo(times.duration());
	}

	@Test
	@DisplayName("longs beyond 2^53, NaN, infinities, negative zero and the smallest numbers arrive")
	void numbers() {
		for (double real : new double[] { 0.1, -0.0, Double.NaN, Double.NEGATIVE_INFINITY, Double.MIN_VALUE,
				Double.MAX_VALUE }) {
			Numbers numbers = new Numbers((1L << 53) + 1, real, Float.MIN_VALUE, Short.MIN_VALUE, Byte.MIN_VALUE, null);
			assertThat(same(BodiesContract.class, (client) -> client.echoNumbers(numbers)).value()).isEqualTo(numbers);
		}
	}

	@Test
	@DisplayName("decimals keep their scale and integers all their digits")
	void decimals() {
		Decimals decimals = new Decimals(new BigDecimal("1.100"), BigInteger.TWO.pow(200),
				List.of(new BigDecimal("0.00"), new BigDecimal("123456789012345678901234567890.5")));
		assertThat(same(BodiesContract.class, (client) -> client.echoDecimals(decimals)).value()).isEqualTo(decimals);
		Decimals scientific = new Decimals(new BigDecimal("1E+3"), BigInteger.ZERO, List.of(new BigDecimal("1E-40")));
		assertThat(same(BodiesContract.class, (client) -> client.echoDecimals(scientific)).returned()).isTrue();
	}

	@Test
	@DisplayName("chars, emoji and control characters arrive")
	void texts() {
		for (String text : List.of("", "grün 日本 😀", "\u0000\u001f\u2028", "\"\\/\b", "a\r\nb")) {
			Texts texts = new Texts('€', text, new StringBuilder(text));
			Texts result = same(BodiesContract.class, (client) -> client.echoTexts(texts)).value(Texts.class);
			assertThat(result.text()).isEqualTo(text);
		}
	}

	@Test
	@DisplayName("half of a surrogate pair ends as over HTTP")
	void loneSurrogate() {
		sameEvenIfUnsent(BodiesContract.class,
				(client) -> client.echoTexts(new Texts('a', "a\ud83d", new StringBuilder())));
	}

	@Test
	@DisplayName("bytes arrive, as a body and in a record, and no bytes are null at the server")
	void bytes() {
		byte[] all = new byte[256];
		for (int i = 0; i < all.length; i++) {
			all[i] = (byte) i;
		}
		assertThat(same(BodiesContract.class, (client) -> client.echoBytes(all)).value()).isEqualTo(all);
		assertThat(same(BodiesContract.class, (client) -> client.echoBlob(new Blob("b", all))).value())
			.isEqualTo(new Blob("b", all));
		assertThat(sameAnywhere(BodiesContract.class, (client) -> client.describeBytes(null)).value())
			.isEqualTo("null");
		assertThat(sameAnywhere(BodiesContract.class, (client) -> client.describeBytes(new byte[0])).returned())
			.isTrue();
	}

	@Test
	@DisplayName("an empty byte array as required body ends as over HTTP")
	void emptyRequiredBody() {
		sameAnywhere(BodiesContract.class, (client) -> client.echoBytes(new byte[0]));
	}

	@Test
	@DisplayName("a string body is text, not JSON, and has the character set that the client says")
	void strings() {
		assertThat(same(BodiesContract.class, (client) -> client.echoString("\"quoted\"")).value())
			.isEqualTo("\"quoted\"");
		assertThat(sameAnywhere(BodiesContract.class, (client) -> client.echoUtf8("grün 日本 😀")).value()).isNotNull();
		assertThat(sameAnywhere(BodiesContract.class, (client) -> client.echoString("grün 日本 😀")).returned()).isTrue();
		assertThat(same(BodiesContract.class, (client) -> client.echoString("{\"json\": true}")).value())
			.isEqualTo("{\"json\": true}");
	}

	@Test
	@DisplayName("the empty string and null are distinguished exactly as over HTTP")
	void emptyStrings() {
		for (String text : Arrays.asList("", null, " ")) {
			assertThat(sameAnywhere(BodiesContract.class, (client) -> client.describeString(text)).returned()).isTrue();
			assertThat(sameAnywhere(BodiesContract.class, (client) -> client.echoString(text)).returned()).isTrue();
		}
	}

	@Test
	@DisplayName("an Optional result is present or empty")
	void optionalResult() {
		assertThat(same(BodiesContract.class, (client) -> client.findItem(true)).value())
			.isEqualTo(Optional.of(new Item("found", new BigDecimal("1.10"))));
		assertThat(same(BodiesContract.class, (client) -> client.findItem(false)).value()).isEqualTo(Optional.empty());
	}

	@Test
	@DisplayName("an Optional of a text or a number is what HTTP makes of it")
	void optionalValues() {
		sameAnywhere(BodiesContract.class, (client) -> client.findText(true));
		sameAnywhere(BodiesContract.class, (client) -> client.findText(false));
		assertThat(same(BodiesContract.class, (client) -> client.findNumber(true)).value()).isEqualTo(Optional.of(7));
		assertThat(same(BodiesContract.class, (client) -> client.findNumber(false)).value())
			.isEqualTo(Optional.empty());
	}

	@Test
	@DisplayName("Optional components of a record are present or empty, also when they are null")
	@SuppressWarnings({ "NullAway", "NullOptional" })
	void optionalComponents() {
		Maybe full = new Maybe(Optional.of("text"), Optional.of(APPLE));
		assertThat(same(BodiesContract.class, (client) -> client.echoMaybe(full)).value()).isEqualTo(full);
		Maybe empty = new Maybe(Optional.empty(), Optional.empty());
		assertThat(same(BodiesContract.class, (client) -> client.echoMaybe(empty)).value()).isEqualTo(empty);
		assertThat(same(BodiesContract.class, (client) -> client.echoMaybe(new Maybe(null, null))).value())
			.isEqualTo(empty);
	}

	@Test
	@DisplayName("fields that JSON leaves out do not arrive, in either direction")
	void hiddenFields() {
		Outcome sent = same(BodiesContract.class, (client) -> client.describeSecret(Secret.full("s")));
		assertThat((String) sent.value()).contains("shown=s", "ignored=null", "passing=null");
		Secret received = same(BodiesContract.class, (client) -> client.echoSecret(Secret.full("s")))
			.value(Secret.class);
		assertThat(received.getIgnored()).isNull();
		assertThat(received.passing()).isNull();
	}

	@Test
	@DisplayName("beans are built by their setters and keep the defaults of fields that JSON does not have")
	void beans() {
		Bean bean = Bean.named("outer");
		bean.setNested(Bean.named("inner"));
		assertThat((String) same(BodiesContract.class, (client) -> client.describeBean(bean)).value())
			.isEqualTo("outer 42 [tag] {score=1} [word] true [inner 42 [tag] {score=1} [word] true -]");
		Bean result = same(BodiesContract.class, (client) -> client.echoBean(bean)).value(Bean.class);
		assertThat(result).isNotSameAs(bean);
		assertThat(result.describe()).startsWith("outer 42 [tag]");
	}

	@Test
	@DisplayName("a subclass that JSON does not know arrives as the declared class")
	void richerThanDeclared() {
		Plain result = same(BodiesContract.class, BodiesContract::richerThanDeclared).value(Plain.class);
		assertThat(result).isExactlyInstanceOf(Plain.class);
		assertThat(path(BodiesContract.class).richerThanDeclared()).isExactlyInstanceOf(Plain.class);
		assertThat(same(BodiesContract.class, (client) -> client.describePlain(Richer.of("text", "more"))).value())
			.isEqualTo("Plain text");
	}

	@Test
	@DisplayName("renamed, formatted, unwrapped and left-out properties arrive")
	void annotatedRecord() {
		Annotated annotated = new Annotated("name", LocalDate.of(2026, 11, 21), "text", new Note("me", 2), List.of());
		Annotated result = same(BodiesContract.class, (client) -> client.echoAnnotated(annotated))
			.value(Annotated.class);
		assertThat(result)
			.isEqualTo(new Annotated("name", LocalDate.of(2026, 11, 21), "text", new Note("me", 2), null));
	}

	@Test
	@DisplayName("values without a declared type arrive as the types of JSON")
	void looselyTyped() {
		Map<String, @Nullable Object> loose = new LinkedHashMap<>();
		loose.put("long", 5L);
		loose.put("float", 1.5f);
		loose.put("decimal", new BigDecimal("1.10"));
		loose.put("instant", Instant.EPOCH);
		loose.put("record", APPLE);
		loose.put("set", new LinkedHashSet<>(List.of(1)));
		loose.put("enum", Grade.GOOD);
		loose.put("bytes", new byte[] { 1 });
		Outcome seen = same(BodiesContract.class, (client) -> client.describeLoose(loose));
		assertThat((String) seen.value()).contains("long=java.lang.Integer", "record=java.util.LinkedHashMap",
				"instant=java.lang.String", "set=java.util.ArrayList");
		Outcome echoed = same(BodiesContract.class, (client) -> client.echoLoose(loose));
		assertThat(echoed.value()).asInstanceOf(InstanceOfAssertFactories.MAP)
			.containsEntry("long", 5)
			.containsEntry("float", 1.5);
	}

	@Test
	@DisplayName("a result declared as Object arrives as the types of JSON")
	void objectResult() {
		for (String kind : List.of("record", "list", "long", "instant", "map", "enum", "text")) {
			sameAnywhere(BodiesContract.class, (client) -> {
				Object value = client.anything(kind);
				return value.getClass().getName() + " " + value;
			});
		}
	}

	@Test
	@DisplayName("a result declared as a CharSequence cannot be read by HTTP clients")
	void sequences() {
		for (String kind : List.of("text", "buffer")) {
			sameAnywhere(BodiesContract.class, (client) -> client.sequence(kind).getClass().getName());
		}
	}

	@Test
	@DisplayName("a JSON tree arrives as that tree")
	void jsonTree() {
		JsonMapper mapper = JsonMapper.builder().build();
		var tree = mapper.readTree("{\"a\": [1, 2.50, null, {\"b\": \"c\"}], \"d\": 12345678901234567890}");
		assertThat(same(BodiesContract.class, (client) -> client.echoTree(tree)).returned()).isTrue();
	}

	@Test
	@DisplayName("a mix-in at the server only, or at both sides, changes what arrives")
	void mixIn() {
		Outcome serverOnly = same(BodiesContract.class, (client) -> client.echoMixedIn(new MixedIn("l", "r")));
		assertThat(serverOnly.value()).isEqualTo(new MixedIn(null, "r arrived"));
		JsonMapper mapper = JsonMapper.builder().addModule(KitJson.module()).build();
		KitClient client = KitClient.BLOCKING.withRestClient(
				(builder) -> builder.configureMessageConverters((converters) -> converters.registerDefaults()
					.withJsonConverter(new JacksonJsonHttpMessageConverter(mapper))));
		Outcome both = sameAnywhere(BodiesContract.class, client,
				(bodies) -> bodies.echoMixedIn(new MixedIn("l", "r")));
		assertThat(both.value()).isEqualTo(new MixedIn(null, "r arrived"));
	}

	@Test
	@DisplayName("an object that appears twice arrives as two objects")
	void sharedReference() {
		Outcome outcome = same(BodiesContract.class, (client) -> {
			List<Bean> beans = client.sameBeanTwice();
			return beans.get(0) == beans.get(1);
		});
		assertThat(outcome.value()).isEqualTo(false);
		Bean bean = Bean.named("shared");
		bean.setNested(Bean.named("inner"));
		assertThat(same(BodiesContract.class, (client) -> client.describeBean(bean)).returned()).isTrue();
	}

	@Test
	@DisplayName("lists and maps that are fixed at the server can be changed by the client")
	void fixedCollections() {
		Outcome outcome = sameSeveralOf((client) -> {
			List<String> list = client.fixedList();
			list.add("three");
			Map<String, List<String>> map = client.fixedMap();
			map.computeIfAbsent("more", (key) -> new ArrayList<>()).add("x");
			map.getOrDefault("key", List.of()).clear();
			return list + " " + map.get("key") + map.get("more");
		});
		assertThat(outcome.value()).isEqualTo("[one, two, three] [][x]");
	}

	@Test
	@DisplayName("a chain of a hundred nested objects arrives, and a cycle fails as over HTTP")
	void deepAndCyclic() {
		Node first = Node.named("0");
		Node last = first;
		for (int i = 1; i < 100; i++) {
			Node next = Node.named(Integer.toString(i));
			last.setNext(next);
			last = next;
		}
		assertThat(same(BodiesContract.class, (client) -> depth(client.echoNode(first))).value()).isEqualTo(100);
		Node cycle = Node.named("cycle");
		cycle.setNext(cycle);
		assertThat(sameEvenIfUnsent(BodiesContract.class, (client) -> client.echoNode(cycle)).returned()).isFalse();
	}

	@Test
	@DisplayName("a result with a cycle in it fails at the client as over HTTP")
	void cyclicResult() {
		BodiesContract proxy = path(BodiesContract.class);
		Outcome expected = kit().outcome(() -> http(BodiesContract.class).cyclicResult());
		Outcome actual = kit().outcome(proxy::cyclicResult);
		assertThat(expected.returned()).isFalse();
		assertThat(actual.failure(Throwable.class)).hasSameClassAs(expected.failure(Throwable.class));
	}

	@Test
	@DisplayName("a body that the server cannot read is the client's fault: 400")
	void unreadableBody() {
		Outcome outcome = sameAnywhere(BodiesContract.class, (client) -> client.picky(Picky.of("bad text")));
		outcome.failure(HttpClientErrorException.BadRequest.class);
		assertThat(same(BodiesContract.class, (client) -> client.picky(Picky.of("text"))).value()).isEqualTo("text");
	}

	@Test
	@DisplayName("a result that the client cannot read fails at the client as over HTTP")
	void unreadableResult() {
		Outcome outcome = same(BodiesContract.class, (client) -> client.pickyResult("bad text"));
		assertThat(outcome.returned()).isFalse();
		BodiesContract proxy = path(BodiesContract.class);
		Outcome actual = kit().outcome(() -> proxy.pickyResult("bad text"));
		assertThat(causes(actual)).isEqualTo(causes(outcome)).hasSizeGreaterThan(2);
	}

	/** Classes and messages of a failure and its causes. */
	private static List<String> causes(Outcome outcome) {
		List<String> causes = new ArrayList<>();
		for (Throwable cause = outcome.failure(Throwable.class); cause != null; cause = cause.getCause()) {
			causes.add(cause.getClass().getName() + ": " + cause.getMessage());
		}
		return causes;
	}

	private Outcome sameSeveralOf(Kit.Call<BodiesContract> call) {
		return sameSeveral(BodiesContract.class, call);
	}

	private static int depth(Node node) {
		int depth = 1;
		for (Node next = node.getNext(); next != null; next = next.getNext()) {
			depth++;
		}
		return depth;
	}

}
