package io.github.vicinal.placement.model;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Assignment of replicas to hosts.
 *
 * @param replicas number of replicas by service and host; only positive numbers
 * @since 0.1.0
 */
public record Plan(Map<String, Map<String, Integer>> replicas) {

	public Plan {
		Map<String, Map<String, Integer>> copy = new LinkedHashMap<>();
		replicas.forEach((service, byHost) -> {
			Map<String, Integer> hosts = new TreeMap<>();
			byHost.forEach((host, count) -> {
				if (count < 0) {
					throw new InvalidModelException("The plan has %d replicas of '%s' on '%s'; it must be at least 0"
						.formatted(count, service, host));
				}
				if (count > 0) {
					hosts.put(host, count);
				}
			});
			copy.put(service, Collections.unmodifiableMap(hosts));
		});
		replicas = Collections.unmodifiableMap(copy);
	}

	/**
	 * Returns the number of replicas of a service that run on a host.
	 * @param service name of the service
	 * @param host name of the host
	 * @return at least 0
	 */
	public int count(String service, String host) {
		return on(service).getOrDefault(host, 0);
	}

	/**
	 * Returns where a service runs.
	 * @param service name of the service
	 * @return replicas by host, empty if it does not run
	 */
	public Map<String, Integer> on(String service) {
		return this.replicas.getOrDefault(service, Map.of());
	}

	/**
	 * Returns the number of replicas of a service that run.
	 * @param service name of the service
	 * @return at least 0
	 */
	public int total(String service) {
		return on(service).values().stream().mapToInt(Integer::intValue).sum();
	}

	/**
	 * Returns the part of the traffic between two services that stays on a host.
	 * @param from name of the calling service
	 * @param to name of the called service
	 * @param routing how calls choose among replicas
	 * @return between 0 and 1; 0 if one of them does not run
	 */
	public double localShare(String from, String to, Routing routing) {
		double callers = Math.max(1, total(from));
		double called = Math.max(1, total(to));
		double local = 0;
		for (Map.Entry<String, Integer> on : on(from).entrySet()) {
			double fromShare = on.getValue() / callers;
			double toShare = count(to, on.getKey()) / called;
			local += (routing == Routing.LOCALITY) ? Math.min(fromShare, toShare) : fromShare * toShare;
		}
		return local;
	}

	/**
	 * Returns the part of the traffic between two services that stays in a zone, be it on
	 * a host or between hosts.
	 * @param from name of the calling service
	 * @param to name of the called service
	 * @param routing how calls choose among replicas
	 * @param zones zones of hosts; a host without one is alone
	 * @return between 0 and 1; 0 if one of them does not run
	 */
	public double zoneShare(String from, String to, Routing routing, Map<String, String> zones) {
		return new Plan(Map.of("from", byZone(from, zones), "to", byZone(to, zones))).localShare("from", "to", routing);
	}

	private Map<String, Integer> byZone(String service, Map<String, String> zones) {
		Map<String, Integer> counts = new TreeMap<>();
		on(service)
			.forEach((host, count) -> counts.merge(zones.getOrDefault(host, "host " + host), count, Integer::sum));
		return counts;
	}

	/**
	 * Counts the replicas that have to be started elsewhere to get to another plan.
	 * Replicas that did not run before are not moved.
	 * @param target the other plan
	 * @return at least 0
	 */
	public int movesTo(Plan target) {
		int moves = 0;
		for (Map.Entry<String, Map<String, Integer>> entry : target.replicas.entrySet()) {
			String service = entry.getKey();
			int arriving = 0;
			for (Map.Entry<String, Integer> on : entry.getValue().entrySet()) {
				arriving += Math.max(0, on.getValue() - count(service, on.getKey()));
			}
			int started = Math.max(0, target.total(service) - total(service));
			moves += Math.max(0, arriving - started);
		}
		return moves;
	}

}
