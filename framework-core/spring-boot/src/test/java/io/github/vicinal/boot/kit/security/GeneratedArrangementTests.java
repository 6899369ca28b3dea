package io.github.vicinal.boot.kit.security;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.vicinal.boot.kit.security.Arrangement.Call;
import io.github.vicinal.boot.kit.security.Vault.Item;
import io.github.vicinal.boot.kit.security.Vault.Kind;
import io.github.vicinal.boot.kit.security.Vault.Note;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.annotation.web.configurers.AuthorizeHttpRequestsConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.util.matcher.RequestMatcher;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.config.annotation.InterceptorRegistration;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * Random filters, chains, matchers and interceptors around random handlers with random
 * arguments. A seed makes one server and {@value #CALLS} cases; a failure names it.
 */
class GeneratedArrangementTests extends ArrangementTests {

	private static final int CALLS = 12;

	private static final int FIRST_SEED = Integer.getInteger("vicinal.kit.seed", 1);

	private static final int CASES = Integer.getInteger("vicinal.kit.cases", 48);

	private static final List<String> TEXTS = List.of("alice", "bob", "gold", "", " ", "a b", "a/b", "a;b", "100%", "ü",
			"x&y=z", "a+b", "..", "\"", "\\", "<b>", "\u65e5\u672c", "all", "evil", "13", "null", "a,b", "#", "?",
			"~*'()", "a:b", "a@b", "{x}");

	private static final List<String> HOWS = List.of("returns", "returns", "returns", "throws", "status", "error",
			"sets", "header", "cookie", "writes", "nothing", "typed error", "streams", "flushes", "flushes, writes",
			"flushes, streams", "untyped error");

	private static final Set<String> OF_CONNECTIONS = Set.of("connection", "http2-settings", "upgrade");

	@Override
	Stream<Arrangement> arrangements() {
		return IntStream.range(FIRST_SEED, FIRST_SEED + Math.max(1, CASES / CALLS))
			.mapToObj((seed) -> new Generator(seed).arrangement());
	}

	/** Makes the same of the same seed. */
	private static final class Generator {

		private final int seed;

		private final Random random;

		private final Arrangement arrangement;

		private final List<String> description = new ArrayList<>();

		Generator(int seed) {
			this.seed = seed;
			this.random = new Random(seed * 0x9E3779B97F4A7C15L);
			this.arrangement = Arrangement.of("seed " + seed).onlyOwnSteps().anyWay();
		}

		Arrangement arrangement() {
			for (int i = this.random.nextInt(4); i > 0; i--) {
				filter();
			}
			if (this.random.nextBoolean()) {
				this.arrangement.secured();
				for (int i = this.random.nextInt(3); i > 0; i--) {
					chain(true);
				}
				chain(false);
			}
			interceptors();
			for (int i = 0; i < CALLS; i++) {
				call(i);
			}
			return this.arrangement.describedAs(String.join(", ", this.description));
		}

		private <T> T any(List<T> values) {
			return values.get(this.random.nextInt(values.size()));
		}

		private boolean rarely() {
			return this.random.nextInt(4) == 0;
		}

		private String text() {
			return any(TEXTS);
		}

		/** A condition on requests, of which some hold for some of the calls. */
		private RequestMatcher condition() {
			String text = text();
			int kind = this.random.nextInt(9);
			this.description.add("if " + kind + " '" + text + "'");
			return switch (kind) {
				case 0 -> (request) -> request.getRequestURI().contains(text);
				case 1 ->
					(request) -> text.equals(request.getParameter("how")) || text.equals(request.getParameter("text"));
				case 2 -> (request) -> text.equals(request.getHeader("X-Tenant"))
						|| text.equals(request.getHeader("X-Trace"));
				case 3 -> (request) -> !request.getMethod().equals("GET");
				case 4 -> (request) -> request.getQueryString() != null && request.getQueryString().contains(text);
				case 5 -> (request) -> request.getParameterMap().size() > 2;
				case 6 -> (request) -> request.getCookies() != null;
				case 7 -> (request) -> String.valueOf(request.getContentType()).startsWith("text");
				default -> (request) -> request.getRequestURL().length() % 3 == 0;
			};
		}

		private void filter() {
			RequestMatcher condition = condition();
			int kind = this.random.nextInt(14);
			int order = this.random.nextInt(400) - 200;
			boolean narrow = rarely();
			boolean allDispatches = rarely();
			this.description
				.add("filter " + kind + " at " + order + (narrow ? " narrow" : "") + (allDispatches ? " all" : ""));
			this.arrangement.registration("filter" + this.description.size(),
					(ledger) -> (Filter) (request, response, chain) -> filter(kind,
							condition.matches((HttpServletRequest) request), (HttpServletRequest) request,
							(HttpServletResponse) response, chain, ledger),
					(registration) -> {
						registration.setOrder(order);
						if (narrow) {
							registration.addUrlPatterns("/vault/items/*", "/vault/open", "/vault/search");
						}
						if (allDispatches) {
							registration.setDispatcherTypes(EnumSet.allOf(DispatcherType.class));
						}
					});
		}

		private static void filter(int kind, boolean matches, HttpServletRequest request, HttpServletResponse response,
				FilterChain chain, Ledger ledger) throws IOException, ServletException {
			ledger.note("filter " + kind + " " + request.getDispatcherType() + " " + request.getMethod() + " "
					+ request.getRequestURI() + " " + matches);
			if (!matches) {
				chain.doFilter(request, response);
				return;
			}
			switch (kind) {
				case 0 -> {
					response.addHeader("X-Filter", request.getMethod());
					response.addCookie(new Cookie("filter", "1"));
					chain.doFilter(request, response);
				}
				case 1 -> response.sendError(403, "filtered");
				case 2 -> {
					response.setStatus(503);
					response.getWriter().write("filtered");
				}
				case 3 -> chain.doFilter(new HttpServletRequestWrapper(request) {

					@Override
					public @Nullable String getParameter(String name) {
						return name.equals("text") ? "wrapped" : super.getParameter(name);
					}

					@Override
					public String @Nullable [] getParameterValues(String name) {
						return name.equals("text") ? new String[] { "wrapped" } : super.getParameterValues(name);
					}

				}, response);
				case 4 -> {
					ContentCachingResponseWrapper wrapped = new ContentCachingResponseWrapper(response);
					chain.doFilter(request, wrapped);
					ledger.note("length " + (wrapped.getContentSize() > 0));
					wrapped.copyBodyToResponse();
				}
				case 5 -> {
					if (request.getContentType() != null) {
						ledger.note(
								"read " + new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
					}
					chain.doFilter(request, response);
				}
				case 6 -> {
					request.getSession().setAttribute("filtered", "yes");
					chain.doFilter(request, response);
					response.setHeader("X-Late", "late");
				}
				case 7 -> throw new IllegalStateException("filtered");
				case 8 -> {
					chain.doFilter(request, response);
					try {
						response.getWriter();
						ledger.note("a writer");
					}
					catch (IllegalStateException ex) {
						ledger.note("no writer");
					}
				}
				case 9 -> {
					chain.doFilter(request, response);
					response.flushBuffer();
					throw new IllegalStateException("filtered late");
				}
				case 11 -> {
					ledger.note("headers " + headerNames(request));
					chain.doFilter(request, response);
				}
				case 12 -> {
					chain.doFilter(request, response);
					ledger.note("rest of " + request.getMethod() + " " + request.getRequestURI() + " "
							+ request.getQueryString() + " " + rest(request));
				}
				case 10 -> {
					chain.doFilter(request, response);
					ledger.note("type " + response.getContentType() + " " + response.isCommitted());
				}
				default -> {
					chain.doFilter(request, response);
					ledger.note("saw " + response.getStatus() + " " + response.isCommitted());
				}
			}
		}

		/**
		 * In lower case, without those of Vicinal and of a connection: the JDK's client
		 * asks for HTTP/2 with the first request on each, and there is a new one after a
		 * request that was refused.
		 */
		private static Set<String> headerNames(HttpServletRequest request) {
			Set<String> names = new TreeSet<>();
			request.getHeaderNames().asIterator().forEachRemaining((name) -> names.add(name.toLowerCase(Locale.ROOT)));
			names.removeIf((name) -> name.startsWith("vicinal-") || OF_CONNECTIONS.contains(name));
			return names;
		}

		private void chain(boolean limited) {
			RequestMatcher limit = condition();
			List<RequestMatcher> rules = Stream.generate(this::condition).limit(this.random.nextInt(3)).toList();
			List<Integer> verdicts = Stream.generate(() -> this.random.nextInt(4)).limit(3).toList();
			boolean stateless = this.random.nextBoolean();
			boolean csrf = rarely();
			boolean methods = rarely();
			int last = rarely() ? this.random.nextInt(4) : 0;
			this.description.add("chain " + limited + verdicts + (stateless ? " stateless" : "") + (csrf ? " csrf" : "")
					+ (methods ? " methods" : "") + " else " + last);
			this.arrangement.chain((http) -> {
				if (limited) {
					http.securityMatcher(limit);
				}
				if (!csrf) {
					http.csrf(AbstractHttpConfigurer::disable);
				}
				if (stateless) {
					http.sessionManagement(
							(sessions) -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS));
				}
				http.httpBasic(Customizer.withDefaults()).authorizeHttpRequests((requests) -> {
					for (int i = 0; i < rules.size(); i++) {
						verdict(requests.requestMatchers(rules.get(i)), verdicts.get(i));
					}
					if (methods) {
						verdict(requests.requestMatchers(HttpMethod.PUT), verdicts.get(2));
					}
					verdict(requests.anyRequest(), last);
				});
			});
		}

		private static void verdict(AuthorizeHttpRequestsConfigurer<?>.AuthorizedUrl url, int verdict) {
			switch (verdict) {
				case 0 -> url.permitAll();
				case 1 -> url.denyAll();
				case 2 -> url.authenticated();
				default -> url.hasRole("ADMIN");
			}
		}

		private void interceptors() {
			int count = this.random.nextInt(3);
			List<RequestMatcher> conditions = Stream.generate(this::condition).limit(count).toList();
			List<Integer> kinds = Stream.generate(() -> this.random.nextInt(9)).limit(count).toList();
			boolean narrow = rarely();
			this.description.add("interceptors " + kinds + (narrow ? " narrow" : ""));
			this.arrangement.beans((context, ledger) -> context.registerBean("interceptors", WebMvcConfigurer.class,
					() -> new WebMvcConfigurer() {

						@Override
						public void addInterceptors(InterceptorRegistry registry) {
							for (int i = 0; i < kinds.size(); i++) {
								InterceptorRegistration registration = registry
									.addInterceptor(new GeneratedInterceptor(kinds.get(i), conditions.get(i), ledger));
								if (narrow) {
									registration.addPathPatterns("/vault/{owner}/accounts/*", "/vault/items/**");
								}
							}
						}

					}));
		}

		private void call(int number) {
			String text = text();
			String other = text();
			String how = any(HOWS);
			long id = this.random.nextInt(20);
			String authorization = any(Arrays.asList(null, Steps.ALICE, Steps.BOB, Steps.WRONG));
			String maybe = rarely() ? null : other;
			List<String> tags = Stream.generate(this::text).limit(1 + this.random.nextInt(3)).toList();
			Kind kind = any(List.of(Kind.values()));
			Item item = new Item(maybe, kind, tags, rarely() ? null : id / 7.0);
			String persona = any(List.of("", "", "alice", "bob", "tagged"));
			int method = this.random.nextInt(15);
			Call call = switch (method) {
				case 0 -> (vault, memory) -> vault.open();
				case 1 -> (vault, memory) -> vault.account(text, id);
				case 2 -> (vault, memory) -> vault.search(text, maybe);
				case 3 -> (vault, memory) -> vault.tenant(header(maybe));
				case 4 -> (vault, memory) -> vault.me(authorization);
				case 5 -> (vault, memory) -> vault.admin(authorization);
				case 6 -> (vault, memory) -> vault.add(new Note(id, text), header(maybe));
				case 7 -> (vault, memory) -> {
					vault.remove(id);
					return null;
				};
				case 8, 9 -> (vault, memory) -> vault.items(id, kind, tags, (maybe != null) ? (int) id : null, how,
						header(maybe));
				case 10 -> (vault, memory) -> vault.save(item, how);
				case 11 -> (vault, memory) -> {
					vault.replace(id, List.of(item, item), how);
					return null;
				};
				case 12 -> (vault, memory) -> vault.text(text + other, how);
				case 13 -> (vault, memory) -> vault.jar((maybe != null) ? "c" + id : null, how);
				default -> (vault, memory) -> vault.numbers(new Double[] { (double) id, id / 3.0 }, id % 2 == 0, how);
			};
			this.arrangement.persona("alice", (builder) -> builder.defaultHeader("Authorization", Steps.ALICE))
				.persona("bob", (builder) -> builder.defaultHeader("Authorization", Steps.BOB))
				.persona("tagged", (builder) -> builder.defaultHeader("X-Trace", "13"))
				.step("case %d of seed %d: method %d of '%s' '%s' %s %s".formatted(number, this.seed, method, text,
						maybe, how, tags), persona, call);
		}

		/** Header values that an HTTP client accepts. */
		private static @Nullable String header(@Nullable String text) {
			return (text == null || text.isBlank() || !text.chars().allMatch((c) -> c > 31 && c < 127)) ? null : text;
		}

	}

	/** Reads what is left of the body of a request as text. */
	private static String rest(HttpServletRequest request) throws IOException {
		try {
			return String.valueOf(request.getReader().readLine());
		}
		catch (IllegalStateException ex) {
			return "taken";
		}
	}

	/** Does something to requests that match. */
	private static final class GeneratedInterceptor implements HandlerInterceptor {

		private final int kind;

		private final RequestMatcher condition;

		private final Ledger ledger;

		GeneratedInterceptor(int kind, RequestMatcher condition, Ledger ledger) {
			this.kind = kind;
			this.condition = condition;
			this.ledger = ledger;
		}

		@Override
		public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
				throws Exception {
			boolean matches = this.condition.matches(request);
			this.ledger.note("interceptor " + this.kind + " " + request.getRequestURI() + " " + matches);
			if (!matches) {
				return true;
			}
			switch (this.kind) {
				case 0 -> response.addHeader("X-Interceptor", request.getMethod());
				case 1 -> {
					response.sendError(404, "intercepted");
					return false;
				}
				case 2 -> {
					response.setStatus(402);
					return false;
				}
				case 3 -> throw new IllegalArgumentException("intercepted");
				case 4 -> response.setStatus(201);
				default -> {
				}
			}
			return true;
		}

		@Override
		public void postHandle(HttpServletRequest request, HttpServletResponse response, Object handler,
				@Nullable ModelAndView modelAndView) throws IOException {
			this.ledger.note("after " + this.kind + " " + response.getStatus() + " " + response.isCommitted());
			response.addHeader("X-After", "late");
			if (this.kind == 8) {
				this.ledger.note("rest of " + request.getDispatcherType() + " " + request.getMethod() + " "
						+ request.getRequestURI() + " " + rest(request));
			}
			else if (this.kind > 4 && this.condition.matches(request)) {
				late(response);
			}
		}

		/** Behind the handler, where the response may have been sent. */
		private void late(HttpServletResponse response) throws IOException {
			if (this.kind != 6) {
				response.flushBuffer();
			}
			if (this.kind != 5) {
				throw new IllegalStateException("intercepted late");
			}
		}

		@Override
		public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
				@Nullable Exception ex) {
			this.ledger.note("completed " + this.kind + " " + ((ex != null) ? ex.getClass().getSimpleName() : "well"));
		}

	}

}
