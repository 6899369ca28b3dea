package io.github.vicinal.testkit;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import io.github.vicinal.testkit.contract.ResultsContract;
import io.github.vicinal.testkit.contract.ResultsContract.Answer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClientResponseException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Results come back as over HTTP, with status and headers where the contract asks for
 * them.
 */
abstract class ResultBehaviours extends Behaviours {

	@Test
	@DisplayName("a void method returns")
	void nothing() {
		assertThat(same(ResultsContract.class, (client) -> {
			client.nothing();
			return "returned";
		}).value()).isEqualTo("returned");
	}

	@Test
	@DisplayName("primitive results arrive")
	void primitives() {
		assertThat(same(ResultsContract.class, (client) -> client.primitiveInt(-5)).value()).isEqualTo(-5);
		assertThat(same(ResultsContract.class, (client) -> client.primitiveLong(Long.MAX_VALUE)).value())
			.isEqualTo(Long.MAX_VALUE);
		assertThat(same(ResultsContract.class, (client) -> client.primitiveDouble(0.1)).value()).isEqualTo(0.1);
		assertThat(same(ResultsContract.class, (client) -> client.primitiveBoolean(true)).value()).isEqualTo(true);
	}

	@Test
	@DisplayName("NaN as a primitive result ends as over HTTP")
	void primitiveNaN() {
		for (double value : new double[] { Double.NaN, Double.POSITIVE_INFINITY, -0.0 }) {
			same(ResultsContract.class, (client) -> client.primitiveDouble(value));
		}
	}

	@Test
	@DisplayName("boxed results may be null")
	void boxed() {
		assertThat(same(ResultsContract.class, (client) -> client.boxed(7)).value()).isEqualTo(7);
		assertThat(same(ResultsContract.class, (client) -> client.boxed(null)).value()).isNull();
	}

	@Test
	@DisplayName("a null result of the server is null at the client, also where a list was declared")
	void nullResults() {
		assertThat(same(ResultsContract.class, ResultsContract::nullAnswer).value()).isNull();
		assertThat(same(ResultsContract.class, ResultsContract::nullList).value()).isNull();
	}

	@Test
	@DisplayName("a response entity carries status, body and headers, repeated ones, too")
	void entity() {
		for (int status : new int[] { 200, 201, 202, 203, 299 }) {
			ResponseEntity<?> entity = entity(same(ResultsContract.class, (client) -> client.entity(status)));
			assertThat(entity.getStatusCode().value()).isEqualTo(status);
			assertThat(entity.getBody()).isEqualTo(new Answer("status " + status));
			assertThat(entity.getHeaders().get("X-Kit-Many")).containsExactly("a", "b");
		}
	}

	@Test
	@DisplayName("a response entity with a status that forbids a body loses it")
	void entityWhoseStatusForbidsABody() {
		for (int status : new int[] { 204, 205, 304 }) {
			sameAnywhere(ResultsContract.class, (client) -> client.entity(status));
		}
	}

	@Test
	@DisplayName("a response entity without a body has null in it")
	void entityWithoutBody() {
		for (int status : new int[] { 200, 201, 204 }) {
			ResponseEntity<?> entity = entity(
					same(ResultsContract.class, (client) -> client.entityWithoutBody(status)));
			assertThat(entity.getBody()).isNull();
			assertThat(entity.getHeaders().getFirst("X-Kit-One")).isEqualTo("1");
		}
	}

	@Test
	@DisplayName("a response entity of nothing carries status and headers")
	void entityOfVoid() {
		ResponseEntity<?> entity = entity(same(ResultsContract.class, (client) -> client.entityVoid(204)));
		assertThat(entity.getStatusCode()).isEqualTo(HttpStatus.NO_CONTENT);
		assertThat(entity.getHeaders().getFirst("X-Kit-One")).isEqualTo("1");
	}

	@Test
	@DisplayName("a response entity with an error status is an exception at the client")
	void entityWithErrorStatus() {
		Outcome outcome = same(ResultsContract.class, (client) -> client.entity(404));
		HttpClientErrorException.NotFound ex = outcome.failure(HttpClientErrorException.NotFound.class);
		assertThat(ex.getResponseBodyAsString()).isEqualTo("{\"text\":\"status 404\"}");
		same(ResultsContract.class, (client) -> client.entityVoid(409))
			.failure(HttpClientErrorException.Conflict.class);
		assertThat(same(ResultsContract.class, (client) -> client.entity(599)).returned()).isFalse();
	}

	@Test
	@DisplayName("response entities of lists, text and bytes keep type and headers")
	void entitiesOfOtherTypes() {
		assertThat(entity(same(ResultsContract.class, ResultsContract::entityList)).getBody())
			.isEqualTo(List.of(new Answer("one"), new Answer("two")));
		ResponseEntity<?> text = entity(same(ResultsContract.class, ResultsContract::entityText));
		assertThat(text.getBody()).isEqualTo("# title");
		assertThat(Objects.requireNonNull(text.getHeaders().getContentType()).getSubtype()).isEqualTo("markdown");
		ResponseEntity<?> bytes = entity(same(ResultsContract.class, ResultsContract::entityBytes));
		assertThat(bytes.getBody()).isEqualTo("pdf".getBytes(StandardCharsets.UTF_8));
		assertThat(bytes.getHeaders().getCacheControl()).isEqualTo("no-store");
	}

	@Test
	@DisplayName("an Optional of a response entity ends as over HTTP")
	void optionalEntity() {
		sameAnywhere(ResultsContract.class, (client) -> {
			Optional<ResponseEntity<Answer>> result = client.optionalEntity();
			return result.map((entity) -> entity.getStatusCode().value() + " " + entity.getBody());
		});
	}

	@Test
	@DisplayName("a response entity of an Optional ends as over HTTP, with and without a body")
	void entityOfOptional() {
		for (int status : new int[] { 200, 203, 202, 204, 304 }) {
			sameAnywhere(ResultsContract.class, (client) -> {
				ResponseEntity<Optional<Answer>> result = client.entityOfOptional(status);
				return result.getStatusCode().value() + " " + result.getBody();
			});
		}
	}

	@Test
	@DisplayName("an HTTP entity and bare headers of the server arrive as over HTTP")
	void otherEntities() {
		sameAnywhere(ResultsContract.class, (client) -> {
			HttpEntity<Answer> result = client.httpEntity();
			return result.getHeaders().getFirst("X-Kit-One") + " " + result.getBody();
		});
		Outcome headers = same(ResultsContract.class, ResultsContract::headersOnly);
		assertThat(((HttpHeaders) Objects.requireNonNull(headers.value())).getFirst("X-Kit-One")).isEqualTo("1");
	}

	@Test
	@DisplayName("201 with a location arrives")
	void created() {
		ResponseEntity<?> entity = entity(same(ResultsContract.class, ResultsContract::created));
		assertThat(entity.getStatusCode()).isEqualTo(HttpStatus.CREATED);
		assertThat(entity.getHeaders().getLocation()).hasPath("/kit/results/9");
	}

	@Test
	@DisplayName("a status that the method's annotation sets arrives, below the entity's own")
	void annotatedStatus() {
		assertThat(same(ResultsContract.class, ResultsContract::createdPlain).value()).isEqualTo(new Answer("created"));
		Outcome outcome = same(ResultsContract.class, ResultsContract::acceptedByAnnotation);
		assertThat(entity(outcome).getStatusCode().is2xxSuccessful()).isTrue();
	}

	@Test
	@DisplayName("a conditional request is answered with 304 when the entity tag matches")
	void entityTag() {
		assertThat(entity(sameAnywhere(ResultsContract.class, (client) -> client.etag(null))).getStatusCode())
			.isEqualTo(HttpStatus.OK);
		Outcome matching = sameAnywhere(ResultsContract.class, (client) -> client.etag("\"v1\""));
		assertThat(entity(matching).getStatusCode()).isEqualTo(HttpStatus.NOT_MODIFIED);
		assertThat(entity(matching).getBody()).isNull();
	}

	@Test
	@DisplayName("a redirect is followed, or not, as the client does over HTTP")
	void redirect() {
		sameAnywhere(ResultsContract.class, ResultsContract::redirect);
	}

	@Test
	@DisplayName("a resource arrives, by HTTP if need be and then with a reason")
	void resource() {
		Outcome outcome = sameAnywhere(ResultsContract.class,
				(client) -> client.resource().getContentAsString(StandardCharsets.UTF_8));
		assertThat(outcome.value()).isEqualTo("streamed");
	}

	@Test
	@DisplayName("the client sees changes of a server's advice to a body")
	void bodyAdvice() {
		assertThat(sameAnywhere(ResultsContract.class, ResultsContract::changedByAdvice).value())
			.isEqualTo(new Answer("plain, advised"));
	}

	@Test
	@DisplayName("the client sees changes of a server's handler interceptor")
	void handlerInterceptor() {
		ResponseEntity<?> entity = entity(sameAnywhere(ResultsContract.class, ResultsContract::passesInterceptor));
		assertThat(entity.getHeaders().getFirst("X-Kit-Interceptor")).isEqualTo("was here");
	}

	@Test
	@DisplayName("a result for which the server has no converter is the failure that HTTP makes of it")
	void unacceptable() {
		Outcome outcome = sameAnywhere(ResultsContract.class, ResultsContract::unacceptable);
		outcome.failure(RestClientResponseException.class);
	}

	private static ResponseEntity<?> entity(Outcome outcome) {
		return (ResponseEntity<?>) Objects.requireNonNull(outcome.value());
	}

}
