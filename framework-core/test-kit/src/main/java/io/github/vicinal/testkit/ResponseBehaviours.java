package io.github.vicinal.testkit;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.StringJoiner;

import io.github.vicinal.testkit.Kit.Call;
import io.github.vicinal.testkit.contract.ResponseContract;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientResponseException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Output of handlers, interceptors and exception handlers to the response arrives as it
 * would over HTTP.
 */
abstract class ResponseBehaviours extends Behaviours {

	private Outcome answer(Call<ResponseContract> call) {
		return sameAnywhere(ResponseContract.class, call);
	}

	/** A response that the server gives up once a part of it has left. */
	private Outcome ended(Call<ResponseContract> call) {
		return sameAsOnceAnywhere(ResponseContract.class, call);
	}

	private static RestClientResponseException failure(Outcome outcome, int status) {
		RestClientResponseException ex = outcome.failure(RestClientResponseException.class);
		assertThat(ex.getStatusCode().value()).isEqualTo(status);
		return ex;
	}

	private static @Nullable String header(RestClientResponseException ex, String name) {
		return Objects.requireNonNull(ex.getResponseHeaders()).getFirst(name);
	}

	private static ResponseEntity<?> entity(Outcome outcome) {
		return outcome.value(ResponseEntity.class);
	}

	@Test
	@DisplayName("an error status that the handler sets is an error, with the body that it returns")
	void errorStatus() {
		assertThat(failure(answer((client) -> client.status(404)), 404).getResponseBodyAsString())
			.isEqualTo("status 404");
		failure(answer((client) -> client.status(503)), 503);
		failure(answer((client) -> client.statusOfNothing(404)), 404);
		failure(answer((client) -> {
			client.statusOfVoid(404);
			return null;
		}), 404);
	}

	@Test
	@DisplayName("a success status that the handler sets is a success, with or without a body")
	void successStatus() {
		assertThat(answer((client) -> client.status(201)).value()).isEqualTo("status 201");
		assertThat(answer((client) -> client.status(202)).value()).isEqualTo("status 202");
		assertThat(answer((client) -> client.statusOfNothing(204)).value()).isNull();
		assertThat(answer((client) -> client.statusOfNothing(200)).value()).isNull();
	}

	@Test
	@DisplayName("a body beside a status that has none has the same fate")
	void statusWithoutBody() {
		assertThat(answer((client) -> client.status(204)).returned()).isTrue();
		assertThat(answer((client) -> client.status(304))).isNotNull();
		assertThat(answer((client) -> client.statusOfNothing(304))).isNotNull();
		assertThat(answer((client) -> client.status(205))).isNotNull();
	}

	@Test
	@DisplayName("a status outside the registered ones arrives")
	void oddStatus() {
		failure(answer((client) -> client.status(499)), 499);
		failure(answer((client) -> client.status(599)), 599);
		assertThat(answer((client) -> client.status(299)).returned()).isTrue();
		assertThat(answer((client) -> client.status(999))).isNotNull();
	}

	@Test
	@DisplayName("the status of a ResponseEntity replaces the one that the handler set")
	void statusBesideEntity() {
		assertThat(entity(answer((client) -> client.statusBesideEntity(404))).getStatusCode().value()).isEqualTo(202);
	}

	@Test
	@DisplayName("sendError is an error with the server's own body, with and without a message")
	void sendError() {
		assertThat(failure(answer((client) -> client.error(403, null)), 403).getResponseBodyAsString())
			.contains("Forbidden", "/kit/response/error");
		failure(answer((client) -> client.error(409, "because of kit")), 409);
		failure(answer((client) -> client.error(500, "own fault")), 500);
	}

	@Test
	@DisplayName("sendError of a void handler is an error, too")
	void sendErrorOfVoid() {
		failure(answer((client) -> {
			client.errorOfVoid(403, "no");
			return null;
		}), 403);
	}

	@Test
	@DisplayName("a value returned after sendError is too late")
	void sendErrorBesideEntity() {
		RestClientResponseException ex = failure(answer((client) -> client.errorBesideEntity(409)), 409);
		assertThat(ex.getResponseBodyAsString()).doesNotContain("too late");
	}

	@Test
	@DisplayName("a status that is no error is sent by sendError, too")
	void sendErrorOfSuccess() {
		assertThat(
				answer((client) -> String.valueOf(client.error(200, null)).replaceAll("\"timestamp\":\"[^\"]*\"", ""))
					.value())
			.asString()
			.contains("/kit/response/error");
		assertThat(answer((client) -> client.error(304, null))).isNotNull();
	}

	@Test
	@DisplayName("sendError after the handler has set a content type ends alike")
	void sendErrorOfType() {
		for (String type : List.of("application/json", "application/json;charset=UTF-8", "application/problem+json",
				"application/*", "*/*", "text/plain", "text/html;charset=UTF-8", "application/xml",
				"application/octet-stream")) {
			assertThat(answer((client) -> client.errorOfType(type)).returned()).as(type).isFalse();
		}
	}

	@Test
	@DisplayName("headers that the handler sets, replaces and adds arrive with all values")
	void headers() {
		assertThat(entity(answer((client) -> client.headers("set"))).getHeaders().getFirst("X-Kit-One"))
			.isEqualTo("one");
		assertThat(entity(answer((client) -> client.headers("replace"))).getHeaders().getOrEmpty("X-Kit-One"))
			.containsExactly("two");
		assertThat(entity(answer((client) -> client.headers("add"))).getHeaders().getOrEmpty("X-Kit-Many"))
			.containsExactly("one", "two, three", "four");
		assertThat(entity(answer((client) -> client.headers("empty"))).getHeaders()).isNotNull();
	}

	@Test
	@DisplayName("header values that HTTP cannot carry as they are end alike")
	void unusualHeaders() {
		assertThat(entity(answer((client) -> client.headers("line-break"))).getHeaders().getFirst("X-Kit-Two"))
			.isNull();
		assertThat(entity(answer((client) -> client.headers("blanks"))).getHeaders().getFirst("X-Kit-One"))
			.isEqualTo("one and two");
		assertThat(entity(answer((client) -> client.headers("foreign"))).getHeaders().getFirst("X-Kit-Two"))
			.isEqualTo("two");
	}

	@Test
	@DisplayName("many headers arrive, unless the HTTP library has a limit")
	void manyHeaders() {
		Outcome outcome = answer((client) -> client.headersOfPost("many"));
		if (outcome.returned()) {
			assertThat(entity(outcome).getHeaders().getFirst("X-Kit-299")).isEqualTo("value 299");
		}
		else {
			outcome.failure(ResourceAccessException.class);
		}
	}

	@Test
	@DisplayName("numbers and dates become headers")
	void typedHeaders() {
		ResponseEntity<?> answer = entity(answer((client) -> client.headers("typed")));
		assertThat(answer.getHeaders().getFirst("X-Kit-Count")).isEqualTo("7");
		assertThat(answer.getHeaders().getFirst("X-Kit-Date")).isEqualTo("Fri, 02 Jan 2026 03:04:05 GMT");
	}

	@Test
	@DisplayName("a header of a ResponseEntity and the same one of the handler end alike")
	void headerBesideEntity() {
		assertThat(entity(answer((client) -> client.headers("overridden"))).getHeaders().getOrEmpty("X-Kit-Entity"))
			.contains("entity");
	}

	@Test
	@DisplayName("a locale becomes Content-Language, Vary keeps all of its values")
	void localeAndVary() {
		assertThat(entity(answer((client) -> client.headers("locale"))).getHeaders().getFirst("Content-Language"))
			.isEqualTo("pt-BR");
		assertThat(entity(answer((client) -> client.headers("vary"))).getHeaders().getVary()).hasSize(2);
	}

	@Test
	@DisplayName("reset takes headers and status back")
	void reset() {
		ResponseEntity<?> answer = entity(answer((client) -> client.headers("reset")));
		assertThat(answer.getStatusCode().value()).isEqualTo(200);
		assertThat(answer.getHeaders().getFirst("X-Kit-One")).isNull();
	}

	@Test
	@DisplayName("headers that were set before a failure have the same fate")
	void headersAndFailure() {
		for (String how : List.of("set", "typed", "vary")) {
			failure(answer((client) -> client.headersAndFailure(how)), 409);
		}
	}

	@Test
	@DisplayName("headers in several spellings that were set before a failure have the same fate")
	void spellingsAndFailure() {
		if (!kit().environment().repeatsValuesBySpelling()) {
			failure(answer((client) -> client.headersAndFailure("add")), 409);
			return;
		}
		List<String> expected = spellingsAndFailure(kit().http(ResponseContract.class, KitClient.BLOCKING));
		List<String> actual = spellingsAndFailure(kit().path(ResponseContract.class, KitClient.BLOCKING));
		assertThat(actual).doesNotHaveDuplicates().containsExactlyElementsOf(new LinkedHashSet<>(expected));
	}

	private List<String> spellingsAndFailure(ResponseContract client) {
		Outcome outcome = kit().outcome(() -> client.headersAndFailure("add"));
		return Objects.requireNonNull(failure(outcome, 409).getResponseHeaders()).getOrEmpty("X-Kit-Many");
	}

	@Test
	@DisplayName("cookies of the handler become Set-Cookie")
	void cookies() {
		assertThat(setCookies("plain")).containsExactly("kit=value");
		assertThat(setCookies("full")).singleElement().asString().contains("Secure", "HttpOnly", "SameSite=Strict");
		assertThat(setCookies("several")).hasSize(2);
		assertThat(setCookies("both")).isNotEmpty();
	}

	private List<String> setCookies(String how) {
		return entity(answer((client) -> client.cookies(how))).getHeaders().getOrEmpty("Set-Cookie");
	}

	@Test
	@DisplayName("checkNotModified answers 304 to a matching ETag, and sends ETag otherwise")
	void etag() {
		assertThat(notModified("etag", "\"kit-1\"", null).getStatusCode().value()).isEqualTo(304);
		assertThat(notModified("etag", "\"kit-2\"", null).getBody()).isEqualTo("modified");
		assertThat(notModified("etag", null, null).getHeaders().getETag()).isEqualTo("\"kit-1\"");
		assertThat(notModified("etag", "*", null)).isNotNull();
		assertThat(notModified("etag", "W/\"kit-1\", \"other\"", null).getStatusCode().value()).isEqualTo(304);
	}

	@Test
	@DisplayName("checkNotModified answers 304 to a matching date")
	void lastModified() {
		assertThat(notModified("date", null, "Fri, 02 Jan 2026 03:04:05 GMT").getStatusCode().value()).isEqualTo(304);
		assertThat(notModified("date", null, "Fri, 02 Jan 2025 03:04:05 GMT").getBody()).isEqualTo("modified");
		assertThat(notModified("both", "\"kit-2\"", "Fri, 02 Jan 2026 03:04:05 GMT").getStatusCode().value())
			.isEqualTo(200);
	}

	@Test
	@DisplayName("a ResponseEntity with ETag or Last-Modified answers conditional requests")
	void conditionalEntity() {
		assertThat(notModified("entity-etag", "\"kit-1\"", null).getStatusCode().value()).isEqualTo(304);
		assertThat(notModified("entity-etag", "\"kit-2\"", null).getBody()).isEqualTo("modified");
		assertThat(notModified("entity-date", null, "Fri, 02 Jan 2026 03:04:05 GMT").getStatusCode().value())
			.isEqualTo(304);
		assertThat(notModified("entity-both", "\"kit-1\"", "Fri, 02 Jan 2026 03:04:05 GMT").getStatusCode().value())
			.isEqualTo(304);
		assertThat(notModified("entity-both", null, null).getHeaders().getCacheControl()).isEqualTo("max-age=60");
	}

	private ResponseEntity<?> notModified(String how, @Nullable String match, @Nullable String since) {
		return entity(answer((client) -> client.notModified(how, match, since)));
	}

	@Test
	@DisplayName("a change with a stale If-Match is refused with 412")
	void preconditionFailed() {
		assertThat(entity(answer((client) -> client.changed("checked", "\"kit-1\""))).getBody()).isEqualTo("changed");
		failure(answer((client) -> client.changed("checked", "\"kit-2\"")), 412);
		assertThat(answer((client) -> client.changed("entity", "\"kit-2\""))).isNotNull();
		assertThat(answer((client) -> client.changed("entity", "\"kit-1\""))).isNotNull();
	}

	@Test
	@DisplayName("a Location made from the current request is absolute")
	void location() {
		assertThat(entity(answer((client) -> client.created("absolute"))).getHeaders().getLocation()).asString()
			.startsWith("http://localhost:")
			.endsWith("/kit/response/created/a%20b");
		assertThat(entity(answer((client) -> client.created("relative"))).getHeaders().getLocation()).asString()
			.isEqualTo("created/1");
	}

	@Test
	@DisplayName("a ProblemDetail as return value has its status, media type and instance")
	void problemDetail() {
		RestClientResponseException ex = failure(answer((client) -> client.problem(409)), 409);
		assertThat(header(ex, "Content-Type")).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
		assertThat(ex.getResponseBodyAsString()).contains("/kit/response/problem", "a detail", "more");
		assertThat(answer((client) -> client.problem(200)).returned()).isTrue();
	}

	@Test
	@DisplayName("a ProblemDetail in a ResponseEntity has its status, too")
	void problemEntity() {
		assertThat(header(failure(answer((client) -> client.problemEntity(422)), 422), "X-Kit-Entity"))
			.isEqualTo("entity");
	}

	@Test
	@DisplayName("an ErrorResponse as return value has its status and headers")
	void errorResponse() {
		RestClientResponseException ex = failure(answer((client) -> client.errorResponse(402)), 402);
		assertThat(header(ex, "X-Kit-Problem")).isEqualTo("returned");
		assertThat(header(ex, "Content-Type")).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
	}

	@Test
	@DisplayName("@ResponseStatus of a handler gives status, with a reason it is an error without the result")
	void annotatedStatus() {
		assertThat(answer(ResponseContract::annotated).value()).isEqualTo("created");
		RestClientResponseException ex = failure(answer(ResponseContract::annotatedWithReason), 423);
		assertThat(ex.getResponseBodyAsString()).doesNotContain("a result");
	}

	@Test
	@DisplayName("an exception handler adds status, headers and cookies to the response")
	void handled() {
		RestClientResponseException ex = failure(answer((client) -> client.handled("text")), 409);
		assertThat(ex.getResponseBodyAsString()).isEqualTo("handled");
		assertThat(header(ex, "X-Kit-Handler")).isEqualTo("text");
		assertThat(header(failure(answer((client) -> client.handled("entity")), 423), "X-Kit-More")).isEqualTo("more");
		assertThat(header(failure(answer((client) -> client.handled("cookie")), 409), "Set-Cookie"))
			.isEqualTo("kit-handler=1");
	}

	@Test
	@DisplayName("an exception handler may recover, with headers")
	void recovered() {
		assertThat(answer((client) -> client.handled("header-only")).value()).isEqualTo("recovered");
		assertThat(
				entity(answer((client) -> client.handledEntity("header-only"))).getHeaders().getFirst("X-Kit-Handler"))
			.isEqualTo("header-only");
	}

	@Test
	@DisplayName("an exception handler may send an error, write by itself or return a problem")
	void handledOtherwise() {
		failure(answer((client) -> client.handled("error")), 403);
		assertThat(failure(answer((client) -> client.handled("written")), 422).getResponseBodyAsString())
			.isEqualTo("written by the handler");
		assertThat(failure(answer((client) -> client.handled("problem")), 410).getResponseBodyAsString())
			.contains("/kit/response/handled");
		failure(answer((client) -> client.handled("fails")), 500);
	}

	@Test
	@DisplayName("Cache-Control, Expires and Vary arrive")
	void caching() {
		for (String how : List.of("max-age", "no-store", "by-hand")) {
			assertThat(entity(answer((client) -> client.caching(how))).getHeaders().getCacheControl()).isNotEmpty();
		}
		assertThat(entity(answer((client) -> client.caching("vary"))).getHeaders().getVary()).isNotEmpty();
	}

	@Test
	@DisplayName("the output that a handler writes by itself is the result")
	void written() {
		assertThat(answer((client) -> client.written("writer")).value()).isEqualTo("written ü");
		assertThat(answer((client) -> client.written("stream")).value()).isEqualTo("streamed");
		assertThat(entity(answer((client) -> client.writtenBesideEntity("writer"))).getBody()).isEqualTo("written ü");
		assertThat(answer((client) -> client.written("nothing"))).isNotNull();
	}

	@Test
	@DisplayName("the output that a void handler writes by itself may be an error")
	void writtenByVoid() {
		for (String how : List.of("writer", "stream", "flushed", "nothing")) {
			assertThat(answer((client) -> {
				client.writtenByVoid(how);
				return null;
			}).returned()).isTrue();
		}
		assertThat(failure(answer((client) -> {
			client.writtenByVoid("status");
			return null;
		}), 409).getResponseBodyAsString()).isEqualTo("{\"written\":true}");
	}

	@Test
	@DisplayName("headers that are set after the response was committed, or reset before, do not arrive")
	void committed() {
		assertThat(
				entity(answer((client) -> client.writtenBesideEntity("flushed"))).getHeaders().getFirst("X-Kit-Late"))
			.isNull();
		failure(answer((client) -> client.written("reset")), 410);
	}

	@Test
	@DisplayName("headers and status that were set can be read back")
	void readBack() {
		assertThat(answer((client) -> client.readBack("status")).value()).isEqualTo("200 202");
		assertThat(answer((client) -> client.readBack("headers")).value()).isEqualTo("one [one, two] true null true");
		for (String how : List.of("content", "buffer", "urls", "locale")) {
			assertThat(answer((client) -> client.readBack(how)).returned()).isTrue();
		}
	}

	@Test
	@DisplayName("a redirect is followed, or not, as by HTTP")
	void redirect() {
		for (Outcome outcome : List.of(answer(ResponseContract::moved), answer(ResponseContract::movedEntity))) {
			if (!outcome.returned()) {
				failure(outcome, 404);
			}
		}
	}

	@Test
	@DisplayName("headers, cookies and status of an interceptor arrive if they were set in front of the handler")
	void intercepted() {
		ResponseEntity<?> answer = entity(answer((client) -> client.intercepted("plain")));
		assertThat(answer.getHeaders().getFirst("X-Kit-Before")).isEqualTo("plain");
		assertThat(entity(answer((client) -> client.intercepted("cookie"))).getHeaders().getFirst("Set-Cookie"))
			.isEqualTo("kit-before=1");
		assertThat(answer((client) -> client.interceptedText("status")).returned()).isTrue();
		assertThat(entity(answer((client) -> client.interceptedEntity("plain"))).getHeaders()).isNotNull();
	}

	@Test
	@DisplayName("headers that an interceptor sets behind the handler arrive as over HTTP")
	void interceptedLate() {
		for (String how : List.of("plain", "late-status", "late-failure", "flushed", "flushed-late-failure",
				"flushed-null", "flushed-null-late-failure")) {
			assertThat(ended((client) -> client.intercepted(how))).isNotNull();
			assertThat(ended((client) -> client.interceptedText(how))).isNotNull();
			assertThat(ended((client) -> {
				client.interceptedVoid(how);
				return null;
			})).isNotNull();
			assertThat(ended((client) -> client.interceptedEntity(how))).isNotNull();
			assertThat(ended((client) -> client.interceptedNumbers(how))).isNotNull();
		}
	}

	@Test
	@DisplayName("an interceptor may answer by itself, or reject")
	void interceptorAnswers() {
		assertThat(failure(answer((client) -> client.intercepted("answers")), 402).getResponseBodyAsString())
			.isEqualTo("answered by the interceptor");
		failure(answer((client) -> client.interceptedText("rejects")), 403);
		failure(answer((client) -> client.interceptedText("throws")), 402);
		assertThat(answer((client) -> client.interceptedText("answers-empty")).value()).isNull();
		assertThat(answer((client) -> client.interceptedText("rejects-and-goes-on"))).isNotNull();
	}

	@Test
	@DisplayName("an interceptor sees the unhandled failure of a handler")
	void interceptedFailure() {
		failure(answer((client) -> client.intercepted("fails")), 500);
	}

	@Test
	@DisplayName("interceptors take the same steps, once")
	void interceptions() {
		for (String how : List.of("plain", "answers", "rejects", "throws", "fails", "late-failure")) {
			assertThat(sameSeveralAnywhere(ResponseContract.class, (client) -> steps(client, how)).value()).asString()
				.startsWith("before " + how);
		}
	}

	/** The last step may come after the answer. */
	private String steps(ResponseContract client, String how) {
		ResponseContract http = http(ResponseContract.class);
		http.interceptions();
		kit().outcome(() -> client.intercepted(how));
		StringJoiner steps = new StringJoiner(", ");
		boolean completes = !how.equals("answers") && !how.equals("rejects") && !how.equals("throws");
		Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> {
			String further = http.interceptions();
			if (!further.isEmpty()) {
				steps.add(further);
			}
			return !completes || steps.toString().contains("completed");
		});
		return steps.toString();
	}

}
