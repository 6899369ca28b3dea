package io.github.vicinal.transport.direct;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.server.ServiceRegistry;

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
public final class DirectRegistry {

	private static final Map<String, DirectTarget> TARGETS = new ConcurrentHashMap<>();

	private DirectRegistry() {
	}

	/**
	 * Makes an application known to the others in this JVM. The context class loader of
	 * the calling thread is taken to be the application's.
	 * @param instanceId the application's instance id
	 * @param services what it offers
	 * @param executor runs calls whose deadline must be enforceable; it belongs to the
	 * caller
	 * @throws IllegalStateException if there is one of that id
	 */
	public static void register(String instanceId, ServiceRegistry services, Executor executor) {
		ClassLoader loader = Thread.currentThread().getContextClassLoader();
		if (TARGETS.putIfAbsent(instanceId, new DirectTarget(services, executor, loader)) != null) {
			throw new IllegalStateException("The instance %s is registered already".formatted(instanceId));
		}
	}

	/**
	 * Removes an application. Calls in flight go on; further ones fail with
	 * {@link io.github.vicinal.path.PathException.Reason#PEER_GONE}.
	 * @param instanceId the application's instance id
	 * @return what was removed, or {@code null} if it was not known
	 */
	static @Nullable DirectTarget remove(String instanceId) {
		DirectTarget target = TARGETS.remove(instanceId);
		if (target != null) {
			target.close();
		}
		return target;
	}

	static @Nullable DirectTarget find(String instanceId) {
		return TARGETS.get(instanceId);
	}

}
