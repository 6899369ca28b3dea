package io.github.vicinal.boot.placement;

import java.util.Collection;
import java.util.Map;
import java.util.Set;

/** Addresses behind the names by which load balancers know services. */
@FunctionalInterface
interface BalancedNames {

	/**
	 * Returns the addresses of instances.
	 * @param names hosts of requests, some of which are names of services
	 * @return addresses with their ports by name, without names that are no services
	 */
	Map<String, Set<String>> addresses(Collection<String> names);

}
