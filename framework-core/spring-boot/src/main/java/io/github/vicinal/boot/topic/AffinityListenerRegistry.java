package io.github.vicinal.boot.topic;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.topic.AffinityListener;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of an application by their ids, to start and stop them one by one. Filled
 * when all singletons are there. Thread-safe.
 *
 * <pre class="code">
 * registry.getListenerContainer("billing").stop();
 * </pre>
 *
 * @since 0.1.0
 */
public final class AffinityListenerRegistry {

	/** Guarded by this. */
	private final Map<String, AffinityListenerContainer> containers = new LinkedHashMap<>();

	/**
	 * Returns a listener.
	 * @param id its {@link AffinityListener#id() id}; without one its name
	 * @return the container, {@code null} if there is none of this id
	 */
	public synchronized @Nullable AffinityListenerContainer getListenerContainer(String id) {
		return this.containers.get(id);
	}

	/**
	 * Returns the ids of all listeners.
	 * @return the ids, in no order that means something
	 */
	public synchronized Set<String> getListenerContainerIds() {
		return Set.copyOf(this.containers.keySet());
	}

	/**
	 * Returns all listeners.
	 * @return the containers
	 */
	public synchronized Collection<AffinityListenerContainer> getListenerContainers() {
		return List.copyOf(this.containers.values());
	}

	/** Adds a listener, whose id must be its own. */
	synchronized void register(AffinityListenerContainer container) {
		AffinityListenerContainer known = this.containers.putIfAbsent(container.getListenerId(), container);
		if (known != null) {
			throw new InvalidListenerException(
					"The listeners %s and %s have the same id '%s': give each an id of its own".formatted(known.place(),
							container.place(), container.getListenerId()));
		}
	}

}
