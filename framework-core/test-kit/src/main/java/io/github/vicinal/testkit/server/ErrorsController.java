package io.github.vicinal.testkit.server;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.NoSuchElementException;

import io.github.vicinal.testkit.contract.ErrorsContract;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.validation.annotation.Validated;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.context.request.async.AsyncRequestTimeoutException;
import org.springframework.web.server.ResponseStatusException;

@RestController
class ErrorsController implements ErrorsContract {

	@Override
	public String ping() {
		return "errors";
	}

	@Override
	public String fail(String how) {
		throw failure(how);
	}

	@Override
	public String failChecked() throws IOException {
		throw new IOException("no such file");
	}

	@Override
	public void failVoid(String how) {
		throw failure(how);
	}

	@Override
	public ResponseEntity<List<String>> failEntity(String how) {
		throw failure(how);
	}

	@Override
	public ResponseEntity<Problem> answerWith(int status) {
		return ResponseEntity.status(status).header("X-Kit-One", "1").body(new Problem("answer", "status " + status));
	}

	@Override
	public Problem lookup(String name) {
		if (name.equals("there")) {
			return new Problem("found", name);
		}
		throw new ResponseStatusException(HttpStatus.NOT_FOUND, "nothing called " + name);
	}

	@Override
	public String validated(Checked checked) {
		return checked.name();
	}

	@Override
	public String limited(int value) {
		return "fine";
	}

	@Override
	@Validated(Strict.class)
	public String limitedStrictly(int value) {
		return "fine";
	}

	@Override
	public String shortText(String text) {
		return text;
	}

	@Override
	public String serverNeedsMore(@Nullable String value) {
		if (value == null) {
			throw new MissingException("value");
		}
		return value;
	}

	/** An exception handler of this controller only. */
	@ExceptionHandler
	ResponseEntity<Problem> handle(LocalException ex) {
		return ResponseEntity.status(HttpStatus.UNPROCESSABLE_CONTENT)
			.header("X-Kit-Problem", "local")
			.body(new Problem("local", ex.getMessage()));
	}

	@SuppressWarnings("TypeParameterUnusedInFormals")
	static RuntimeException failure(String how) {
		return switch (how) {
			case "status-class" -> new GoneException();
			case "status-class-without-reason" -> new ConflictException();
			case "status-class-as-cause" -> new IllegalStateException("outer", new GoneException());
			case "response-status" -> new ResponseStatusException(HttpStatus.LOCKED, "locked for a reason");
			case "response-status-unknown" -> new ResponseStatusException(HttpStatusCode.valueOf(499), "closed");
			case "problem" -> problem();
			case "local" -> new LocalException("handled here");
			case "advised" -> new AdvisedException("handled by the advice");
			case "advised-subclass" -> new AdvisedException("a subclass") {
			};
			case "advised-cause" -> new IllegalStateException("outer", new AdvisedException("the cause"));
			case "recovered" -> new RecoverableException();
			case "problem-detail" -> new NoSuchElementException("no such element");
			case "no-body" -> new UnsupportedOperationException("not today");
			case "handler-fails" -> new ArithmeticException("the handler fails, too");
			case "checked" -> sneak(new IOException("sneaked out"));
			case "assertion" -> sneak(new AssertionError("an error, not an exception"));
			case "stack-overflow" -> sneak(new StackOverflowError());
			case "linkage" -> sneak(new NoClassDefFoundError("com/example/Missing"));
			case "advised-error" -> sneak(new AdvisedError());
			case "unserialisable" -> new UnserialisableException();
			case "no-message" -> new IllegalStateException();
			case "circular" -> circular();
			case "downstream-404" -> HttpClientErrorException.create(HttpStatus.NOT_FOUND, "Not Found",
					new HttpHeaders(), new byte[0], null);
			case "downstream-unreachable" -> new ResourceAccessException("downstream", new IOException("refused"));
			case "async-timeout" -> new AsyncRequestTimeoutException();
			case "interrupted" -> sneak(new InterruptedException("not really"));
			default -> new IllegalArgumentException("boom: " + how);
		};
	}

	private static RuntimeException problem() {
		ProblemDetail detail = ProblemDetail.forStatusAndDetail(HttpStatus.PAYMENT_REQUIRED, "ten more, please");
		detail.setType(URI.create("https://kit.example/problems/poor"));
		detail.setProperty("missing", 10);
		ErrorResponseException ex = new ErrorResponseException(HttpStatus.PAYMENT_REQUIRED, detail, null);
		ex.getHeaders().add("Retry-After", "60");
		return ex;
	}

	private static RuntimeException circular() {
		IllegalStateException outer = new IllegalStateException("outer");
		IllegalStateException inner = new IllegalStateException("inner", outer);
		outer.initCause(inner);
		return outer;
	}

	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" })
	private static <X extends Throwable> RuntimeException sneak(Throwable ex) throws X {
		throw (X) ex;
	}

	@ResponseStatus(code = HttpStatus.GONE, reason = "gone away")
	static class GoneException extends RuntimeException {

	}

	@ResponseStatus(HttpStatus.CONFLICT)
	static class ConflictException extends RuntimeException {

	}

	static class LocalException extends RuntimeException {

		LocalException(String message) {
			super(message);
		}

	}

	static class AdvisedException extends RuntimeException {

		AdvisedException(String message) {
			super(message);
		}

	}

	static class AdvisedError extends Error {

	}

	static class RecoverableException extends RuntimeException {

	}

	static class MissingException extends RuntimeException {

		MissingException(String name) {
			super(name);
		}

	}

	static class UnserialisableException extends RuntimeException {

		@SuppressWarnings("UnusedVariable")
		private final Thread thread = Thread.currentThread();

		UnserialisableException() {
			super("holds a thread", new RuntimeException("and a lambda") {

				@SuppressWarnings({ "UnusedVariable", "UnnecessaryLambda" })
				private final Runnable lambda = () -> {
				};

			});
		}

	}

}
