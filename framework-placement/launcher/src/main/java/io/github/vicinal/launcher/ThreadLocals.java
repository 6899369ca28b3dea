package io.github.vicinal.launcher;

import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.security.AccessControlContext;
import java.security.ProtectionDomain;
import java.util.List;

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

	private @Nullable String unknown;

	private ThreadLocals(ApplicationLoader loader) throws ReflectiveOperationException {
		this.loader = loader;
		this.entries = field("java.lang.ThreadLocal$ThreadLocalMap", "table");
		this.value = field("java.lang.ThreadLocal$ThreadLocalMap$Entry", "value");
	}

	/**
	 * Removes values of an application's classes, and values of its thread-locals.
	 * @param findings receives what cannot be looked for, for people
	 * @return the number of values that were removed
	 */
	static int remove(ApplicationLoader loader, List<String> findings) {
		try {
			ThreadLocals locals = new ThreadLocals(loader);
			for (Thread thread : ApplicationThreads.all()) {
				for (String table : TABLES) {
					locals.removeFrom(field(Thread.class.getName(), table).get(thread));
				}
				locals.removeFromNetty(thread);
			}
			// The recorder's thread is in no group's list.
			Thread.getAllStackTraces().keySet().forEach(ThreadLocals::forgetCallers);
			if (locals.unknown != null) {
				findings.add(locals.unknown);
			}
			return locals.removed;
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			// Not looked for without java -jar, as shutdown hooks.
			return 0;
		}
	}

	/**
	 * Takes away what the calling thread has inherited, from a thread of whichever
	 * application.
	 */
	static void forgetInherited() {
		try {
			field(Thread.class.getName(), "inheritableThreadLocals").set(Thread.currentThread(), null);
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			// Not without java -jar, as shutdown hooks.
		}
	}

	/**
	 * Before JDK 24, a thread keeps the classes of all callers of its constructor, for a
	 * security manager. The JDK starts threads for all applications when the first one
	 * needs them, such as those of remote objects.
	 */
	@SuppressWarnings("removal")
	static void forgetCallers(Thread thread) {
		try {
			Field callers = field(Thread.class.getName(), "inheritedAccessControlContext");
			if (System.getSecurityManager() == null && callers.get(thread) != null) {
				callers.set(thread, new AccessControlContext(new ProtectionDomain[0]));
			}
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			// Not in this version of the JDK, or not without java -jar, as shutdown
			// hooks.
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
			if (!(Array.get(table, i) instanceof Reference<?> entry)) {
				continue;
			}
			Object held = this.value.get(entry);
			if (isOurs(entry.get()) || isOurs(held)) {
				this.value.set(entry, null);
				entry.clear();
				this.removed++;
			}
			else if (NettyLocals.isTable(held)) {
				removeFromNetty(held);
			}
		}
	}

	private void removeFromNetty(Object tableOrThread) {
		try {
			Object table = (tableOrThread instanceof Thread thread) ? NettyLocals.tableOf(thread) : tableOrThread;
			// Netty of another application does not know this one.
			if (table != null && ApplicationLoader.of(table.getClass().getClassLoader()) == null) {
				this.removed += NettyLocals.remove(table, this::isOurs);
			}
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			this.unknown = "what Netty keeps in threads that run on cannot be looked for in this version of it (%s); it may keep classes in memory"
				.formatted(ex);
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
