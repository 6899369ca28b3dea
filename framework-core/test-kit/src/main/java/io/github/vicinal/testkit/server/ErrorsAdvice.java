package io.github.vicinal.testkit.server;

import java.util.NoSuchElementException;

import io.github.vicinal.testkit.contract.ErrorsContract.Problem;
import io.github.vicinal.testkit.server.ErrorsController.AdvisedError;
import io.github.vicinal.testkit.server.ErrorsController.AdvisedException;
import io.github.vicinal.testkit.server.ErrorsController.MissingException;
import io.github.vicinal.testkit.server.ErrorsController.RecoverableException;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;

@RestControllerAdvice
class ErrorsAdvice {

	@ExceptionHandler
	ResponseEntity<Problem> handle(AdvisedException ex) {
		return ResponseEntity.status(HttpStatus.CONFLICT)
			.header("X-Kit-Problem", "advised")
			.body(new Problem("advised", ex.getMessage()));
	}

	@ExceptionHandler
	@ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
	Problem handle(AdvisedError ex) {
		return new Problem("error", ex.getMessage());
	}

	@ExceptionHandler
	String handle(RecoverableException ex) {
		return "recovered";
	}

	@ExceptionHandler
	ProblemDetail handle(NoSuchElementException ex) {
		ProblemDetail detail = ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, ex.getMessage());
		detail.setProperty("code", 17);
		return detail;
	}

	@ExceptionHandler(UnsupportedOperationException.class)
	@ResponseStatus(HttpStatus.NOT_IMPLEMENTED)
	void handleWithoutBody() {
	}

	@ExceptionHandler
	Problem handle(ArithmeticException ex) {
		throw new IllegalStateException("the handler failed");
	}

	@ExceptionHandler
	ResponseEntity<Problem> handle(MissingException ex, WebRequest request) {
		return ResponseEntity.badRequest().body(new Problem("missing", request.getDescription(false)));
	}

}
