package io.github.vicinal.placement.model;

import java.util.TreeMap;

/**
 * A host to place services on.
 *
 * @param name unique among hosts
 * @param zone its zone, empty if there are no zones
 * @param capacity what it has
 * @param reserve what daemons and the system use of it
 * @param maxReplicas the most replicas on it, {@link Integer#MAX_VALUE} for no limit
 * @since 0.1.0
 */
public record Host(String name, String zone, Resources capacity, Resources reserve, int maxReplicas) {

	public Host {
		if (name.isBlank()) {
			throw new InvalidModelException("A host has no name; give each one a name of its own");
		}
		PrintableText.require("host", name);
		PrintableText.require("zone", zone);
		if (maxReplicas < 0) {
			throw new InvalidModelException(
					"Host '%s' has maxReplicas %d; it must be at least 0".formatted(name, maxReplicas));
		}
		reserve.amounts().forEach((resource, amount) -> {
			if (amount > capacity.get(resource)) {
				throw new InvalidModelException("Host '%s' reserves %d of %s but has %d; reserve at most the capacity"
					.formatted(name, amount, resource, capacity.get(resource)));
			}
		});
	}

	/**
	 * Creates a host without zone, reserve and limit.
	 * @param name unique among hosts
	 * @param capacity what it has
	 */
	public Host(String name, Resources capacity) {
		this(name, "", capacity, Resources.none(), Integer.MAX_VALUE);
	}

	/**
	 * Returns this host with more of it left free, for peaks and for hosts that fail.
	 * @param percent part of the capacity that services may not use, in percent; a larger
	 * reserve stays
	 * @return the host
	 */
	public Host withHeadRoom(int percent) {
		if (percent < 0 || percent > 100) {
			throw new InvalidModelException("The head-room is %d %%; it must be between 0 and 100".formatted(percent));
		}
		TreeMap<String, Long> free = new TreeMap<>(this.reserve.amounts());
		this.capacity.amounts()
			.forEach((resource, amount) -> free.merge(resource, (long) Math.ceil(amount / 100.0 * percent), Math::max));
		return new Host(this.name, this.zone, this.capacity, new Resources(free), this.maxReplicas);
	}

	/**
	 * Returns what is left for services.
	 * @param resource name of a resource
	 * @return capacity without the reserve
	 */
	public long available(String resource) {
		return this.capacity.get(resource) - this.reserve.get(resource);
	}

}
