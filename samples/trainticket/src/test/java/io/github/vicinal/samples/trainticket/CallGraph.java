package io.github.vicinal.samples.trainticket;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

import io.github.vicinal.samples.trainticket.launch.RunningServices;
import io.github.vicinal.samples.trainticket.launch.Service;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * Numbers of calls between services, taken from the meter {@code http.client.requests}.
 * Each service has a registry of its own, which names the caller; the URI template starts
 * with a path of the callee's own, which names the callee.
 *
 * @param operations calls by "caller -> callee METHOD /template"
 */
record CallGraph(Map<String, Long> operations) {

	private static final String PREFIX = "/api/v1/";

	private static final String SUFFIX = "service";

	static CallGraph of(RunningServices services) {
		Map<String, Long> operations = new TreeMap<>();
		for (Service caller : services.services()) {
			MeterRegistry registry = services.context(caller).getBean(MeterRegistry.class);
			for (Timer timer : registry.find("http.client.requests").timers()) {
				operations.merge(caller(caller) + " -> " + operation(timer), timer.count(), Long::sum);
			}
		}
		return new CallGraph(operations);
	}

	CallGraph since(CallGraph before) {
		Map<String, Long> difference = new TreeMap<>();
		this.operations.forEach((operation, calls) -> {
			long between = calls - before.operations.getOrDefault(operation, 0L);
			if (between != 0) {
				difference.put(operation, between);
			}
		});
		return new CallGraph(difference);
	}

	/**
	 * The same by edge.
	 * @return calls by "caller -> callee"
	 */
	Map<String, Long> edges() {
		Map<String, Long> edges = new TreeMap<>();
		this.operations.forEach((operation, calls) -> edges.merge(edge(operation), calls, Long::sum));
		return edges;
	}

	long total() {
		return this.operations.values().stream().mapToLong(Long::longValue).sum();
	}

	private static String edge(String operation) {
		String[] words = operation.split(" ", -1);
		return String.join(" ", words[0], words[1], words[2]);
	}

	/**
	 * The gateway stands where the original has its user interface.
	 */
	private static String caller(Service service) {
		return (service == Service.GATEWAY) ? "ui" : service.serviceName();
	}

	private static String operation(Timer timer) {
		String uri = String.valueOf(timer.getId().getTag("uri"));
		if (!uri.startsWith(PREFIX)) {
			throw new IllegalStateException("A call without template: " + timer.getId());
		}
		int end = uri.indexOf('/', PREFIX.length());
		String first = uri.substring(PREFIX.length(), end);
		String callee = Arrays.stream(Service.values())
			.map(Service::serviceName)
			.filter((name) -> first.equals(name.replace("-", "") + SUFFIX))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No service answers " + uri));
		return callee + " " + timer.getId().getTag("method") + " " + uri.substring(end);
	}

}
