package io.github.vicinal.launcher;

import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.lang.reflect.Field;

import org.jspecify.annotations.Nullable;

/**
 * Removes what a stopped application has left in thread-locals of threads that run on:
 * those of the JDK's pools, and those of applications that have called it.
 * <p>
 * A thread alone may change its table of thread-locals. So an entry is only emptied and
 * its reference cleared, which is what the garbage collector does with a thread-local
 * that nobody has any more; the thread removes such entries later.
 */
final class ThreadLocals {

	private static final String[] TABLES = { "threadLocals", "inheritableThreadLocals" };

	private final ApplicationLoader loader;

	private final Field entries;

	private final Field value;

	private int removed;

	private ThreadLocals(ApplicationLoader loader) throws ReflectiveOperationException {
		this.loader = loader;
		this.entries = field("java.lang.ThreadLocal$ThreadLocalMap", "table");
		this.value = field("java.lang.ThreadLocal$ThreadLocalMap$Entry", "value");
	}

	/**
	 * Removes values of an application's classes, and values of its thread-locals.
	 * @return the number of values that were removed
	 */
	static int remove(ApplicationLoader loader) {
		try {
			ThreadLocals locals = new ThreadLocals(loader);
			for (Thread thread : ApplicationThreads.all()) {
				for (String table : TABLES) {
					locals.removeFrom(field(Thread.class.getName(), table).get(thread));
				}
			}
			return locals.removed;
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			// Not looked for without java -jar, as shutdown hooks.
			return 0;
		}
	}

	private static Field field(String type, String name) throws ReflectiveOperationException {
		Field field = Class.forName(type).getDeclaredField(name);
		field.setAccessible(true);
		return field;
	}

	private void removeFrom(@Nullable Object map) throws IllegalAccessException {
		Object table = (map != null) ? this.entries.get(map) : null;
		if (table == null) {
			return;
		}
		for (int i = 0; i < Array.getLength(table); i++) {
			if (Array.get(table, i) instanceof Reference<?> entry
					&& (isOurs(entry.get()) || isOurs(this.value.get(entry)))) {
				this.value.set(entry, null);
				entry.clear();
				this.removed++;
			}
		}
	}

	private boolean isOurs(@Nullable Object object) {
		if (object == null) {
			return false;
		}
		ClassLoader own = (object instanceof ClassLoader itself) ? itself
				: (object instanceof Class<?> type) ? type.getClassLoader() : object.getClass().getClassLoader();
		return this.loader.owns(own);
	}

}
