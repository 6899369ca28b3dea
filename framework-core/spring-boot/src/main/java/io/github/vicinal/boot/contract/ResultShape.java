package io.github.vicinal.boot.contract;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;

/**
 * The return type of a contract method, taken apart: when the result is there, what
 * envelope it comes in, and the type of the value inside.
 *
 * @param timing when the result is there
 * @param envelope what the value comes in
 * @param valueType the type of the value that travels, {@code void.class} for none
 */
public record ResultShape(Timing timing, Envelope envelope, Type valueType) {

	/** Way in which the result arrives. */
	public enum Timing {

		/** On return. */
		SYNC,

		/** With the completion of a {@link CompletableFuture}. */
		FUTURE,

		/** With the element of a Reactor {@code Mono}. */
		MONO,

		/** The elements of a Reactor {@code Flux}. */
		FLUX

	}

	/** Envelope of the value. */
	public enum Envelope {

		/** Nothing: the value itself. */
		NONE,

		/** An {@link Optional}. */
		OPTIONAL,

		/** A {@link ResponseEntity}. */
		ENTITY,

		/** The {@link HttpHeaders}, without a value. */
		HEADERS

	}

	/**
	 * Takes the return type of a method apart.
	 * @param contract the interface that the method is called on
	 * @param method the method
	 * @return its shape
	 */
	public static ResultShape of(Class<?> contract, Method method) {
		Type type = GenericTypeResolver.resolveType(method.getGenericReturnType(), contract);
		Timing timing = Timing.SYNC;
		Class<?> raw = raw(type);
		if (raw == CompletableFuture.class || raw == CompletionStage.class) {
			timing = Timing.FUTURE;
		}
		else if (raw.getName().equals("reactor.core.publisher.Mono")) {
			timing = Timing.MONO;
		}
		else if (raw.getName().equals("reactor.core.publisher.Flux")) {
			return new ResultShape(Timing.FLUX, Envelope.NONE,
					ResolvableType.forClassWithGenerics(List.class, ResolvableType.forType(argument(type))).getType());
		}
		if (timing != Timing.SYNC) {
			type = argument(type);
			raw = raw(type);
		}
		if (raw == Optional.class) {
			return new ResultShape(timing, Envelope.OPTIONAL, value(argument(type)));
		}
		if (raw == ResponseEntity.class) {
			return new ResultShape(timing, Envelope.ENTITY, value(argument(type)));
		}
		if (raw == HttpHeaders.class) {
			return new ResultShape(timing, Envelope.HEADERS, void.class);
		}
		return new ResultShape(timing, Envelope.NONE, value(type));
	}

	private static Type value(Type type) {
		return (type == Void.class) ? void.class : type;
	}

	private static Class<?> raw(Type type) {
		Class<?> raw = ResolvableType.forType(type).resolve();
		return (raw != null) ? raw : Object.class;
	}

	private static Type argument(Type type) {
		return (type instanceof ParameterizedType parameterized) ? parameterized.getActualTypeArguments()[0]
				: Object.class;
	}

	/**
	 * Returns the raw class of the value.
	 * @return a class
	 */
	public Class<?> valueClass() {
		return raw(this.valueType);
	}

	/**
	 * Brings a value into the form in which HTTP would have delivered it: a text or byte
	 * array without content is no content at all.
	 * @param value the value
	 * @return the value, or {@code null}
	 */
	public static @Nullable Object asOverHttp(@Nullable Object value) {
		if (value instanceof String text && text.isEmpty()) {
			return null;
		}
		if (value instanceof byte[] bytes && bytes.length == 0) {
			return null;
		}
		return value;
	}

}
