package io.github.vicinal.placement.sources;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.source.Traffic;
import io.github.vicinal.placement.source.TrafficSource;

/**
 * Asks running instances for their reports, at {@code <address>/placement/instance}.
 * Those that do not answer are named; the others count.
 *
 * @since 0.1.0
 */
public final class InstanceSource implements TrafficSource {

	private static final int MAX_INSTANCES = 10_000;

	private final Supplier<List<URI>> addresses;

	private final Cluster cluster;

	private final HttpJson http;

	/**
	 * Creates a source.
	 * @param addresses base addresses of actuators, such as
	 * {@code http://host:8080/actuator}; asked anew for each observation
	 * @param cluster collects the reports
	 * @param http reads over HTTP
	 */
	public InstanceSource(Supplier<List<URI>> addresses, Cluster cluster, HttpJson http) {
		this.addresses = addresses;
		this.cluster = cluster;
		this.http = http;
	}

	@Override
	public String name() {
		return "instances";
	}

	/**
	 * Asks all instances once, one after the other.
	 * @return who did not answer and why, one sentence each
	 */
	public List<String> refresh() {
		List<String> failures = new ArrayList<>();
		List<URI> asked = this.addresses.get();
		for (URI base : asked.subList(0, Math.min(MAX_INSTANCES, asked.size()))) {
			if (Thread.currentThread().isInterrupted()) {
				break;
			}
			String path = base.toString();
			URI uri = URI
				.create((path.endsWith("/") ? path.substring(0, path.length() - 1) : path) + "/placement/instance");
			try {
				this.cluster.add(InstanceReport.read(this.http.get(uri), HttpJson.shown(uri)),
						base.getHost() + ":" + port(base), System.nanoTime());
			}
			catch (IOException | InvalidModelException ex) {
				failures.add(String.valueOf(ex.getMessage()));
			}
		}
		return failures;
	}

	private static int port(URI uri) {
		return (uri.getPort() >= 0) ? uri.getPort() : "https".equals(uri.getScheme()) ? 443 : 80;
	}

	@Override
	public Traffic observe() throws IOException {
		List<String> notSeen = new ArrayList<>(refresh());
		if (this.cluster.services().isEmpty()) {
			throw new IOException(
					"No instance answered: " + (notSeen.isEmpty() ? "there is none to ask" : notSeen.get(0)));
		}
		Traffic traffic = this.cluster.traffic(System.nanoTime());
		notSeen.addAll(traffic.notSeen());
		return new Traffic(traffic.edges(), notSeen);
	}

}
