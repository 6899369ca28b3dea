package io.github.vicinal.testkit;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Compares two values by all that a caller can observe: types of the kit class by class
 * and field by field, also those without {@code equals}; collections by what they
 * contain, whatever their class; everything else by {@code equals}.
 */
final class DeepComparison {

	private static final String KIT = DeepComparison.class.getPackageName() + ".";

	private final IdentityHashMap<Object, Object> underWay = new IdentityHashMap<>();

	private DeepComparison() {
	}

	/**
	 * Find the first difference between two values.
	 * @param actual one value
	 * @param expected the other
	 * @return where and what it is, or {@code null} if there is none
	 */
	static @Nullable String difference(@Nullable Object actual, @Nullable Object expected) {
		return new DeepComparison().compare("value", actual, expected);
	}

	private @Nullable String compare(String where, @Nullable Object actual, @Nullable Object expected) {
		if (actual == expected) {
			return null;
		}
		if (actual == null || expected == null) {
			return unequal(where, actual, expected);
		}
		if (actual.getClass().isArray()) {
			return compareArrays(where, actual, expected);
		}
		if (actual instanceof Optional<?> optional && expected instanceof Optional<?> other) {
			return compare(where + ".get()", optional.orElse(null), other.orElse(null));
		}
		if (actual instanceof List<?> list && expected instanceof List<?> other) {
			return compareLists(where, list, other);
		}
		if (actual instanceof Set<?> set && expected instanceof Set<?> other) {
			return compareSets(where, set, other);
		}
		if (actual instanceof Map<?, ?> map && expected instanceof Map<?, ?> other) {
			return compareMaps(where, map, other);
		}
		if (actual.getClass() == expected.getClass() && actual instanceof CharSequence) {
			return (actual.toString().equals(expected.toString())) ? null : unequal(where, actual, expected);
		}
		if (actual.getClass().getName().startsWith(KIT) && !(actual instanceof Enum<?>)) {
			return compareFields(where, actual, expected);
		}
		return (actual.equals(expected)) ? null : unequal(where, actual, expected);
	}

	private @Nullable String compareArrays(String where, Object actual, Object expected) {
		if (actual.getClass() != expected.getClass()) {
			return unequal(where, actual.getClass(), expected.getClass());
		}
		if (actual instanceof byte[] bytes && expected instanceof byte[] others) {
			int mismatch = Arrays.mismatch(bytes, others);
			return (mismatch < 0) ? null : where + " differs at byte " + mismatch;
		}
		int length = Array.getLength(actual);
		if (length != Array.getLength(expected)) {
			return unequal(where + ".length", length, Array.getLength(expected));
		}
		for (int i = 0; i < length; i++) {
			String difference = compare(where + "[" + i + "]", Array.get(actual, i), Array.get(expected, i));
			if (difference != null) {
				return difference;
			}
		}
		return null;
	}

	private @Nullable String compareLists(String where, Collection<?> actual, Collection<?> expected) {
		if (actual.size() != expected.size()) {
			return unequal(where + ".size()", actual.size(), expected.size());
		}
		Iterator<?> others = expected.iterator();
		int index = 0;
		for (Object element : actual) {
			String difference = compare(where + "[" + index + "]", element, others.next());
			if (difference != null) {
				return difference;
			}
			index++;
		}
		return null;
	}

	private @Nullable String compareSets(String where, Set<?> actual, Set<?> expected) {
		return (actual.equals(expected)) ? compareLists(where, actual, expected) : unequal(where, actual, expected);
	}

	private @Nullable String compareMaps(String where, Map<?, ?> actual, Map<?, ?> expected) {
		if (!actual.keySet().equals(expected.keySet())) {
			return unequal(where + ".keySet()", actual.keySet(), expected.keySet());
		}
		for (Map.Entry<?, ?> entry : actual.entrySet()) {
			String difference = compare(where + "[" + entry.getKey() + "]", entry.getValue(),
					expected.get(entry.getKey()));
			if (difference != null) {
				return difference;
			}
		}
		return null;
	}

	private @Nullable String compareFields(String where, Object actual, Object expected) {
		if (actual.getClass() != expected.getClass()) {
			return unequal(where + ".getClass()", actual.getClass(), expected.getClass());
		}
		if (this.underWay.put(actual, expected) != null) {
			return null;
		}
		for (Class<?> type = actual.getClass(); type != null && type != Object.class; type = type.getSuperclass()) {
			for (Field field : type.getDeclaredFields()) {
				if (!Modifier.isStatic(field.getModifiers())) {
					String difference = compare(where + "." + field.getName(), read(field, actual),
							read(field, expected));
					if (difference != null) {
						return difference;
					}
				}
			}
		}
		return null;
	}

	private static @Nullable Object read(Field field, Object owner) {
		try {
			field.setAccessible(true);
			return field.get(owner);
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String unequal(String where, @Nullable Object actual, @Nullable Object expected) {
		return where + ": " + describe(actual) + " instead of " + describe(expected);
	}

	private static String describe(@Nullable Object value) {
		String text = Objects.toString(value);
		String shortened = (text.length() > 2000) ? text.substring(0, 2000) + "..." : text;
		return (value != null) ? shortened + " (" + value.getClass().getSimpleName() + ")" : shortened;
	}

}
