package io.github.vicinal.launcher;

import java.lang.reflect.Field;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Tables in which shared classes of Netty keep values for each thread: those of
 * {@code FastThreadLocal}, and caches whose keys are classes of handlers and messages.
 * <p>
 * Their thread alone may change these caches. So they are not emptied but forgotten as a
 * whole, and the thread makes new ones when it needs them.
 */
final class NettyLocals {

	private static final String TABLE = "io.netty.util.internal.InternalThreadLocalMap";

	private static final String THREAD = "io.netty.util.concurrent.FastThreadLocalThread";

	private static final String[] CACHES = { "typeParameterMatcherGetCache", "typeParameterMatcherFindCache" };

	private NettyLocals() {
	}

	/**
	 * Returns the table of a thread of Netty. Other threads have it in a thread-local.
	 * @return its table, or {@code null} if it has none
	 */
	static @Nullable Object tableOf(Thread thread) throws ReflectiveOperationException {
		for (Class<?> type = thread.getClass(); type != null; type = type.getSuperclass()) {
			if (type.getName().equals(THREAD)) {
				return field(type, "threadLocalMap").get(thread);
			}
		}
		return null;
	}

	static boolean isTable(@Nullable Object value) {
		return value != null && value.getClass().getName().equals(TABLE);
	}

	/**
	 * Removes values, and the caches.
	 * @param table of a thread
	 * @param ours which values to remove
	 * @return the number of values that were removed
	 * @throws ReflectiveOperationException if this version of Netty keeps them elsewhere
	 */
	static int remove(Object table, Predicate<@Nullable Object> ours) throws ReflectiveOperationException {
		Class<?> type = table.getClass();
		for (String cache : CACHES) {
			field(type, cache).set(table, null);
		}
		Object unset = field(type, "UNSET").get(null);
		Object[] values = (Object[]) field(type, "indexedVariables").get(table);
		int removed = 0;
		for (int i = 0; i < values.length; i++) {
			if (ours.test(values[i])) {
				values[i] = unset;
				removed++;
			}
		}
		return removed;
	}

	/** Versions differ in which of two classes has a field. */
	private static Field field(Class<?> type, String name) throws NoSuchFieldException {
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			for (Field field : each.getDeclaredFields()) {
				if (field.getName().equals(name)) {
					field.setAccessible(true);
					return field;
				}
			}
		}
		throw new NoSuchFieldException(name);
	}

}
