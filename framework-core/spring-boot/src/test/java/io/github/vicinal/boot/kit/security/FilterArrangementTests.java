package io.github.vicinal.boot.kit.security;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Enumeration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;

import io.github.vicinal.boot.kit.security.Arrangement.FilterFactory;
import io.github.vicinal.boot.kit.security.Vault.Note;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.core.Ordered;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.web.filter.CommonsRequestLoggingFilter;
import org.springframework.web.filter.HiddenHttpMethodFilter;
import org.springframework.web.filter.ShallowEtagHeaderFilter;
import org.springframework.web.util.ContentCachingRequestWrapper;
import org.springframework.web.util.ContentCachingResponseWrapper;

/** Filters of applications, and how they are registered. */
class FilterArrangementTests extends ArrangementTests {

	/** Action of an HTTP filter. */
	@FunctionalInterface
	private interface HttpFilter {

		void filter(HttpServletRequest request, HttpServletResponse response, FilterChain chain, Ledger ledger)
				throws IOException, ServletException;

	}

	private static FilterFactory http(HttpFilter filter) {
		return (ledger) -> (Filter) (request, response, chain) -> filter.filter((HttpServletRequest) request,
				(HttpServletResponse) response, chain, ledger);
	}

	private static final FilterFactory COUNTING = http((request, response, chain, ledger) -> {
		ledger.note("in " + request.getDispatcherType() + " " + request.getMethod() + " " + request.getRequestURI());
		chain.doFilter(request, response);
		ledger.note("out " + response.getStatus() + " " + response.isCommitted() + " of " + request.getRequestURI());
	});

	/** Does not look at the response, which another thread may be writing. */
	private static final FilterFactory ENTERING = http((request, response, chain, ledger) -> {
		ledger.note("in " + request.getDispatcherType() + " " + request.getMethod() + " " + request.getRequestURI());
		chain.doFilter(request, response);
		ledger.note("out of " + request.getRequestURI());
	});

	private static final FilterFactory SETTING_LATE = http((request, response, chain, ledger) -> {
		chain.doFilter(request, response);
		response.setHeader("X-After", "late");
		response.addCookie(new Cookie("filter", "after"));
		if (request.getMethod().equals("PUT")) {
			response.setStatus(203);
		}
		ledger.note("committed " + response.isCommitted() + " " + response.getStatus() + " " + response.getContentType()
				+ " of " + request.getRequestURI());
	});

	/**
	 * Clients must not use the connection again, which may be closed later than they
	 * read.
	 */
	private static final FilterFactory FAILING_LATE = http((request, response, chain, ledger) -> {
		response.setHeader("Connection", "close");
		chain.doFilter(request, response);
		ledger.note("fails");
		throw new ServletException("late");
	});

	private static Arrangement permitted(Arrangement arrangement) {
		return arrangement.secured().chain((http) -> {
			http.csrf(AbstractHttpConfigurer::disable)
				.authorizeHttpRequests(
						(requests) -> requests.requestMatchers("/vault/admin").denyAll().anyRequest().permitAll());
		});
	}

	/**
	 * A filter that processes some calls of three methods asynchronously, between two
	 * that count.
	 */
	private static Arrangement asynchronous(String name, HttpFilter filter) {
		return Arrangement.of(name)
			.leftToHttp("starts asynchronous processing", "tenant", "search", "add")
			.filter(-10, ENTERING)
			.filter(0, http((request, response, chain, ledger) -> {
				boolean some = "evil".equals(request.getHeader("X-Tenant"))
						|| "all".equals(request.getParameter("scope"))
						|| "signed".equals(request.getHeader("X-Signature"));
				if (some && request.getDispatcherType() == DispatcherType.REQUEST) {
					filter.filter(request, response, chain, ledger);
				}
				else {
					chain.doFilter(request, response);
				}
			}))
			.filter(10, ENTERING);
	}

	/** Answers for a request that nobody has completed. */
	private record TimeoutListener(Ledger ledger) implements AsyncListener {

		@Override
		public void onComplete(AsyncEvent event) {
			this.ledger.note("complete");
		}

		@Override
		public void onTimeout(AsyncEvent event) {
			this.ledger.note("timeout");
			((HttpServletResponse) event.getAsyncContext().getResponse()).setStatus(504);
			event.getAsyncContext().complete();
		}

		@Override
		public void onError(AsyncEvent event) {
			this.ledger.note("error");
		}

		@Override
		public void onStartAsync(AsyncEvent event) {
			this.ledger.note("started");
		}

	}

	@Override
	Stream<Arrangement> arrangements() {
		return Stream.of(Arrangement.of("a filter that counts").filter(0, COUNTING),
				permitted(Arrangement.of("filters in front of and behind the chain")
					.filter(-200, COUNTING)
					.filter(100, http((request, response, chain, ledger) -> {
						ledger.note("behind " + request.getRemoteUser() + " " + request.isUserInRole("ADMIN"));
						chain.doFilter(request, response);
					}))),
				Arrangement.of("a tenant of the thread").filter(0, http((request, response, chain, ledger) -> {
					VaultController.TENANT.set(request.getHeader("X-Tenant"));
					try {
						chain.doFilter(request, response);
					}
					finally {
						VaultController.TENANT.remove();
					}
				})), Arrangement.of("rejection by sendError").filter(0, http((request, response, chain, ledger) -> {
					if ("evil".equals(request.getHeader("X-Tenant")) || request.getRequestURI().endsWith("/13")) {
						ledger.note("rejected");
						response.sendError(403, "no entry");
						return;
					}
					chain.doFilter(request, response);
				})), Arrangement.of("maintenance of a part").filter(0, http((request, response, chain, ledger) -> {
					if ("all".equals(request.getParameter("scope"))) {
						response.setStatus(503);
						response.setHeader("Retry-After", "7");
						response.setContentType("text/plain;charset=UTF-8");
						response.getWriter().write("closed für today");
						return;
					}
					chain.doFilter(request, response);
				})),
				Arrangement.of("an answer of the filter's own").filter(0, http((request, response, chain, ledger) -> {
					if (request.getRequestURI().startsWith("/vault/bob")) {
						response.setContentType("application/json");
						response.getOutputStream()
							.write("{\"owner\":\"filter\",\"id\":0}".getBytes(StandardCharsets.UTF_8));
						return;
					}
					if (request.getRequestURI().equals("/vault/open")) {
						return;
					}
					chain.doFilter(request, response);
				})), Arrangement.of("a filter that throws").filter(0, http((request, response, chain, ledger) -> {
					if ("evil".equals(request.getHeader("X-Tenant"))) {
						throw new ServletException("evil");
					}
					if (request.getParameter("scope") != null) {
						throw new IllegalStateException("scope");
					}
					chain.doFilter(request, response);
				})), Arrangement.of("a filter that catches").filter(0, http((request, response, chain, ledger) -> {
					try {
						chain.doFilter(request, response);
					}
					catch (ServletException ex) {
						ledger.note("caught " + ex.getCause());
						response.setStatus(418);
						response.getWriter().write("caught");
					}
				})), Arrangement.of("headers and cookies in front and behind")
					.filter(0, http((request, response, chain, ledger) -> {
						response.setHeader("X-Before", request.getMethod());
						response.addCookie(new Cookie("filter", "before"));
						chain.doFilter(request, response);
						response.setHeader("X-After", "late");
					})),
				large(Arrangement.of("headers, cookies and status behind").filter(0, SETTING_LATE)),
				large(Arrangement.of("headers behind a larger buffer")
					.filter(0, http((request, response, chain, ledger) -> {
						response.setBufferSize(64 * 1024);
						chain.doFilter(request, response);
						response.setHeader("X-After", "late");
					}))),
				large(permitted(Arrangement.of("headers behind, in front of and behind a security chain")
					.filter(-200, SETTING_LATE)
					.filter(0, http((request, response, chain, ledger) -> {
						chain.doFilter(request, response);
						response.setHeader("X-Inner", "late");
						response.setHeader("X-Frame-Options", "SAMEORIGIN");
					})))),
				large(Arrangement.of("a body that is added to").filter(0, http((request, response, chain, ledger) -> {
					chain.doFilter(request, response);
					if (!request.getMethod().equals("PUT")) {
						return;
					}
					try {
						response.getOutputStream().write(' ');
						response.getOutputStream().write(' ');
					}
					catch (IllegalStateException ex) {
						ledger.note("has a writer");
					}
				}))),
				large(Arrangement.of("a body that is replaced").filter(0, http((request, response, chain, ledger) -> {
					chain.doFilter(request, response);
					try {
						response.resetBuffer();
						response.getOutputStream().write("\"other\"".getBytes(StandardCharsets.UTF_8));
					}
					catch (IllegalStateException ex) {
						ledger.note("is committed");
					}
				}))), large(Arrangement.of("a late error").filter(0, http((request, response, chain, ledger) -> {
					chain.doFilter(request, response);
					try {
						response.sendError(409, "late");
					}
					catch (IllegalStateException ex) {
						ledger.note("is committed");
					}
				}))), large(Arrangement.of("a filter that fails late").filter(0, FAILING_LATE)),
				large(permitted(Arrangement.of("a filter that fails late in front of a security chain")
					.filter(-200, FAILING_LATE))),
				Arrangement.of("everything that a filter can ask")
					.filter(0, http((request, response, chain, ledger) -> {
						ledger.note(request.getRequestURL().toString().replaceAll(":[0-9]+", "") + "?"
								+ request.getQueryString() + " " + request.getProtocol() + " " + request.getScheme()
								+ " " + request.getServerName() + " " + request.getRemoteAddr() + " "
								+ request.getRemoteHost() + " " + request.getLocalAddr() + " "
								+ request.getServletPath() + " " + request.getPathInfo() + " "
								+ request.getContextPath() + " " + request.getContentType() + " "
								+ request.getCharacterEncoding() + " " + request.getHeader("Accept") + " "
								+ request.getHeader("X-Tenant") + " " + request.getHeader("User-Agent") + " "
								+ request.getLocale() + " " + request.isAsyncSupported() + " "
								+ request.getHttpServletMapping().getServletName() + " "
								+ Collections.list(request.getParameterNames()) + " " + request.getParameter("text"));
						chain.doFilter(request, response);
					})),
				Arrangement.of("a filter that lists headers")
					.leftToHttp("looks at the length", "add", "change")
					.filter(0, http((request, response, chain, ledger) -> {
						StringBuilder names = new StringBuilder(request.getMethod());
						for (String name : new TreeSet<>(Collections.list(request.getHeaderNames()))) {
							String key = name.toLowerCase(Locale.ROOT);
							if (!key.startsWith("vicinal")
									&& !List.of("host", "connection", "upgrade", "http2-settings").contains(key)) {
								names.append(' ')
									.append(key)
									.append('=')
									.append(Collections.list(request.getHeaders(name)));
							}
						}
						ledger.note(names.toString());
						chain.doFilter(request, response);
					})),
				Arrangement.of("by the name of the servlet")
					.registration("byName", COUNTING,
							(registration) -> registration.setServletNames(List.of("dispatcherServlet"))),
				Arrangement.of("by the name of another servlet").registration("byName", COUNTING, (registration) -> {
					registration.setServletNames(List.of("other"));
					registration.setUrlPatterns(List.of("/elsewhere"));
				}), Arrangement.of("by patterns").filter(0, COUNTING, "/vault/open", "/vault/notes/*", "*.13"),
				// Tomcat's own spelling, which its registrations do not list.
				Arrangement.of("for all paths by a star").filter(0, COUNTING, "*"),
				Arrangement.of("for all paths by a star, beside another pattern")
					.filter(0, COUNTING, "*", "/elsewhere/*"),
				Arrangement.of("for all servlets by a star")
					.registration("byStar", COUNTING, (registration) -> registration.setServletNames(List.of("*"))),
				Arrangement.of("for errors only")
					.registration("errors", COUNTING,
							(registration) -> registration.setDispatcherTypes(DispatcherType.ERROR)),
				Arrangement.of("for requests and errors")
					.registration("errors", COUNTING,
							(registration) -> registration
								.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ERROR))),
				Arrangement.of("for forwards only")
					.registration("forwards", COUNTING,
							(registration) -> registration.setDispatcherTypes(DispatcherType.FORWARD)),
				Arrangement.of("without a bean")
					.beans((context, ledger) -> context.registerBean("initializer", ServletContextInitializer.class,
							() -> (servletContext) -> {
								FilterRegistration.Dynamic registration = servletContext.addFilter("gate",
										COUNTING.create(ledger));
								registration.addMappingForUrlPatterns(null, true, "/vault/*");
							})),
				Arrangement.of("a plain bean")
					.beans((context, ledger) -> context.registerBean("plain", Filter.class,
							() -> COUNTING.create(ledger))),
				Arrangement.of("switched off")
					.registration("off", COUNTING, (registration) -> registration.setEnabled(false)),
				Arrangement.of("ETags of bodies")
					.leftToHttp("wraps the response")
					.filter(0, (ledger) -> new ShallowEtagHeaderFilter()),
				Arrangement.of("bodies in the log")
					.leftToHttp("a filter")
					.filter(0, http((request, response, chain, ledger) -> {
						ContentCachingRequestWrapper wrapped = new ContentCachingRequestWrapper(request, 1000);
						ContentCachingResponseWrapper answer = new ContentCachingResponseWrapper(response);
						chain.doFilter(wrapped, answer);
						ledger.note("log " + wrapped.getContentAsString() + " -> "
								+ new String(answer.getContentAsByteArray(), StandardCharsets.UTF_8)
									.replaceAll("\"timestamp\":\"[^\"]*\"", ""));
						answer.copyBodyToResponse();
					})),
				Arrangement.of("Spring's request log")
					.leftToHttp("a filter")
					.filter(0, (ledger) -> new CommonsRequestLoggingFilter() {

						{
							setIncludeQueryString(true);
							setIncludeHeaders(false);
							setIncludePayload(true);
						}

						@Override
						protected boolean shouldLog(HttpServletRequest request) {
							return true;
						}

						@Override
						protected void beforeRequest(HttpServletRequest request, String message) {
							ledger.note(message);
						}

						@Override
						protected void afterRequest(HttpServletRequest request, String message) {
							ledger.note(message);
						}

					}),
				Arrangement.of("a response that is changed")
					.leftToHttp("wraps the response")
					.filter(0, http((request, response, chain, ledger) -> {
						ChangedResponse changed = new ChangedResponse(response);
						chain.doFilter(request, changed);
						byte[] body = changed.toString().replace("open", "OPEN").getBytes(StandardCharsets.UTF_8);
						response.setContentLength(body.length);
						response.getOutputStream().write(body);
					})),
				Arrangement.of("parameters that are changed")
					.leftToHttp("wraps the request")
					.filter(0, http((request, response, chain, ledger) -> chain
						.doFilter(new HttpServletRequestWrapper(request) {

							@Override
							public String @Nullable [] getParameterValues(String name) {
								String[] values = super.getParameterValues(name);
								return (name.equals("scope") && values != null) ? new String[] { "mine" } : values;
							}

						}, response))),
				Arrangement.of("wrapped now and then")
					.leftToHttp("wraps the request", "tenant")
					.filter(0, http((request, response, chain, ledger) -> {
						ledger.note("filtered");
						boolean evil = "evil".equals(request.getHeader("X-Tenant"));
						chain.doFilter(evil ? new HttpServletRequestWrapper(request) {

							@Override
							public String getHeader(String name) {
								return name.equals("X-Tenant") ? "tamed" : super.getHeader(name);
							}

							@Override
							public Enumeration<String> getHeaders(String name) {
								return name.equals("X-Tenant") ? Collections.enumeration(List.of("tamed"))
										: super.getHeaders(name);
							}

						} : request, response);
					})),
				Arrangement.of("signatures of bodies")
					.leftToHttp("reads the body", "add")
					.filter(0, http((request, response, chain, ledger) -> {
						ledger.note("checks");
						if (request.getHeader("X-Signature") == null) {
							chain.doFilter(request, response);
							return;
						}
						byte[] body = request.getInputStream().readAllBytes();
						if (new String(body, StandardCharsets.UTF_8).contains("forbidden")) {
							response.sendError(403, "bad signature");
							return;
						}
						chain.doFilter(new RepeatedRequest(request, body), response);
					})),
				Arrangement.of("tags in front of everything")
					.leftToHttp("wraps the response")
					.filter(Ordered.HIGHEST_PRECEDENCE, (ledger) -> new ShallowEtagHeaderFilter()),
				Arrangement.of("payloads logged in front of everything")
					.leftToHttp("a filter")
					.filter(Ordered.HIGHEST_PRECEDENCE, http((request, response, chain, ledger) -> {
						ContentCachingRequestWrapper cached = new ContentCachingRequestWrapper(request, 1 << 20);
						chain.doFilter(cached, response);
						ledger.note("payload " + cached.getContentAsString());
					})),
				Arrangement.of("bodies replaced in front of everything")
					.leftToHttp("reads the body")
					.filter(Ordered.HIGHEST_PRECEDENCE, http((request, response, chain, ledger) -> {
						String body = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
						ledger.note("body " + body);
						chain.doFilter(new RepeatedRequest(request,
								body.replace("good", "clean").getBytes(StandardCharsets.UTF_8)), response);
					})),
				Arrangement.of("answers that are kept by key")
					.leftToHttp("wraps the response", "add")
					.step("add signed again", (vault, memory) -> vault.add(new Note(2, "signed"), "signed"))
					.filter(0, (ledger) -> {
						Map<String, byte[]> kept = new ConcurrentHashMap<>();
						ledger.onReset(kept::clear);
						return http((request, response, chain, same) -> {
							String key = request.getHeader("X-Signature");
							if (key == null) {
								chain.doFilter(request, response);
								return;
							}
							byte[] known = kept.get(key);
							if (known != null) {
								response.setContentType("application/json");
								response.getOutputStream().write(known);
								return;
							}
							ContentCachingResponseWrapper caching = new ContentCachingResponseWrapper(response);
							chain.doFilter(request, caching);
							kept.put(key, caching.getContentAsByteArray());
							caching.copyBodyToResponse();
						}).create(ledger);
					}),
				Arrangement.of("keys that are taken once")
					.leftToHttp("a filter", "add")
					.step("add signed again", (vault, memory) -> vault.add(new Note(2, "signed"), "signed"))
					.filter(0, (ledger) -> {
						Set<String> taken = ConcurrentHashMap.newKeySet();
						ledger.onReset(taken::clear);
						return http((request, response, chain, same) -> {
							String key = request.getHeader("X-Signature");
							if (key != null && !taken.add(key)) {
								response.sendError(409);
								return;
							}
							chain.doFilter((key != null) ? new ContentCachingRequestWrapper(request, 1 << 20) : request,
									response);
						}).create(ledger);
					}),
				Arrangement.of("bodies read until they end, now and then")
					.leftToHttp("reads the body", "add")
					.filter(0, http((request, response, chain, ledger) -> {
						if (request.getHeader("X-Signature") == null) {
							chain.doFilter(request, response);
							return;
						}
						ServletInputStream input = request.getInputStream();
						ByteArrayOutputStream read = new ByteArrayOutputStream();
						while (!input.isFinished()) {
							int next = input.read();
							if (next >= 0) {
								read.write(next);
							}
						}
						ledger.note("read " + read.toString(StandardCharsets.UTF_8) + input.isFinished());
						chain.doFilter(new RepeatedRequest(request, read.toByteArray()), response);
					})),
				Arrangement.of("responses compressed now and then")
					.leftToHttp("wraps the response", "add", "tenant")
					.filter(0, http((request, response, chain, ledger) -> {
						boolean asked = request.getHeader("X-Signature") != null
								|| request.getHeader("X-Tenant") != null;
						if (!asked || !String.valueOf(request.getHeader("Accept-Encoding")).contains("gzip")) {
							chain.doFilter(request, response);
							return;
						}
						ledger.note("compressed");
						ContentCachingResponseWrapper caching = new ContentCachingResponseWrapper(response);
						chain.doFilter(request, caching);
						ByteArrayOutputStream compressed = new ByteArrayOutputStream();
						try (GZIPOutputStream zip = new GZIPOutputStream(compressed)) {
							zip.write(caching.getContentAsByteArray());
						}
						response.setHeader("Content-Encoding", "gzip");
						response.setContentLength(compressed.size());
						response.getOutputStream().write(compressed.toByteArray());
					})),
				Arrangement.of("responses deflated now and then")
					.leftToHttp("wraps the response", "add", "tenant")
					.filter(0, http((request, response, chain, ledger) -> {
						if (request.getHeader("X-Signature") == null && request.getHeader("X-Tenant") == null) {
							chain.doFilter(request, response);
							return;
						}
						ledger.note("deflated");
						ContentCachingResponseWrapper caching = new ContentCachingResponseWrapper(response);
						chain.doFilter(request, caching);
						ByteArrayOutputStream compressed = new ByteArrayOutputStream();
						try (DeflaterOutputStream zip = new DeflaterOutputStream(compressed)) {
							zip.write(caching.getContentAsByteArray());
						}
						response.setHeader("Content-Encoding", "deflate");
						response.setContentLength(compressed.size());
						response.getOutputStream().write(compressed.toByteArray());
					})),
				Arrangement.of("the chain run again, now and then")
					.leftToHttp("runs the rest of the chain again", "add", "tenant")
					.filter(0, http((request, response, chain, ledger) -> {
						chain.doFilter(request, response);
						if (request.getHeader("X-Signature") != null || "evil".equals(request.getHeader("X-Tenant"))) {
							chain.doFilter(request, response);
						}
					})),
				Arrangement.of("the chain run three times, now and then")
					.leftToHttp("runs the rest of the chain again", "add", "tenant")
					.filter(0, http((request, response, chain, ledger) -> {
						chain.doFilter(request, response);
						if (request.getHeader("X-Signature") != null || "evil".equals(request.getHeader("X-Tenant"))) {
							chain.doFilter(request, response);
							chain.doFilter(request, response);
						}
					})),
				Arrangement.of("failures tried again")
					.leftToHttp("runs the rest of the chain again", "failing")
					.filter(0, http((request, response, chain, ledger) -> {
						try {
							chain.doFilter(request, response);
						}
						catch (ServletException ex) {
							ledger.note("again");
							chain.doFilter(request, response);
						}
					})),
				Arrangement.of("the rest of the body read behind the chain, also behind that of error pages")
					.anyWay()
					.registration("rest", http((request, response, chain, ledger) -> {
						chain.doFilter(request, response);
						if (request.getMethod().equals("GET")) {
							ledger.note("rest for " + request.getDispatcherType());
							ledger.note("rest " + request.getReader().readLine());
						}
					}), (registration) -> registration.setDispatcherTypes(EnumSet.allOf(DispatcherType.class))),
				Arrangement.of("the writer taken beforehand, now and then")
					.leftToHttp("writes the response", "tenant")
					.filter(0, http((request, response, chain, ledger) -> {
						if ("evil".equals(request.getHeader("X-Tenant"))) {
							response.getWriter();
						}
						chain.doFilter(request, response);
					})),
				Arrangement.of("responses sent beforehand, now and then")
					.leftToHttp("writes the response", "tenant")
					.filter(0, http((request, response, chain, ledger) -> {
						if ("evil".equals(request.getHeader("X-Tenant"))) {
							response.flushBuffer();
						}
						chain.doFilter(request, response);
					})),
				Arrangement.of("responses in another encoding, now and then")
					.leftToHttp("writes the response", "add")
					.step("add letters", (vault, memory) -> vault.add(new Note(7, "ä€"), "signed"))
					.filter(0, http((request, response, chain, ledger) -> {
						if (request.getHeader("X-Signature") != null) {
							response.setCharacterEncoding(StandardCharsets.ISO_8859_1);
						}
						chain.doFilter(request, response);
					})),
				Arrangement.of("bodies in another encoding, now and then")
					.leftToHttp("is read as ISO-8859-1", "add")
					.step("add letters", (vault, memory) -> vault.add(new Note(7, "ä€"), "signed"))
					.filter(0, http((request, response, chain, ledger) -> {
						if (request.getHeader("X-Signature") != null) {
							request.setCharacterEncoding(StandardCharsets.ISO_8859_1);
						}
						chain.doFilter(request, response);
					})),
				Arrangement.of("a writer asked for behind").filter(0, http((request, response, chain, ledger) -> {
					chain.doFilter(request, response);
					try {
						response.getWriter();
						ledger.note("a writer");
					}
					catch (IllegalStateException ex) {
						ledger.note("no writer");
					}
				})),
				Arrangement.of("the size of bodies")
					.leftToHttp("looks at the length", "add", "change")
					.filter(0, http((request, response, chain, ledger) -> {
						ledger.note("size " + (request.getContentLengthLong() > 25));
						chain.doFilter(request, response);
					})),
				Arrangement.of("a limit of the rate").filter(0, (ledger) -> {
					AtomicInteger calls = new AtomicInteger();
					ledger.onReset(() -> calls.set(0));
					return (request, response, chain) -> {
						int call = calls.incrementAndGet();
						((HttpServletResponse) response).setIntHeader("X-Remaining", 30 - call);
						if (call > 30) {
							((HttpServletResponse) response).sendError(429);
							return;
						}
						chain.doFilter(request, response);
					};
				}),
				Arrangement.of("a filter without asynchronous support")
					.registration("synchronous", COUNTING, (registration) -> registration.setAsyncSupported(false)),
				Arrangement.of("a filter that goes on asynchronously")
					.leftToHttp("no HTTP request has shown yet", "open")
					.filter(0, http((request, response, chain, ledger) -> {
						if (request.getDispatcherType() == DispatcherType.REQUEST
								&& request.getRequestURI().equals("/vault/open")) {
							ledger.note("starts");
							request.startAsync().dispatch();
							return;
						}
						chain.doFilter(request, response);
					})),
				asynchronous("a filter that dispatches for some", (request, response, chain, ledger) -> {
					request.startAsync().dispatch();
					ledger.note("dispatches");
				}), asynchronous("a filter that dispatches for some on another thread",
						(request, response, chain, ledger) -> {
							AsyncContext context = request.startAsync();
							context.start(() -> context.dispatch());
						}),
				asynchronous("a filter that answers some on another thread", (request, response, chain, ledger) -> {
					AsyncContext context = request.startAsync();
					context.start(() -> {
						try {
							response.setStatus(429);
							response.setHeader("Retry-After", "3");
							response.setContentType("text/plain");
							response.getWriter().write("later");
						}
						catch (IOException ex) {
							ledger.note("failed " + ex);
						}
						context.complete();
					});
				}), asynchronous("a filter that goes on behind for some", (request, response, chain, ledger) -> {
					chain.doFilter(request, response);
					AsyncContext context = request.startAsync();
					context.start(() -> {
						response.setHeader("X-Late", "audited");
						ledger.note("audited " + response.getStatus());
						context.complete();
					});
				}), asynchronous("a filter that times out for some", (request, response, chain, ledger) -> {
					AsyncContext context = request.startAsync();
					context.setTimeout(20);
					context.addListener(new TimeoutListener(ledger));
				}), Arrangement.of("methods in parameters").filter(0, (ledger) -> new HiddenHttpMethodFilter()),
				Arrangement.of("a session in any case").filter(0, http((request, response, chain, ledger) -> {
					Object before = request.getSession().getAttribute("visits");
					int visits = (before instanceof Integer number) ? number + 1 : 1;
					request.getSession().setAttribute("visits", visits);
					ledger.note("visit " + visits);
					chain.doFilter(request, response);
				})), Arrangement.of("forwards").filter(0, http((request, response, chain, ledger) -> {
					if ("all".equals(request.getParameter("scope"))) {
						request.getRequestDispatcher("/vault/search?text=forwarded&scope=mine")
							.forward(request, response);
						return;
					}
					if (request.getRequestURI().equals("/vault/tenant")
							&& "acme".equals(request.getHeader("X-Tenant"))) {
						request.getRequestDispatcher("/vault/open").forward(request, response);
						return;
					}
					chain.doFilter(request, response);
				})), Arrangement.of("redirects").filter(0, http((request, response, chain, ledger) -> {
					if ("evil".equals(request.getHeader("X-Tenant"))) {
						response.sendRedirect("/vault/open");
						return;
					}
					chain.doFilter(request, response);
				})), Arrangement.of("attributes for the handler").filter(0, http((request, response, chain, ledger) -> {
					request.setAttribute("kit", request.getHeader("X-Tenant"));
					chain.doFilter(request, response);
					ledger.note("pattern "
							+ request.getAttribute("org.springframework.web.servlet.HandlerMapping.bestMatchingPattern")
							+ " "
							+ request
								.getAttribute("org.springframework.web.servlet.HandlerMapping.uriTemplateVariables")
							+ " " + request.getAttribute("kit"));
				})),
				Arrangement.of("a user of the filter's own")
					.leftToHttp("wraps the request")
					.filter(0, http((request, response, chain, ledger) -> chain
						.doFilter(new HttpServletRequestWrapper(request) {

							@Override
							public String getRemoteUser() {
								return "wrapped";
							}

							@Override
							public boolean isUserInRole(String role) {
								return true;
							}

						}, response))),
				Arrangement.of("a chain that is called on another thread")
					.filter(0, http((request, response, chain, ledger) -> {
						ledger.note("filtered");
						Throwable[] failure = new Throwable[1];
						Thread thread = new Thread(() -> {
							try {
								chain.doFilter(request, response);
							}
							catch (Throwable ex) {
								failure[0] = ex;
							}
						});
						thread.start();
						try {
							thread.join();
						}
						catch (InterruptedException ex) {
							throw new IOException(ex);
						}
						if (failure[0] != null) {
							throw new ServletException(failure[0]);
						}
					})));
	}

	/** A request whose body can be read once more. */
	private static final class RepeatedRequest extends HttpServletRequestWrapper {

		private final byte[] body;

		RepeatedRequest(HttpServletRequest request, byte[] body) {
			super(request);
			this.body = body;
		}

		@Override
		public ServletInputStream getInputStream() {
			ByteArrayInputStream input = new ByteArrayInputStream(this.body);
			return new ServletInputStream() {

				@Override
				public boolean isFinished() {
					return input.available() == 0;
				}

				@Override
				public boolean isReady() {
					return true;
				}

				@Override
				public void setReadListener(ReadListener listener) {
					throw new IllegalStateException();
				}

				@Override
				public int read() {
					return input.read();
				}

			};
		}

	}

	/** A response that is kept until it has been changed. */
	private static final class ChangedResponse extends HttpServletResponseWrapper {

		private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

		private final StringWriter text = new StringWriter();

		private final PrintWriter writer = new PrintWriter(this.text);

		ChangedResponse(HttpServletResponse response) {
			super(response);
		}

		@Override
		public ServletOutputStream getOutputStream() {
			return new ServletOutputStream() {

				@Override
				public boolean isReady() {
					return true;
				}

				@Override
				public void setWriteListener(WriteListener listener) {
					throw new IllegalStateException();
				}

				@Override
				public void write(int value) {
					ChangedResponse.this.bytes.write(value);
				}

			};
		}

		@Override
		public PrintWriter getWriter() {
			return this.writer;
		}

		@Override
		public void setContentLength(int length) {
		}

		@Override
		public void setContentLengthLong(long length) {
		}

		@Override
		public void flushBuffer() {
		}

		@Override
		public String toString() {
			this.writer.flush();
			return this.bytes.toString(StandardCharsets.UTF_8) + this.text;
		}

	}

}
