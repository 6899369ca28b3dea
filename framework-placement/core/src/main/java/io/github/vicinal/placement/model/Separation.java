package io.github.vicinal.placement.model;

import java.util.List;

/**
 * Services of which no two may share a host or a zone. With one name in it, the replicas
 * of that service are kept apart from each other.
 *
 * @param services names of services
 * @param scope what they may not share
 * @param reason why, for people
 * @since 0.1.0
 */
public record Separation(List<String> services, Scope scope, String reason) {

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
	}

}
