package io.github.vicinal.boot.cache;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * Compares values with their copies: objects of applications field by field, since many
 * have no {@code equals}; collections by their elements; all else by {@code equals}. What
 * cannot be compared counts as different. Thread-safe.
 */
final class Contents {

	/** Nested objects that are compared; a longer chain counts as different. */
	private static final int MAX_DEPTH = 200;

	private final Map<Class<?>, List<Field>> fields = new ConcurrentHashMap<>();

	/**
	 * Returns whether two values have the same contents.
	 * @param one a value
	 * @param other its copy
	 * @return {@code false} also if they cannot be compared
	 */
	boolean same(@Nullable Object one, @Nullable Object other) {
		try {
			return new Comparison().same(one, other, 0);
		}
		catch (RuntimeException | IllegalAccessException ex) {
			// Code of the application, or a module that is not open.
			return false;
		}
	}

	private List<Field> fields(Class<?> type) {
		return this.fields.computeIfAbsent(type, (absent) -> {
			List<Field> found = new ArrayList<>();
			for (Field field : absent.getDeclaredFields()) {
				if (!Modifier.isStatic(field.getModifiers())) {
					field.setAccessible(true);
					found.add(field);
				}
			}
			return List.copyOf(found);
		});
	}

	private static boolean isOfPlatform(Class<?> type) {
		ClassLoader loader = type.getClassLoader();
		return loader == null || loader == ClassLoader.getPlatformClassLoader();
	}

	/** One comparison. */
	private final class Comparison {

		/** Pairs of objects whose comparison has not ended. */
		private final IdentityHashMap<Object, Object> underWay = new IdentityHashMap<>();

		private boolean same(@Nullable Object one, @Nullable Object other, int depth) throws IllegalAccessException {
			if (one == other) {
				return true;
			}
			if (one == null || other == null || depth > MAX_DEPTH) {
				return false;
			}
			if (one.getClass().isArray()) {
				return one.getClass() == other.getClass() && sameElements(one, other, depth);
			}
			if (one instanceof Optional<?> optional && other instanceof Optional<?> copy) {
				return same(optional.orElse(null), copy.orElse(null), depth + 1);
			}
			if (isOfPlatform(one.getClass())) {
				return sameOfPlatform(one, other, depth);
			}
			if (one instanceof Enum<?> || one.getClass() != other.getClass()) {
				return false;
			}
			if (this.underWay.containsKey(one)) {
				return this.underWay.get(one) == other;
			}
			this.underWay.put(one, other);
			try {
				return sameFields(one, other, depth);
			}
			finally {
				this.underWay.remove(one);
			}
		}

		private boolean sameElements(Object one, Object other, int depth) throws IllegalAccessException {
			int length = Array.getLength(one);
			if (length != Array.getLength(other)) {
				return false;
			}
			for (int i = 0; i < length; i++) {
				if (!same(Array.get(one, i), Array.get(other, i), depth + 1)) {
					return false;
				}
			}
			return true;
		}

		private boolean sameOfPlatform(Object one, Object other, int depth) throws IllegalAccessException {
			if (one instanceof List<?> list && other instanceof List<?> copy) {
				return sameInOrder(list, copy, depth);
			}
			if (one instanceof Set<?> set && other instanceof Set<?> copy) {
				// Elements are found by their own notion of equality, then compared.
				return set.equals(copy);
			}
			if (one instanceof Map<?, ?> map && other instanceof Map<?, ?> copy) {
				return sameValues(map, copy, depth);
			}
			return one.equals(other);
		}

		private boolean sameInOrder(Collection<?> one, Collection<?> other, int depth) throws IllegalAccessException {
			Iterator<?> copies = other.iterator();
			for (Object element : one) {
				if (!copies.hasNext() || !same(element, copies.next(), depth + 1)) {
					return false;
				}
			}
			return !copies.hasNext();
		}

		private boolean sameValues(Map<?, ?> one, Map<?, ?> other, int depth) throws IllegalAccessException {
			if (!one.keySet().equals(other.keySet())) {
				return false;
			}
			for (Map.Entry<?, ?> entry : one.entrySet()) {
				if (!same(entry.getValue(), other.get(entry.getKey()), depth + 1)) {
					return false;
				}
			}
			return true;
		}

		private boolean sameFields(Object one, Object other, int depth) throws IllegalAccessException {
			Class<?> type = one.getClass();
			while (!isOfPlatform(type)) {
				for (Field field : fields(type)) {
					if (!same(field.get(one), field.get(other), depth + 1)) {
						return false;
					}
				}
				type = type.getSuperclass();
			}
			return type == Object.class || type == Record.class || one.equals(other);
		}

	}

}
