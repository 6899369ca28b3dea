package io.github.vicinal.testkit;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import io.github.vicinal.testkit.Kit.Call;
import io.github.vicinal.testkit.contract.ArgumentsContract;
import io.github.vicinal.testkit.contract.ArgumentsContract.Colour;
import io.github.vicinal.testkit.contract.ArgumentsContract.Named;
import io.github.vicinal.testkit.contract.ArgumentsContract.Seen;
import io.github.vicinal.testkit.contract.ArgumentsContract.Sku;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.http.HttpMethod;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Arguments arrive as over HTTP: converted to text and back, with defaults filled in by
 * both sides.
 */
abstract class ArgumentBehaviours extends Behaviours {

	private static final UUID ID = UUID.fromString("01234567-89ab-cdef-0123-456789abcdef");

	@Test
	@DisplayName("a path variable keeps spaces, plus signs, reserved characters and Unicode")
	void pathVariableText() {
		for (String value : List.of("plain", "two words", "a+b", "a,b", "a:b@c", "grün")) {
			assertSeen(same(ArgumentsContract.class, (client) -> client.path(value)), value);
		}
		for (String value : List.of("plain", "two words", "a+b", "a&b=c", "what?", "x#y", "grün-日本-😀", "a,b", "{x}",
				"\"quoted\"", "a:b@c", "~!$'()*", " leading", "trailing ")) {
			assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.path(value)), value);
		}
	}

	@Test
	@DisplayName("a path variable with a percent sign, which some servers refuse, ends as over HTTP")
	void pathVariableWithPercentSign() {
		for (String value : List.of("100%", "%2F", "%")) {
			Outcome outcome = sameAnywhere(ArgumentsContract.class, (client) -> client.path(value));
			if (outcome.returned()) {
				assertSeen(outcome, value);
			}
		}
	}

	@Test
	@DisplayName("a path variable with a slash, a backslash, dots or nothing in it ends as over HTTP")
	void pathVariableThatServersRefuse() {
		for (String value : List.of("a/b", "/", "a\\b", "..", ".", "", " ", "a/../b", "line\nbreak", "null\0byte")) {
			sameAnywhere(ArgumentsContract.class, (client) -> client.path(value));
		}
	}

	@Test
	@DisplayName("a path variable with a semicolon is not cut off as a matrix parameter unless HTTP does it")
	void pathVariableWithSemicolon() {
		for (String value : List.of("a;b", "a;b=c", ";", "a;jsessionid=1")) {
			Outcome outcome = sameAnywhere(ArgumentsContract.class, (client) -> client.path(value));
			assertThat(outcome.returned()).as(value).isTrue();
		}
	}

	@Test
	@DisplayName("two path variables in one segment are taken apart as the pattern says")
	void twoVariablesInOneSegment() {
		assertSeen(same(ArgumentsContract.class, (client) -> client.twoInOneSegment("a", "b")), "a", "b");
		Outcome outcome = sameAnywhere(ArgumentsContract.class, (client) -> client.twoInOneSegment("a-b", "c-d"));
		assertThat(outcome.value(Seen.class).parts()).hasSize(2);
	}

	@Test
	@DisplayName("path variables of type UUID, date, enum, boolean and int are converted")
	void typedPathVariables() {
		assertSeen(
				same(ArgumentsContract.class,
						(client) -> client.typedPath(ID, LocalDate.of(1926, 1, 2), Colour.GREEN, true, -7)),
				ID.toString(), "1926-01-02", "GREEN", "true", "-7");
	}

	@Test
	@DisplayName("a map of path variables fills the template")
	void mapOfPathVariables() {
		assertSeen(
				sameAnywhere(ArgumentsContract.class, (client) -> client.pathMap(Map.of("a", "1", "b", "two words"))),
				"{a=1, b=two words}");
	}

	@Test
	@DisplayName("a missing path variable fails at the client")
	void missingPathVariable() {
		Outcome outcome = sameUnsent(ArgumentsContract.class, (client) -> client.path(none()));
		assertThat(outcome.failure(IllegalArgumentException.class)).hasMessageContaining("path");
	}

	@Test
	@DisplayName("a request parameter keeps commas, plus signs, ampersands and Unicode")
	void requestParameterText() {
		for (String value : List.of("plain", "a,b", "a+b", "a&b=c", "100%", "grün-日本-😀", "a;b", "", " ", "line\nbreak",
				"{x}", "a/b")) {
			assertSeen(same(ArgumentsContract.class, (client) -> client.text(value)), value);
		}
	}

	@Test
	@DisplayName("a list parameter is repeated, and a comma in its only value splits it")
	void listParameter() {
		assertSeen(same(ArgumentsContract.class, (client) -> client.list(List.of("a", "b"))), "a", "b");
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.list(List.of("a,b", "c"))), "a,b", "c");
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.list(List.of("a,b"))), "a", "b");
		assertThat(sameAnywhere(ArgumentsContract.class, (client) -> client.list(List.of(""))).returned()).isTrue();
	}

	@Test
	@DisplayName("an empty list parameter and a null in a list end as over HTTP")
	void emptyListParameter() {
		sameEvenIfUnsent(ArgumentsContract.class, (client) -> client.list(List.of()))
			.failure(IllegalArgumentException.class);
		assertSeen(sameEvenIfUnsent(ArgumentsContract.class, (client) -> client.optionalList(List.of())), "null");
		assertSeen(sameEvenIfUnsent(ArgumentsContract.class,
				(client) -> client.optionalList(Arrays.asList("a", null, "b"))), "a", "b");
	}

	@Test
	@DisplayName("an array parameter is repeated, of objects and of primitives")
	void arrayParameter() {
		assertSeen(same(ArgumentsContract.class, (client) -> client.array(new String[] { "a", "b" })), "a", "b");
		sameEvenIfUnsent(ArgumentsContract.class, (client) -> client.numbers(new int[] { 1, -2, 3 }));
	}

	@Test
	@DisplayName("a set of enums arrives as a set of enums")
	void setParameter() {
		Set<Colour> colours = new LinkedHashSet<>(List.of(Colour.BLUE, Colour.RED));
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.set(colours)), "Red", "Blue");
	}

	@Test
	@DisplayName("a collection parameter is repeated, with its duplicates")
	void collectionParameter() {
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.collection(List.of("b", "a", "b"))),
				"ArrayList[b, a, b]");
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.collection(List.of("a"))),
				"LinkedHashSet[a]");
	}

	@Test
	@DisplayName("maps of parameters, single-valued and multi-valued, become parameters")
	void mapParameters() {
		Map<String, String> values = new LinkedHashMap<>(Map.of("b", "2", "a", "1,1"));
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.params(values)), "{a=1,1, b=2}");
		MultiValueMap<String, String> multi = new LinkedMultiValueMap<>();
		multi.add("a", "1");
		multi.add("a", "2,3");
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.multiParams(multi)), "{a=[1, 2,3]}");
	}

	@Test
	@DisplayName("an optional parameter that is null is not sent")
	void nullParameter() {
		assertSeen(same(ArgumentsContract.class, (client) -> client.nullable(null, null)), "null", "null");
		assertSeen(same(ArgumentsContract.class, (client) -> client.nullable("", 5)), "", "5");
	}

	@Test
	@DisplayName("a default value stands in for null, and at the server for the empty string")
	void defaultValue() {
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.withDefault(null, null)), "seven", "7");
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.withDefault("", 0)), "seven", "0");
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.withDefault(" ", -1)), " ", "-1");
	}

	@Test
	@DisplayName("Optional parameters arrive present or empty")
	void optionalParameter() {
		assertSeen(same(ArgumentsContract.class, (client) -> client.optional(Optional.of("a"), Optional.of(1))),
				"Optional[a]", "Optional[1]");
		assertSeen(same(ArgumentsContract.class, (client) -> client.optional(Optional.empty(), Optional.empty())),
				"Optional.empty", "Optional.empty");
		assertThat(sameAnywhere(ArgumentsContract.class, (client) -> client.optional(Optional.of(""), Optional.of(2)))
			.returned()).isTrue();
	}

	@Test
	@DisplayName("a required parameter, header, cookie or body that is null fails at the client")
	void missingRequiredArguments() {
		List<Call<ArgumentsContract>> calls = List.of((client) -> client.text(none()),
				(client) -> client.header(none()), (client) -> client.cookie(none(), null, null),
				(client) -> client.body(none()), (client) -> client.list(none()));
		for (Call<ArgumentsContract> call : calls) {
			Outcome outcome = sameUnsent(ArgumentsContract.class, call);
			assertThat(outcome.failure(IllegalArgumentException.class))
				.hasMessageMatching("(Missing|RequestBody is required).*");
		}
	}

	@Test
	@DisplayName("parameters of type UUID, enum, boolean, long, BigDecimal and char are converted")
	void typedParameters() {
		assertSeen(
				sameAnywhere(ArgumentsContract.class,
						(client) -> client.typed(ID, Colour.BLUE, false, Long.MIN_VALUE, new BigDecimal("1.10"), 'ß')),
				ID.toString(), "BLUE", "false", "-9223372036854775808", "1.10", "ß");
	}

	@Test
	@DisplayName("a char parameter that is a blank and a BigDecimal in scientific form end as over HTTP")
	void typedParametersAtTheEdge() {
		for (char letter : new char[] { ' ', '+', '&', '\t' }) {
			sameAnywhere(ArgumentsContract.class,
					(client) -> client.typed(ID, Colour.RED, true, 0, new BigDecimal("1E+40"), letter));
		}
	}

	@Test
	@DisplayName("Instant and Duration parameters keep their nanoseconds")
	void timeParameters() {
		Instant instant = Instant.parse("2026-11-21T10:15:30.123456789Z");
		assertSeen(
				sameAnywhere(ArgumentsContract.class,
						(client) -> client.times(instant, Duration.ofNanos(90_000_000_001L))),
				"2026-11-21T10:15:30.123456789Z", "PT1M30.000000001S");
	}

	@Test
	@DisplayName("dates without a format lose what the client's default format loses")
	void unformattedDates() {
		for (int year : new int[] { 2026, 1926, 2126 }) {
			sameAnywhere(ArgumentsContract.class,
					(client) -> client.plainDates(LocalDate.of(year, 3, 4), LocalDateTime.of(year, 3, 4, 5, 6, 7)));
		}
	}

	@Test
	@DisplayName("dates with an ISO format arrive whole")
	void isoDates() {
		assertSeen(
				same(ArgumentsContract.class,
						(client) -> client.isoDates(LocalDate.of(1926, 3, 4), LocalDateTime.of(1926, 3, 4, 5, 6, 7))),
				"1926-03-04", "1926-03-04T05:06:07");
	}

	@Test
	@DisplayName("a type with a converter of its own at either end is converted by both")
	void customConverter() {
		DefaultFormattingConversionService conversion = new DefaultFormattingConversionService();
		conversion.addConverter(Sku.class, String.class,
				(sku) -> sku.maker().toUpperCase(Locale.ROOT) + "-" + sku.number());
		KitClient client = KitClient.BLOCKING.withProxyFactory((builder) -> builder.conversionService(conversion));
		assertSeen(sameAnywhere(ArgumentsContract.class, client, (arguments) -> arguments.sku(new Sku("acme", 7))),
				"Sku[maker=ACME, number=7]");
	}

	@Test
	@DisplayName("a type without a converter at the client fails as over HTTP")
	void missingConverter() {
		Outcome outcome = sameEvenIfUnsent(ArgumentsContract.class, (client) -> client.sku(new Sku("acme", 7)));
		assertThat(outcome.returned()).isFalse();
	}

	@Test
	@DisplayName("headers arrive, one value or several")
	void headers() {
		assertSeen(same(ArgumentsContract.class, (client) -> client.header("value; q=1, more")), "value; q=1, more");
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.headers(List.of("a", "b"))), "a", "b");
		assertThat(sameAnywhere(ArgumentsContract.class, (client) -> client.headers(List.of("a,b"))).returned())
			.isTrue();
	}

	@Test
	@DisplayName("header defaults, optional headers and maps of headers arrive")
	void headerDefaults() {
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.headerDefault(null)), "seven");
		assertSeen(same(ArgumentsContract.class, (client) -> client.headerDefault("eight")), "eight");
		assertSeen(same(ArgumentsContract.class, (client) -> client.headerOptional(Optional.empty())),
				"Optional.empty");
		assertSeen(same(ArgumentsContract.class, (client) -> client.headerOptional(Optional.of("x"))), "Optional[x]");
		assertSeen(sameAnywhere(ArgumentsContract.class,
				(client) -> client.headerMap(Map.of("X-Kit-B", "2", "X-Kit-A", "1"))), "1", "2");
	}

	@Test
	@DisplayName("header values with blanks around them, line breaks or Unicode end as over HTTP")
	void headerValuesAtTheEdge() {
		for (String value : List.of(" padded ", "", "grün", "日本", "a\r\nX-Kit-Fixed: injected", "tab\there")) {
			Outcome outcome = sameAnywhere(ArgumentsContract.class, (client) -> client.header(value));
			assertThat(outcome.toString()).as(value).doesNotContain("injected]");
		}
	}

	@Test
	@DisplayName("a header that the annotation fixes reaches the parameter that is null at the client")
	void fixedHeader() {
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.headerFixed(null)), "always");
		sameAnywhere(ArgumentsContract.class, (client) -> client.headerFixed("sometimes"));
	}

	@Test
	@DisplayName("a default header of the client reaches the parameter that is null at the client")
	void defaultHeaderOfTheClient() {
		KitClient client = KitClient.BLOCKING
			.withRestClient((builder) -> builder.defaultHeader("X-Kit-Ambient", "from the client"));
		assertSeen(sameAnywhere(ArgumentsContract.class, client, (arguments) -> arguments.headerAmbient(null)),
				"from the client");
		assertSeen(sameAnywhere(ArgumentsContract.class, client, (arguments) -> arguments.headerAmbient("explicit")),
				"explicit");
	}

	@Test
	@DisplayName("a header that an interceptor of the client adds is seen by the server")
	void headerOfAnInterceptor() {
		KitClient client = KitClient.BLOCKING
			.withRestClient((builder) -> builder.requestInterceptor((request, body, execution) -> {
				request.getHeaders().set("X-Kit-Ambient", "intercepted " + request.getMethod());
				return execution.execute(request, body);
			}));
		assertSeen(sameAnywhere(ArgumentsContract.class, client, (arguments) -> arguments.headerAmbient(null)),
				"intercepted GET");
	}

	@Test
	@DisplayName("a default request of the client is seen by the server")
	void defaultRequestOfTheClient() {
		KitClient client = KitClient.BLOCKING.withRestClient((builder) -> builder
			.defaultRequest((request) -> request.header("X-Kit-Ambient", "from the default request")));
		assertSeen(sameAnywhere(ArgumentsContract.class, client, (arguments) -> arguments.headerAmbient(null)),
				"from the default request");
	}

	@Test
	@DisplayName("cookies arrive, optional ones and defaults included")
	void cookies() {
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.cookie("a", null, null)), "a", "null",
				"third");
		assertSeen(same(ArgumentsContract.class, (client) -> client.cookie("a", "b", "c")), "a", "b", "c");
	}

	@Test
	@DisplayName("cookie values with separators, quotes or Unicode end as over HTTP")
	void cookieValuesAtTheEdge() {
		for (String value : List.of("a b", "a;other=injected", "a,b", "\"quoted\"", "grün", "a=b", "")) {
			sameAnywhere(ArgumentsContract.class, (client) -> client.cookie(value, null, null));
		}
	}

	@Test
	@DisplayName("a request attribute of the client stays at the client")
	void requestAttribute() {
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.attribute("secret of the client")), "null");
	}

	@Test
	@DisplayName("a body arrives, and an optional one may be missing")
	void bodies() {
		assertSeen(same(ArgumentsContract.class, (client) -> client.body(new Named("a", 1))), "Named[name=a, count=1]");
		assertSeen(same(ArgumentsContract.class, (client) -> client.optionalBody(new Named(null, 0))),
				"Named[name=null, count=0]");
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.optionalBody(null)), "null");
	}

	@Test
	@DisplayName("a form arrives as a form")
	void form() {
		MultiValueMap<String, String> form = new LinkedMultiValueMap<>();
		form.add("a", "1 & 2");
		form.add("a", "grün");
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.form(form)), "{a=[1 & 2, grün]}");
	}

	@Test
	@DisplayName("a multipart request arrives, by HTTP if need be and then with a reason")
	void multipart() {
		Resource file = new ByteArrayResource("content".getBytes(StandardCharsets.UTF_8)) {
			@Override
			public String getFilename() {
				return "file.txt";
			}
		};
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.multipart(new Named("a", 1), file)),
				"Named[name=a, count=1]", "file.txt", "content");
	}

	@Test
	@DisplayName("the HTTP method may be an argument")
	void methodArgument() {
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.method(HttpMethod.PUT, "a")), "PUT", "a");
		assertSeen(sameAnywhere(ArgumentsContract.class, (client) -> client.method(HttpMethod.DELETE, "b")), "DELETE",
				"b");
	}

	@Test
	@DisplayName("arguments of all kinds arrive together, each at its place")
	void everythingAtOnce() {
		assertSeen(
				same(ArgumentsContract.class, (client) -> client.everything(9, List.of(Colour.RED, Colour.BLUE),
						"header", "cookie", new Named("n", 3))),
				"9", "[RED, BLUE]", "header", "cookie", "Named[name=n, count=3]");
	}

	@SuppressWarnings({ "NullAway", "TypeParameterUnusedInFormals" })
	private static <T> T none() {
		return null;
	}

	private static void assertSeen(Outcome outcome, String... parts) {
		assertThat(outcome.value()).isEqualTo(new Seen(List.of(parts)));
	}

}
