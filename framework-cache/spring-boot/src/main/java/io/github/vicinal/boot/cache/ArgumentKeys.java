package io.github.vicinal.boot.cache;

import java.io.InputStream;
import java.io.Reader;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.net.URI;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.vicinal.contract.TypeClosure;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.io.InputStreamSource;
import org.springframework.format.annotation.NumberFormat;
import org.springframework.http.StreamingHttpOutputMessage;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;

/**
 * Decides whether the arguments of a method can be the key of a call: two calls with
 * equal keys must make equal requests. Unknown conversions turn arguments that are no
 * bodies into text, so only values whose contents determine that text are keys.
 */
final class ArgumentKeys {

	private static final List<Class<?>> CONTAINERS = List.of(Collection.class, Map.class, Optional.class);

	/** Types whose text is the same for all callers, besides enums and primitive ones. */
	private static final List<Class<?>> TEXTS = List.of(CharSequence.class, Number.class, UUID.class, URI.class,
			Locale.class);

	/** Bodies that are written as they are, and perhaps only once. */
	private static final List<Class<?>> STREAMS = List.of(InputStream.class, Reader.class, InputStreamSource.class,
			StreamingHttpOutputMessage.Body.class);

	/** Headers of requests for caches on their way (RFC 9111, sections 5.2.1 and 5.4). */
	private static final Set<String> FOR_CACHES = Set.of("cache-control", "pragma");

	private static final String PUBLISHER = "org.reactivestreams.Publisher";

	private ArgumentKeys() {
	}

	/** Returns why they cannot, or {@code null}. */
	static @Nullable String whyNot(Method method) {
		Parameter[] parameters = method.getParameters();
		for (int i = 0; i < parameters.length; i++) {
			String header = header(parameters[i]);
			if (FOR_CACHES.contains(header)) {
				return "its argument %d fills the header %s, by which callers tell caches what to do".formatted(i + 1,
						header);
			}
			ResolvableType type = ResolvableType.forMethodParameter(method, i);
			boolean body = AnnotatedElementUtils.hasAnnotation(parameters[i], RequestBody.class);
			if (body ? isStream(type.toClass()) : !isKey(type)) {
				return body ? "its body is a stream, %s".formatted(type)
						: "the text of its argument %d of type %s in a request is unknown".formatted(i + 1, type);
			}
		}
		return null;
	}

	/** Returns the numbers of the arguments that are headers, by their names. */
	static List<Integer> headerMaps(Method method) {
		Parameter[] parameters = method.getParameters();
		return IntStream.range(0, parameters.length)
			.filter((i) -> Map.class.isAssignableFrom(parameters[i].getType())
					&& AnnotatedElementUtils.hasAnnotation(parameters[i], RequestHeader.class))
			.boxed()
			.toList();
	}

	/**
	 * Returns whether an argument has headers by which callers tell caches what to do.
	 * @param headers an argument of {@link #headerMaps}
	 */
	static boolean areForCaches(@Nullable Object headers) {
		return headers instanceof Map<?, ?> map && map.keySet()
			.stream()
			.anyMatch((name) -> FOR_CACHES.contains(String.valueOf(name).toLowerCase(Locale.ROOT)));
	}

	/** Returns the lower-case name of the header that a parameter fills, or nothing. */
	private static String header(Parameter parameter) {
		RequestHeader header = AnnotatedElementUtils.getMergedAnnotation(parameter, RequestHeader.class);
		if (header == null) {
			return "";
		}
		return (header.name().isEmpty() ? parameter.getName() : header.name()).toLowerCase(Locale.ROOT);
	}

	private static boolean isStream(Class<?> type) {
		return STREAMS.stream().anyMatch((stream) -> stream.isAssignableFrom(type))
				|| ClassUtils.getAllInterfacesForClassAsSet(type)
					.stream()
					.anyMatch((known) -> known.getName().equals(PUBLISHER));
	}

	/**
	 * Returns whether the text of an argument may depend on the locale and the time zone
	 * of the calling thread, as that of a date does.
	 */
	static boolean dependOnLocale(Method method) {
		Parameter[] parameters = method.getParameters();
		return IntStream.range(0, parameters.length)
			.anyMatch((i) -> !AnnotatedElementUtils.hasAnnotation(parameters[i], RequestBody.class)
					&& (AnnotatedElementUtils.hasAnnotation(parameters[i], NumberFormat.class)
							|| !isOneText(ResolvableType.forMethodParameter(method, i))));
	}

	/** Numbers are not formatted unless an annotation says so. */
	private static boolean isOneText(ResolvableType type) {
		Class<?> raw = type.toClass();
		if (raw.isArray()) {
			return isOneText(type.getComponentType());
		}
		for (Class<?> container : CONTAINERS) {
			if (container.isAssignableFrom(raw)) {
				return Stream.of(type.as(container).getGenerics()).allMatch(ArgumentKeys::isOneText);
			}
		}
		return ClassUtils.isPrimitiveOrWrapper(raw) || raw.isEnum()
				|| TEXTS.stream().anyMatch((text) -> text.isAssignableFrom(raw));
	}

	/**
	 * Makes a copy of an argument that is a key. Codecs may write two values in one way
	 * whose texts are different, such as two constants of an enum.
	 */
	static @Nullable Object frozen(@Nullable Object argument) {
		if (argument instanceof Collection<?> collection) {
			return collection.stream().map(ArgumentKeys::frozen).toList();
		}
		if (argument instanceof Map<?, ?> map) {
			return map.entrySet()
				.stream()
				.map((entry) -> Arrays.asList(frozen(entry.getKey()), frozen(entry.getValue())))
				.toList();
		}
		if (argument instanceof Object[] array) {
			return Stream.of(array).map(ArgumentKeys::frozen).toList();
		}
		if (argument instanceof Optional<?> optional) {
			return optional.map(ArgumentKeys::frozen);
		}
		return (argument != null && argument.getClass().isArray()) ? null : argument;
	}

	/** Returns whether an argument is the body, whose text codecs write. */
	static boolean isBody(Method method, int index) {
		return AnnotatedElementUtils.hasAnnotation(method.getParameters()[index], RequestBody.class);
	}

	private static boolean isKey(ResolvableType type) {
		Class<?> raw = type.toClass();
		if (raw.isArray()) {
			return isKey(type.getComponentType());
		}
		// A variable is that of a container's interface, such as the E of a List.
		Type known = !(type.getType() instanceof TypeVariable) ? type.getType()
				: ResolvableType.forClassWithGenerics(raw, type.getGenerics()).getType();
		if (raw.isPrimitive() || TypeClosure.whyMutable(known).isEmpty()) {
			return true;
		}
		for (Class<?> container : CONTAINERS) {
			if (container.isAssignableFrom(raw)) {
				ResolvableType[] contents = type.as(container).getGenerics();
				boolean keys = contents.length > 0;
				for (ResolvableType content : contents) {
					keys &= isKey(content);
				}
				return keys;
			}
		}
		return false;
	}

}
