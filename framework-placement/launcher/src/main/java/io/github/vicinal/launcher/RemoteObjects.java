package io.github.vicinal.launcher;

import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.rmi.NoSuchObjectException;
import java.rmi.Remote;
import java.rmi.server.UnicastRemoteObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Remote objects (RMI) that an application has exported: the JDK keeps them, and the
 * class loader that was the context, until they are taken back.
 */
final class RemoteObjects {

	private static final String TABLE = "sun.rmi.transport.ObjectTable";

	/** Beginning of the names of threads that are there while objects are exported. */
	private static final String THREADS = "RMI ";

	private RemoteObjects() {
	}

	/**
	 * Takes back the remote objects of an application.
	 * @param loader of an application that has stopped
	 * @param findings gets what that was, for people
	 */
	static void unexport(ApplicationLoader loader, List<String> findings) {
		if (ApplicationThreads.all().stream().noneMatch((thread) -> thread.getName().startsWith(THREADS))) {
			return;
		}
		try {
			for (Remote each : Table.exported(loader)) {
				if (UnicastRemoteObject.unexportObject(each, true)) {
					findings.add("the remote object '%s' was still exported".formatted(each.getClass().getName()));
				}
			}
		}
		catch (NoSuchObjectException ex) {
			// Gone meanwhile.
		}
		catch (ReflectiveOperationException | RuntimeException | LinkageError ex) {
			findings.add("remote objects cannot be looked for (%s); start the launcher with java -jar"
				.formatted(ex.getClass().getSimpleName()));
		}
	}

	/** The JDK has no list of them; the manifest of the launcher opens the package. */
	private static final class Table {

		static List<Remote> exported(ApplicationLoader loader) throws ReflectiveOperationException {
			Class<?> table = Class.forName(TABLE);
			Object lock = value(table, null, "tableLock");
			List<Remote> exported = new ArrayList<>();
			if (lock == null || !(value(table, null, "implTable") instanceof Map<?, ?> targets)) {
				return exported;
			}
			synchronized (lock) {
				for (Object target : targets.values()) {
					Object context = value(target.getClass(), target, "ccl");
					if (value(target.getClass(), target, "weakImpl") instanceof Reference<?> reference
							&& reference.get() instanceof Remote object
							&& (loader.owns(object.getClass().getClassLoader())
									|| (context instanceof ClassLoader known && loader.owns(known)))) {
						exported.add(object);
					}
				}
			}
			return exported;
		}

		private static @Nullable Object value(Class<?> type, @Nullable Object target, String name)
				throws ReflectiveOperationException {
			Field field = type.getDeclaredField(name);
			field.setAccessible(true);
			return field.get(target);
		}

	}

}
