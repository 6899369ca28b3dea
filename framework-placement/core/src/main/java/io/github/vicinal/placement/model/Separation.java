package io.github.vicinal.placement.model;

import java.util.List;

/**
 * Services of which no two may share a host or a zone. With one name in it, the replicas
 * of that service are kept apart from each other. With a maximum above 1, a host runs at
 * most so many replicas of all of these services together.
 *
 * @param services names of services
 * @param scope what they may not share
 * @param reason why, for people
 * @param maximum replicas of these services that a host may run; above 1 for hosts only
 * @since 0.1.0
 */
public record Separation(List<String> services, Scope scope, String reason, int maximum) {

	/**
	 * Domain that separated services must not share.
	 *
	 * @since 0.1.0
	 */
	public enum Scope {

		/** One host. */
		HOST,

		/** One zone. */
		ZONE

	}

	public Separation {
		services = List.copyOf(services);
		if (services.isEmpty()) {
			throw new InvalidModelException("A separation names no service; name those that it separates");
		}
		if (maximum < 1 || (maximum > 1 && scope == Scope.ZONE)) {
			throw new InvalidModelException(
					"The separation of %s has the maximum %d; it is at least 1, and 1 for zones. Use scope host, or name pairs"
						.formatted(services, maximum),
					services);
		}
	}

	/**
	 * Creates a separation of which no two may share a place.
	 * @param services names of services
	 * @param scope what they may not share
	 * @param reason why, for people
	 */
	public Separation(List<String> services, Scope scope, String reason) {
		this(services, scope, reason, 1);
	}

}
