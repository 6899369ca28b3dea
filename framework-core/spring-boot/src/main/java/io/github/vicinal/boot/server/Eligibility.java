package io.github.vicinal.boot.server;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.github.vicinal.boot.contract.BodyConverters;
import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import io.github.vicinal.boot.server.HandlerLookup.Handler;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.server.AffinityService;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

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
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.SessionAttributes;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.JsonViewRequestBodyAdvice;
import org.springframework.web.servlet.mvc.method.annotation.JsonViewResponseBodyAdvice;
import org.springframework.web.servlet.mvc.method.annotation.RequestBodyAdvice;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

/**
 * Decides whether a contract's method can be called with its arguments as they are: only
 * if nothing converts them, or the result, by means that typed paths do not know.
 * {@link ServletStack} examines filters and interceptors in front of the handler.
 */
final class Eligibility {

	private static final String JSON_VIEW = "com.fasterxml.jackson.annotation.JsonView";

	/** Those that carry what typed paths carry; an advice is asked for each of them. */
	private static final List<Class<? extends HttpMessageConverter<?>>> CONVERTERS = List.of(
			JacksonJsonHttpMessageConverter.class, StringHttpMessageConverter.class,
			ByteArrayHttpMessageConverter.class);

	/** Those of Spring MVC, which act on views only. */
	private static final Set<Class<?>> NEUTRAL_ADVICES = Set.of(JsonViewRequestBodyAdvice.class,
			JsonViewResponseBodyAdvice.class);

	private final ApplicationContext context;

	private final JsonMapper mapper;

	/** The search looks at all beans, so it is made once for all methods. */
	private final List<ControllerAdviceBean> advices;

	Eligibility(ApplicationContext context, JsonMapper mapper) {
		this.context = context;
		this.mapper = mapper;
		this.advices = ControllerAdviceBean.findAnnotatedBeans(context);
	}

	/**
	 * Finds a reason against typed calls of a method: something that they would miss.
	 * @return why only HTTP may be used, or {@code null}
	 */
	@Nullable String refusal(ContractMethod method, @Nullable Handler handler) {
		if (handler == null) {
			return "%s is not mapped to exactly one path".formatted(method.method().getName());
		}
		Class<?> beanType = handler.method().getBeanType();
		AffinityService annotation = AnnotatedElementUtils.findMergedAnnotation(beanType, AffinityService.class);
		if (annotation != null && !annotation.enabled()) {
			return "%s is annotated @AffinityService(enabled = false)".formatted(beanType.getSimpleName());
		}
		return handler.singleton() ? conversions(beanType, handler)
				: "%s is not a singleton, and requests have beans of their own".formatted(beanType.getSimpleName());
	}

	/** Returns what changes bodies or arguments by means that typed paths do not know. */
	private @Nullable String conversions(Class<?> beanType, Handler handler) {
		List<Class<?>> types = new ArrayList<>(List.of(beanType));
		for (ControllerAdviceBean advice : this.advices) {
			Class<?> type = advice.getBeanType();
			if (type == null || !advice.isApplicableToBeanType(beanType)) {
				continue;
			}
			if (changesBodies(type, advice::resolveBean, handler.method())) {
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
		String advice = adviceOfAdapters(handler.method());
		if (advice != null) {
			return advice;
		}
		if (AnnotatedElementUtils.hasAnnotation(beanType, SessionAttributes.class)) {
			return "%s has @SessionAttributes, whose responses must not be cached".formatted(beanType.getSimpleName());
		}
		if (hasView(handler.method())) {
			return "%s has a @JsonView".formatted(handler.method().getShortLogMessage());
		}
		return converters();
	}

	/** Body advice that a handler adapter was given without being a bean. */
	private @Nullable String adviceOfAdapters(HandlerMethod handler) {
		try {
			for (RequestMappingHandlerAdapter adapter : this.context.getBeansOfType(RequestMappingHandlerAdapter.class)
				.values()) {
				for (Object advice : (List<?>) Fields.required(adapter, "requestResponseBodyAdvice")) {
					Class<?> type = advice.getClass();
					if (advice instanceof ControllerAdviceBean || NEUTRAL_ADVICES.contains(type)) {
						continue;
					}
					if (changesBodies(type, () -> advice, handler)) {
						return "%s changes bodies".formatted(ClassUtils.getShortName(type));
					}
				}
			}
			return null;
		}
		catch (UnknownLayoutException ex) {
			return "it is not known which advice the handler adapter has: " + ex.getMessage();
		}
	}

	/**
	 * Returns how message converters of the handler adapters differ, however they were
	 * registered.
	 */
	private @Nullable String converters() {
		for (RequestMappingHandlerAdapter adapter : this.context.getBeansOfType(RequestMappingHandlerAdapter.class)
			.values()) {
			String difference = BodyConverters.difference(adapter.getMessageConverters(), this.mapper);
			if (difference != null) {
				return "the application has its own conversion of bodies: " + difference;
			}
		}
		return null;
	}

	/** Spring calls them whatever their visibility. */
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

	private static boolean changesBodies(Class<?> type, Supplier<Object> advice, HandlerMethod handler) {
		if (RequestBodyAdvice.class.isAssignableFrom(type)) {
			RequestBodyAdvice bean = (RequestBodyAdvice) advice.get();
			for (MethodParameter parameter : handler.getMethodParameters()) {
				if (parameter.hasParameterAnnotation(RequestBody.class) && CONVERTERS.stream()
					.anyMatch(
							(converter) -> bean.supports(parameter, parameter.getGenericParameterType(), converter))) {
					return true;
				}
			}
		}
		if (ResponseBodyAdvice.class.isAssignableFrom(type)) {
			ResponseBodyAdvice<?> bean = (ResponseBodyAdvice<?>) advice.get();
			return CONVERTERS.stream().anyMatch((converter) -> bean.supports(handler.getReturnType(), converter));
		}
		return false;
	}

}
