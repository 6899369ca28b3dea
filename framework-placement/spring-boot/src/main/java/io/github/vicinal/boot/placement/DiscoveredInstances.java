package io.github.vicinal.boot.placement;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.DiscoveryClient;

/**
 * Actuators of all instances that a discovery client knows. Metadata
 * {@code management.port} and {@code management.context-path} say where they are, if they
 * are not under {@code /actuator} of the instance itself.
 */
final class DiscoveredInstances implements Supplier<List<URI>> {

	private final DiscoveryClient client;

	/**
	 * Creates the supplier.
	 * @param client knows instances
	 */
	public DiscoveredInstances(DiscoveryClient client) {
		this.client = client;
	}

	@Override
	public List<URI> get() {
		List<URI> found = new ArrayList<>();
		for (String service : this.client.getServices()) {
			for (ServiceInstance instance : this.client.getInstances(service)) {
				Map<String, String> given = instance.getMetadata();
				Map<String, String> metadata = (given != null) ? given : Map.of();
				String port = metadata.getOrDefault("management.port", String.valueOf(instance.getPort()));
				String path = metadata.getOrDefault("management.context-path", "/actuator");
				found.add(address(instance.isSecure() ? "https" : "http", instance.getHost() + ":" + port, path));
			}
		}
		return found;
	}

	/**
	 * Converts a registered address. If it is invalid, such as one with a host
	 * {@code my_service}, it has no {@link URI#getHost() host}, and the error of the
	 * request names it.
	 */
	private static URI address(String scheme, String authority, String path) {
		try {
			return new URI(scheme, authority, path.startsWith("/") ? path : "/" + path, null, null);
		}
		catch (URISyntaxException ex) {
			return URI.create(scheme + "://" + URLEncoder.encode(authority, StandardCharsets.UTF_8));
		}
	}

}
