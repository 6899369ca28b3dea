package io.github.vicinal.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.github.vicinal.testkit.contract.RequestContract;
import io.github.vicinal.testkit.contract.RequestContract.Parcel;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A handler that looks at its request sees what it would see over HTTP.
 */
abstract class RequestBehaviours extends Behaviours {

	private String look(String what) {
		return sameAnywhere(RequestContract.class, (client) -> client.look(what)).value(String.class);
	}

	private String lookAtPath(String what) {
		return sameAnywhere(RequestContract.class, (client) -> client.lookAtPath("a b", "c d", what))
			.value(String.class);
	}

	@Test
	@DisplayName("the HTTP method is the contract's")
	void method() {
		assertThat(look("method")).isEqualTo("GET");
		assertThat(sameAnywhere(RequestContract.class, (client) -> client.lookAtPost("method")).value())
			.isEqualTo("POST");
		assertThat(sameAnywhere(RequestContract.class, (client) -> client.lookAtPut(7, "method")).value())
			.isEqualTo("7: PUT");
		assertThat(sameAnywhere(RequestContract.class, (client) -> client.lookAtPatch(7, "method")).value())
			.isEqualTo("7: PATCH");
		assertThat(sameAnywhere(RequestContract.class, (client) -> client.lookAtDelete(7, "method")).value())
			.isEqualTo("7: DELETE");
	}

	@Test
	@DisplayName("the request URI is expanded and encoded")
	void uri() {
		assertThat(look("uri")).endsWith("/kit/request/look");
		assertThat(sameAnywhere(RequestContract.class, (client) -> client.lookAtPath("a b", "ü;x=1", "uri")).value())
			.asString()
			.endsWith("/kit/request/look/a%20b/of/%C3%BC%3Bx%3D1");
	}

	@Test
	@DisplayName("a slash or a percent sign in a path variable has the same fate")
	void encodedSlash() {
		lookAtPathAnyOutcome("a/b", "c");
		lookAtPathAnyOutcome("100%", "c");
		lookAtPathAnyOutcome("..", "c");
		lookAtPathAnyOutcome("a;b", "c\\d");
		lookAtPathAnyOutcome("", "c");
	}

	private void lookAtPathAnyOutcome(String first, String second) {
		assertThat(sameAnywhere(RequestContract.class, (client) -> client.lookAtPath(first, second, "variables")))
			.isNotNull();
	}

	@Test
	@DisplayName("the request URL has scheme, host and port of the client's base URL")
	void url() {
		assertThat(look("url")).startsWith("http://localhost:port").endsWith("/kit/request/look");
	}

	@Test
	@DisplayName("the query string is encoded, in the order of the contract")
	void query() {
		assertThat(look("query")).isEqualTo("what=query");
		assertThat(sameAnywhere(RequestContract.class,
				(client) -> client.lookAtParameters("query", "ä &+%", List.of("x", "y z", ""), null))
			.value()).asString().contains("what=query&one=", "many=x&many=y%20z&many=");
	}

	@Test
	@DisplayName("the parameter map has all values, in order")
	void parameters() {
		assertThat(sameAnywhere(RequestContract.class,
				(client) -> client.lookAtParameters("parameters", "ä &+%", List.of("x", "y z", ""), "there"))
			.value()).asString().endsWith("what=[parameters] one=[ä &+%] many=[x, y z, ] absent=[there] ");
		assertThat(sameAnywhere(RequestContract.class,
				(client) -> client.lookAtParameters("parameter-names", "1", List.of("x"), null))
			.value()).asString().endsWith("[what, one, many]");
	}

	@Test
	@DisplayName("getParameter returns the first of several values, null if there is none")
	void parameter() {
		assertThat(sameAnywhere(RequestContract.class,
				(client) -> client.lookAtParameters("parameter:many", "1", List.of("x", "y"), null))
			.value()).asString().endsWith(": x of [x, y]");
		assertThat(sameAnywhere(RequestContract.class,
				(client) -> client.lookAtParameters("parameter:absent", "1", List.of("x"), null))
			.value()).asString().endsWith(": null of null");
	}

	@Test
	@DisplayName("headers of the contract are found, in any case, with all values")
	void contractHeaders() {
		assertThat(headers("header:X-Kit-One")).endsWith(": 1 of [1]");
		assertThat(headers("header:x-kit-many")).contains("a");
		assertThat(headers("header:X-Kit-Absent")).endsWith(": null of []");
	}

	private String headers(String what) {
		return sameAnywhere(RequestContract.class,
				(client) -> client.lookAtHeaders(what, "1", List.of("a", "b, c"), null))
			.value(String.class);
	}

	@Test
	@DisplayName("the list of headers is the same")
	void headerNames() {
		assertThat(look("header-names")).contains("accept", "host", "user-agent");
		assertThat(headers("header-names")).contains("x-kit-one", "x-kit-many").doesNotContain("x-kit-absent");
		assertThat(
				sameAnywhere(RequestContract.class, (client) -> client.lookAtBody("header-names", new Parcel("a", 1)))
					.value())
			.asString()
			.contains("content-type");
	}

	@Test
	@DisplayName("numbers and dates are read from headers")
	void typedHeaders() {
		assertThat(sameAnywhere(RequestContract.class,
				(client) -> client.lookAtTypedHeaders("int-header:X-Kit-Count", 42, null, null))
			.value()).asString().endsWith(": 42");
		assertThat(sameAnywhere(RequestContract.class, (client) -> client
			.lookAtTypedHeaders("date-header:If-Modified-Since", 1, "Fri, 02 Jan 2026 03:04:05 GMT", null)).value())
			.asString()
			.endsWith(": 1767323045000");
		assertThat(look("int-header:X-Kit-None") + look("date-header:X-Kit-None")).isEqualTo("-1-1");
	}

	@Test
	@DisplayName("a default header of the client is there")
	void clientHeaders() {
		KitClient client = KitClient.BLOCKING.withRestClient(
				(builder) -> builder.defaultHeader("X-Kit-Default", "default").defaultHeader("X-Kit-Two", "1", "2"));
		assertThat(sameAnywhere(RequestContract.class, client, (proxy) -> proxy.look("header:X-Kit-Default")).value())
			.isEqualTo("default of [default]");
		assertThat(sameAnywhere(RequestContract.class, client, (proxy) -> proxy.look("header-names")).value())
			.asString()
			.contains("x-kit-default", "x-kit-two=[1, 2]");
	}

	@Test
	@DisplayName("Accept is what the client's converters, or the contract, say")
	void acceptHeader() {
		assertThat(look("header:Accept")).contains(" of [");
		assertThat(sameAnywhere(RequestContract.class, (client) -> client.lookAtAccept("header:Accept")).value())
			.asString()
			.contains("application/json", "text/plain;q=0.5");
	}

	@Test
	@DisplayName("User-Agent and Host are the HTTP client's")
	void agentAndHost() {
		assertThat(look("header:User-Agent")).contains(" of [");
		assertThat(look("host")).isEqualTo("localhost:port");
	}

	@Test
	@DisplayName("Content-Type, length and character encoding are those of the body that HTTP would carry")
	void content() {
		assertThat(sameAnywhere(RequestContract.class, (client) -> client.lookAtBody("content", new Parcel("ü", 1)))
			.value()).asString().contains("application/json");
		assertThat(sameAnywhere(RequestContract.class, (client) -> client.lookAtText("content", "grün")).value())
			.asString()
			.containsIgnoringCase("text/plain;charset=utf-8 UTF-8");
		assertThat(sameAnywhere(RequestContract.class, (client) -> client.lookAtText("content-length", "grün")).value())
			.asString()
			.endsWith(": 5 5");
		sameAnywhere(RequestContract.class, (client) -> client.lookAtBody("content-length", new Parcel("ü", 1)));
		sameAnywhere(RequestContract.class, (client) -> client.lookAtPost("content-length"));
		sameAnywhere(RequestContract.class, (client) -> client.lookAtPut(1, "content-length"));
		sameAnywhere(RequestContract.class, (client) -> client.lookAtPatch(1, "content-length"));
		sameAnywhere(RequestContract.class, (client) -> client.lookAtDelete(1, "content-length"));
		sameAnywhere(RequestContract.class, (client) -> client.look("content-length"));
		assertThat(look("content")).startsWith("null ");
		assertThat(sameAnywhere(RequestContract.class, (client) -> client.lookAtPost("content")).value()).isNotNull();
	}

	@Test
	@DisplayName("a body that was read is at its end, an absent one, too")
	void restOfBody() {
		assertThat(
				sameAnywhere(RequestContract.class, (client) -> client.lookAtBody("rest-of-body", new Parcel("a", 1)))
					.value())
			.asString()
			.endsWith("0 bytes ''");
		assertThat(look("rest-of-body")).isEqualTo("0 bytes ''");
	}

	@Test
	@DisplayName("server name and port are those that the client addressed")
	void server() {
		assertThat(look("server")).startsWith("localhost ");
		assertThat(look("scheme")).isEqualTo("http false");
	}

	@Test
	@DisplayName("the remote address is what TCP shows")
	void remote() {
		assertThat(look("remote")).doesNotContain("null");
	}

	@Test
	@DisplayName("the local address is what TCP shows")
	void local() {
		assertThat(look("local")).doesNotContain("null");
	}

	@Test
	@DisplayName("cookies of the contract are there, none is null")
	void cookies() {
		assertThat(sameAnywhere(RequestContract.class, (client) -> client.lookAtCookies("cookies", "a", "b")).value())
			.asString()
			.contains("kit=a", "other=b");
		assertThat(
				sameAnywhere(RequestContract.class, (client) -> client.lookAtCookies("cookie:kit", "a", null)).value())
			.asString()
			.contains("a null: kit=a");
		assertThat(look("cookies")).isEqualTo("[none]");
	}

	@Test
	@DisplayName("the locale is the one of Accept-Language, else the default")
	void locale() {
		assertThat(sameAnywhere(RequestContract.class,
				(client) -> client.lookAtTypedHeaders("locale", 1, null, "fr-CA, it;q=0.5"))
			.value()).asString().endsWith("fr_CA of [fr_CA, it], fr_CA");
		assertThat(look("locale")).contains(" of [");
		assertThat(look("time-zone")).isNotEmpty();
	}

	@Test
	@DisplayName("without a login no user is logged in")
	void user() {
		assertThat(look("user")).isEqualTo("null null null false");
	}

	@Test
	@DisplayName("protocol, dispatcher type and asynchronous support are those of a request")
	void protocol() {
		assertThat(look("protocol")).startsWith("HTTP/");
		assertThat(look("dispatcher")).isEqualTo("REQUEST");
		assertThat(look("async")).endsWith("false");
	}

	@Test
	@DisplayName("request id and connection are there")
	void requestId() {
		assertThat(look("request-id")).startsWith("true");
		assertThat(look("connection")).endsWith("false");
	}

	@Test
	@DisplayName("context path, servlet path and path info are those of the dispatcher servlet")
	void paths() {
		assertThat(look("paths")).contains("/kit/request/look");
		assertThat(lookAtPath("paths")).contains("/kit/request/look/");
		assertThat(look("context")).isNotNull();
	}

	@Test
	@DisplayName("the servlet mapping is the dispatcher servlet's")
	void mapping() {
		assertThat(look("mapping")).contains("dispatcherServlet");
	}

	@Test
	@DisplayName("attributes that the handler sets are there until it removes them")
	void ownAttributes() {
		assertThat(look("own-attribute:kit.own")).isEqualTo("['null', 'set', true, 'null']");
		assertThat(look("own-attribute:kit.own")).isEqualTo("['null', 'set', true, 'null']");
	}

	@Test
	@DisplayName("the best matching pattern is in the request")
	void pattern() {
		assertThat(look("pattern")).isEqualTo("/kit/request/look");
		assertThat(lookAtPath("pattern")).endsWith("/kit/request/look/{first}/of/{second}");
		assertThat(look("within-mapping")).isNotEmpty();
	}

	@Test
	@DisplayName("the parsed path is in the request")
	void parsedPath() {
		assertThat(look("parsed-path")).endsWith("/kit/request/look true");
		assertThat(lookAtPath("parsed-path")).contains("/kit/request/look/").endsWith(" true");
		assertThat(look("translated")).isEqualTo("true");
	}

	@Test
	@DisplayName("handlers find the observation of their request")
	void observation() {
		assertThat(look("observation")).isEqualTo("/kit/request/look true");
	}

	@Test
	@DisplayName("OPTIONS has the answer of the servlet, too")
	void options() {
		assertThat(sameAnywhere(RequestContract.class, RequestContract::options).value()).asString()
			.containsIgnoringCase("x-kit")
			.containsIgnoringCase("allow");
	}

	@Test
	@DisplayName("the URI variables are in the request, decoded")
	void variables() {
		assertThat(sameAnywhere(RequestContract.class, (client) -> client.lookAtPath("a b", "ü", "variables")).value())
			.asString()
			.endsWith("{first=a b, second=ü}");
		assertThat(look("variables")).isNotNull();
	}

	@Test
	@DisplayName("the handler is in the request")
	void handler() {
		assertThat(look("handler")).contains("RequestController#look");
	}

	@Test
	@DisplayName("links are built from the current request")
	void currentRequest() {
		assertThat(look("current-request")).startsWith("http://localhost:port")
			.endsWith("/kit/request/look?what=current-request");
		assertThat(sameAnywhere(RequestContract.class,
				(client) -> client.lookAtParameters("current-request", "a b", List.of("ü", "&"), null))
			.value()).asString().contains("one=a%", "many=%");
	}

	@Test
	@DisplayName("links are built from URI, context path and servlet mapping")
	void currentPaths() {
		assertThat(look("current-request-uri")).endsWith("/kit/request/look/next");
		assertThat(look("current-context-path")).startsWith("http://localhost:port").endsWith("/next");
		assertThat(look("current-servlet-mapping")).startsWith("http://localhost:port").endsWith("/next");
	}

	@Test
	@DisplayName("an injected WebRequest shows the same request")
	void webRequest() {
		assertThat(look("web-request")).contains("/kit/request/look web-request");
	}

	@Test
	@DisplayName("RequestContextHolder has request and response")
	void holder() {
		assertThat(look("holder")).contains("/kit/request/look holder true");
		assertThat(look("same")).isEqualTo("true");
	}

	@Test
	@DisplayName("no session is there unless somebody asks for one")
	void noSession() {
		assertThat(look("session-id")).isEqualTo("null false");
		assertThat(session("none", "none")).containsExactly("session false, requested false, valid false",
				"session false, requested false, valid false");
	}

	@Test
	@DisplayName("a session is created and its cookie is sent")
	void newSession() {
		assertThat(sameAnywhere(RequestContract.class, (client) -> {
			ResponseEntity<String> answer = client.session("create", null);
			return answer.getBody() + withoutId(answer.getHeaders());
		}).value()).asString().startsWith("new true").contains("JSESSIONID=id");
	}

	@Test
	@DisplayName("a session is found again by its cookie")
	void sessionFoundAgain() {
		assertThat(session("count", "count", "injected", "scope", "scope", "kind")).containsExactly("count 1",
				"count 2", "count 3", "count 1", "count 2", "cookie true, URL false, new false");
	}

	@Test
	@DisplayName("a session-scoped bean lives as long as its session")
	void sessionScope() {
		assertThat(session("bean", "bean", "bean", "invalidate", "none", "bean")).containsExactly("visit 1", "visit 2",
				"visit 3", "left false", "session false, requested true, valid false", "visit 1");
	}

	@Test
	@DisplayName("attributes, limits and ids of a session are the session's")
	void sessionAttributes() {
		assertThat(session("names", "limit", "change", "count")).hasSize(4).contains("true", "changed true", "count 1");
	}

	@Test
	@DisplayName("two sessions do not mix")
	void twoSessions() {
		assertThat(session("count", "count")).containsExactly("count 1", "count 2");
		assertThat(session("count")).containsExactly("count 1");
	}

	@Test
	@DisplayName("a session id that was never issued finds no session")
	void unknownSession() {
		assertThat(sameAnywhere(RequestContract.class,
				(client) -> Objects.requireNonNull(client.session("none", "JSESSIONID=0123456789ABCDEF").getBody()))
			.value()).isEqualTo("session false, requested true, valid false");
	}

	/** Answers to a caller that keeps its session's cookie, call by call. */
	private List<Object> session(String... steps) {
		List<?> answers = sameSeveralAnywhere(RequestContract.class, (client) -> {
			String cookie = null;
			List<String> given = new ArrayList<>();
			for (String step : steps) {
				ResponseEntity<String> answer = client.session(step, cookie);
				given.add(String.valueOf(answer.getBody()));
				String set = answer.getHeaders().getFirst(HttpHeaders.SET_COOKIE);
				if (set != null) {
					cookie = set.substring(0, set.indexOf(';'));
				}
			}
			return given;
		}).value(List.class);
		return List.copyOf(answers);
	}

	private static List<String> withoutId(HttpHeaders headers) {
		return headers.getValuesAsList(HttpHeaders.SET_COOKIE)
			.stream()
			.map((value) -> value.replaceAll("JSESSIONID=[^;]+", "JSESSIONID=id"))
			.toList();
	}

}
