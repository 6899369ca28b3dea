package io.github.vicinal.placement.sources;

import java.util.regex.Pattern;

import io.github.vicinal.placement.model.PrintableText;

/** Names of services from names of hosts. */
final class ServiceNames {

	private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|\\[?[0-9a-fA-F:.%]*:[0-9a-fA-F:.%]*]?");

	private static final Pattern PORT = Pattern.compile(":[0-9]+$");

	private ServiceNames() {
	}

	/**
	 * Returns the service that a host name stands for: the name itself, or the first part
	 * of a name within a Kubernetes cluster.
	 * @param host a host name, maybe with a port
	 * @return the name, empty for addresses, this machine, and what cannot be printed
	 */
	static String ofHost(String host) {
		String name = (host.indexOf(':') == host.lastIndexOf(':')) ? PORT.matcher(host).replaceFirst("") : host;
		if (name.isBlank() || name.equals("localhost") || name.equals("none") || name.equals("unknown")
				|| !PrintableText.isPrintable(name) || ADDRESS.matcher(name).matches()) {
			return "";
		}
		int svc = name.indexOf(".svc");
		return (svc > 0) ? name.substring(0, name.indexOf('.')) : name;
	}

}
