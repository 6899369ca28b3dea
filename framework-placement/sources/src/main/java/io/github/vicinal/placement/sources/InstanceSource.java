package io.github.vicinal.placement.sources;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.source.Traffic;
import io.github.vicinal.placement.source.TrafficSource;

/**
 * Asks running instances for their reports, at
 * {@code <address>/vicinalplacement/instance}. Those that do not answer are named; the
 * others count.
 *
 * @since 0.1.0
 */
public final class InstanceSource implements TrafficSource {

	private static final int MAX_INSTANCES = 10_000;

	private static final int AT_ONCE = 16;

	/** Maximum size of a report: several are read at once, and ten thousand edges fit. */
	private static final int MAX_BYTES = 4 << 20;

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
	 * Asks all instances once, some of them at a time.
	 * @return instances that did not answer and why, one sentence each
	 */
	public List<String> refresh() {
		List<URI> all;
		try {
			all = this.addresses.get();
		}
		catch (RuntimeException ex) {
			return List.of("Where instances are cannot be found out: " + why(ex));
		}
		List<URI> asked = all.subList(0, Math.min(MAX_INSTANCES, all.size()));
		if (asked.isEmpty()) {
			return List.of();
		}
		ExecutorService executor = Executors.newFixedThreadPool(Math.min(AT_ONCE, asked.size()), (task) -> {
			Thread thread = new Thread(task, "placement-instances");
			thread.setDaemon(true);
			return thread;
		});
		try {
			List<String> failures = new ArrayList<>();
			if (asked.size() < all.size()) {
				failures.add("%d of %d instances are not asked; at most %d are".formatted(all.size() - asked.size(),
						all.size(), MAX_INSTANCES));
			}
			for (Future<String> answer : executor.invokeAll(asked.stream().map(this::ask).toList())) {
				if (!answer.get().isEmpty()) {
					failures.add(answer.get());
				}
			}
			return failures;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return List.of("interrupted while asking instances");
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex.getCause());
		}
		finally {
			executor.shutdownNow();
		}
	}

	/** Returns a question whose answer is why there is none, or nothing. */
	private Callable<String> ask(URI base) {
		return () -> {
			try {
				if (base.getHost() == null) {
					return "%s has no host name that can be asked, which has letters, digits, '-' and '.'; give the instance another one, or an address"
						.formatted(HttpJson.shown(base));
				}
				String actuator = base.toString().replaceFirst("/$", "");
				URI uri = URI.create(actuator + "/vicinalplacement/instance");
				this.cluster.add(InstanceReport.read(this.http.get(uri, MAX_BYTES), HttpJson.shown(uri)),
						base.getHost() + ":" + port(base), System.nanoTime());
				return "";
			}
			catch (IOException | InvalidModelException ex) {
				return String.valueOf(ex.getMessage());
			}
			catch (RuntimeException ex) {
				// One address that cannot be used must not cost the reports of the
				// others.
				return "%s cannot be asked: %s".formatted(HttpJson.shown(base), why(ex));
			}
		};
	}

	private static String why(RuntimeException ex) {
		return (ex.getMessage() != null) ? ex.getMessage() : ex.getClass().getSimpleName();
	}

	private static int port(URI uri) {
		return (uri.getPort() >= 0) ? uri.getPort() : "https".equals(uri.getScheme()) ? 443 : 80;
	}

	@Override
	public Traffic observe() throws IOException {
		List<String> unanswered = refresh();
		if (this.cluster.services().isEmpty()) {
			throw new IOException(
					"No instance answered: " + (unanswered.isEmpty() ? "there is none to ask" : unanswered.get(0)));
		}
		Traffic traffic = this.cluster.traffic(System.nanoTime());
		return new Traffic(traffic.edges(), traffic.notSeen(), unanswered);
	}

}
