package io.github.vicinal.boot.reflect;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

import org.jspecify.annotations.Nullable;

/**
 * Reads private fields of HTTP clients. If one cannot be read, the client counts as
 * unknown, never as one that adds nothing.
 */
public final class Fields {

	private Fields() {
	}

	/** A class does not look as it did when this was written. */
	public static final class UnknownLayoutException extends Exception {

		private static final long serialVersionUID = 1;

		/**
		 * Creates the exception.
		 * @param type the class
		 * @param field the field that is missing
		 * @param cause why it cannot be read, or {@code null}
		 */
		public UnknownLayoutException(Class<?> type, String field, @Nullable Throwable cause) {
			super("%s.%s".formatted(type.getSimpleName(), field), cause);
		}

	}

	/**
	 * Returns the value of a field.
	 * @param target the object
	 * @param name the field's name, in its class or one that it extends
	 * @throws UnknownLayoutException if there is no such field, or it cannot be read
	 */
	public static @Nullable Object get(Object target, String name) throws UnknownLayoutException {
		Field field = field(target, name);
		if (field == null) {
			throw new UnknownLayoutException(target.getClass(), name, null);
		}
		return value(target, field);
	}

	/**
	 * Returns whether an object has a field.
	 * @param target the object
	 * @param name the field's name, in its class or one that it extends
	 */
	public static boolean has(Object target, String name) {
		return field(target, name) != null;
	}

	private static @Nullable Field field(Object target, String name) {
		for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
			for (Field field : type.getDeclaredFields()) {
				if (field.getName().equals(name) && !Modifier.isStatic(field.getModifiers())) {
					return field;
				}
			}
		}
		return null;
	}

	/** Returns the value of a field that must not be empty. */
	public static Object required(Object target, String name) throws UnknownLayoutException {
		Object value = get(target, name);
		if (value == null) {
			throw new UnknownLayoutException(target.getClass(), name, null);
		}
		return value;
	}

	/**
	 * Returns the first value of a type among the fields of an object, such as what a
	 * lambda captured.
	 */
	public static <T> T firstOf(Object target, Class<T> wanted) throws UnknownLayoutException {
		for (Field field : target.getClass().getDeclaredFields()) {
			if (!Modifier.isStatic(field.getModifiers()) && wanted.isAssignableFrom(field.getType())) {
				Object value = value(target, field);
				if (value != null) {
					return wanted.cast(value);
				}
			}
		}
		throw new UnknownLayoutException(target.getClass(), "a field of type " + wanted.getSimpleName(), null);
	}

	/** Returns the first field whose declared type has a name. */
	public static Object firstNamed(Object target, String typeName) throws UnknownLayoutException {
		for (Field field : target.getClass().getDeclaredFields()) {
			if (!Modifier.isStatic(field.getModifiers()) && field.getType().getName().equals(typeName)) {
				Object value = value(target, field);
				if (value != null) {
					return value;
				}
			}
		}
		throw new UnknownLayoutException(target.getClass(), "a field of type " + typeName, null);
	}

	private static @Nullable Object value(Object target, Field field) throws UnknownLayoutException {
		try {
			field.setAccessible(true);
			return field.get(target);
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			throw new UnknownLayoutException(target.getClass(), field.getName(), ex);
		}
	}

}
