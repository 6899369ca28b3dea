package io.github.vicinal.boot.exchange;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPOutputStream;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import org.slf4j.MDC;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/** A server that never heard of exchanges. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(ShopApplication.Shop.class)
class ShopApplication {

	record Line(String article, int count, double price) {
	}

	record Order(long id, String customer, boolean express, String note, List<Line> lines) {

		static Order sample() {
			List<Line> lines = new ArrayList<>();
			for (int i = 0; i < 14; i++) {
				lines.add(new Line("article-" + i, i + 1, 9.5 + i));
			}
			return new Order(4711, "Jane Döe", true, "leave it at the door; " + "x".repeat(120), lines);
		}

	}

	@RestController
	static class Shop {

		private static final CountDownLatch NEVER = new CountDownLatch(1);

		private final AtomicLong written = new AtomicLong();

		private final AtomicInteger posts = new AtomicInteger();

		private final Queue<DeferredResult<String>> together = new ConcurrentLinkedQueue<>();

		private volatile String streamEnd = "";

		private final AtomicReference<SseEmitter> gated = new AtomicReference<>();

		@PostMapping("/orders")
		Order echo(@RequestBody Order order) {
			return order;
		}

		@PutMapping("/orders/{id}")
		Map<String, Object> put(@PathVariable long id, @RequestBody Order order) {
			return Map.of("id", id, "lines", order.lines().size());
		}

		@GetMapping("/orders/{id}/lines/{line}")
		Map<String, Object> get(@PathVariable String id, @PathVariable String line,
				@RequestParam(defaultValue = "none") String q, @RequestHeader("X-Trace") String trace) {
			return new TreeMap<>(Map.of("id", id, "line", line, "q", q, "trace", trace));
		}

		@PostMapping("/created")
		ResponseEntity<Void> created() {
			URI uri = ServletUriComponentsBuilder.fromCurrentRequest().path("/{id}").buildAndExpand(42).toUri();
			return ResponseEntity.created(uri).build();
		}

		@GetMapping("/deferred")
		DeferredResult<String> deferred(@RequestParam long ms, @RequestParam(defaultValue = "1000") long timeout) {
			var result = new DeferredResult<String>(timeout);
			after(ms).execute(() -> result.setResult("deferred " + ms));
			return result;
		}

		/** Responds to all of so many requests when the last of them has come. */
		@GetMapping("/together")
		DeferredResult<String> together(@RequestParam int count) {
			var result = new DeferredResult<String>(60_000L);
			this.together.add(result);
			if (this.together.size() >= count) {
				DeferredResult<String> each;
				while ((each = this.together.poll()) != null) {
					each.setResult("together");
				}
			}
			return result;
		}

		@GetMapping("/slow")
		String slow(@RequestParam long ms) throws InterruptedException {
			return "slow " + NEVER.await(ms, TimeUnit.MILLISECONDS);
		}

		@GetMapping("/future")
		CompletableFuture<String> future() {
			return CompletableFuture.supplyAsync(() -> "future", after(20));
		}

		private static Executor after(long ms) {
			return CompletableFuture.delayedExecutor(ms, TimeUnit.MILLISECONDS);
		}

		@GetMapping("/stream")
		ResponseEntity<StreamingResponseBody> stream(@RequestParam int mb) {
			this.written.set(0);
			this.streamEnd = "running";
			return ResponseEntity.ok().contentType(MediaType.APPLICATION_OCTET_STREAM).body((out) -> {
				byte[] block = new byte[64 * 1024];
				try {
					for (int i = 0; i < mb * 16; i++) {
						out.write(block);
						out.flush();
						this.written.addAndGet(block.length);
					}
					this.streamEnd = "done";
				}
				catch (IOException ex) {
					this.streamEnd = "failed";
					throw ex;
				}
			});
		}

		@GetMapping("/written")
		String written() {
			return this.written.get() + " " + this.streamEnd;
		}

		@GetMapping("/bytes")
		byte[] bytes(@RequestParam int kb) {
			return new byte[kb << 10];
		}

		@GetMapping("/sse")
		SseEmitter sse() {
			SseEmitter emitter = new SseEmitter();
			send(emitter, 0);
			return emitter;
		}

		private static void send(SseEmitter emitter, int number) {
			after(20).execute(() -> {
				try {
					if (number == 3) {
						emitter.complete();
						return;
					}
					emitter.send(SseEmitter.event().id("" + number).data("event " + number));
					send(emitter, number + 1);
				}
				catch (IOException ex) {
					emitter.completeWithError(ex);
				}
			});
		}

		/** Sends its second event once the client says that it has the first one. */
		@GetMapping("/gated")
		SseEmitter gated() throws IOException {
			SseEmitter emitter = new SseEmitter();
			this.gated.set(emitter);
			emitter.send(SseEmitter.event().data("first"));
			return emitter;
		}

		@GetMapping("/open")
		String open() throws IOException {
			SseEmitter emitter = this.gated.getAndSet(null);
			emitter.send(SseEmitter.event().data("second"));
			emitter.complete();
			return "opened";
		}

		@PostMapping("/upload")
		Map<String, Object> upload(@RequestParam("file") MultipartFile file, @RequestParam("name") String name) {
			return new TreeMap<>(
					Map.of("name", name, "file", String.valueOf(file.getOriginalFilename()), "size", file.getSize()));
		}

		@PostMapping("/count")
		Map<String, Object> count(HttpServletRequest request) throws IOException {
			byte[] buffer = new byte[16384];
			long count = 0;
			long sum = 0;
			int read = request.getInputStream().read(buffer);
			while (read >= 0) {
				count += read;
				for (int i = 0; i < read; i++) {
					sum += buffer[i];
				}
				read = request.getInputStream().read(buffer);
			}
			return new TreeMap<>(Map.of("count", count, "sum", sum));
		}

		/** Responds while it reads. */
		@PostMapping("/mirror")
		void mirror(HttpServletRequest request, HttpServletResponse response) throws IOException {
			request.getInputStream().transferTo(response.getOutputStream());
		}

		/** Answers without reading the body. */
		@PostMapping("/reject")
		ResponseEntity<String> reject() {
			return ResponseEntity.status(413).body("too much");
		}

		@PostMapping("/form")
		Map<String, List<String>> form(HttpServletRequest request) {
			Map<String, List<String>> form = new TreeMap<>();
			request.getParameterMap().forEach((name, values) -> form.put(name, List.of(values)));
			return form;
		}

		@PostMapping("/once")
		int once() {
			return this.posts.incrementAndGet();
		}

		@GetMapping("/fail")
		String fail() {
			throw new IllegalStateException("oops");
		}

		@GetMapping("/field")
		String field(@RequestParam int length, HttpServletResponse response) {
			response.setHeader("X-Long", "b".repeat(length));
			return "never seen";
		}

		@GetMapping("/trailers")
		void trailers(HttpServletResponse response) throws IOException {
			response.setHeader("Trailer", "X-Sum");
			response.setTrailerFields(() -> Map.of("X-Sum", "1"));
			response.getOutputStream().write(new byte[100_000]);
		}

		@GetMapping("/teapot")
		String teapot() {
			throw new ResponseStatusException(HttpStatus.I_AM_A_TEAPOT, "short and stout");
		}

		@GetMapping("/senderror")
		void sendError(HttpServletResponse response) throws IOException {
			response.sendError(409, "conflict");
		}

		@RequestMapping("/challenge")
		ResponseEntity<String> challenge(@RequestParam int status) {
			return ResponseEntity.status(status).header("WWW-Authenticate", "Basic realm=\"shop\"").body("who is it?");
		}

		@GetMapping("/status")
		void status(@RequestParam int code, HttpServletResponse response) {
			response.setStatus(code);
		}

		@GetMapping("/redirect")
		ResponseEntity<Void> redirect(@RequestParam(defaultValue = "302") int status) {
			return ResponseEntity.status(status).location(URI.create("/text")).build();
		}

		@PostMapping("/redirect")
		ResponseEntity<Void> redirectPost(@RequestParam(defaultValue = "302") int status) {
			return ResponseEntity.status(status).location(URI.create("/seen/after")).build();
		}

		@ExceptionHandler(NumberFormatException.class)
		ProblemDetail problem(NumberFormatException ex) {
			return ProblemDetail.forStatusAndDetail(HttpStatus.UNPROCESSABLE_CONTENT, "not a number");
		}

		@GetMapping("/parse")
		int parse(@RequestHeader("X-Number") String number) {
			return Integer.parseInt(number);
		}

		@GetMapping("/nothing")
		ResponseEntity<Void> nothing() {
			return ResponseEntity.noContent().build();
		}

		@GetMapping("/text")
		String text() {
			return "héllo";
		}

		@GetMapping("/etag")
		ResponseEntity<String> etag() {
			return ResponseEntity.ok().eTag("v1").body("tagged");
		}

		@GetMapping("/session")
		String session(HttpSession session) {
			Integer count = (Integer) session.getAttribute("count");
			session.setAttribute("count", (count != null) ? count + 1 : 1);
			return "count=" + session.getAttribute("count");
		}

		@GetMapping("/cookie")
		String cookie(HttpServletRequest request, HttpServletResponse response) {
			StringBuilder seen = new StringBuilder();
			if (request.getCookies() != null) {
				for (Cookie cookie : request.getCookies()) {
					seen.append(cookie.getName()).append('=').append(cookie.getValue());
				}
			}
			response.addCookie(new Cookie("taste", "sweet"));
			return "seen " + seen;
		}

		@GetMapping("/oddheader")
		ResponseEntity<String> odd() {
			return ResponseEntity.ok().header("X-Odd", "aéb").header("X-Two", "1").header("X-Two", "2").body("odd");
		}

		/** Compresses by itself. */
		@GetMapping("/zipped")
		void zipped(@RequestParam int kb, HttpServletRequest request, HttpServletResponse response) throws IOException {
			ByteArrayOutputStream bytes = new ByteArrayOutputStream();
			boolean zips = String.valueOf(request.getHeader("Accept-Encoding")).contains("gzip");
			try (OutputStream out = zips ? new GZIPOutputStream(bytes) : bytes) {
				new SplittableRandom(7).ints((long) kb << 10, 'a', 'z').forEach((letter) -> {
					try {
						out.write(letter);
					}
					catch (IOException ex) {
						throw new UncheckedIOException(ex);
					}
				});
			}
			response.setContentType("text/plain");
			if (zips) {
				response.setHeader("Content-Encoding", "gzip");
			}
			if (kb % 2 == 0) {
				response.setContentLength(bytes.size());
			}
			bytes.writeTo(response.getOutputStream());
		}

		@GetMapping("/shortened")
		void shortened(HttpServletResponse response) throws IOException {
			response.setContentLength(1000);
			response.getOutputStream().write(new byte[10]);
		}

		@GetMapping("/broken")
		void broken(HttpServletResponse response) throws IOException {
			response.getOutputStream().write(new byte[100_000]);
			response.flushBuffer();
			throw new IllegalStateException("too late");
		}

		/** The request as a handler sees it. */
		@RequestMapping("/seen/**")
		Map<String, Object> seen(HttpServletRequest request) {
			Map<String, Object> seen = new TreeMap<>();
			Map<String, Object> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
			Collections.list(request.getHeaderNames())
				.forEach((name) -> headers.put(name.toLowerCase(Locale.ROOT),
						Collections.list(request.getHeaders(name)).toString()));
			headers.keySet().removeIf((name) -> name.startsWith("vicinal-"));
			seen.put("headers", headers);
			seen.put("url", request.getRequestURL().toString());
			seen.put("uri", request.getRequestURI());
			seen.put("servletPath", request.getServletPath());
			seen.put("query", String.valueOf(request.getQueryString()));
			seen.put("parameters", request.getParameterMap().keySet().toString());
			seen.put("protocol", request.getProtocol());
			seen.put("scheme", request.getScheme());
			seen.put("secure", request.isSecure());
			seen.put("server", request.getServerName() + ":" + (request.getServerPort() == request.getLocalPort()));
			seen.put("remote", request.getRemoteAddr() + " " + request.getRemoteHost());
			seen.put("local", request.getLocalAddr() + " " + request.getLocalName());
			seen.put("length", request.getContentLengthLong());
			seen.put("method", request.getMethod());
			seen.put("locale", request.getLocale().toString());
			seen.put("async", request.isAsyncSupported());
			return seen;
		}

		/** Parts of the caller's thread that the handler sees. */
		@GetMapping("/thread")
		Map<String, Object> thread() {
			return new TreeMap<>(Map.of("mdc", String.valueOf(MDC.get("who")), "locale",
					String.valueOf(LocaleContextHolder.getLocale())));
		}

		@PostMapping("/nonblocking")
		void nonBlocking(HttpServletRequest request, HttpServletResponse response) throws IOException {
			new NonBlockingEcho(request, response).start();
		}

	}

	/** Reads without blocking, then writes as much without blocking. */
	private static final class NonBlockingEcho implements ReadListener, WriteListener {

		private final AsyncContext async;

		private final ServletInputStream in;

		private final ServletOutputStream out;

		private final byte[] buffer = new byte[8192];

		private long count;

		NonBlockingEcho(HttpServletRequest request, HttpServletResponse response) throws IOException {
			this.async = request.startAsync();
			this.async.setTimeout(5000);
			this.in = request.getInputStream();
			this.out = response.getOutputStream();
		}

		void start() {
			this.in.setReadListener(this);
		}

		@Override
		public void onDataAvailable() throws IOException {
			while (this.in.isReady() && !this.in.isFinished()) {
				int read = this.in.read(this.buffer);
				this.count += Math.max(read, 0);
			}
		}

		@Override
		public void onAllDataRead() {
			this.out.setWriteListener(this);
		}

		@Override
		public void onWritePossible() throws IOException {
			while (this.out.isReady()) {
				if (this.count <= 0) {
					this.async.complete();
					return;
				}
				int length = (int) Math.min(this.buffer.length, this.count);
				this.out.write(this.buffer, 0, length);
				this.count -= length;
			}
		}

		@Override
		public void onError(Throwable problem) {
			this.async.complete();
		}

	}

}
