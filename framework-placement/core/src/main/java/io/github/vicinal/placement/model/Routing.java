package io.github.vicinal.placement.model;

import java.util.Locale;

/**
 * Choice of calls among the replicas of a service.
 * <p>
 * Let x(s,h) be the part of the replicas of service s that run on host h. Each model says
 * which part of the traffic of an edge (s,t) stays on a host.
 *
 * @since 0.1.0
 */
public enum Routing {

	/** Any replica with equal probability: sum over h of x(s,h) * x(t,h). */
	UNIFORM("uniform"),

	/**
	 * Replicas on the caller's host first, as far as these are not asked for more than
	 * their part: sum over h of min(x(s,h), x(t,h)).
	 */
	LOCALITY("local");

	private final String id;

	Routing(String id) {
		this.id = id;
	}

	/**
	 * Returns the name in files and on the command line.
	 * @return the lower-case name
	 */
	public String id() {
		return this.id;
	}

	/**
	 * Finds a routing by its {@link #id()}.
	 * @param id the name, in any case
	 * @return the routing
	 * @throws InvalidModelException if there is none of that name
	 */
	public static Routing of(String id) {
		for (Routing routing : values()) {
			if (routing.id.equals(id.toLowerCase(Locale.ROOT))) {
				return routing;
			}
		}
		throw new InvalidModelException("There is no routing '%s'; it is uniform or local".formatted(id));
	}

}
