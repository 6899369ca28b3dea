package io.github.vicinal.webflux;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Profile;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.http.codec.multipart.FilePart;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebSession;

/** A WebFlux application with handlers of all kinds, with and without security. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(FluxApplication.Handlers.class)
class FluxApplication {

	@Bean
	SecurityWebFilterChain chain(ServerHttpSecurity http, org.springframework.core.env.Environment environment) {
		if (!environment.matchesProfiles("secured")) {
			return http.csrf(ServerHttpSecurity.CsrfSpec::disable)
				.authorizeExchange((rules) -> rules.anyExchange().permitAll())
				.build();
		}
		return http
			.authorizeExchange((rules) -> rules.pathMatchers("/etag").hasRole("BOSS").anyExchange().authenticated())
			.httpBasic((basic) -> {
			})
			.build();
	}

	/** One that ends leaves the event loops of others in the JVM alone. */
	@Bean
	@Profile("alone")
	ReactorResourceFactory resources() {
		ReactorResourceFactory factory = new ReactorResourceFactory();
		factory.setUseGlobalResources(false);
		return factory;
	}

	/** A WebSocket that sends back what it gets. */
	@Bean
	SimpleUrlHandlerMapping sockets() {
		WebSocketHandler echo = (session) -> session
			.send(session.receive().map((message) -> session.textMessage("echo of " + message.getPayloadAsText())));
		return new SimpleUrlHandlerMapping(Map.of("/socket", echo), -1);
	}

	@Bean
	MapReactiveUserDetailsService users() {
		return new MapReactiveUserDetailsService(
				User.withUsername("user").password("{noop}secret").roles("USER").build(),
				User.withUsername("boss").password("{noop}secret").roles("BOSS").build());
	}

	@Bean
	RouterFunction<ServerResponse> functional() {
		return RouterFunctions.route()
			.GET("/functional/{id}", (request) -> ServerResponse.ok().bodyValue("no. " + request.pathVariable("id")))
			.build();
	}

	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	@Profile("filtered")
	WebFilter filter() {
		return (exchange, chain) -> {
			exchange.getResponse()
				.getHeaders()
				.set("X-Thread", Thread.currentThread().getName().replaceAll("\\d+$", ""));
			return chain.filter(exchange).contextWrite((context) -> context.put("who", "filter"));
		};
	}

	record Item(int id, String name) {
	}

	@RestController
	static class Handlers {

		final AtomicInteger cancelled = new AtomicInteger();

		private volatile String rows = "none";

		private volatile String early = "none";

		private volatile CompletableFuture<String> gate = new CompletableFuture<>();

		@GetMapping("/text")
		String text() {
			return "héllo";
		}

		@GetMapping("/nothing")
		ResponseEntity<Void> nothing() {
			return ResponseEntity.noContent().build();
		}

		@GetMapping("/empty")
		Mono<String> empty() {
			return Mono.empty();
		}

		@GetMapping("/context")
		Mono<String> context() {
			return Mono.deferContextual((context) -> Mono.just(context.getOrDefault("who", "nobody")));
		}

		@GetMapping("/item/{id}")
		Mono<Item> item(@PathVariable int id) {
			return Mono.just(new Item(id, "ü"));
		}

		@GetMapping("/items")
		Flux<Item> items(@RequestParam(defaultValue = "3") int count) {
			return Flux.range(0, count).map((i) -> new Item(i, "n" + i));
		}

		@GetMapping(path = "/lines", produces = MediaType.APPLICATION_NDJSON_VALUE)
		Flux<Item> lines() {
			return Flux.range(0, 5).map((i) -> new Item(i, "n" + i));
		}

		@GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
		Flux<ServerSentEvent<String>> events() {
			return Flux.range(0, 3)
				.map((i) -> ServerSentEvent.builder("e" + i).id(String.valueOf(i)).build())
				.delayElements(Duration.ofMillis(5));
		}

		@GetMapping(path = "/endless", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
		Flux<String> endless() {
			return Flux.interval(Duration.ofMillis(5))
				.onBackpressureDrop()
				.map((i) -> "e" + i)
				.doOnCancel(this.cancelled::incrementAndGet);
		}

		@GetMapping("/quiet")
		Mono<String> quiet() {
			return Mono.<String>never().doOnCancel(this.cancelled::incrementAndGet);
		}

		/** Takes a while, and says how it has ended. */
		@GetMapping("/rows")
		Flux<ServerSentEvent<Integer>> rows() {
			AtomicInteger rows = new AtomicInteger();
			return Flux.range(0, 20)
				.delayElements(Duration.ofMillis(10))
				.doOnNext((row) -> rows.incrementAndGet())
				.map((row) -> ServerSentEvent.builder(row).build())
				.doOnCancel(() -> this.rows = rows + " cancelled")
				.doOnComplete(() -> this.rows = rows + " complete");
		}

		@GetMapping("/rows/end")
		String rowsEnd() {
			return this.rows;
		}

		/** Responds, and is not ready yet. */
		@GetMapping("/early")
		Mono<Void> early(ServerHttpResponse response) {
			this.gate = new CompletableFuture<>();
			return response
				.writeWith(Mono.just(response.bufferFactory().wrap("ok".getBytes(StandardCharsets.US_ASCII))))
				.then(Mono.fromFuture(this.gate).timeout(Duration.ofSeconds(10), Mono.just("late")))
				.doOnCancel(() -> this.early = "cancelled")
				.doOnNext((end) -> this.early = end)
				.then();
		}

		@GetMapping("/early/gate")
		String gate() {
			this.gate.complete("in time");
			return "open";
		}

		@GetMapping("/early/end")
		String earlyEnd() {
			return this.early;
		}

		@GetMapping("/cancelled")
		int cancelled() {
			return this.cancelled.get();
		}

		@GetMapping("/bytes")
		byte[] bytes(@RequestParam int kb) {
			return new byte[kb * 1024];
		}

		@GetMapping("/bytes-elsewhere")
		Mono<byte[]> bytesElsewhere(@RequestParam int kb) {
			return Mono.fromCallable(() -> new byte[kb * 1024]).subscribeOn(Schedulers.boundedElastic());
		}

		@GetMapping("/stream")
		Flux<DataBuffer> stream(@RequestParam int mb) {
			return Flux.range(0, mb * 64).map((i) -> DefaultDataBufferFactory.sharedInstance.wrap(new byte[16 * 1024]));
		}

		@GetMapping("/broken")
		Flux<DataBuffer> broken() {
			return Flux.range(0, 3)
				.<DataBuffer>map((i) -> DefaultDataBufferFactory.sharedInstance.wrap(new byte[16 * 1024]))
				.concatWith(Flux.error(new IllegalStateException("broken")));
		}

		@GetMapping("/later")
		Mono<String> later(@RequestParam int ms) {
			return Mono.delay(Duration.ofMillis(ms)).thenReturn("later");
		}

		@GetMapping("/elsewhere")
		Mono<String> elsewhere() {
			return Mono.fromCallable(() -> "elsewhere").subscribeOn(Schedulers.boundedElastic());
		}

		@GetMapping("/blocking")
		String blocking() {
			return String.valueOf(Mono.delay(Duration.ofMillis(5)).block());
		}

		@GetMapping("/fail")
		String fail() {
			throw new IllegalArgumentException("failed");
		}

		@GetMapping("/teapot")
		String teapot() {
			throw new ResponseStatusException(HttpStatus.CONFLICT, "teapot");
		}

		@GetMapping("/problem")
		ProblemDetail problem() {
			return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, "no");
		}

		@GetMapping("/status")
		Mono<Void> status(@RequestParam int code, ServerHttpResponse response) {
			response.setRawStatusCode(code);
			return response.setComplete();
		}

		@GetMapping("/status-and-body")
		ResponseEntity<String> statusAndBody(@RequestParam int code) {
			return ResponseEntity.status(code).body("body");
		}

		@GetMapping("/header")
		ResponseEntity<String> header(@RequestParam String value) {
			return ResponseEntity.ok().header("X-Odd", value, "second").body("header");
		}

		@GetMapping("/length")
		Mono<Void> length(@RequestParam int said, ServerHttpResponse response) {
			response.getHeaders().setContentLength(said);
			return response.writeWith(
					Flux.just(DefaultDataBufferFactory.sharedInstance.wrap("12345".getBytes(StandardCharsets.UTF_8))));
		}

		@GetMapping("/etag")
		Mono<ResponseEntity<String>> etag(ServerWebExchange exchange) {
			if (exchange.checkNotModified("\"v1\"")) {
				return Mono.just(ResponseEntity.status(HttpStatus.NOT_MODIFIED).build());
			}
			return Mono.just(ResponseEntity.ok().cacheControl(CacheControl.noStore()).body("tagged"));
		}

		@GetMapping("/redirect")
		ResponseEntity<Void> redirect(@RequestParam(defaultValue = "302") int status) {
			return ResponseEntity.status(status).location(URI.create("/text")).build();
		}

		@GetMapping("/cookie")
		Mono<String> cookie(@CookieValue(defaultValue = "none") String taste, ServerHttpResponse response) {
			response.addCookie(
					ResponseCookie.from("taste", "sweet").path("/").httpOnly(true).maxAge(60).sameSite("Lax").build());
			response.addCookie(ResponseCookie.from("other", "x").build());
			return Mono.just(taste);
		}

		@GetMapping("/session")
		Mono<Integer> session(WebSession session) {
			int count = session.<Integer>getAttributeOrDefault("count", 0) + 1;
			session.getAttributes().put("count", count);
			return Mono.just(count);
		}

		@CrossOrigin("https://a.example")
		@GetMapping("/cors")
		String cors() {
			return "cors";
		}

		/** The names of Vicinal's own headers that came. */
		@GetMapping("/asked")
		String asked(ServerHttpRequest request) {
			return request.getHeaders()
				.headerNames()
				.stream()
				.map((name) -> name.toLowerCase(java.util.Locale.ROOT))
				.filter((name) -> name.startsWith("vicinal-"))
				.toList()
				.toString();
		}

		@RequestMapping("/seen/**")
		Mono<Map<String, Object>> seen(ServerWebExchange exchange) {
			ServerHttpRequest request = exchange.getRequest();
			Map<String, Object> seen = new TreeMap<>();
			seen.put("method", request.getMethod().name());
			seen.put("uri", request.getURI().toString().replaceAll(":\\d+", ":port"));
			seen.put("path", request.getPath().value());
			seen.put("inside", request.getPath().pathWithinApplication().value());
			seen.put("query", String.valueOf(request.getQueryParams()));
			seen.put("cookies", String.valueOf(request.getCookies()));
			seen.put("remote", String.valueOf(request.getRemoteAddress()).replaceAll(":\\d+$", ""));
			seen.put("local", String.valueOf(request.getLocalAddress()).replaceAll(":\\d+$", ""));
			seen.put("ssl", String.valueOf(request.getSslInfo()));
			seen.put("nonBlocking", Schedulers.isInNonBlockingThread());
			seen.put("thread", Thread.currentThread().getName().replaceAll("\\d+$", ""));
			Map<String, List<String>> headers = new TreeMap<>();
			request.getHeaders()
				.forEach((name, values) -> headers.put(name.toLowerCase(java.util.Locale.ROOT), values));
			headers.keySet().removeAll(List.of("vicinal-contract", "vicinal-headers", "connection"));
			headers.computeIfPresent("host", (name, values) -> List.of("host"));
			seen.put("headers", headers);
			return DataBufferUtils.join(request.getBody()).map((body) -> {
				seen.put("body", body.toString(StandardCharsets.UTF_8));
				DataBufferUtils.release(body);
				return seen;
			}).defaultIfEmpty(seen);
		}

		@PostMapping("/items")
		Mono<Item> post(@RequestBody Mono<Item> item) {
			return item.map((given) -> new Item(given.id() + 1, given.name()));
		}

		@PutMapping("/items/{id}")
		Item put(@PathVariable int id, @RequestBody Item item) {
			return new Item(id, item.name());
		}

		@PostMapping("/count")
		Mono<Integer> count(ServerHttpRequest request) {
			return request.getBody().map((buffer) -> {
				int count = buffer.readableByteCount();
				DataBufferUtils.release(buffer);
				return count;
			}).reduce(0, Integer::sum);
		}

		@PostMapping("/mirror")
		Mono<Void> mirror(ServerHttpRequest request, ServerHttpResponse response) {
			return response.writeWith(request.getBody());
		}

		@PostMapping("/ignore")
		String ignore() {
			return "ignored";
		}

		@PostMapping("/form")
		Mono<String> form(ServerWebExchange exchange) {
			return exchange.getFormData().map((form) -> new TreeMap<>(form).toString());
		}

		@PostMapping("/upload")
		Mono<String> upload(@RequestPart("name") String name, @RequestPart("file") FilePart file) {
			return DataBufferUtils.join(file.content()).map((content) -> {
				int count = content.readableByteCount();
				DataBufferUtils.release(content);
				return name + " " + file.filename() + " " + count;
			});
		}

	}

}
