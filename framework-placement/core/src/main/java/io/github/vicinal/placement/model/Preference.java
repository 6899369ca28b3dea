package io.github.vicinal.placement.model;

import java.util.HashSet;
import java.util.List;

/**
 * Services that had better share hosts, without having to: those of one team, or those
 * whose licence is paid by the host. It is met to the part of its pairs of services that
 * share hosts, by the same routing as traffic.
 *
 * @param services names of services, 2 to {@value #MAX_SERVICES}
 * @param weight weight in the objective, beside that of traffic
 * @param reason why, for people
 * @since 0.1.0
 */
public record Preference(List<String> services, double weight, String reason) {

	/** Maximum number of services. */
	public static final int MAX_SERVICES = 50;

	public Preference {
		services = List.copyOf(services);
		if (services.size() < 2 || services.size() > MAX_SERVICES || new HashSet<>(services).size() < services.size()) {
			throw new InvalidModelException("The preference of %s must name between 2 and %d services, each once"
				.formatted(services, MAX_SERVICES), services);
		}
		if (!(weight > 0 && weight < Double.POSITIVE_INFINITY)) {
			throw new InvalidModelException(
					"The preference of %s has the weight %s; it must be finite and above 0. Leave out what does not matter"
						.formatted(services, weight),
					services);
		}
	}

	/**
	 * Returns the number of pairs of its services.
	 * @return at least 1
	 */
	public int pairs() {
		return this.services.size() * (this.services.size() - 1) / 2;
	}

}
