package io.github.vicinal.boot.client;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.boot.autoconfigure.InvalidChannelException;

/** Reads the URLs of configured replicas. */
final class Instances {

	private static final String REMEDY = "Write URLs such as http://a:8080, separated by commas";

	private static final int MAX_PORT = 65535;

	private Instances() {
	}

	static List<URI> parse(String channel, List<String> instances) {
		List<URI> uris = new ArrayList<>();
		Map<String, String> seen = new HashMap<>();
		for (String instance : instances) {
			URI uri = parse(channel, instance);
			String other = seen.put(HttpAddress.of(uri), instance);
			if (other != null) {
				throw invalid(channel, instance, "names the same instance as '%s'".formatted(other),
						"Remove one of them");
			}
			uris.add(uri);
		}
		if (uris.stream().map(URI::getScheme).distinct().count() > 1) {
			throw invalid(channel, String.join(",", instances), "has both http and https",
					"Use one of them for all instances: calls to some of them must not be less safe");
		}
		return List.copyOf(uris);
	}

	private static URI parse(String channel, String instance) {
		URI uri;
		try {
			uri = new URI(instance.strip()).parseServerAuthority();
		}
		catch (URISyntaxException ex) {
			throw invalid(channel, instance, "is not a URL: " + ex.getMessage(), REMEDY);
		}
		String scheme = uri.getScheme();
		if (!"http".equals(scheme) && !"https".equals(scheme)) {
			throw invalid(channel, instance, "must begin with http:// or https://", REMEDY);
		}
		if (uri.getHost() == null) {
			throw invalid(channel, instance, "has no host", REMEDY);
		}
		if (uri.getPort() == 0 || uri.getPort() > MAX_PORT) {
			throw invalid(channel, instance, "must have a port from 1 to " + MAX_PORT + " or none", REMEDY);
		}
		if (uri.getUserInfo() != null || uri.getQuery() != null || uri.getFragment() != null
				|| !(uri.getPath().isEmpty() || uri.getPath().equals("/"))) {
			throw invalid(channel, instance, "may have a scheme, a host and a port only",
					"Put a path that all instances have in common into the base URL of the client");
		}
		return URI.create(scheme + "://" + uri.getRawAuthority());
	}

	private static InvalidChannelException invalid(String channel, String value, String rule, String remedy) {
		return new InvalidChannelException(
				"The value '%s' of vicinal.channels.%s.instances %s".formatted(value, channel, rule), remedy);
	}

}
