package io.github.vicinal.placement.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.recommend.Recommendation;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/**
 * A docker-compose file that, added to the application's own, lets Swarm start services
 * where a plan says.
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
		Map<String, Object> services = new LinkedHashMap<>();
		List<String> spread = new ArrayList<>();
		for (Service service : model.services()) {
			List<String> hosts = List.copyOf(plan.on(service.name()).keySet());
			if (hosts.size() == 1) {
				services.put(service.name(), Map.of("deploy",
						Map.of("placement", Map.of("constraints", List.of("node.hostname == " + hosts.get(0))))));
			}
			else {
				spread.add(service.name());
			}
		}
		if (services.isEmpty()) {
			throw new InvalidModelException(
					"A compose override can place services of one host only, and all services run on several");
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
		if (!spread.isEmpty()) {
			text.append("# On several hosts, which a constraint cannot say: ").append(spread).append('\n');
		}
		return text.append(new Yaml(options).dump(Map.of("services", services))).toString();
	}

}
