package io.github.vicinal.samples.trainticket.common;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientResponseException;

/**
 * Answers with the callee's problem when a call to another service failed: what a callee
 * refuses is refused with the same status and the same words, so that the client of the
 * first service learns what the last one said.
 */
@RestControllerAdvice
class RemoteProblemAdvice {

	@ExceptionHandler
	ResponseEntity<ProblemDetail> calleeRefused(HttpClientErrorException ex) {
		return answer(ProblemDetail.forStatusAndDetail(ex.getStatusCode(), detail(ex)));
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> calleeFailed(RestClientResponseException ex) {
		return answer(ProblemDetail.forStatusAndDetail(HttpStatus.BAD_GATEWAY,
				"A called service answered " + ex.getStatusCode().value() + ": " + detail(ex)));
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> calleeUnreachable(ResourceAccessException ex) {
		return answer(ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE,
				"A called service cannot be reached: " + ex.getMessage()));
	}

	private static ResponseEntity<ProblemDetail> answer(ProblemDetail problem) {
		return ResponseEntity.of(problem).build();
	}

	private static String detail(RestClientResponseException ex) {
		@Nullable HttpHeaders headers = ex.getResponseHeaders();
		if (headers == null || !MediaType.APPLICATION_PROBLEM_JSON.isCompatibleWith(headers.getContentType())) {
			return ex.getStatusText();
		}
		@Nullable ProblemDetail problem = ex.getResponseBodyAs(ProblemDetail.class);
		@Nullable String detail = (problem != null) ? problem.getDetail() : null;
		return (detail != null) ? detail : ex.getStatusText();
	}

}
