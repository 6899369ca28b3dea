package io.github.vicinal.testkit.contract;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Calls that take their time: they wait at a gate that {@link ControlContract} opens, and
 * calls whose result comes later.
 *
 * @since 0.1.0
 */
@SuppressWarnings("javadoc")
@HttpExchange("/kit/timing")
public interface TimingContract extends KitContract {

	@PostExchange("/wait/{gate}")
	String waitAt(@PathVariable String gate);

	@PostExchange("/journal/{gate}")
	String writeAndWaitAt(@PathVariable String gate, @RequestParam String journal, @RequestParam boolean wait);

	@PostExchange("/mono-wait/{gate}")
	Mono<String> monoWaitAt(@PathVariable String gate);

	@PostExchange("/future-wait/{gate}")
	CompletableFuture<String> futureWaitAt(@PathVariable String gate);

	@GetExchange("/future")
	CompletableFuture<Later> future(@RequestParam String text);

	@GetExchange("/future-entity")
	CompletableFuture<ResponseEntity<Later>> futureEntity(@RequestParam String text);

	@GetExchange("/future-entity-as")
	CompletableFuture<ResponseEntity<Later>> futureEntityAs(@RequestParam String type);

	@GetExchange("/future-text-as")
	CompletableFuture<ResponseEntity<String>> futureTextAs(@RequestParam String type);

	@GetExchange("/future-fails")
	CompletableFuture<Later> futureFails(@RequestParam String how);

	@GetExchange("/future-throws")
	CompletableFuture<Later> futureThrows(@RequestParam String how);

	@GetExchange("/future-null")
	CompletableFuture<Later> futureNull();

	@GetExchange("/future-trace")
	CompletableFuture<String> futureTrace();

	@GetExchange("/mono-trace")
	Mono<String> monoTrace();

	@GetExchange("/mono")
	Mono<Later> mono(@RequestParam String text);

	@GetExchange("/mono-empty")
	Mono<Later> monoEmpty();

	@GetExchange("/mono-fails")
	Mono<Later> monoFails(@RequestParam String how);

	@GetExchange("/mono-entity")
	Mono<ResponseEntity<Later>> monoEntity(@RequestParam String text);

	@GetExchange("/mono-entity-as")
	Mono<ResponseEntity<List<Later>>> monoEntityAs(@RequestParam String type);

	@GetExchange("/entity-of-flux")
	Mono<ResponseEntity<Flux<Later>>> entityOfFlux(@RequestParam int count);

	@GetExchange("/flux")
	Flux<Later> flux(@RequestParam int count);

	@GetExchange("/written-future")
	CompletableFuture<Later> writtenFuture(@RequestParam String how);

	@GetExchange("/written-mono")
	Mono<Later> writtenMono(@RequestParam String how);

	@GetExchange("/written-mono-entity")
	Mono<ResponseEntity<Later>> writtenMonoEntity(@RequestParam String how);

	@GetExchange("/written-flux")
	Flux<Later> writtenFlux(@RequestParam String how);

	@PostExchange("/mono-body")
	Mono<Later> monoBody(@RequestBody Mono<Later> body);

	@PostExchange("/mono-void/{key}")
	Mono<Void> monoVoid(@PathVariable String key);

	/** A result. */
	record Later(String text) {

	}

}
