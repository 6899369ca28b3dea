package io.github.vicinal.testkit.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.github.vicinal.testkit.TraceHandler;
import io.github.vicinal.testkit.contract.TimingContract;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;

@RestController
class TimingController implements TimingContract {

	private final Gates gates;

	TimingController(Gates gates) {
		this.gates = gates;
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
	public Mono<Later> monoBody(Mono<Later> body) {
		return body.map((later) -> new Later(later.text() + ", received"));
	}

	@Override
	public Mono<Void> monoVoid(String key) {
		return Mono.fromRunnable(() -> this.gates.at(key).arrive());
	}

}
