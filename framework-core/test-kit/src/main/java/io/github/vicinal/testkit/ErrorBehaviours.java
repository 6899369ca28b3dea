package io.github.vicinal.testkit;

import java.util.List;
import java.util.Objects;

import io.github.vicinal.testkit.contract.ErrorsContract;
import io.github.vicinal.testkit.contract.ErrorsContract.Checked;
import io.github.vicinal.testkit.contract.ErrorsContract.Problem;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClientResponseException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Failures arrive as the status, headers and body that the server's web layer makes of
 * them, never as the exception that was thrown.
 */
abstract class ErrorBehaviours extends Behaviours {

	@Test
	@DisplayName("an exception class with a response status gives that status, with or without a reason")
	void statusOfTheClass() {
		fails("status-class").failure(HttpClientErrorException.Gone.class);
		fails("status-class-without-reason").failure(HttpClientErrorException.Conflict.class);
	}

	@Test
	@DisplayName("a response status is also found on the cause")
	void statusOfTheCause() {
		fails("status-class-as-cause").failure(HttpClientErrorException.Gone.class);
	}

	@Test
	@DisplayName("a ResponseStatusException gives its status, and its reason only as far as HTTP shows it")
	void responseStatusException() {
		HttpClientErrorException ex = fails("response-status").failure(HttpClientErrorException.class);
		assertThat(ex.getStatusCode().value()).isEqualTo(423);
	}

	@Test
	@DisplayName("a status that no enum knows arrives")
	void unknownStatus() {
		fails("response-status-unknown").failure(RestClientResponseException.class);
		RestClientResponseException ex = same(ErrorsContract.class, (client) -> client.answerWith(499))
			.failure(RestClientResponseException.class);
		assertThat(ex.getStatusCode()).isEqualTo(HttpStatusCode.valueOf(499));
		same(ErrorsContract.class, (client) -> client.answerWith(599)).failure(HttpServerErrorException.class);
	}

	@Test
	@DisplayName("an ErrorResponseException gives its status and headers")
	void errorResponseException() {
		HttpClientErrorException ex = fails("problem").failure(HttpClientErrorException.class);
		assertThat(ex.getStatusCode().value()).isEqualTo(402);
		assertThat(Objects.requireNonNull(ex.getResponseHeaders()).getFirst("Retry-After")).isEqualTo("60");
	}

	@Test
	@DisplayName("an exception handler of the controller writes status, headers and JSON")
	void localHandler() {
		HttpClientErrorException ex = fails("local").failure(HttpClientErrorException.UnprocessableContent.class);
		assertThat(ex.getResponseBodyAs(Problem.class)).isEqualTo(new Problem("local", "handled here"));
		assertThat(Objects.requireNonNull(ex.getResponseHeaders()).getFirst("X-Kit-Problem")).isEqualTo("local");
	}

	@Test
	@DisplayName("an exception handler of an advice is found for the class, a subclass and the cause")
	void adviceHandler() {
		for (String how : List.of("advised", "advised-subclass", "advised-cause")) {
			HttpClientErrorException ex = fails(how).failure(HttpClientErrorException.Conflict.class);
			assertThat(Objects.requireNonNull(ex.getResponseHeaders()).getFirst("X-Kit-Problem")).isEqualTo("advised");
		}
	}

	@Test
	@DisplayName("an exception that a handler turns into a result is a result")
	void recovered() {
		assertThat(fails("recovered").value()).isEqualTo("recovered");
	}

	@Test
	@DisplayName("a problem detail arrives with its media type and additional properties")
	void problemDetail() {
		HttpClientErrorException ex = fails("problem-detail").failure(HttpClientErrorException.NotFound.class);
		assertThat(Objects.requireNonNull(ex.getResponseHeaders()).getContentType())
			.isEqualTo(MediaType.APPLICATION_PROBLEM_JSON);
		ProblemDetail detail = Objects.requireNonNull(ex.getResponseBodyAs(ProblemDetail.class));
		assertThat(detail.getDetail()).isEqualTo("no such element");
		assertThat(Objects.requireNonNull(detail.getInstance()).getPath())
			.isEqualTo("/kit/errors/throw/problem-detail");
	}

	@Test
	@DisplayName("a handler without a body gives a status without a body")
	void handlerWithoutBody() {
		HttpServerErrorException ex = fails("no-body").failure(HttpServerErrorException.NotImplemented.class);
		assertThat(ex.getResponseBodyAsByteArray()).isEmpty();
	}

	@Test
	@DisplayName("a handler that itself fails leaves the original exception unhandled")
	void handlerFails() {
		fails("handler-fails").failure(HttpServerErrorException.InternalServerError.class);
	}

	@Test
	@DisplayName("an uncaught exception is a 500 with the server's own error body and path")
	void uncaught() {
		HttpServerErrorException ex = fails("anything").failure(HttpServerErrorException.InternalServerError.class);
		assertThat(ex.getResponseBodyAsString()).doesNotContain("boom");
		fails("no-message").failure(HttpServerErrorException.InternalServerError.class);
	}

	@Test
	@DisplayName("a checked exception, declared or sneaked, is a 500 and not that exception")
	void checkedException() {
		same(ErrorsContract.class, ErrorsContract::failChecked)
			.failure(HttpServerErrorException.InternalServerError.class);
		fails("checked").failure(HttpServerErrorException.InternalServerError.class);
	}

	@Test
	@DisplayName("errors of the virtual machine and of assertions stay at the server")
	void errors() {
		for (String how : List.of("assertion", "stack-overflow", "linkage")) {
			fails(how).failure(HttpServerErrorException.InternalServerError.class);
		}
	}

	@Test
	@DisplayName("an error can have an exception handler")
	void handledError() {
		fails("advised-error").failure(HttpServerErrorException.ServiceUnavailable.class);
	}

	@Test
	@DisplayName("an exception that cannot be serialised, or that is its own cause, is a plain 500")
	void unserialisableException() {
		fails("unserialisable").failure(HttpServerErrorException.InternalServerError.class);
		fails("circular").failure(HttpServerErrorException.InternalServerError.class);
	}

	@Test
	@DisplayName("a client exception of the server's own downstream call is the server's failure: 500")
	void downstreamFailure() {
		fails("downstream-404").failure(HttpServerErrorException.InternalServerError.class);
		fails("downstream-unreachable").failure(HttpServerErrorException.InternalServerError.class);
	}

	@Test
	@DisplayName("exceptions that Spring itself knows get the status that Spring gives them")
	void springExceptions() {
		fails("async-timeout").failure(HttpServerErrorException.ServiceUnavailable.class);
	}

	@Test
	@DisplayName("an InterruptedException of the handler does not interrupt the caller")
	void interruptedException() {
		fails("interrupted").failure(HttpServerErrorException.InternalServerError.class);
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	@DisplayName("methods without a result and with an entity fail in the same way")
	void otherResultTypes() {
		same(ErrorsContract.class, (client) -> {
			client.failVoid("advised");
			return "returned";
		}).failure(HttpClientErrorException.Conflict.class);
		same(ErrorsContract.class, (client) -> client.failEntity("local"))
			.failure(HttpClientErrorException.UnprocessableContent.class);
		same(ErrorsContract.class, (client) -> client.failEntity("anything"))
			.failure(HttpServerErrorException.InternalServerError.class);
	}

	@Test
	@DisplayName("every error status gives the exception class that Spring has for it")
	void everyStatus() {
		for (int status = 400; status < 600; status += 1) {
			if (status % 100 <= 31 || status % 100 == 51) {
				int code = status;
				RestClientResponseException ex = same(ErrorsContract.class, (client) -> client.answerWith(code))
					.failure(RestClientResponseException.class);
				assertThat(ex.getStatusCode().value()).isEqualTo(code);
			}
		}
	}

	@Test
	@DisplayName("constraints on bodies and parameters are checked by the server where it has a validator")
	void validation() {
		Outcome body = same(ErrorsContract.class, (client) -> client.validated(new Checked("", 11)));
		Outcome parameter = same(ErrorsContract.class, (client) -> client.limited(11));
		for (Outcome outcome : List.of(body, parameter)) {
			if (!outcome.returned()) {
				outcome.failure(HttpClientErrorException.BadRequest.class);
			}
		}
		assertThat(same(ErrorsContract.class, (client) -> client.validated(new Checked("fine", 10))).value())
			.isEqualTo("fine");
	}

	@Test
	@DisplayName("the groups that a handler names are checked, and so is its result")
	void validationOfGroupsAndResults() {
		Outcome group = same(ErrorsContract.class, (client) -> client.limitedStrictly(11));
		if (!group.returned()) {
			group.failure(HttpClientErrorException.BadRequest.class);
		}
		Outcome result = same(ErrorsContract.class, (client) -> client.shortText("long"));
		if (!result.returned()) {
			result.failure(HttpServerErrorException.InternalServerError.class);
		}
		assertThat(same(ErrorsContract.class, (client) -> client.limitedStrictly(10)).value()).isEqualTo("fine");
		assertThat(same(ErrorsContract.class, (client) -> client.shortText("fit")).value()).isEqualTo("fit");
	}

	@Test
	@DisplayName("a handler that asks for the request gets it")
	void handlerWithRequest() {
		HttpClientErrorException ex = same(ErrorsContract.class, (client) -> client.serverNeedsMore(null))
			.failure(HttpClientErrorException.BadRequest.class);
		assertThat(ex.getResponseBodyAs(Problem.class)).isEqualTo(new Problem("missing", "uri=/kit/errors/needs"));
	}

	@Test
	@DisplayName("a status handler of the client turns a 404 into the application's own exception")
	void statusHandlerOfTheClient() {
		KitClient client = KitClient.BLOCKING.withRestClient(
				(builder) -> builder.defaultStatusHandler((status) -> status.value() == 404, (request, response) -> {
					throw new NothingFoundException(
							request.getMethod() + " " + request.getURI().getPath() + " " + response.getStatusCode());
				}));
		Outcome outcome = sameAnywhere(ErrorsContract.class, client, (errors) -> errors.lookup("nowhere"));
		assertThat(outcome.failure(NothingFoundException.class))
			.hasMessage("GET /kit/errors/lookup/nowhere 404 NOT_FOUND");
		assertThat(sameAnywhere(ErrorsContract.class, client, (errors) -> errors.lookup("there")).value())
			.isEqualTo(new Problem("found", "there"));
	}

	@Test
	@DisplayName("a status handler of the client that ignores errors lets the error's body be read as the result")
	void statusHandlerThatIgnores() {
		KitClient client = KitClient.BLOCKING
			.withRestClient((builder) -> builder.defaultStatusHandler(HttpStatusCode::isError, (request, response) -> {
			}));
		Outcome outcome = sameAnywhere(ErrorsContract.class, client, (errors) -> errors.answerWith(409));
		assertThat(outcome.toString()).contains("status=409");
	}

	private Outcome fails(String how) {
		return same(ErrorsContract.class, (client) -> client.fail(how));
	}

	private static final class NothingFoundException extends RuntimeException {

		NothingFoundException(String message) {
			super(message);
		}

	}

}
