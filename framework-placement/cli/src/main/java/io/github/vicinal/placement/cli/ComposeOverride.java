package io.github.vicinal.placement.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.recommend.Recommendation;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/**
 * A docker-compose file that, added to the application's own, lets Swarm start services
 * where a plan says. A service of one host gets that host. One of several hosts is kept
 * off the other hosts, those that the model left out among them, and gets a maximum per
 * host.
 */
final class ComposeOverride {

	private ComposeOverride() {
	}

	/**
	 * Writes the file.
	 * @param model what is placed
	 * @param found where
	 * @param moves number of first moves that it makes, or all of them
	 * @return the text
	 */
	static String of(PlacementModel model, Recommendation found, int moves) {
		Plan plan = found.afterMoves(moves);
		Set<String> hosts = model.hosts().stream().map(Host::name).collect(Collectors.toCollection(LinkedHashSet::new));
		Plan before = found.before();
		if (before != null) {
			// The model may have left out a host that is to be drained.
			before.replicas().values().forEach((on) -> hosts.addAll(on.keySet()));
		}
		Map<String, Object> services = new LinkedHashMap<>();
		List<String> uneven = new ArrayList<>();
		for (Service service : model.services()) {
			Map<String, Integer> on = plan.on(service.name());
			Map<String, Object> placement = placement(hosts, service, on);
			if (!placement.isEmpty()) {
				services.put(service.name(), Map.of("deploy", Map.of("placement", placement)));
			}
			if (Set.copyOf(on.values()).size() > 1) {
				uneven.add("%s %s".formatted(service.name(), on));
			}
		}
		if (services.isEmpty()) {
			throw new InvalidModelException(
					"A compose override would say nothing: all services may run where they are to run, and nowhere else");
		}
		DumperOptions options = new DumperOptions();
		options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
		StringBuilder text = new StringBuilder(
				"# Placement by vicinal-placement; docker stack deploy -c FILE -c THIS\n");
		if (moves < found.moves().size()) {
			text.append("# The first %d of %d moves\n".formatted(moves, found.moves().size()));
		}
		if (found.action() != Recommendation.Action.APPLY) {
			text.append("# Not recommended: ").append(found.reason().replaceAll("\\s+", " ")).append('\n');
		}
		if (!uneven.isEmpty()) {
			text.append("# Swarm decides which of their hosts run more: ").append(uneven).append('\n');
		}
		return text.append(new Yaml(options).dump(Map.of("services", services))).toString();
	}

	private static Map<String, Object> placement(Set<String> hosts, Service service, Map<String, Integer> on) {
		Map<String, Object> placement = new LinkedHashMap<>();
		if (on.isEmpty()) {
			// It does not run yet, and may start anywhere.
			return placement;
		}
		if (on.size() == 1) {
			placement.put("constraints", List.of("node.hostname == " + on.keySet().iterator().next()));
			return placement;
		}
		List<String> others = hosts.stream()
			.filter((name) -> !on.containsKey(name))
			.map((name) -> "node.hostname != " + name)
			.toList();
		if (!others.isEmpty()) {
			placement.put("constraints", others);
		}
		int most = on.values().stream().mapToInt(Integer::intValue).max().orElse(Integer.MAX_VALUE);
		// The application's own file has a maximum that is no larger.
		if (most < service.maxPerHost()) {
			placement.put("max_replicas_per_node", most);
		}
		return placement;
	}

}
