package io.github.vicinal.testkit.contract;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.annotation.PutExchange;

/**
 * Handlers that write to the response themselves, or return what writes to it.
 *
 * @since 0.1.0
 */
@SuppressWarnings("javadoc")
@HttpExchange("/kit/response")
public interface ResponseContract extends KitContract {

	@GetExchange("/status")
	@Nullable String status(@RequestParam int status);

	@GetExchange("/status-of-nothing")
	@Nullable String statusOfNothing(@RequestParam int status);

	@GetExchange("/status-of-void")
	void statusOfVoid(@RequestParam int status);

	@GetExchange("/status-beside-entity")
	ResponseEntity<String> statusBesideEntity(@RequestParam int status);

	@GetExchange("/error")
	@Nullable String error(@RequestParam int status, @RequestParam(required = false) @Nullable String message);

	@GetExchange("/error-of-void")
	void errorOfVoid(@RequestParam int status, @RequestParam(required = false) @Nullable String message);

	@GetExchange("/error-beside-entity")
	ResponseEntity<String> errorBesideEntity(@RequestParam int status);

	@GetExchange("/error-of-type")
	@Nullable String errorOfType(@RequestParam String type);

	@GetExchange("/headers")
	ResponseEntity<String> headers(@RequestParam String how);

	@PostExchange("/headers-of-post")
	ResponseEntity<String> headersOfPost(@RequestParam String how);

	@GetExchange("/headers-and-failure")
	String headersAndFailure(@RequestParam String how);

	@GetExchange("/cookies")
	ResponseEntity<String> cookies(@RequestParam String how);

	@GetExchange("/not-modified")
	@Nullable ResponseEntity<String> notModified(@RequestParam String how,
			@RequestHeader(name = "If-None-Match", required = false) @Nullable String match,
			@RequestHeader(name = "If-Modified-Since", required = false) @Nullable String since);

	@PutExchange("/not-modified")
	@Nullable ResponseEntity<String> changed(@RequestParam String how,
			@RequestHeader(name = "If-Match", required = false) @Nullable String match);

	@PostExchange("/created")
	ResponseEntity<String> created(@RequestParam String how);

	@GetExchange("/problem")
	@Nullable ProblemDetail problem(@RequestParam int status);

	@GetExchange("/problem-entity")
	ResponseEntity<ProblemDetail> problemEntity(@RequestParam int status);

	@GetExchange("/error-response")
	@Nullable ErrorResponse errorResponse(@RequestParam int status);

	@GetExchange("/annotated")
	String annotated();

	@GetExchange("/annotated-with-reason")
	String annotatedWithReason();

	@GetExchange("/handled")
	String handled(@RequestParam String how);

	@GetExchange("/handled-entity")
	ResponseEntity<String> handledEntity(@RequestParam String how);

	@GetExchange("/caching")
	ResponseEntity<String> caching(@RequestParam String how);

	@GetExchange("/written")
	@Nullable String written(@RequestParam String how);

	@GetExchange("/written-by-void")
	void writtenByVoid(@RequestParam String how);

	@GetExchange("/written-beside-entity")
	@Nullable ResponseEntity<String> writtenBesideEntity(@RequestParam String how);

	@GetExchange("/read-back")
	String readBack(@RequestParam String how);

	@GetExchange("/intercepted")
	ResponseEntity<String> intercepted(@RequestParam String how);

	@GetExchange("/intercepted/text")
	@Nullable String interceptedText(@RequestParam String how);

	@GetExchange("/intercepted/void")
	void interceptedVoid(@RequestParam String how);

	@GetExchange("/intercepted/entity")
	ResponseEntity<Void> interceptedEntity(@RequestParam String how);

	@GetExchange("/intercepted/numbers")
	@Nullable List<Integer> interceptedNumbers(@RequestParam String how);

	@GetExchange("/interceptions")
	String interceptions();

	@GetExchange("/moved")
	String moved();

	@GetExchange("/moved-entity")
	ResponseEntity<String> movedEntity();

}
