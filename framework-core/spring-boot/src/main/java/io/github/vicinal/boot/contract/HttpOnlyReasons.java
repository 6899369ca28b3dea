package io.github.vicinal.boot.contract;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import io.github.vicinal.boot.contract.ArgumentRules.RuleOrReason;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.path.PathKind;
import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.SynthesizingMethodParameter;
import org.springframework.http.HttpEntity;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;

/**
 * Properties of a method that leave its calls to HTTP, whatever kind of client has it.
 */
final class HttpOnlyReasons {

	private static final Set<String> NOT_FOR_HANDLERS = Set.of("TRACE", "CONNECT");

	private static final List<Class<? extends Annotation>> NAMED = List.of(RequestParam.class, RequestHeader.class,
			CookieValue.class, PathVariable.class);

	private HttpOnlyReasons() {
	}

	/** Returns the reason that the annotation of a method gives, or {@code null}. */
	static @Nullable String annotated(@Nullable AffinityChannel channel) {
		return (channel != null && channel.paths().length > 0
				&& List.of(channel.paths()).stream().allMatch(PathKind.HTTP.id()::equalsIgnoreCase))
						? "the method is annotated so" : null;
	}

	/**
	 * Finds a reason in what a call carries.
	 * @param method the method
	 * @param httpMethod its HTTP method, or empty
	 * @param rules the rules of its arguments
	 * @param arguments the types of its arguments
	 * @param shape its result
	 */
	static @Nullable String of(Method method, String httpMethod, List<RuleOrReason> rules, List<Type> arguments,
			ResultShape shape) {
		for (RuleOrReason rule : rules) {
			if (rule.reason() != null) {
				return rule.reason();
			}
		}
		String result = result(shape);
		if (result != null) {
			return result;
		}
		if (httpMethod.isEmpty()) {
			return "it names no HTTP method";
		}
		if (NOT_FOR_HANDLERS.contains(httpMethod)) {
			return "web servers reject the HTTP method " + httpMethod;
		}
		if (httpMethod.equals("OPTIONS")) {
			return "servlets answer OPTIONS by themselves, or add to the answer";
		}
		String shared = sharedName(method);
		if (shared != null) {
			return shared;
		}
		return hasTypeVariables(arguments, shape) ? "its types are not known before the call" : null;
	}

	private static @Nullable String result(ResultShape shape) {
		String streaming = StreamingTypes.reason(shape.valueClass());
		if (streaming != null) {
			return "the result " + streaming;
		}
		if (HttpEntity.class.isAssignableFrom(shape.valueClass())) {
			return "HTTP clients take the result for the type of a body";
		}
		if (shape.valueType() == Object.class || shape.valueType() instanceof WildcardType) {
			return "the result is declared as Object: only the value has a media type";
		}
		if (shape.valueClass() != String.class && (CharSequence.class.isAssignableFrom(shape.valueClass())
				|| shape.valueClass().isAssignableFrom(String.class))) {
			return "the result is declared as %s: servers write text, which HTTP clients read as String only"
				.formatted(shape.valueClass().getSimpleName());
		}
		if (shape.envelope() == ResultShape.Envelope.OPTIONAL
				&& (shape.valueClass() == String.class || shape.valueClass() == byte[].class)) {
			return "servers write an Optional of text or bytes as JSON, and HTTP clients as a plain body";
		}
		if (shape.envelope() == ResultShape.Envelope.ENTITY && shape.valueClass() == Optional.class) {
			return "HTTP clients distinguish a response entity without a body from one of an empty Optional";
		}
		return null;
	}

	/** The server gives each of them all values. */
	private static @Nullable String sharedName(Method method) {
		Set<String> names = new HashSet<>();
		for (int i = 0; i < method.getParameterCount(); i++) {
			MethodParameter parameter = new SynthesizingMethodParameter(method, i);
			parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
			for (Class<? extends Annotation> kind : NAMED) {
				Annotation annotation = parameter.getParameterAnnotation(kind);
				if (annotation == null) {
					continue;
				}
				String declared = String.valueOf(AnnotationUtils.getValue(annotation, "name"));
				String name = declared.isEmpty() ? String.valueOf(parameter.getParameterName()) : declared;
				if (!names.add(kind.getSimpleName() + " " + name.toLowerCase(Locale.ROOT))) {
					return "two of its arguments are the %s %s".formatted(kind.getSimpleName(), name);
				}
			}
		}
		return null;
	}

	private static boolean hasTypeVariables(List<Type> arguments, ResultShape shape) {
		return arguments.stream().anyMatch((type) -> ResolvableType.forType(type).hasUnresolvableGenerics())
				|| ResolvableType.forType(shape.valueType()).hasUnresolvableGenerics();
	}

}
