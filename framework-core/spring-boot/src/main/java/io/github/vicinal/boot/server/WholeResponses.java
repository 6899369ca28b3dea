package io.github.vicinal.boot.server;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.Writer;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.BaseStream;

import jakarta.servlet.ServletResponse;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.io.InputStreamSource;
import org.springframework.http.HttpEntity;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.HandlerMethod;

/**
 * Finds the handlers that return their response as a value, which Spring MVC writes after
 * they have returned. All others may write a response bit by bit. Thread-safe.
 */
final class WholeResponses {

	/** Parameters by which a handler can write. */
	private static final List<Class<?>> WRITTEN_TO = List.of(ServletResponse.class, OutputStream.class, Writer.class,
			NativeWebRequest.class);

	/** Results of which nobody knows how long they are, or when they end. */
	private static final List<Class<?>> WRITTEN_IN_PARTS = List.of(InputStreamSource.class, InputStream.class,
			Iterator.class, BaseStream.class, Callable.class, CompletionStage.class);

	private static final String SPRINGS = "org.springframework.web.servlet.mvc.method.annotation.";

	private static final List<String> PUBLISHERS = List.of("reactor.core.publisher.", "org.reactivestreams.");

	private final Map<Declared, Boolean> known = new ConcurrentHashMap<>();

	/**
	 * A method of a handler. What it returns, and how, depends on the handler's class,
	 * too.
	 */
	private record Declared(Class<?> type, Method method) {
	}

	/**
	 * Returns whether a handler returns its response as a value.
	 * @param handler any handler of Spring MVC
	 */
	boolean areOf(Object handler) {
		if (!(handler instanceof HandlerMethod method)) {
			return false;
		}
		Declared declared = new Declared(method.getBeanType(), method.getMethod());
		Boolean whole = this.known.get(declared);
		return (whole != null) ? whole : this.known.computeIfAbsent(declared, (absent) -> isWhole(method));
	}

	private static boolean isWhole(HandlerMethod handler) {
		for (MethodParameter parameter : handler.getMethodParameters()) {
			if (isOneOf(parameter.getParameterType(), WRITTEN_TO)) {
				return false;
			}
		}
		MethodParameter result = handler.getReturnType();
		Class<?> type = result.getParameterType();
		if (HttpEntity.class.isAssignableFrom(type)) {
			return isValue(ResolvableType.forMethodParameter(result).as(HttpEntity.class).getGeneric().toClass());
		}
		if (ProblemDetail.class.isAssignableFrom(type) || ErrorResponse.class.isAssignableFrom(type)) {
			return true;
		}
		return isValue(type) && (result.hasMethodAnnotation(ResponseBody.class)
				|| AnnotatedElementUtils.hasAnnotation(result.getContainingClass(), ResponseBody.class));
	}

	private static boolean isValue(Class<?> type) {
		String name = type.getName();
		return type != Object.class && !isOneOf(type, WRITTEN_IN_PARTS) && !name.startsWith(SPRINGS)
				&& PUBLISHERS.stream().noneMatch(name::startsWith)
				&& (!Iterable.class.isAssignableFrom(type) || Collection.class.isAssignableFrom(type));
	}

	private static boolean isOneOf(Class<?> type, List<Class<?>> types) {
		return types.stream().anyMatch((each) -> each.isAssignableFrom(type));
	}

}
