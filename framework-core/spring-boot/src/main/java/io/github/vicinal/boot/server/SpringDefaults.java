package io.github.vicinal.boot.server;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import io.github.vicinal.boot.server.HandlerLookup.Handler;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.boot.autoconfigure.web.format.DateTimeFormatters;
import org.springframework.boot.autoconfigure.web.format.WebConversionService;
import org.springframework.context.ApplicationContext;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.convert.support.GenericConversionService;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.accept.ContentNegotiationManager;
import org.springframework.web.accept.ContentNegotiationStrategy;
import org.springframework.web.accept.HeaderContentNegotiationStrategy;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.support.ConfigurableWebBindingInitializer;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.RequestHeaderMethodArgumentResolver;
import org.springframework.web.method.annotation.RequestParamMethodArgumentResolver;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.DeferredResultMethodReturnValueHandler;
import org.springframework.web.servlet.mvc.method.annotation.HttpEntityMethodProcessor;
import org.springframework.web.servlet.mvc.method.annotation.HttpHeadersReturnValueHandler;
import org.springframework.web.servlet.mvc.method.annotation.PathVariableMethodArgumentResolver;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestResponseBodyMethodProcessor;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitterReturnValueHandler;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityReturnValueHandler;
import org.springframework.web.servlet.mvc.method.annotation.ServletCookieValueMethodArgumentResolver;

/**
 * Finds out whether Spring MVC makes a handler's arguments, and writes its results, with
 * its defaults only. Typed calls repeat only those.
 */
final class SpringDefaults {

	private static final Set<Class<?>> RESOLVERS = Set.of(PathVariableMethodArgumentResolver.class,
			RequestParamMethodArgumentResolver.class, RequestHeaderMethodArgumentResolver.class,
			ServletCookieValueMethodArgumentResolver.class, RequestResponseBodyMethodProcessor.class);

	private static final Set<Class<?>> RESULT_HANDLERS = Set.of(RequestResponseBodyMethodProcessor.class,
			HttpEntityMethodProcessor.class, ResponseEntityReturnValueHandler.class,
			HttpHeadersReturnValueHandler.class, DeferredResultMethodReturnValueHandler.class,
			ResponseBodyEmitterReturnValueHandler.class);

	private static final TypeDescriptor TEXT = TypeDescriptor.valueOf(String.class);

	private static final TypeDescriptor TEXTS = TypeDescriptor.valueOf(String[].class);

	private final @Nullable RequestMappingHandlerAdapter adapter;

	/** As the dispatcher servlet asks them, one after the other. */
	private final List<HandlerAdapter> adapters;

	SpringDefaults(ApplicationContext context) {
		this.adapters = new ArrayList<>(
				BeanFactoryUtils.beansOfTypeIncludingAncestors(context, HandlerAdapter.class, true, false).values());
		AnnotationAwareOrderComparator.sort(this.adapters);
		this.adapter = context.getBeanProvider(RequestMappingHandlerAdapter.class).getIfUnique();
	}

	/**
	 * Finds a setting that is no default.
	 * @return what was found, as a sentence, or {@code null}
	 */
	@Nullable String foreign(Handler handler) {
		RequestMappingHandlerAdapter found = this.adapter;
		if (found == null || found.getClass() != RequestMappingHandlerAdapter.class) {
			return "the application has a handler adapter of its own";
		}
		String settings = settings(found, handler.method());
		if (settings != null) {
			return settings;
		}
		ContentNegotiationStrategy strategy = strategy(handler.mapping().getContentNegotiationManager());
		if (strategy != null) {
			return "the server negotiates content types by %s".formatted(name(strategy));
		}
		for (HttpMessageConverter<?> converter : found.getMessageConverters()) {
			if (!converter.getClass().getName().startsWith("org.springframework.")) {
				return "the application has its own message converter %s".formatted(name(converter));
			}
		}
		for (MethodParameter parameter : handler.method().getMethodParameters()) {
			String reason = argument(found, parameter);
			if (reason != null) {
				return reason;
			}
		}
		return result(found, handler.method());
	}

	/** Returns what the dispatcher servlet's adapter does besides calling the handler. */
	private @Nullable String settings(RequestMappingHandlerAdapter found, HandlerMethod handler) {
		for (HandlerAdapter each : this.adapters) {
			if (each == found) {
				break;
			}
			if (each.supports(handler)) {
				return "the handler adapter %s comes first".formatted(name(each));
			}
		}
		if (found.getSupportedMethods() != null) {
			return "the handler adapter supports some HTTP methods only";
		}
		try {
			// It has no accessor.
			if (found.isRequireSession() || Boolean.TRUE.equals(Fields.get(found, "synchronizeOnSession"))) {
				return "the handler adapter uses sessions";
			}
		}
		catch (UnknownLayoutException ex) {
			return "it is not known whether the handler adapter uses sessions: " + ex.getMessage();
		}
		return (found.getCacheControl() != null || found.getCacheSeconds() != -1
				|| found.getVaryByRequestHeaders() != null) ? "the handler adapter adds headers for caches" : null;
	}

	private static @Nullable ContentNegotiationStrategy strategy(ContentNegotiationManager manager) {
		return manager.getStrategies()
			.stream()
			.filter((strategy) -> strategy.getClass() != HeaderContentNegotiationStrategy.class)
			.findFirst()
			.orElse(null);
	}

	private static @Nullable String argument(RequestMappingHandlerAdapter adapter, MethodParameter parameter) {
		List<HandlerMethodArgumentResolver> resolvers = adapter.getArgumentResolvers();
		HandlerMethodArgumentResolver first = (resolvers != null) ? resolvers.stream()
			.filter((resolver) -> resolver.supportsParameter(parameter))
			.findFirst()
			.orElse(null) : null;
		if (first == null || !RESOLVERS.contains(first.getClass())) {
			return "argument %d is resolved by %s".formatted(parameter.getParameterIndex() + 1,
					(first != null) ? name(first) : "nothing");
		}
		return parameter.hasParameterAnnotation(RequestBody.class) ? null : conversion(adapter, parameter);
	}

	private static @Nullable String result(RequestMappingHandlerAdapter adapter, HandlerMethod handler) {
		MethodParameter type = handler.getReturnType();
		List<HandlerMethodReturnValueHandler> handlers = adapter.getReturnValueHandlers();
		HandlerMethodReturnValueHandler first = (handlers != null)
				? handlers.stream().filter((each) -> each.supportsReturnType(type)).findFirst().orElse(null) : null;
		return (first != null && RESULT_HANDLERS.contains(first.getClass())) ? null
				: "the result is handled by %s".formatted((first != null) ? name(first) : "nothing");
	}

	private static @Nullable String conversion(RequestMappingHandlerAdapter adapter, MethodParameter parameter) {
		if (!(adapter.getWebBindingInitializer() instanceof ConfigurableWebBindingInitializer initializer)
				|| initializer.getClass() != ConfigurableWebBindingInitializer.class
				|| !ObjectUtils.isEmpty(initializer.getPropertyEditorRegistrars())) {
			return "the application binds arguments in its own way";
		}
		ConversionService service = initializer.getConversionService();
		GenericConversionService fresh = fresh(service);
		if (fresh == null || !(service instanceof GenericConversionService actual)) {
			return "the application has a conversion service of its own";
		}
		TypeDescriptor target = new TypeDescriptor(parameter);
		TypeDescriptor element = element(parameter, target);
		for (TypeDescriptor to : Stream.of(target, element).distinct().toList()) {
			for (TypeDescriptor from : (to == target && target != element) ? List.of(TEXT, TEXTS) : List.of(TEXT)) {
				if (!converter(actual, from, to).equals(converter(fresh, from, to))) {
					return "argument %d is made by a converter of the application"
						.formatted(parameter.getParameterIndex() + 1);
				}
			}
		}
		return null;
	}

	/** Returns what a text becomes in the end. */
	private static TypeDescriptor element(MethodParameter parameter, TypeDescriptor target) {
		TypeDescriptor element = target.getElementTypeDescriptor();
		if (element != null) {
			return element;
		}
		return parameter.getParameterType() == java.util.Optional.class
				? new TypeDescriptor(ResolvableType.forMethodParameter(parameter).getGeneric(0), null,
						parameter.getParameterAnnotations())
				: target;
	}

	/** Returns a service of the same class to which nothing was added. */
	private static @Nullable GenericConversionService fresh(@Nullable ConversionService service) {
		Class<?> type = (service != null) ? service.getClass() : null;
		if (type == WebConversionService.class) {
			return new WebConversionService(new DateTimeFormatters());
		}
		return (type == DefaultFormattingConversionService.class) ? new DefaultFormattingConversionService() : null;
	}

	/**
	 * Describes the converter of a pair of types. Spring's say their types and classes,
	 * and Java adds an identity.
	 */
	private static String converter(GenericConversionService service, TypeDescriptor from, TypeDescriptor to) {
		Method method = ReflectionUtils.findMethod(GenericConversionService.class, "getConverter", TypeDescriptor.class,
				TypeDescriptor.class);
		if (method == null) {
			return "unknown " + System.identityHashCode(service);
		}
		ReflectionUtils.makeAccessible(method);
		return String.valueOf(ReflectionUtils.invokeMethod(method, service, from, to)).replaceAll("@[0-9a-f]+\\b", "");
	}

	/** Anonymous classes have no simple name. */
	private static String name(Object object) {
		String simple = object.getClass().getSimpleName();
		return simple.isEmpty() ? object.getClass().getName() : simple;
	}

}
