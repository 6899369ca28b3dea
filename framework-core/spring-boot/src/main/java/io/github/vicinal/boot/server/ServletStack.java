package io.github.vicinal.boot.server;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.boot.server.HandlerLookup.Handler;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.webmvc.autoconfigure.error.BasicErrorController;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.server.observation.DefaultServerRequestObservationConvention;
import org.springframework.http.server.observation.OpenTelemetryServerRequestObservationConvention;
import org.springframework.http.server.observation.ServerRequestObservationConvention;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.filter.CharacterEncodingFilter;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.multipart.support.StandardServletMultipartResolver;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.handler.MappedInterceptor;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.servlet.support.SessionFlashMapManager;

/**
 * Finds out whether anything between the web server and a handler acts on requests. If a
 * filter or an interceptor may match any of a handler's requests, all calls of the
 * handler pass it.
 */
final class ServletStack {

	/**
	 * Filters that do nothing to a request which a typed call would miss, by the name of
	 * the class itself: a subclass may do more. Encodings and form data concern bodies
	 * that typed calls do not have; the request context, observation and permits have
	 * counterparts.
	 */
	private static final Set<String> NEUTRAL_FILTERS = Set.of(
			"org.springframework.boot.servlet.filter.OrderedCharacterEncodingFilter",
			"org.springframework.boot.servlet.filter.OrderedFormContentFilter",
			"org.springframework.boot.servlet.filter.OrderedRequestContextFilter",
			"org.springframework.web.filter.CharacterEncodingFilter",
			"org.springframework.web.filter.FormContentFilter", "org.springframework.web.filter.RequestContextFilter",
			"org.springframework.web.filter.ServerHttpObservationFilter", "org.apache.tomcat.websocket.server.WsFilter",
			AnnouncementFilter.class.getName(), RequestPermitFilter.class.getName());

	/**
	 * Interceptors that only provide attributes for views, or pass on the token of a user
	 * whom only a filter can have authenticated.
	 */
	private static final Set<String> NEUTRAL_INTERCEPTORS = Set.of(
			"org.springframework.web.servlet.handler.ConversionServiceExposingInterceptor",
			"org.springframework.web.servlet.resource.ResourceUrlProviderExposingInterceptor",
			"org.springframework.cloud.commons.security.ResourceServerTokenRelayAutoConfiguration"
					+ "$ResourceServerTokenRelayRegistrationAutoConfiguration$1",
			AnnouncementInterceptor.class.getName());

	/** Mappings of other handlers that come first, and do not take requests of these. */
	private static final Set<String> NEUTRAL_MAPPINGS = Set.of(TypedHandlerMapping.class.getName(),
			"org.springframework.boot.webmvc.actuate.endpoint.web.WebMvcEndpointHandlerMapping",
			"org.springframework.boot.webmvc.actuate.endpoint.web.ControllerEndpointHandlerMapping",
			"org.springframework.boot.webmvc.actuate.endpoint.web.AdditionalHealthEndpointPathsWebMvcHandlerMapping");

	/** Conventions that ask a response for nothing but its status. */
	private static final Set<Class<?>> NEUTRAL_CONVENTIONS = Set.of(DefaultServerRequestObservationConvention.class,
			OpenTelemetryServerRequestObservationConvention.class);

	/**
	 * Beans that the dispatcher servlet asks about each request, with Spring's classes.
	 */
	private static final Map<String, Class<?>> STRATEGIES = Map.of(DispatcherServlet.FLASH_MAP_MANAGER_BEAN_NAME,
			SessionFlashMapManager.class, DispatcherServlet.MULTIPART_RESOLVER_BEAN_NAME,
			StandardServletMultipartResolver.class);

	private final ApplicationContext context;

	private final ServletContext servletContext;

	private final ServletContainer container;

	ServletStack(ApplicationContext context, ServletContext servletContext, ServletContainer container) {
		this.context = context;
		this.servletContext = servletContext;
		this.container = container;
	}

	/**
	 * Finds a part that acts on requests.
	 * @param handler the handler
	 * @param servletPrefix the path of the dispatcher servlet
	 * @return what was found, or {@code null}
	 */
	@Nullable String foreign(Handler handler, String servletPrefix) {
		String found = this.container.foreign();
		if (found == null) {
			found = filter(servletPrefix + handler.pattern());
		}
		if (found == null) {
			found = dispatcher(handler.mapping());
		}
		if (found == null) {
			found = mapping(handler.mapping());
		}
		if (found == null) {
			found = interceptor(handler.method(), handler.pattern(), handler.mapping());
		}
		if (found == null) {
			found = observation();
		}
		return (found != null) ? found : RequestListeners.foreign(this.context);
	}

	/**
	 * A convention of the application may look at a response that has been written; which
	 * convention the filter has was decided when it was made.
	 */
	private @Nullable String observation() {
		return this.context.getBeanProvider(ServerRequestObservationConvention.class)
			.stream()
			.map(Object::getClass)
			.filter((type) -> !NEUTRAL_CONVENTIONS.contains(type))
			.map((type) -> "the observation convention %s".formatted(ClassUtils.getShortName(type)))
			.findFirst()
			.orElse(null);
	}

	/**
	 * Returns whether texts of requests or responses are in another character encoding
	 * than typed calls take them to be in.
	 */
	boolean hasForeignEncoding() {
		return this.context.getBeansOfType(CharacterEncodingFilter.class)
			.values()
			.stream()
			.anyMatch((filter) -> !StandardCharsets.UTF_8.name().equalsIgnoreCase(filter.getEncoding())
					|| filter.isForceResponseEncoding());
	}

	/**
	 * Finds another servlet that may answer a handler's requests.
	 * @param path the path pattern of the handler, with that of the dispatcher servlet
	 * @return its name, or {@code null}
	 */
	@Nullable String otherServlet(String path) {
		for (ServletRegistration registration : this.servletContext.getServletRegistrations().values()) {
			if (!DispatcherServlet.class.getName().equals(registration.getClassName())
					&& registration.getMappings().stream().anyMatch((pattern) -> servletMayMatch(pattern, path))) {
				return registration.getName();
			}
		}
		return null;
	}

	private static boolean servletMayMatch(String pattern, String path) {
		if (pattern.equals("/")) {
			return false;
		}
		if (pattern.startsWith("*.")) {
			String last = path.substring(path.lastIndexOf('/') + 1);
			return last.endsWith(pattern.substring(1)) || beginning(last).length() < last.length();
		}
		return mayMatch(List.of(pattern), path);
	}

	private @Nullable String filter(String path) {
		for (FilterRegistration registration : this.servletContext.getFilterRegistrations().values()) {
			if (!NEUTRAL_FILTERS.contains(registration.getClassName())
					&& (this.container.isForAll(registration.getName())
							|| !registration.getServletNameMappings().isEmpty()
							|| mayMatch(registration.getUrlPatternMappings(), path))) {
				return "the servlet filter %s".formatted(registration.getName());
			}
		}
		return null;
	}

	private @Nullable String dispatcher(RequestMappingHandlerMapping mapping) {
		for (ErrorController controller : this.context.getBeansOfType(ErrorController.class).values()) {
			if (controller.getClass() != BasicErrorController.class) {
				return "the error controller %s".formatted(controller.getClass().getSimpleName());
			}
			if (mapping.getPathPrefixes().values().stream().anyMatch((prefix) -> prefix.test(controller.getClass()))) {
				return "a path prefix of the error controller";
			}
		}
		for (Map.Entry<String, Class<?>> strategy : STRATEGIES.entrySet()) {
			if (this.context.containsBean(strategy.getKey())
					&& this.context.getBean(strategy.getKey()).getClass() != strategy.getValue()) {
				return "the bean %s".formatted(strategy.getKey());
			}
		}
		for (DispatcherServlet servlet : this.context.getBeansOfType(DispatcherServlet.class).values()) {
			if (servlet.getClass() != DispatcherServlet.class) {
				return "the dispatcher servlet %s".formatted(servlet.getClass().getSimpleName());
			}
			List<HandlerMapping> mappings = servlet.getHandlerMappings();
			if (mappings == null) {
				return "a dispatcher servlet that has not been started";
			}
			for (HandlerMapping other : mappings) {
				if (other == mapping) {
					break;
				}
				if (!NEUTRAL_MAPPINGS.contains(other.getClass().getName()) && !isEmpty(other)) {
					return "the handler mapping %s".formatted(other.getClass().getSimpleName());
				}
			}
		}
		return null;
	}

	/**
	 * Returns what the handler mapping does to a request before it looks for a handler.
	 */
	private static @Nullable String mapping(RequestMappingHandlerMapping mapping) {
		if (mapping.getClass() != RequestMappingHandlerMapping.class) {
			return "the handler mapping %s".formatted(mapping.getClass().getSimpleName());
		}
		if (mapping.getPatternParser() == null) {
			return "a path matcher that is not the one of Spring MVC";
		}
		return (mapping.getApiVersionStrategy() != null) ? "API versioning" : null;
	}

	/** Every application has a mapping of functional routes, few have such routes. */
	private static boolean isEmpty(HandlerMapping mapping) {
		return mapping instanceof RouterFunctionMapping functions && mapping.getClass() == RouterFunctionMapping.class
				&& functions.getRouterFunction() == null;
	}

	/**
	 * Returns whether any of some patterns may match a path that matches another pattern:
	 * unless their beginnings, up to the first wildcard or variable, differ.
	 */
	static boolean mayMatch(Collection<String> patterns, String path) {
		return patterns.stream().anyMatch((pattern) -> mayMatch(pattern, path));
	}

	private static boolean mayMatch(String first, String second) {
		String one = beginning(first);
		String other = beginning(second);
		boolean oneIsWhole = one.length() == first.length();
		boolean otherIsWhole = other.length() == second.length();
		if (oneIsWhole && otherIsWhole) {
			// The root is "" in one pattern and "/" in another.
			return (one.equals("/") ? "" : one).equalsIgnoreCase(other.equals("/") ? "" : other);
		}
		return (!otherIsWhole && beginsWith(one, other)) || (!oneIsWhole && beginsWith(other, one));
	}

	private static boolean beginsWith(String text, String beginning) {
		return text.regionMatches(true, 0, beginning, 0, beginning.length());
	}

	private static String beginning(String pattern) {
		for (int i = 0; i < pattern.length(); i++) {
			if ("*?{".indexOf(pattern.charAt(i)) >= 0) {
				// "/a/*" and "/a/**" match "/a", too.
				return (i > 0 && pattern.charAt(i - 1) == '/') ? pattern.substring(0, i - 1) : pattern.substring(0, i);
			}
		}
		return pattern;
	}

	private static boolean mayMatch(MappedInterceptor interceptor, String path) {
		String[] patterns = interceptor.getIncludePathPatterns();
		return patterns == null || mayMatch(Arrays.asList(patterns), path);
	}

	private static @Nullable String interceptor(HandlerMethod handler, String path,
			RequestMappingHandlerMapping mapping) {
		HandlerInterceptor @Nullable [] interceptors = mapping.getAdaptedInterceptors();
		for (HandlerInterceptor interceptor : (interceptors != null) ? Arrays.asList(interceptors)
				: List.<HandlerInterceptor>of()) {
			HandlerInterceptor actual = interceptor;
			boolean covers = true;
			while (actual instanceof MappedInterceptor mapped) {
				covers &= mayMatch(mapped, path);
				actual = mapped.getInterceptor();
			}
			if (covers && !NEUTRAL_INTERCEPTORS.contains(actual.getClass().getName())) {
				return "the interceptor %s".formatted(ClassUtils.getShortName(actual.getClass()));
			}
		}
		if (mapping.getCorsConfigurationSource() != null
				|| AnnotatedElementUtils.hasAnnotation(handler.getMethod(), CrossOrigin.class)
				|| AnnotatedElementUtils.hasAnnotation(handler.getBeanType(), CrossOrigin.class)) {
			return "a CORS configuration";
		}
		return null;
	}

}
