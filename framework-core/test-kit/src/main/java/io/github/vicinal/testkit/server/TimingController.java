package io.github.vicinal.testkit.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.github.vicinal.testkit.contract.TimingContract;
import jakarta.servlet.http.HttpServletResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;

@RestController
class TimingController implements TimingContract {

	private final Gates gates;

	private final HttpServletResponse response;

	TimingController(Gates gates, HttpServletResponse response) {
		this.gates = gates;
		this.response = response;
	}

	@Override
	public String ping() {
		return "timing";
	}

	@Override
	public String waitAt(String gate) {
		return this.gates.at(gate).pass();
	}

	@Override
	public String writeAndWaitAt(String gate, String journal, boolean wait) {
		try {
			Files.writeString(Path.of(journal), gate + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return (wait) ? this.gates.at(gate).pass() : "written";
	}

	@Override
	public Mono<String> monoWaitAt(String gate) {
		return Mono.fromFuture(() -> this.gates.at(gate).passLater());
	}

	@Override
	public CompletableFuture<String> futureWaitAt(String gate) {
		return this.gates.at(gate).passLater();
	}

	@Override
	public CompletableFuture<Later> future(String text) {
		return CompletableFuture.supplyAsync(() -> new Later(text));
	}

	@Override
	public CompletableFuture<ResponseEntity<Later>> futureEntity(String text) {
		return CompletableFuture
			.supplyAsync(() -> ResponseEntity.accepted().header("X-Kit-One", "1").body(new Later(text)));
	}

	@Override
	public CompletableFuture<ResponseEntity<Later>> futureEntityAs(String type) {
		return CompletableFuture.supplyAsync(() -> as(type, new Later("text")));
	}

	@Override
	public CompletableFuture<ResponseEntity<String>> futureTextAs(String type) {
		return CompletableFuture.supplyAsync(() -> as(type, "text"));
	}

	private static <T> ResponseEntity<T> as(String type, T body) {
		return ResponseEntity.accepted().header("Content-Type", type).body(body);
	}

	@Override
	public CompletableFuture<Later> futureFails(String how) {
		return CompletableFuture.supplyAsync(() -> {
			throw new CompletionException(ErrorsController.failure(how));
		});
	}

	@Override
	public CompletableFuture<Later> futureThrows(String how) {
		throw ErrorsController.failure(how);
	}

	@Override
	@SuppressWarnings("NullAway")
	public CompletableFuture<Later> futureNull() {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<String> futureTrace() {
		return CompletableFuture.completedFuture(String.valueOf(TraceHandler.callee()));
	}

	@Override
	public Mono<String> monoTrace() {
		return Mono.just(String.valueOf(TraceHandler.callee()));
	}

	@Override
	public Mono<Later> mono(String text) {
		return Mono.just(new Later(text));
	}

	@Override
	public Mono<Later> monoEmpty() {
		return Mono.empty();
	}

	@Override
	public Mono<Later> monoFails(String how) {
		return Mono.error(() -> ErrorsController.failure(how));
	}

	@Override
	public Mono<ResponseEntity<Later>> monoEntity(String text) {
		return Mono.just(ResponseEntity.accepted().header("X-Kit-One", "1").body(new Later(text)));
	}

	@Override
	public Mono<ResponseEntity<List<Later>>> monoEntityAs(String type) {
		return Mono.just(as(type, List.of(new Later("one"), new Later("two"))));
	}

	@Override
	public Mono<ResponseEntity<Flux<Later>>> entityOfFlux(int count) {
		return Mono.just(ResponseEntity.accepted().header("X-Kit-One", "1").body(flux(count)));
	}

	@Override
	public Flux<Later> flux(int count) {
		return Flux.range(0, count).map((number) -> new Later("number " + number));
	}

	@Override
	public CompletableFuture<Later> writtenFuture(String how) {
		write(how);
		return future("written before");
	}

	@Override
	public Mono<Later> writtenMono(String how) {
		write(how);
		return how.endsWith(", empty") ? Mono.empty()
				: how.endsWith(", fails") ? monoFails("advised") : mono("written before");
	}

	@Override
	public Mono<ResponseEntity<Later>> writtenMonoEntity(String how) {
		write(how);
		return monoEntity("written before");
	}

	@Override
	public Flux<Later> writtenFlux(String how) {
		write(how);
		return flux(2);
	}

	private void write(String how) {
		try {
			switch (how.split(",")[0]) {
				case "status" -> this.response.setStatus(202);
				case "type" -> this.response.setContentType("text/plain");
				case "header" -> this.response.addHeader("X-Kit-One", "2");
				case "writer" -> this.response.getWriter().write("by hand");
				case "stream" -> this.response.getOutputStream().write(new byte[] { 'b', 'y' });
				case "flushed" -> this.response.flushBuffer();
				case "written and flushed" -> {
					this.response.setContentType("text/plain");
					this.response.getOutputStream().write(new byte[] { 'b', 'y' });
					this.response.flushBuffer();
				}
				default -> throw new IllegalArgumentException(how);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public Mono<Later> monoBody(Mono<Later> body) {
		return body.map((later) -> new Later(later.text() + ", received"));
	}

	@Override
	public Mono<Void> monoVoid(String key) {
		return Mono.fromRunnable(() -> this.gates.at(key).arrive());
	}

}
