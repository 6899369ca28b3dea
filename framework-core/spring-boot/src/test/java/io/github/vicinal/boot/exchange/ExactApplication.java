package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.WebRequest;

/** A server whose handlers look closely at requests, and answer in unusual ways. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({ ShopApplication.Shop.class, ExactApplication.ExactController.class })
class ExactApplication {

	@RestController
	static class ExactController {

		private static final Instant CHANGED = Instant.parse("2026-01-02T03:04:05Z");

		/** The names of all fields as they are spelled. */
		@RequestMapping("/names")
		List<String> names(HttpServletRequest request) {
			return Collections.list(request.getHeaderNames())
				.stream()
				.filter(ExactController::isSeen)
				.sorted()
				.toList();
		}

		/**
		 * The JDK's client asks for another protocol, and a ticket names no connection.
		 */
		private static boolean isSeen(String name) {
			String lower = name.toLowerCase(Locale.ROOT);
			return !lower.startsWith("vicinal") && !List.of("connection", "upgrade", "http2-settings").contains(lower);
		}

		@GetMapping("/map")
		Map<String, String> map(@RequestHeader Map<String, String> headers) {
			Map<String, String> sorted = new TreeMap<>(headers);
			sorted.keySet().removeIf((name) -> !isSeen(name));
			return sorted;
		}

		@RequestMapping("/values")
		Map<String, Object> values(HttpServletRequest request) {
			Map<String, Object> values = new TreeMap<>();
			for (String name : List.of("X-A", "x-b", "Cookie", "Content-Type", "Content-Encoding", "Content-Length")) {
				values.put(name, Collections.list(request.getHeaders(name)));
			}
			values.put("parameters", parameters(request));
			return values;
		}

		private static Map<String, String> parameters(HttpServletRequest request) {
			Map<String, String> parameters = new TreeMap<>();
			request.getParameterMap().forEach((name, all) -> parameters.put(name, Arrays.toString(all)));
			return parameters;
		}

		@RequestMapping("/facts/**")
		Map<String, Object> facts(HttpServletRequest request) throws IOException {
			Map<String, Object> facts = new TreeMap<>();
			facts.put("uri", request.getRequestURI());
			facts.put("path", String.valueOf(request.getServletPath()));
			facts.put("info", String.valueOf(request.getPathInfo()));
			facts.put("query", String.valueOf(request.getQueryString()));
			facts.put("parameters", parameters(request));
			facts.put("mapping", String.valueOf(request.getHttpServletMapping().getMatchValue()));
			facts.put("protocol", request.getServletConnection().getProtocol());
			facts.put("secure", request.getServletConnection().isSecure());
			facts.put("dispatcher", request.getDispatcherType().toString());
			facts.put("type", String.valueOf(request.getContentType()));
			facts.put("encoding", String.valueOf(request.getCharacterEncoding()));
			facts.put("length", request.getContentLength());
			facts.put("locales", Collections.list(request.getLocales()).toString());
			facts.put("session", String.valueOf(request.getRequestedSessionId()));
			facts.put("session by URL", request.isRequestedSessionIdFromURL());
			facts.put("trailers", request.isTrailerFieldsReady() + " " + request.getTrailerFields());
			facts.put("push", request.newPushBuilder() != null);
			facts.put("attributes", attributes(request));
			facts.put("body", request.getInputStream().readAllBytes().length);
			return facts;
		}

		/** Those of the container: Spring's are many. */
		private static String attributes(HttpServletRequest request) {
			TreeSet<String> names = new TreeSet<>(Collections.list(request.getAttributeNames()));
			names.removeIf((name) -> name.contains("spring") || name.contains("vicinal") || name.contains(".FILTERED")
					|| name.contains("micrometer"));
			return names.toString();
		}

		@GetMapping("/cookies")
		String cookies(HttpServletRequest request, @CookieValue(name = "a", defaultValue = "none") String bound) {
			Cookie[] cookies = request.getCookies();
			List<String> all = new ArrayList<>();
			for (Cookie cookie : (cookies != null) ? cookies : new Cookie[0]) {
				all.add(cookie.getName() + "=" + cookie.getValue());
			}
			return all + " " + bound;
		}

		@GetMapping("/baked")
		void baked(HttpServletResponse response) {
			Cookie cookie = new Cookie("a", "b");
			cookie.setMaxAge(0);
			cookie.setPath("/x y");
			cookie.setHttpOnly(true);
			cookie.setAttribute("SameSite", "Lax");
			response.addCookie(cookie);
			response.addCookie(new Cookie("c", ""));
			response.addHeader("Set-Cookie", "own=1; Secure");
		}

		@RequestMapping("/code/{code}")
		void code(@PathVariable int code, @RequestParam(defaultValue = "") String body, HttpServletResponse response)
				throws IOException {
			response.setStatus(code);
			if (!body.isEmpty()) {
				response.setContentType("text/plain");
				response.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
			}
		}

		@GetMapping("/error/{code}")
		void error(@PathVariable int code, HttpServletResponse response) throws IOException {
			response.sendError(code, "a message");
		}

		@GetMapping("/entity/{code}")
		ResponseEntity<String> entity(@PathVariable int code) {
			return ResponseEntity.status(code).header("X-A", "b").body("some text");
		}

		@GetMapping("/with")
		String field(@RequestParam String name, @RequestParam String value, HttpServletResponse response) {
			response.setHeader(name, value);
			return "with a field";
		}

		@GetMapping("/fields")
		String fields(HttpServletResponse response) {
			response.addHeader("X-MiXeD-CaSe", "1");
			response.addHeader("x-mixed-case", "2, 3");
			response.addHeader("X-Empty", "");
			response.addHeader("X-Blanks", "  a  b  ");
			response.addHeader("X-Latin", "\u00e4\u00ff");
			response.addDateHeader("X-Date", CHANGED.toEpochMilli());
			response.addIntHeader("X-Int", -1);
			response.addHeader("Date", "Thu, 01 Jan 1970 00:00:00 GMT");
			response.addHeader("Server", "own");
			response.addHeader("Trailer", "X-None");
			response.addHeader("Keep-Alive", "timeout=7");
			return "fields";
		}

		@RequestMapping("/length")
		void length(@RequestParam int said, @RequestParam int written, HttpServletResponse response)
				throws IOException {
			response.setContentLength(said);
			response.getOutputStream().write(new byte[written]);
		}

		@GetMapping("/closes")
		void closes(HttpServletResponse response) throws IOException {
			response.setHeader("Connection", "close");
			response.getOutputStream().write(new byte[100]);
			response.flushBuffer();
			response.getOutputStream().write(new byte[100]);
		}

		@GetMapping("/encoded")
		void encoded(HttpServletResponse response) throws IOException {
			response.setContentType("text/plain");
			response.setCharacterEncoding("ISO-8859-1");
			response.setLocale(Locale.FRANCE);
			response.getWriter().print("\u00e4\u20ac");
		}

		@GetMapping("/buffer")
		void buffer(HttpServletResponse response) throws IOException {
			StringBuilder seen = new StringBuilder();
			response.setBufferSize(100);
			response.getOutputStream().write(new byte[50]);
			seen.append(response.isCommitted()).append(' ');
			response.resetBuffer();
			response.setHeader("X-Before", "1");
			response.flushBuffer();
			seen.append(response.isCommitted()).append(' ');
			response.setHeader("X-Late", "1");
			response.setStatus(500);
			seen.append(response.getStatus()).append(' ').append(response.getHeader("X-Late"));
			try {
				response.sendError(404);
			}
			catch (IllegalStateException ex) {
				seen.append(" too late");
			}
			response.getOutputStream().print(seen.toString());
		}

		@GetMapping("/hints")
		String hints(HttpServletResponse response) throws IOException {
			response.setHeader("Link", "</a.css>; rel=preload");
			response.sendError(103);
			response.setHeader("X-Final", "1");
			return "after hints";
		}

		@GetMapping("/reset")
		void reset(HttpServletResponse response) throws IOException {
			response.setStatus(404);
			response.setHeader("X-Gone", "1");
			response.getOutputStream().print("gone");
			response.reset();
			response.getOutputStream().print("kept");
		}

		@GetMapping("/resource")
		ResponseEntity<Resource> resource() {
			byte[] bytes = new byte[1000];
			Arrays.fill(bytes, (byte) 'a');
			return ResponseEntity.ok().contentType(MediaType.TEXT_PLAIN).body(new ByteArrayResource(bytes));
		}

		@RequestMapping("/validated")
		String validated(WebRequest request) {
			return request.checkNotModified("\"v7\"", CHANGED.toEpochMilli()) ? null : "validated";
		}

		@GetMapping("/url")
		String url(HttpSession session, HttpServletResponse response) {
			session.setAttribute("a", "b");
			return response.encodeURL("/next") + " " + response.encodeRedirectURL("http://other.example/x");
		}

		@GetMapping("/redirected")
		void redirected(@RequestParam String to, HttpServletResponse response) throws IOException {
			response.sendRedirect(to);
		}

		@RequestMapping("/dispatched")
		void dispatched(@RequestParam String to, HttpServletRequest request) {
			AsyncContext async = request.startAsync();
			async.start(() -> async.dispatch(to));
		}

		@RequestMapping("/forwarded")
		void forwarded(@RequestParam String to, HttpServletRequest request, HttpServletResponse response)
				throws ServletException, IOException {
			request.getRequestDispatcher(to).forward(request, response);
		}

		@GetMapping("/included")
		void included(@RequestParam String what, HttpServletRequest request, HttpServletResponse response)
				throws ServletException, IOException {
			response.setContentType("text/plain");
			RequestDispatcher dispatcher = request.getRequestDispatcher(what);
			dispatcher.include(request, response);
		}

	}

}
