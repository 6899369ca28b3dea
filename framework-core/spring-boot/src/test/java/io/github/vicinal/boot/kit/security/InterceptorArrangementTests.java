package io.github.vicinal.boot.kit.security;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.vicinal.boot.kit.security.Vault.Item;
import io.github.vicinal.boot.kit.security.Vault.Kind;
import io.github.vicinal.boot.kit.security.VaultController.NeedsRole;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.ui.ModelMap;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.context.request.WebRequestInterceptor;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.handler.MappedInterceptor;
import org.springframework.web.servlet.i18n.LocaleChangeInterceptor;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

/** Interceptors between dispatcher and handler. */
class InterceptorArrangementTests extends ArrangementTests {

	private static final Item ITEM = new Item("item", Kind.SMALL, List.of(), null);

	/** Registers interceptors. */
	@FunctionalInterface
	private interface Registering {

		void register(InterceptorRegistry registry, Ledger ledger);

	}

	private static Arrangement intercepted(String name, Registering registering) {
		return Arrangement.of(name)
			.beans((context, ledger) -> context.registerBean("interceptors", WebMvcConfigurer.class,
					() -> new WebMvcConfigurer() {

						@Override
						public void addInterceptors(InterceptorRegistry registry) {
							registering.register(registry, ledger);
						}

					}));
	}

	@Override
	Stream<Arrangement> arrangements() {
		return Stream.of(
				intercepted("an interceptor that counts",
						(registry, ledger) -> registry.addInterceptor(new Counting(ledger))),
				intercepted("roles of handlers", (registry, ledger) -> registry.addInterceptor(new Roles(ledger))),
				intercepted("roles of handlers behind a chain",
						(registry, ledger) -> registry.addInterceptor(new Roles(ledger)))
					.secured()
					.chain((http) -> http.csrf(AbstractHttpConfigurer::disable)
						.httpBasic(Customizer.withDefaults())
						.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())),
				intercepted("an interceptor for some paths",
						(registry, ledger) -> registry.addInterceptor(new Counting(ledger))
							.addPathPatterns("/vault/*/accounts/13", "/vault/notes/**")
							.excludePathPatterns("/vault/notes/1")),
				intercepted("an interceptor for other paths",
						(registry, ledger) -> registry.addInterceptor(new Counting(ledger))
							.addPathPatterns("/elsewhere/**")),
				intercepted("several interceptors, one of which rejects", (registry, ledger) -> {
					registry.addInterceptor(new Counting(ledger));
					registry.addInterceptor(new HandlerInterceptor() {

						@Override
						public boolean preHandle(HttpServletRequest request, HttpServletResponse response,
								Object handler) throws Exception {
							if ("evil".equals(request.getHeader("X-Tenant"))) {
								response.sendError(403);
								return false;
							}
							if ("all".equals(request.getParameter("scope"))) {
								response.setStatus(402);
								response.getWriter().write("pay first");
								return false;
							}
							if (request.getRequestURI().endsWith("/13")) {
								throw new IllegalStateException("unlucky");
							}
							return true;
						}

					});
				}), intercepted("values in the path",
						(registry, ledger) -> registry.addInterceptor(new HandlerInterceptor() {

							@Override
							public boolean preHandle(HttpServletRequest request, HttpServletResponse response,
									Object handler) throws Exception {
								Object variables = request
									.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
								ledger.note("variables " + variables);
								if (variables instanceof Map<?, ?> map && "bob".equals(map.get("owner"))) {
									response.sendError(404);
									return false;
								}
								return true;
							}

						})),
				intercepted("a WebRequestInterceptor",
						(registry, ledger) -> registry.addWebRequestInterceptor(new WebRequestInterceptor() {

							@Override
							public void preHandle(WebRequest request) {
								ledger.note("before " + request.getDescription(false) + " "
										+ request.getHeader("X-Tenant") + " " + request.getParameter("text"));
								if ("evil".equals(request.getHeader("X-Tenant"))) {
									throw new IllegalArgumentException("evil");
								}
							}

							@Override
							public void postHandle(WebRequest request, @Nullable ModelMap model) {
								ledger.note("after " + model);
							}

							@Override
							public void afterCompletion(WebRequest request, @Nullable Exception ex) {
								ledger.note("completed " + ((ex != null) ? ex.getClass().getName() : "well"));
							}

						})),
				intercepted("headers of an interceptor",
						(registry, ledger) -> registry.addInterceptor(new HandlerInterceptor() {

							@Override
							public boolean preHandle(HttpServletRequest request, HttpServletResponse response,
									Object handler) {
								response.setHeader("X-Before", "early");
								response.addHeader("Set-Cookie", "early=1");
								return true;
							}

							@Override
							public void postHandle(HttpServletRequest request, HttpServletResponse response,
									Object handler, @Nullable ModelAndView modelAndView) {
								ledger.note("committed " + response.isCommitted());
								response.setHeader("X-After", "late");
							}

						})),
				intercepted("a locale in a parameter", (registry, ledger) -> {
					LocaleChangeInterceptor locale = new LocaleChangeInterceptor();
					locale.setParamName("scope");
					locale.setIgnoreInvalidLocale(true);
					registry.addInterceptor(locale);
				}),
				Arrangement.of("a mapped interceptor that is a bean")
					.beans((context, ledger) -> context.registerBean(MappedInterceptor.class,
							() -> new MappedInterceptor(new String[] { "/vault/{owner}/accounts/{id}" },
									new Counting(ledger)))),
				large(intercepted("an interceptor that fails late",
						(registry, ledger) -> registry.addInterceptor(new Failing(ledger)))),
				large(intercepted("an interceptor that fails late, which is handled",
						(registry, ledger) -> registry.addInterceptor(new Failing(ledger)))
					.with(LateAdvice.class)),
				intercepted("an interceptor that touches bodies",
						(registry, ledger) -> registry.addInterceptor(new HandlerInterceptor() {

							@Override
							public boolean preHandle(HttpServletRequest request, HttpServletResponse response,
									Object handler) throws Exception {
								if (request.getMethod().equals("POST") && request.getContentType() != null) {
									ledger.note("body of " + request.getInputStream().readAllBytes().length);
								}
								return true;
							}

						})),
				intercepted("an interceptor that reads behind handlers, also those of errors",
						(registry, ledger) -> registry.addInterceptor(new Reading(ledger)))
					.filter(0, (ledger) -> (request, response, chain) -> chain.doFilter(request, response))
					.step("save", (vault, memory) -> vault.save(ITEM, "returns"))
					.step("save and an error", (vault, memory) -> vault.save(ITEM, "error"))
					.step("text and an error", (vault, memory) -> vault.text("text", "error")),
				intercepted("an interceptor that needs a session",
						(registry, ledger) -> registry.addInterceptor(new HandlerInterceptor() {

							@Override
							public boolean preHandle(HttpServletRequest request, HttpServletResponse response,
									Object handler) {
								ledger.note("new " + request.getSession().isNew());
								return true;
							}

						})),
				Arrangement.of("an advice of errors and bodies").leftToHttp("changes bodies").with(Advice.class),
				Arrangement.of("a resolver of exceptions")
					.beans((context, ledger) -> context.registerBean(HandlerExceptionResolver.class,
							() -> new FirstResolver(ledger))));
	}

	/**
	 * Reads what is left of bodies, as text and as bytes, of which the first excludes the
	 * other.
	 */
	private static final class Reading implements HandlerInterceptor {

		private final Ledger ledger;

		Reading(Ledger ledger) {
			this.ledger = ledger;
		}

		@Override
		public void postHandle(HttpServletRequest request, HttpServletResponse response, Object handler,
				@Nullable ModelAndView modelAndView) throws IOException {
			String what = "rest of " + request.getDispatcherType() + " " + request.getMethod() + " "
					+ request.getRequestURI() + " " + request.getQueryString();
			try {
				this.ledger.note(what + " " + request.getReader().readLine());
			}
			catch (IllegalStateException ex) {
				this.ledger.note(what + " is a stream");
			}
			try {
				this.ledger.note(what + " " + request.getInputStream().read());
			}
			catch (IllegalStateException ex) {
				this.ledger.note(what + " has a reader");
			}
		}

	}

	/** Fails after the handler, also after that of errors. */
	private static final class Failing implements HandlerInterceptor {

		private final Ledger ledger;

		Failing(Ledger ledger) {
			this.ledger = ledger;
		}

		@Override
		public void postHandle(HttpServletRequest request, HttpServletResponse response, Object handler,
				@Nullable ModelAndView modelAndView) {
			this.ledger.note("fails");
			throw new UnsupportedOperationException("late");
		}

	}

	/** Handles what fails late. */
	@RestControllerAdvice
	static class LateAdvice {

		@ExceptionHandler
		ResponseEntity<String> handle(UnsupportedOperationException ex) {
			return ResponseEntity.status(409).header("X-Handled", ex.getMessage()).body("handled");
		}

	}

	/** Notes each step, with what it learns of the handler. */
	private static final class Counting implements HandlerInterceptor {

		private final Ledger ledger;

		Counting(Ledger ledger) {
			this.ledger = ledger;
		}

		@Override
		public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
			String described = "none";
			if (handler instanceof HandlerMethod method) {
				described = method.getBeanType().getSimpleName() + " " + method.getMethod().getName() + " "
						+ method.getShortLogMessage() + " " + method.getMethodParameters().length + " "
						+ (method.getBean() instanceof VaultController) + " "
						+ method.getReturnType().getParameterType();
			}
			this.ledger.note("before " + described + " " + request.getRequestURI());
			return true;
		}

		@Override
		public void postHandle(HttpServletRequest request, HttpServletResponse response, Object handler,
				@Nullable ModelAndView modelAndView) {
			this.ledger.note("after " + modelAndView + " " + response.getStatus() + " " + response.isCommitted());
		}

		@Override
		public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
				@Nullable Exception ex) {
			this.ledger.note("completed " + ((ex != null) ? ex.getClass().getName() : "well"));
		}

	}

	/** Asks the annotation of the handler. */
	private static final class Roles implements HandlerInterceptor {

		private final Ledger ledger;

		Roles(Ledger ledger) {
			this.ledger = ledger;
		}

		@Override
		public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
				throws Exception {
			NeedsRole needed = (handler instanceof HandlerMethod method) ? method.getMethodAnnotation(NeedsRole.class)
					: null;
			if (needed != null && !request.isUserInRole(needed.value())) {
				this.ledger.note("lacks " + needed.value());
				response.sendError(403, "needs " + needed.value());
				return false;
			}
			return true;
		}

	}

	/** Resolves before Spring's own. */
	private static final class FirstResolver implements HandlerExceptionResolver, org.springframework.core.Ordered {

		private final Ledger ledger;

		FirstResolver(Ledger ledger) {
			this.ledger = ledger;
		}

		@Override
		public int getOrder() {
			return HIGHEST_PRECEDENCE;
		}

		@Override
		public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
				@Nullable Object handler, Exception ex) {
			this.ledger.note("resolves " + ex.getClass().getSimpleName() + " of "
					+ ((handler instanceof HandlerMethod method) ? method.getMethod().getName() : handler));
			if (ex instanceof IllegalStateException) {
				response.setStatus(419);
				response.setHeader("X-Resolved", request.getRequestURI());
				return new ModelAndView();
			}
			return null;
		}

	}

	/** Changes bodies and answers exceptions. */
	@RestControllerAdvice
	static class Advice implements ResponseBodyAdvice<Object> {

		private final Ledger ledger;

		Advice(Ledger ledger) {
			this.ledger = ledger;
		}

		@Override
		public boolean supports(MethodParameter returnType, Class<? extends HttpMessageConverter<?>> converter) {
			return true;
		}

		@Override
		public @Nullable Object beforeBodyWrite(@Nullable Object body, MethodParameter returnType, MediaType type,
				Class<? extends HttpMessageConverter<?>> converter, ServerHttpRequest request,
				ServerHttpResponse response) {
			this.ledger.note("writes " + ((body instanceof String) ? "text" : "object"));
			response.getHeaders().set("X-Advised", request.getURI().getPath());
			return (body instanceof String text) ? text + ", advised" : body;
		}

		@ExceptionHandler
		ResponseEntity<ProblemDetail> handle(IllegalStateException ex, WebRequest request) {
			return ResponseEntity.status(409)
				.header("X-Handled", request.getDescription(false))
				.body(ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, ex.getMessage()));
		}

		@ExceptionHandler
		ResponseEntity<String> denied(AccessDeniedException ex) {
			return ResponseEntity.status(403).body("denied");
		}

	}

}
