package io.github.vicinal.server;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * The contracts that one application offers, by name. Thread-safe.
 *
 * @since 0.1.0
 */
public final class ServiceRegistry {

	private final Map<String, Service> services = new ConcurrentHashMap<>();

	/**
	 * Adds a service.
	 * @param service the service
	 * @throws IllegalStateException if there is another for the same contract
	 */
	public void register(Service service) {
		Service known = this.services.putIfAbsent(service.contract().name(), service);
		if (known != null && known != service) {
			throw new IllegalStateException(
					"Two beans offer the contract %s; keep one, or exclude one with @AffinityService(enabled = false)"
						.formatted(service.contract().name()));
		}
	}

	/**
	 * Finds a service.
	 * @param contractName the name of a contract
	 * @return the service, or {@code null}
	 */
	public @Nullable Service find(String contractName) {
		return this.services.get(contractName);
	}

	/**
	 * Returns all services.
	 * @return a live, unmodifiable view
	 */
	public Collection<Service> services() {
		return java.util.Collections.unmodifiableCollection(this.services.values());
	}

}
