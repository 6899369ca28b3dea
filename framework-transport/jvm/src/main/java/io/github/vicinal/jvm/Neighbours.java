package io.github.vicinal.jvm;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The applications of this JVM, by instance id. Thread-safe.
 * <p>
 * It is static because this is what applications with class loaders and contexts of their
 * own have in common, provided that they share the loader of this class. An entry holds
 * its application's class loader until it is removed, so an application removes it when
 * it stops.
 *
 * @since 0.1.0
 */
public final class Neighbours {

	private static final Map<String, Neighbour> NEIGHBOURS = new ConcurrentHashMap<>();

	private static final Set<Consumer<Neighbour>> LISTENERS = ConcurrentHashMap.newKeySet();

	private Neighbours() {
	}

	/**
	 * Makes an application known to the others in this JVM.
	 * @param instanceId the application's instance id
	 * @param neighbour the application
	 * @throws IllegalStateException if there is one of that id
	 */
	public static void register(String instanceId, Neighbour neighbour) {
		if (NEIGHBOURS.putIfAbsent(instanceId, neighbour) != null) {
			throw new IllegalStateException(
					"The instance %s is registered already; each application has an id of its own"
						.formatted(instanceId));
		}
	}

	/**
	 * Removes an application. Applications that know it already can still use it, and let
	 * it go when their listeners are told.
	 * @param instanceId the application's instance id
	 * @param neighbour the application; another one of that id stays
	 * @return whether it was known; then listeners have been told
	 */
	public static boolean remove(String instanceId, Neighbour neighbour) {
		boolean known = NEIGHBOURS.remove(instanceId, neighbour);
		if (known) {
			LISTENERS.forEach((listener) -> listener.accept(neighbour));
		}
		return known;
	}

	/**
	 * Adds a listener. It keeps its application's class loader in memory until it is
	 * removed, so an application removes it when it stops.
	 * @param removed is told of each application that was removed, and is no longer to be
	 * found, on the thread that removes it; it must not throw
	 */
	public static void addListener(Consumer<Neighbour> removed) {
		LISTENERS.add(removed);
	}

	/**
	 * Removes a listener.
	 * @param removed what was added
	 */
	public static void removeListener(Consumer<Neighbour> removed) {
		LISTENERS.remove(removed);
	}

	/**
	 * Finds an application.
	 * @param instanceId its instance id
	 * @return the application, or {@code null}
	 */
	public static @Nullable Neighbour find(String instanceId) {
		return NEIGHBOURS.get(instanceId);
	}

}
