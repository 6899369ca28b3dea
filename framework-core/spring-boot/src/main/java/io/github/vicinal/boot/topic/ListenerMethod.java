package io.github.vicinal.boot.topic;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.github.vicinal.topic.Acknowledgement;
import io.github.vicinal.topic.Message;
import org.jspecify.annotations.Nullable;

import org.springframework.core.GenericTypeResolver;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationAttributes;
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
	 * @param maxBatch maximum number of messages that it is given together; with more
	 * than one it takes lists
	 * @throws InvalidListenerException if it cannot be called with messages
	 */
	static ListenerMethod of(Method method, Class<?> owner, String place, int maxBatch) {
		if (method.getReturnType() != void.class && !AsyncResults.isAsync(method.getReturnType())) {
			throw new InvalidListenerException(
					"The listener %s must return nothing, a CompletionStage or a Mono, but returns %s: publish an answer to a topic of its own"
						.formatted(place, method.getReturnType().getSimpleName()));
		}
		Set<Type> payloads = new LinkedHashSet<>();
		boolean acknowledges = false;
		for (Parameter parameter : method.getParameters()) {
			if (parameter.getType() == Acknowledgement.class) {
				acknowledges = true;
				continue;
			}
			Type payload = payload(parameter, place, maxBatch);
			if (payload != null) {
				payloads.add(GenericTypeResolver.resolveType(payload, owner));
			}
		}
		if (payloads.size() != 1) {
			throw new InvalidListenerException(
					"The listener %s must have a parameter for the payload or a Message of it, %sof one type, but has %s"
						.formatted(place, (maxBatch > 1) ? "in a List, " : "", payloads.isEmpty() ? "none" : payloads));
		}
		return new ListenerMethod(payloads.iterator().next(), acknowledges);
	}

	private static @Nullable Type payload(Parameter parameter, String place, int maxBatch) {
		Class<?> type = parameter.getType();
		if (isAnnotated(parameter, "Header") || isAnnotated(parameter, "Headers")) {
			if (!MESSAGING) {
				throw new InvalidListenerException(
						"The listener %s takes headers, which needs spring-messaging on the class path: take a Message instead"
							.formatted(place));
			}
			if (maxBatch > 1) {
				requireHeaderOfBatch(parameter, place);
			}
			return null;
		}
		if (isHeaders(type)) {
			return null;
		}
		AnnotationAttributes payload = AnnotatedElementUtils.getMergedAnnotationAttributes(parameter,
				ANNOTATIONS + "Payload");
		if (payload != null && !payload.getString("expression").isEmpty()) {
			throw new InvalidListenerException(
					"The listener %s takes the part '%s' of its payload, which cannot be resolved: take the whole payload"
						.formatted(place, payload.getString("expression")));
		}
		return (maxBatch > 1) ? payloadOfBatch(parameter, place, maxBatch)
				: payload(parameter.getParameterizedType(), parameter, place);
	}

	/** Returns the type of the payload of one message. */
	private static Type payload(Type type, Parameter parameter, String place) {
		if (isMessage(rawElement(type)) && parameter.getType() == List.class && type instanceof ParameterizedType) {
			throw new InvalidListenerException(
					"The listener %s takes a List of messages, but is given one message at a time: set maxBatch of its annotation to more than 1, or take a Message"
						.formatted(place));
		}
		if (!isMessage(raw(type))) {
			return type;
		}
		if (type instanceof ParameterizedType typed) {
			return typed.getActualTypeArguments()[0];
		}
		throw new InvalidListenerException(
				"The listener %s takes a Message of nothing in particular: name the type of its payload, as in Message<Order>"
					.formatted(place));
	}

	/** Returns the type of the payload of each message of a batch. */
	private static Type payloadOfBatch(Parameter parameter, String place, int maxBatch) {
		if (parameter.getType() != List.class) {
			throw new InvalidListenerException(
					"The listener %s is given batches of up to %d messages, but takes %s: take a List of payloads or of Messages, or remove maxBatch from its annotation"
						.formatted(place, maxBatch, parameter.getParameterizedType().getTypeName()));
		}
		Type element = element(parameter.getParameterizedType());
		if (element == null) {
			throw new InvalidListenerException(
					"The listener %s takes a List of nothing in particular: name the type of its payloads, as in List<Order>"
						.formatted(place));
		}
		if (!isMessage(raw(element))) {
			return element;
		}
		if (element instanceof ParameterizedType typed) {
			return typed.getActualTypeArguments()[0];
		}
		throw new InvalidListenerException(
				"The listener %s takes Messages of nothing in particular: name the type of their payloads, as in List<Message<Order>>"
					.formatted(place));
	}

	/** A batch has no headers of its own. */
	private static void requireHeaderOfBatch(Parameter parameter, String place) {
		AnnotationAttributes header = AnnotatedElementUtils.getMergedAnnotationAttributes(parameter,
				ANNOTATIONS + "Header");
		if (header == null) {
			return;
		}
		String name = header.getString("name");
		if (!name.equals(TopicHeaders.TOPIC) && !name.equals(TopicHeaders.BATCH_HEADERS)) {
			throw new InvalidListenerException(
					"The listener %s takes the header '%s', but is given batches, each of whose messages has headers of its own: take a List of Messages, or the header %s"
						.formatted(place, name.isEmpty() ? parameter.getName() : name, TopicHeaders.BATCH_HEADERS));
		}
	}

	/** Returns the class of the elements of a list, {@code null} if that is not known. */
	static @Nullable Class<?> rawElement(Type list) {
		Type element = element(list);
		return (element != null) ? raw(element) : null;
	}

	private static @Nullable Type element(Type list) {
		if (!(list instanceof ParameterizedType typed)) {
			return null;
		}
		Type element = typed.getActualTypeArguments()[0];
		return (element instanceof WildcardType wildcard) ? wildcard.getUpperBounds()[0] : element;
	}

	private static @Nullable Class<?> raw(Type type) {
		return (type instanceof Class<?> known) ? known
				: (type instanceof ParameterizedType typed) ? (Class<?>) typed.getRawType() : null;
	}

	private static boolean isMessage(@Nullable Class<?> type) {
		return type == Message.class
				|| (type != null && type.getName().equals("org.springframework.messaging.Message"));
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
