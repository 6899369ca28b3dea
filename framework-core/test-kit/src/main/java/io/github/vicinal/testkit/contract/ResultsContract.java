package io.github.vicinal.testkit.contract;

import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.Resource;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Every kind of result that a client interface can have.
 *
 * @since 0.1.0
 */
@SuppressWarnings("javadoc")
@HttpExchange("/kit/results")
public interface ResultsContract extends KitContract {

	@PostExchange("/nothing")
	void nothing();

	@GetExchange("/int")
	int primitiveInt(@RequestParam int value);

	@GetExchange("/long")
	long primitiveLong(@RequestParam long value);

	@GetExchange("/double")
	double primitiveDouble(@RequestParam double value);

	@GetExchange("/boolean")
	boolean primitiveBoolean(@RequestParam boolean value);

	@GetExchange("/boxed")
	@Nullable Integer boxed(@RequestParam(required = false) @Nullable Integer value);

	@GetExchange("/null")
	@Nullable Answer nullAnswer();

	@GetExchange("/null-list")
	@Nullable List<Answer> nullList();

	@GetExchange("/entity")
	ResponseEntity<Answer> entity(@RequestParam int status);

	@GetExchange("/entity-no-body")
	ResponseEntity<Answer> entityWithoutBody(@RequestParam int status);

	@GetExchange("/entity-void")
	ResponseEntity<Void> entityVoid(@RequestParam int status);

	@GetExchange("/entity-list")
	ResponseEntity<List<Answer>> entityList();

	@GetExchange("/entity-optional")
	Optional<ResponseEntity<Answer>> optionalEntity();

	@GetExchange("/entity-of-optional")
	ResponseEntity<Optional<Answer>> entityOfOptional(@RequestParam int status);

	@GetExchange("/entity-text")
	ResponseEntity<String> entityText();

	@GetExchange("/entity-bytes")
	ResponseEntity<byte[]> entityBytes();

	@GetExchange("/http-entity")
	HttpEntity<Answer> httpEntity();

	@GetExchange("/headers")
	HttpHeaders headersOnly();

	@PostExchange("/created")
	ResponseEntity<Answer> created();

	@PostExchange("/created-plain")
	Answer createdPlain();

	@GetExchange("/accepted")
	ResponseEntity<Void> acceptedByAnnotation();

	@GetExchange("/etag")
	ResponseEntity<Answer> etag(@RequestHeader(name = "If-None-Match", required = false) @Nullable String ifNoneMatch);

	@GetExchange("/redirect")
	ResponseEntity<String> redirect();

	@GetExchange("/resource")
	Resource resource();

	@GetExchange("/advised")
	Answer changedByAdvice();

	@GetExchange("/intercepted")
	ResponseEntity<Answer> passesInterceptor();

	@GetExchange(url = "/xml-please", accept = "application/xml")
	Answer unacceptable();

	/** A result. */
	record Answer(String text) {

	}

}
