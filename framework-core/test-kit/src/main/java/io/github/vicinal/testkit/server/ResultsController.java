package io.github.vicinal.testkit.server;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

import io.github.vicinal.testkit.contract.ResultsContract;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.Resource;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class ResultsController implements ResultsContract {

	@Override
	public String ping() {
		return "results";
	}

	@Override
	public void nothing() {
	}

	@Override
	public int primitiveInt(int value) {
		return value;
	}

	@Override
	public long primitiveLong(long value) {
		return value;
	}

	@Override
	public double primitiveDouble(double value) {
		return value;
	}

	@Override
	public boolean primitiveBoolean(boolean value) {
		return value;
	}

	@Override
	public @Nullable Integer boxed(@Nullable Integer value) {
		return value;
	}

	@Override
	public @Nullable Answer nullAnswer() {
		return null;
	}

	@Override
	public @Nullable List<Answer> nullList() {
		return null;
	}

	@Override
	public ResponseEntity<Answer> entity(int status) {
		return ResponseEntity.status(status)
			.header("X-Kit-One", "1")
			.header("X-Kit-Many", "a", "b")
			.header("Set-Cookie", "k=v; Path=/", "l=w")
			.body(new Answer("status " + status));
	}

	@Override
	public ResponseEntity<Answer> entityWithoutBody(int status) {
		return ResponseEntity.status(status).header("X-Kit-One", "1").build();
	}

	@Override
	public ResponseEntity<Void> entityVoid(int status) {
		return ResponseEntity.status(status).header("X-Kit-One", "1").build();
	}

	@Override
	public ResponseEntity<List<Answer>> entityList() {
		return ResponseEntity.ok(List.of(new Answer("one"), new Answer("two")));
	}

	@Override
	public Optional<ResponseEntity<Answer>> optionalEntity() {
		return Optional.of(ResponseEntity.ok(new Answer("inside")));
	}

	@Override
	public ResponseEntity<Optional<Answer>> entityOfOptional(int status) {
		return (status == 200) ? ResponseEntity.ok(Optional.of(new Answer("inside"))) : (status == 203)
				? ResponseEntity.status(status).body(Optional.empty()) : ResponseEntity.status(status).build();
	}

	@Override
	public ResponseEntity<String> entityText() {
		return ResponseEntity.ok().contentType(MediaType.TEXT_MARKDOWN).body("# title");
	}

	@Override
	public ResponseEntity<byte[]> entityBytes() {
		return ResponseEntity.ok()
			.cacheControl(CacheControl.noStore())
			.contentType(MediaType.APPLICATION_PDF)
			.body("pdf".getBytes(StandardCharsets.UTF_8));
	}

	@Override
	public HttpEntity<Answer> httpEntity() {
		HttpHeaders headers = new HttpHeaders();
		headers.add("X-Kit-One", "1");
		return new HttpEntity<>(new Answer("entity"), headers);
	}

	@Override
	public HttpHeaders headersOnly() {
		HttpHeaders headers = new HttpHeaders();
		headers.add("X-Kit-One", "1");
		return headers;
	}

	@Override
	public ResponseEntity<Answer> created() {
		return ResponseEntity.created(URI.create("/kit/results/9")).body(new Answer("nine"));
	}

	@Override
	@ResponseStatus(HttpStatus.CREATED)
	public Answer createdPlain() {
		return new Answer("created");
	}

	@Override
	@ResponseStatus(HttpStatus.ACCEPTED)
	public ResponseEntity<Void> acceptedByAnnotation() {
		return ResponseEntity.ok().build();
	}

	@Override
	public ResponseEntity<Answer> etag(@Nullable String ifNoneMatch) {
		return ResponseEntity.ok().eTag("v1").body(new Answer("asked with " + ifNoneMatch));
	}

	@Override
	public ResponseEntity<String> redirect() {
		return ResponseEntity.status(HttpStatus.FOUND).location(URI.create("/kit/results/ping")).build();
	}

	@Override
	public Resource resource() {
		return KitServerConfiguration.text("streamed");
	}

	@Override
	public Answer changedByAdvice() {
		return new Answer("plain");
	}

	@Override
	public ResponseEntity<Answer> passesInterceptor() {
		return ResponseEntity.ok(new Answer("intercepted"));
	}

	@Override
	public Answer unacceptable() {
		return new Answer("not XML");
	}

}
