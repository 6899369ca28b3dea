package io.github.vicinal.boot.topic;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.github.vicinal.topic.Acknowledgement;
import io.github.vicinal.topic.Message;
import org.jspecify.annotations.Nullable;

import org.springframework.core.GenericTypeResolver;
import org.springframework.util.ClassUtils;

/**
 * Facts from the parameters of a listener: the type of the payload, whether the listener
 * acknowledges, and whether Spring Messaging must resolve its arguments.
 *
 * @param payload the type of the payload
 * @param acknowledges whether the method takes an acknowledgement
 */
record ListenerMethod(Type payload, boolean acknowledges) {

	/** Whether Spring Messaging is present. */
	static final boolean MESSAGING = ClassUtils.isPresent("org.springframework.messaging.Message",
			ListenerMethod.class.getClassLoader());

	private static final String ANNOTATIONS = "org.springframework.messaging.handler.annotation.";

	private static final Set<String> HEADERS = Set.of("org.springframework.messaging.MessageHeaders",
			"org.springframework.messaging.support.MessageHeaderAccessor");

	/**
	 * Reads the parameters of a method.
	 * @param owner the class of the bean, which may give type variables of the method's
	 * class their types
	 * @param place class and method, for people
	 * @throws InvalidListenerException if it cannot be called with messages
	 */
	static ListenerMethod of(Method method, Class<?> owner, String place) {
		if (method.getReturnType() != void.class && !CompletionStage.class.isAssignableFrom(method.getReturnType())) {
			throw new InvalidListenerException(
					"The listener %s must return nothing or a CompletionStage, but returns %s: publish an answer to a topic of its own"
						.formatted(place, method.getReturnType().getSimpleName()));
		}
		Set<Type> payloads = new LinkedHashSet<>();
		boolean acknowledges = false;
		for (Parameter parameter : method.getParameters()) {
			if (parameter.getType() == Acknowledgement.class) {
				acknowledges = true;
				continue;
			}
			Type payload = payload(parameter, place);
			if (payload != null) {
				payloads.add(GenericTypeResolver.resolveType(payload, owner));
			}
		}
		if (payloads.size() != 1) {
			throw new InvalidListenerException(
					"The listener %s must have a parameter for the payload or a Message of it, of one type, but has %s"
						.formatted(place, payloads.isEmpty() ? "none" : payloads));
		}
		return new ListenerMethod(payloads.iterator().next(), acknowledges);
	}

	private static @Nullable Type payload(Parameter parameter, String place) {
		Class<?> type = parameter.getType();
		if (isAnnotated(parameter, "Header") || isAnnotated(parameter, "Headers")) {
			if (!MESSAGING) {
				throw new InvalidListenerException(
						"The listener %s takes headers, which needs spring-messaging on the class path: take a Message instead"
							.formatted(place));
			}
			return null;
		}
		if (isHeaders(type)) {
			return null;
		}
		if (type != Message.class && !type.getName().equals("org.springframework.messaging.Message")) {
			return parameter.getParameterizedType();
		}
		if (parameter.getParameterizedType() instanceof ParameterizedType typed) {
			return typed.getActualTypeArguments()[0];
		}
		throw new InvalidListenerException(
				"The listener %s takes a Message of nothing in particular: name the type of its payload, as in Message<Order>"
					.formatted(place));
	}

	private static boolean isHeaders(Class<?> type) {
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			if (HEADERS.contains(each.getName())) {
				return true;
			}
		}
		return false;
	}

	private static boolean isAnnotated(Parameter parameter, String name) {
		for (Annotation annotation : parameter.getAnnotations()) {
			if (annotation.annotationType().getName().equals(ANNOTATIONS + name)) {
				return true;
			}
		}
		return false;
	}

}
