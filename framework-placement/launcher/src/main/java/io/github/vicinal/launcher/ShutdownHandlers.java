package io.github.vicinal.launcher;

import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * Shutdown work of a class {@code SpringApplication} at the end of the JVM: closes
 * contexts that were started without the launcher's hook, and runs handlers that
 * applications have added. Spring Boot does both in one shutdown hook of the JVM, for all
 * applications that share the class. Here each application has its own, and they run when
 * it stops.
 */
final class ShutdownHandlers {

	/** Guards the collections of Spring Boot. */
	private final Class<?> lock;

	private final OwnedSet contexts;

	private final OwnedSet actions;

	private ShutdownHandlers(Class<?> lock, OwnedSet contexts, OwnedSet actions) {
		this.lock = lock;
		this.contexts = contexts;
		this.actions = actions;
	}

	/**
	 * Takes over from the shutdown hook of the JVM, which is never added then.
	 * @param springApplication the class, of an application or shared
	 * @throws ReflectiveOperationException if this version of Spring Boot keeps them
	 * elsewhere
	 */
	static ShutdownHandlers takeOver(Class<?> springApplication) throws ReflectiveOperationException {
		Object hook = value(springApplication.getDeclaredField("shutdownHook"), null);
		Class<?> type = hook.getClass();
		Object handlers = value(type.getDeclaredField("handlers"), hook);
		synchronized (type) {
			((AtomicBoolean) value(type.getDeclaredField("shutdownHookAdded"), hook)).set(true);
			return new ShutdownHandlers(type, owned(type.getDeclaredField("contexts"), hook),
					owned(handlers.getClass().getDeclaredField("actions"), handlers));
		}
	}

	/** Replaces a set by one that knows the owner of each element. */
	private static OwnedSet owned(Field field, Object target) throws IllegalAccessException {
		Set<?> elements = (Set<?>) value(field, target);
		if (elements instanceof OwnedSet known) {
			return known;
		}
		OwnedSet owned = new OwnedSet();
		owned.addAll(elements);
		field.set(target, owned);
		return owned;
	}

	private static Object value(Field field, @Nullable Object target) throws IllegalAccessException {
		field.setAccessible(true);
		return field.get(target);
	}

	/**
	 * Closes what is left of an application and runs its handlers, the last one first.
	 * @param loader the application's
	 * @return what failed, for people
	 */
	List<String> run(ApplicationLoader loader) {
		List<String> failures = new ArrayList<>();
		for (Object context : take(this.contexts, loader)) {
			try {
				((Closeable) context).close();
			}
			catch (IOException | RuntimeException ex) {
				failures.add("a context could not be closed: " + ex);
			}
		}
		List<Object> handlers = take(this.actions, loader);
		Collections.reverse(handlers);
		for (Object handler : handlers) {
			try {
				runnable(handler).run();
			}
			catch (ReflectiveOperationException | RuntimeException ex) {
				failures.add("a shutdown handler failed: " + ex);
			}
		}
		return failures;
	}

	/** A record around it, or the runnable itself before Spring Boot 3.4. */
	private static Runnable runnable(Object handler) throws ReflectiveOperationException {
		if (handler instanceof Runnable runnable) {
			return runnable;
		}
		Method accessor = handler.getClass().getDeclaredMethod("runnable");
		accessor.setAccessible(true);
		return (Runnable) accessor.invoke(handler);
	}

	private List<Object> take(OwnedSet elements, ApplicationLoader loader) {
		synchronized (this.lock) {
			return elements.take(loader);
		}
	}

}
