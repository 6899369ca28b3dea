package io.github.vicinal.boot.server;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.http.converter.ByteArrayHttpMessageConverter;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.converter.StringHttpMessageConverter;
import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.mvc.method.annotation.RequestBodyAdvice;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;
import org.springframework.web.util.ServletRequestPathUtils;

import io.github.vicinal.boot.server.HandlerLookup.Handler;
import io.github.vicinal.channel.CallFrame;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.server.AffinityService;

/**
 * Decides whether a contract's method may be called past the servlet stack: only if
 * nothing stands in it that HTTP calls would have passed and typed calls would not.
 */
final class Eligibility {

	private static final boolean SECURITY = ClassUtils.isPresent("org.springframework.security.web.FilterChainProxy",
			Eligibility.class.getClassLoader());

	/** They add filters that let requests for web sockets out. */
	private static final List<String> WEB_SERVERS = List.of("org.apache.tomcat.websocket.", "org.eclipse.jetty.");

	private static final String JSON_VIEW = "com.fasterxml.jackson.annotation.JsonView";

	/** Those that carry what typed paths carry; an advice is asked for each of them. */
	private static final List<Class<? extends HttpMessageConverter<?>>> CONVERTERS = List.of(
			JacksonJsonHttpMessageConverter.class, StringHttpMessageConverter.class,
			ByteArrayHttpMessageConverter.class);

	private final ApplicationContext context;

	private final ServletContext servletContext;

	Eligibility(ApplicationContext context, ServletContext servletContext) {
		this.context = context;
		this.servletContext = servletContext;
	}

	/**
	 * Looks for what typed calls of a method would miss.
	 * @return why only HTTP may be used, or {@code null}
	 */
	@Nullable String refusal(Contract contract, ContractMethod method, @Nullable Handler handler) {
		if (handler == null) {
			return "%s is not mapped to exactly one path".formatted(method.method().getName());
		}
		Class<?> beanType = handler.method().getBeanType();
		AffinityService annotation = AnnotatedElementUtils.findMergedAnnotation(beanType, AffinityService.class);
		if (annotation != null && !annotation.enabled()) {
			return "%s is annotated @AffinityService(enabled = false)".formatted(beanType.getSimpleName());
		}
		String always = handler.singleton() ? conversions(beanType, handler)
				: "%s is not a singleton, and requests have beans of their own".formatted(beanType.getSimpleName());
		if (always != null || annotation != null) {
			return always;
		}
		String missed = missedFilters(contract, method, handler);
		return (missed == null) ? null
				: missed + ", which typed calls would not pass; annotate %s with @AffinityService if they need not"
					.formatted(beanType.getSimpleName());
	}

	/** What changes bodies or arguments by means that typed paths do not know. */
	private @Nullable String conversions(Class<?> beanType, Handler handler) {
		List<Class<?>> types = new ArrayList<>(List.of(beanType));
		for (ControllerAdviceBean advice : ControllerAdviceBean.findAnnotatedBeans(this.context)) {
			Class<?> type = advice.getBeanType();
			if (type == null || !advice.isApplicableToBeanType(beanType)) {
				continue;
			}
			if (changesBodies(advice, type, handler.method())) {
				return "%s changes bodies".formatted(type.getSimpleName());
			}
			types.add(type);
		}
		for (Class<?> type : types) {
			if (has(type, RequestMappingHandlerAdapter.INIT_BINDER_METHODS)) {
				return "%s has an @InitBinder method".formatted(type.getSimpleName());
			}
			if (has(type, RequestMappingHandlerAdapter.MODEL_ATTRIBUTE_METHODS)) {
				return "%s has a @ModelAttribute method".formatted(type.getSimpleName());
			}
		}
		if (hasView(handler.method())) {
			return "%s has a @JsonView".formatted(handler.method().getShortLogMessage());
		}
		for (HttpMessageConverter<?> converter : this.context.getBeansOfType(HttpMessageConverter.class).values()) {
			if (!converter.getClass().getName().startsWith("org.springframework.")) {
				return "the application has its own message converter %s"
					.formatted(converter.getClass().getSimpleName());
			}
		}
		return null;
	}

	/** Whatever their visibility, Spring calls them. */
	private static boolean has(Class<?> type, MethodFilter methods) {
		return !MethodIntrospector.selectMethods(ClassUtils.getUserClass(type), methods).isEmpty();
	}

	/** A view also limits what a body may set. */
	private static boolean hasView(HandlerMethod handler) {
		return MergedAnnotations.from(handler.getMethod(), SearchStrategy.TYPE_HIERARCHY).isPresent(JSON_VIEW)
				|| Arrays.stream(handler.getMethodParameters())
					.flatMap((parameter) -> Arrays.stream(parameter.getParameterAnnotations()))
					.anyMatch((annotation) -> annotation.annotationType().getName().equals(JSON_VIEW));
	}

	private static boolean changesBodies(ControllerAdviceBean advice, Class<?> type, HandlerMethod handler) {
		if (RequestBodyAdvice.class.isAssignableFrom(type)) {
			RequestBodyAdvice bean = (RequestBodyAdvice) advice.resolveBean();
			for (MethodParameter parameter : handler.getMethodParameters()) {
				if (parameter.hasParameterAnnotation(RequestBody.class) && CONVERTERS.stream()
					.anyMatch(
							(converter) -> bean.supports(parameter, parameter.getGenericParameterType(), converter))) {
					return true;
				}
			}
		}
		if (ResponseBodyAdvice.class.isAssignableFrom(type)) {
			ResponseBodyAdvice<?> bean = (ResponseBodyAdvice<?>) advice.resolveBean();
			return CONVERTERS.stream().anyMatch((converter) -> bean.supports(handler.getReturnType(), converter));
		}
		return false;
	}

	private @Nullable String missedFilters(Contract contract, ContractMethod method, Handler handler) {
		@Nullable Object[] samples = new Object[method.argumentTypes().size()];
		Arrays.fill(samples, "1");
		HandlerTarget target = new HandlerTarget(contract, method, handler.method(), handler.pattern(),
				new ArgumentValidation(null, null));
		FrameRequest request = new FrameRequest(this.servletContext, target,
				new CallFrame(contract, method, samples, CallFrame.NO_DEADLINE, Map.of()));
		String missed = SECURITY ? Security.covering(this.context, request) : null;
		if (missed == null) {
			missed = foreignFilter(request.getServletPath());
		}
		return (missed != null) ? missed : foreignInterceptor(handler, request);
	}

	private @Nullable String foreignFilter(String path) {
		for (Filter filter : this.context.getBeansOfType(Filter.class).values()) {
			if (isForeign(filter)) {
				return "the servlet filter %s covers it".formatted(filter.getClass().getSimpleName());
			}
		}
		for (FilterRegistrationBean<?> registration : this.context.getBeansOfType(FilterRegistrationBean.class)
			.values()) {
			Filter filter = registration.getFilter();
			if (registration.isEnabled() && filter != null && isForeign(filter)
					&& covers(registration.getUrlPatterns(), path)) {
				return "the servlet filter %s covers it".formatted(filter.getClass().getSimpleName());
			}
		}
		// Without a bean, by the application or a library of its own.
		for (FilterRegistration registration : this.servletContext.getFilterRegistrations().values()) {
			String name = registration.getClassName();
			if (isForeign(name) && WEB_SERVERS.stream().noneMatch(name::startsWith)
					&& covers(registration.getUrlPatternMappings(), path)) {
				return "the servlet filter %s covers it".formatted(ClassUtils.getShortName(name));
			}
		}
		return null;
	}

	private static boolean covers(Collection<String> patterns, String path) {
		return patterns.isEmpty() || patterns.stream()
			.anyMatch((pattern) -> pattern.equals(path) || pattern.startsWith("*")
					|| (pattern.endsWith("/*") && path.startsWith(pattern.substring(0, pattern.length() - 2))));
	}

	private static @Nullable String foreignInterceptor(Handler handler, HttpServletRequest request) {
		try {
			ServletRequestPathUtils.parseAndCache(request);
			HandlerExecutionChain chain = handler.mapping().getHandler(request);
			if (chain == null) {
				return null;
			}
			for (HandlerInterceptor interceptor : chain.getInterceptorList()) {
				if (isForeign(interceptor)) {
					return "the interceptor %s covers it".formatted(interceptor.getClass().getSimpleName());
				}
			}
			return null;
		}
		catch (Exception ex) {
			return "its interceptors cannot be told (%s)".formatted(ex.getClass().getSimpleName());
		}
	}

	private static boolean isForeign(Object bean) {
		return isForeign(ClassUtils.getUserClass(bean).getName());
	}

	private static boolean isForeign(String name) {
		return !name.startsWith("org.springframework.") && !name.startsWith("io.github.vicinal.boot.server.");
	}

	/** Loaded only where Spring Security is. */
	private static final class Security {

		private Security() {
		}

		static @Nullable String covering(ApplicationContext context, HttpServletRequest request) {
			for (FilterChainProxy proxy : context.getBeansOfType(FilterChainProxy.class).values()) {
				for (SecurityFilterChain chain : proxy.getFilterChains()) {
					if (matches(chain, request)) {
						return chain.getFilters().isEmpty() ? null : "a security filter chain covers it";
					}
				}
			}
			return null;
		}

		/** A matcher that cannot judge the request is taken to match. */
		private static boolean matches(SecurityFilterChain chain, HttpServletRequest request) {
			try {
				return chain.matches(request);
			}
			catch (RuntimeException ex) {
				return true;
			}
		}

	}

}
