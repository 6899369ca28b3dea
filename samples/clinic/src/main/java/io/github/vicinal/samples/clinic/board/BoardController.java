package io.github.vicinal.samples.clinic.board;

import java.util.List;
import java.util.Map;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientResponseException;

/** Shows owners with their visits. */
@RestController
@RequestMapping("/board")
class BoardController {

	private static final ParameterizedTypeReference<Map<String, Object>> OWNER = new ParameterizedTypeReference<>() {
	};

	private static final ParameterizedTypeReference<List<Map<String, Object>>> VISITS = new ParameterizedTypeReference<>() {
	};

	private final WebClient owners;

	private final WebClient visits;

	BoardController(WebClient owners, WebClient visits) {
		this.owners = owners;
		this.visits = visits;
	}

	/**
	 * An owner with the visits.
	 *
	 * @param owner the owner
	 * @param visits the visits
	 */
	record Entry(Map<String, Object> owner, List<Map<String, Object>> visits) {
	}

	@GetMapping("/{id}")
	Mono<Entry> entry(@PathVariable long id, @RequestHeader(HttpHeaders.AUTHORIZATION) String token) {
		return Mono.zip(get(this.owners, "/owners/{id}", id, token).bodyToMono(OWNER),
				get(this.visits, "/visits/{id}", id, token).bodyToMono(VISITS), Entry::new);
	}

	@GetMapping(path = "/stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
	Flux<ServerSentEvent<Entry>> stream(@RequestHeader(HttpHeaders.AUTHORIZATION) String token) {
		return Flux.just(1L, 2L)
			.concatMap((id) -> entry(id, token))
			.map((entry) -> ServerSentEvent.builder(entry).event("entry").build());
	}

	private static WebClient.ResponseSpec get(WebClient client, String path, long id, String token) {
		return client.get().uri(path, id).header(HttpHeaders.AUTHORIZATION, token).retrieve();
	}

	/** Passes the answer of a service on to the caller. */
	@ExceptionHandler
	ResponseEntity<String> refused(WebClientResponseException problem) {
		return ResponseEntity.status(problem.getStatusCode())
			.headers((headers) -> headers.setContentType(problem.getHeaders().getContentType()))
			.body(problem.getResponseBodyAsString());
	}

}
