package io.github.vicinal.testkit.server;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.vicinal.testkit.contract.ResponseContract;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

@RestController
class ResponseController implements ResponseContract {

	private static final Instant CHANGED = Instant.parse("2026-01-02T03:04:05Z");

	private static final String ETAG = "\"kit-1\"";

	private final HttpServletRequest request;

	private final HttpServletResponse response;

	private final Interceptions interceptions;

	ResponseController(HttpServletRequest request, HttpServletResponse response, Interceptions interceptions) {
		this.request = request;
		this.response = response;
		this.interceptions = interceptions;
	}

	@Override
	public String ping() {
		return "response";
	}

	@Override
	public String status(int status) {
		this.response.setStatus(status);
		return "status " + status;
	}

	@Override
	public @Nullable String statusOfNothing(int status) {
		this.response.setStatus(status);
		return null;
	}

	@Override
	public void statusOfVoid(int status) {
		this.response.setStatus(status);
	}

	@Override
	public ResponseEntity<String> statusBesideEntity(int status) {
		this.response.setStatus(status);
		return ResponseEntity.accepted().body("an entity's own");
	}

	@Override
	public @Nullable String error(int status, @Nullable String message) {
		sendError(status, message);
		return null;
	}

	@Override
	public void errorOfVoid(int status, @Nullable String message) {
		sendError(status, message);
	}

	@Override
	public ResponseEntity<String> errorBesideEntity(int status) {
		sendError(status, null);
		return ResponseEntity.accepted().header("X-Kit-Late", "late").body("too late");
	}

	@Override
	public @Nullable String errorOfType(String type) {
		this.response.setContentType(type);
		sendError(404, null);
		return null;
	}

	private void sendError(int status, @Nullable String message) {
		try {
			if (message != null) {
				this.response.sendError(status, message);
			}
			else {
				this.response.sendError(status);
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public ResponseEntity<String> headers(String how) {
		addHeaders(how);
		return ResponseEntity.ok().header("X-Kit-Entity", "entity").body(how);
	}

	@Override
	public ResponseEntity<String> headersOfPost(String how) {
		return headers(how);
	}

	@Override
	public String headersAndFailure(String how) {
		addHeaders(how);
		throw new ResponseStatusException(HttpStatus.CONFLICT, "after headers");
	}

	private void addHeaders(String how) {
		switch (how) {
			case "set" -> this.response.setHeader("X-Kit-One", "one");
			case "replace" -> {
				this.response.setHeader("X-Kit-One", "one");
				this.response.setHeader("X-Kit-One", "two");
			}
			case "add" -> {
				this.response.addHeader("X-Kit-Many", "one");
				this.response.addHeader("X-Kit-Many", "two, three");
				this.response.addHeader("x-kit-many", "four");
			}
			case "typed" -> {
				this.response.setIntHeader("X-Kit-Count", 7);
				this.response.addDateHeader("X-Kit-Date", CHANGED.toEpochMilli());
			}
			case "overridden" -> this.response.setHeader("X-Kit-Entity", "handler");
			case "locale" -> this.response.setLocale(Locale.forLanguageTag("pt-BR"));
			case "vary" -> {
				this.response.addHeader(HttpHeaders.VARY, "Accept-Language");
				this.response.addHeader(HttpHeaders.VARY, "X-Tenant");
			}
			case "reset" -> {
				this.response.setHeader("X-Kit-One", "one");
				this.response.setStatus(418);
				this.response.reset();
			}
			case "empty" -> this.response.setHeader("X-Kit-Empty", "");
			case "line-break" -> this.response.setHeader("X-Kit-One", "one\r\nX-Kit-Two: two");
			case "blanks" -> this.response.setHeader("X-Kit-One", "  one and two ");
			case "foreign" -> {
				this.response.setHeader("X-Kit-One", "\u00fc\u20ac");
				this.response.setHeader("X-Kit-Two", "two");
			}
			case "many" -> {
				for (int i = 0; i < 300; i++) {
					this.response.setHeader("X-Kit-" + i, "value " + i);
				}
			}
			default -> throw new IllegalArgumentException(how);
		}
	}

	@Override
	public ResponseEntity<String> cookies(String how) {
		switch (how) {
			case "plain" -> this.response.addCookie(new Cookie("kit", "value"));
			case "full" -> {
				Cookie cookie = new Cookie("kit", "value");
				cookie.setPath("/kit");
				cookie.setHttpOnly(true);
				cookie.setSecure(true);
				cookie.setAttribute("SameSite", "Strict");
				this.response.addCookie(cookie);
			}
			case "several" -> {
				this.response.addCookie(new Cookie("one", "1"));
				this.response.addCookie(new Cookie("two", "2"));
			}
			case "both" -> {
				this.response.addCookie(new Cookie("one", "1"));
				return ResponseEntity.ok()
					.header(HttpHeaders.SET_COOKIE,
							ResponseCookie.from("two", "2").path("/").sameSite("Lax").build().toString())
					.body(how);
			}
			default -> throw new IllegalArgumentException(how);
		}
		return ResponseEntity.ok(how);
	}

	@Override
	public @Nullable ResponseEntity<String> notModified(String how, @Nullable String match, @Nullable String since) {
		ServletWebRequest current = new ServletWebRequest(this.request, this.response);
		switch (how) {
			case "etag" -> {
				if (current.checkNotModified("kit-1")) {
					return null;
				}
				return ResponseEntity.ok("modified");
			}
			case "date" -> {
				if (current.checkNotModified(CHANGED.toEpochMilli())) {
					return null;
				}
				return ResponseEntity.ok("modified");
			}
			case "both" -> {
				if (current.checkNotModified("kit-1", CHANGED.toEpochMilli())) {
					return null;
				}
				return ResponseEntity.ok("modified");
			}
			case "entity-etag" -> {
				return ResponseEntity.ok().eTag(ETAG).header("X-Kit-Entity", "entity").body("modified");
			}
			case "entity-date" -> {
				return ResponseEntity.ok().lastModified(CHANGED).body("modified");
			}
			case "entity-both" -> {
				return ResponseEntity.ok()
					.eTag(ETAG)
					.lastModified(CHANGED)
					.cacheControl(CacheControl.maxAge(Duration.ofMinutes(1)))
					.body("modified");
			}
			default -> throw new IllegalArgumentException(how);
		}
	}

	@Override
	public @Nullable ResponseEntity<String> changed(String how, @Nullable String match) {
		if (how.equals("entity")) {
			return ResponseEntity.ok().eTag(ETAG).body("changed");
		}
		if (new ServletWebRequest(this.request, this.response).checkNotModified("kit-1")) {
			return null;
		}
		return ResponseEntity.ok("changed");
	}

	@Override
	public ResponseEntity<String> created(String how) {
		URI location = ServletUriComponentsBuilder.fromCurrentRequest()
			.path("/{id}")
			.replaceQueryParam("how")
			.buildAndExpand("a b")
			.encode()
			.toUri();
		if (how.equals("relative")) {
			location = URI.create("created/1");
		}
		return ResponseEntity.created(location).body(how);
	}

	@Override
	public ProblemDetail problem(int status) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatusCode.valueOf(status), "a detail");
		problem.setTitle("A title");
		problem.setProperty("more", List.of(1, 2));
		return problem;
	}

	@Override
	public ResponseEntity<ProblemDetail> problemEntity(int status) {
		return ResponseEntity.of(problem(status)).header("X-Kit-Entity", "entity").build();
	}

	@Override
	public ErrorResponse errorResponse(int status) {
		ErrorResponseException answer = new ErrorResponseException(HttpStatusCode.valueOf(status), problem(status),
				null);
		answer.getHeaders().add("X-Kit-Problem", "returned");
		return answer;
	}

	@Override
	@ResponseStatus(HttpStatus.CREATED)
	public String annotated() {
		return "created";
	}

	@Override
	@ResponseStatus(code = HttpStatus.LOCKED, reason = "short and stout")
	public String annotatedWithReason() {
		return "a result";
	}

	@Override
	public String handled(String how) {
		throw new HandledException(how);
	}

	@Override
	public ResponseEntity<String> handledEntity(String how) {
		throw new HandledException(how);
	}

	@ExceptionHandler
	@Nullable Object handle(HandledException ex) throws IOException {
		this.response.setHeader("X-Kit-Handler", ex.how());
		switch (ex.how()) {
			case "text" -> {
				this.response.setStatus(409);
				return ResponseEntity.status(this.response.getStatus()).body("handled");
			}
			case "header-only" -> {
				return ResponseEntity.ok("recovered");
			}
			case "problem" -> {
				return ProblemDetail.forStatusAndDetail(HttpStatus.GONE, "by the handler");
			}
			case "error" -> {
				this.response.sendError(403, "by the handler");
				return null;
			}
			case "written" -> {
				this.response.setStatus(422);
				this.response.setContentType("text/plain;charset=UTF-8");
				this.response.getWriter().write("written by the handler");
				return null;
			}
			case "entity" -> {
				return ResponseEntity.status(423).header("X-Kit-More", "more").body(List.of("a", "b"));
			}
			case "cookie" -> {
				this.response.addCookie(new Cookie("kit-handler", "1"));
				return ResponseEntity.status(409).build();
			}
			default -> throw new IllegalStateException("the handler fails, too");
		}
	}

	@Override
	public ResponseEntity<String> caching(String how) {
		return switch (how) {
			case "max-age" ->
				ResponseEntity.ok().cacheControl(CacheControl.maxAge(Duration.ofHours(1)).cachePrivate()).body(how);
			case "no-store" -> ResponseEntity.ok().cacheControl(CacheControl.noStore()).body(how);
			case "by-hand" -> {
				this.response.setHeader(HttpHeaders.CACHE_CONTROL, "no-cache");
				this.response.setDateHeader(HttpHeaders.EXPIRES, CHANGED.toEpochMilli());
				yield ResponseEntity.ok(how);
			}
			case "vary" -> ResponseEntity.ok().varyBy("Accept-Language", "X-Tenant").body(how);
			default -> throw new IllegalArgumentException(how);
		};
	}

	@Override
	public @Nullable String written(String how) {
		return write(how);
	}

	@Override
	public void writtenByVoid(String how) {
		write(how);
	}

	@Override
	public @Nullable ResponseEntity<String> writtenBesideEntity(String how) {
		write(how);
		return null;
	}

	private @Nullable String write(String how) {
		try {
			switch (how) {
				case "writer" -> {
					this.response.setContentType("text/plain;charset=UTF-8");
					this.response.getWriter().write("written ü");
				}
				case "stream" -> {
					this.response.setContentType(MediaType.TEXT_PLAIN_VALUE);
					this.response.getOutputStream().write("streamed".getBytes(StandardCharsets.UTF_8));
				}
				case "status" -> {
					this.response.setStatus(409);
					this.response.setContentType(MediaType.APPLICATION_JSON_VALUE);
					this.response.getWriter().write("{\"written\":true}");
				}
				case "flushed" -> {
					this.response.setContentType("text/plain;charset=UTF-8");
					this.response.getWriter().write("flushed");
					this.response.flushBuffer();
					this.response.setHeader("X-Kit-Late", "late");
				}
				case "reset" -> {
					this.response.getWriter().write("forgotten");
					this.response.resetBuffer();
					this.response.setStatus(410);
				}
				case "nothing" -> this.response.flushBuffer();
				default -> throw new IllegalArgumentException(how);
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		return null;
	}

	@Override
	public String readBack(String how) {
		HttpServletResponse current = this.response;
		return switch (how) {
			case "status" -> {
				int before = current.getStatus();
				current.setStatus(202);
				yield before + " " + current.getStatus();
			}
			case "headers" -> {
				current.addHeader("X-Kit-Many", "one");
				current.addHeader("X-Kit-Many", "two");
				yield current.getHeader("X-Kit-Many") + " " + current.getHeaders("x-kit-many") + " "
						+ current.containsHeader("X-KIT-MANY") + " " + current.getHeader("X-Kit-None") + " "
						+ current.getHeaderNames().contains("X-Kit-Many");
			}
			case "content" -> {
				String before = current.getContentType() + " " + current.getCharacterEncoding();
				current.setCharacterEncoding("UTF-8");
				yield before + " " + current.getContentType() + " " + current.getCharacterEncoding();
			}
			case "buffer" -> (current.getBufferSize() > 0) + " " + current.isCommitted();
			case "urls" -> current.encodeURL("/next?a=b") + " " + current.encodeRedirectURL("/next");
			case "locale" -> {
				String before = String.valueOf(current.getLocale());
				current.setLocale(Locale.GERMANY);
				yield before + " " + current.getLocale();
			}
			default -> throw new IllegalArgumentException(how);
		};
	}

	@Override
	public ResponseEntity<String> intercepted(String how) {
		this.interceptions.note("handle " + how);
		if (how.equals("fails")) {
			throw new IllegalStateException(how);
		}
		return ResponseEntity.ok(how);
	}

	@Override
	public @Nullable String interceptedText(String how) {
		this.interceptions.note("handle " + how);
		return how.contains("null") ? null : how;
	}

	@Override
	public void interceptedVoid(String how) {
		this.interceptions.note("handle " + how);
	}

	@Override
	public ResponseEntity<Void> interceptedEntity(String how) {
		this.interceptions.note("handle " + how);
		return ResponseEntity.noContent().build();
	}

	@Override
	public @Nullable List<Integer> interceptedNumbers(String how) {
		this.interceptions.note("handle " + how);
		return how.contains("null") ? null : List.of(1, 2);
	}

	@Override
	public String interceptions() {
		return this.interceptions.drain();
	}

	@Override
	public String moved() {
		try {
			this.response.sendRedirect("readback-that-is-not-there");
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		return "moved";
	}

	@Override
	public ResponseEntity<String> movedEntity() {
		return ResponseEntity.ok(moved());
	}

	/** An exception that this controller answers. */
	static final class HandledException extends RuntimeException {

		private final String how;

		HandledException(String how) {
			super(how);
			this.how = how;
		}

		String how() {
			return this.how;
		}

	}

	/** The steps of intercepted requests. */
	static class Interceptions {

		private final Queue<String> steps = new ConcurrentLinkedQueue<>();

		void note(String step) {
			this.steps.add(step);
		}

		String drain() {
			StringJoiner text = new StringJoiner(", ");
			for (String step = this.steps.poll(); step != null; step = this.steps.poll()) {
				text.add(step);
			}
			return text.toString();
		}

	}

	/** Adds to responses, and answers some itself. */
	static final class AddingInterceptor implements HandlerInterceptor {

		private final Interceptions interceptions;

		AddingInterceptor(Interceptions interceptions) {
			this.interceptions = interceptions;
		}

		@Override
		public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
				throws IOException {
			String how = String.valueOf(request.getParameter("how"));
			this.interceptions.note("before " + how);
			response.setHeader("X-Kit-Before", how);
			switch (how) {
				case "cookie" -> response.addCookie(new Cookie("kit-before", "1"));
				case "status" -> response.setStatus(203);
				case "answers" -> {
					response.setStatus(402);
					response.setContentType(MediaType.TEXT_PLAIN_VALUE);
					response.getWriter().write("answered by the interceptor");
					return false;
				}
				case "answers-empty" -> {
					return false;
				}
				case "rejects" -> {
					response.sendError(403, "rejected by the interceptor");
					return false;
				}
				case "rejects-and-goes-on" -> response.sendError(403, "rejected by the interceptor");
				case "throws" -> throw new ResponseStatusException(HttpStatus.PAYMENT_REQUIRED, "by the interceptor");
				default -> {
				}
			}
			return true;
		}

		@Override
		public void postHandle(HttpServletRequest request, HttpServletResponse response, Object handler,
				@Nullable ModelAndView modelAndView) {
			String how = String.valueOf(request.getParameter("how"));
			this.interceptions.note("after " + how + " " + response.isCommitted());
			response.setHeader("X-Kit-After", how);
			response.addCookie(new Cookie("kit-after", "1"));
			if (how.equals("late-status")) {
				response.setStatus(409);
			}
			if (how.startsWith("flushed")) {
				flush(response);
			}
			if (how.endsWith("late-failure")) {
				throw new IllegalStateException("after the handler");
			}
		}

		private static void flush(HttpServletResponse response) {
			try {
				response.flushBuffer();
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
				@Nullable Exception ex) {
			this.interceptions.note("completed " + ((ex != null) ? ex.getClass().getSimpleName() : "well") + " "
					+ response.getStatus());
		}

	}

}
