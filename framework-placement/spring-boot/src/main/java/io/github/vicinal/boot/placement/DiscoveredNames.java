package io.github.vicinal.boot.placement;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.cloud.client.discovery.DiscoveryClient;

/** Addresses behind the names of services that a discovery client knows. */
final class DiscoveredNames implements BalancedNames {

	private static final Logger logger = LoggerFactory.getLogger(DiscoveredNames.class);

	private final DiscoveryClient client;

	DiscoveredNames(DiscoveryClient client) {
		this.client = client;
	}

	@Override
	public Map<String, Set<String>> addresses(Collection<String> names) {
		Map<String, Set<String>> found = new HashMap<>();
		try {
			Set<String> services = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
			services.addAll(this.client.getServices());
			for (String name : names) {
				if (services.contains(name)) {
					found.put(name,
							this.client.getInstances(name)
								.stream()
								.map((instance) -> instance.getHost() + ":" + instance.getPort())
								.collect(Collectors.toSet()));
				}
			}
		}
		catch (RuntimeException ex) {
			logger.debug("The discovery client does not say which instances services have", ex);
		}
		return found;
	}

}
