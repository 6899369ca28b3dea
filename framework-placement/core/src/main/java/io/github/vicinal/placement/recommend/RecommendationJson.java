package io.github.vicinal.placement.recommend;

import java.util.Locale;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import io.github.vicinal.placement.model.ModelJson;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.verify.Verdict;

/**
 * The JSON form of a {@link Recommendation}, version {@value #VERSION}. Shares are
 * between 0 and 1; names of other numbers end in their unit. The same input gives the
 * same text, up to the time of the search.
 *
 * @since 0.1.0
 */
public final class RecommendationJson {

	/** What the member {@code format} says. */
	public static final String FORMAT = "vicinal-placement-recommendation";

	/** What the member {@code version} says. */
	public static final int VERSION = 1;

	private final JsonMapper mapper = JsonMapper.builder().build();

	/**
	 * Writes a recommendation.
	 * @param recommendation what to write
	 * @return JSON
	 */
	public String write(Recommendation recommendation) {
		return this.mapper.writerWithDefaultPrettyPrinter().writeValueAsString(tree(recommendation));
	}

	private static ObjectNode tree(Recommendation it) {
		ObjectNode root = JsonNodeFactory.instance.objectNode();
		root.put("format", FORMAT);
		root.put("version", VERSION);
		root.put("action", it.action().name().toLowerCase(Locale.ROOT));
		root.put("reason", it.reason());
		side(root, "before", it.before(), it.beforeVerdict());
		side(root, "after", it.after(), it.afterVerdict());
		Gain gain = it.gain();
		if (gain != null) {
			ObjectNode node = root.putObject("gain");
			node.put("latencyMicrosPerSecond", gain.latencyMicrosPerSecond());
			node.put("latencyErrorMicrosPerSecond", gain.latencyErrorMicrosPerSecond());
			node.put("cpuMicrosPerSecond", gain.cpuMicrosPerSecond());
			node.put("cpuErrorMicrosPerSecond", gain.cpuErrorMicrosPerSecond());
			node.put("callsPerSecond", gain.callsPerSecond());
			node.put("edgesWithoutCalls", gain.edgesWithoutCalls());
			node.put("edgesWithoutBytes", gain.edgesWithoutBytes());
		}
		ArrayNode moves = root.putArray("moves");
		for (Move move : it.moves()) {
			ObjectNode node = moves.addObject();
			node.put("service", move.service());
			node.put("from", move.from());
			node.put("to", move.to());
			node.put("temporary", move.temporary());
			node.put("fits", move.fits());
		}
		ArrayNode merges = root.putArray("merges");
		for (Merge merge : it.merges()) {
			ObjectNode node = merges.addObject();
			merge.services().forEach(node.putArray("services")::add);
			node.put("trafficShare", merge.trafficShare());
			node.put("allowed", merge.obstacles().isEmpty());
			merge.obstacles().forEach(node.putArray("obstacles")::add);
		}
		it.notSeen().forEach(root.putArray("notSeen")::add);
		ObjectNode search = root.putObject("search");
		search.put("solver", it.solver());
		search.put("seed", it.seed());
		search.put("iterations", it.iterations());
		search.put("timeMillis", it.time().toMillis());
		search.put("stopped", it.stopped());
		if (it.lowerBound() != null) {
			search.put("lowerBound", it.lowerBound());
			search.put("gap", it.gap());
		}
		return root;
	}

	private static void side(ObjectNode root, String name, @Nullable Plan plan, @Nullable Verdict verdict) {
		if (plan == null || verdict == null) {
			return;
		}
		ObjectNode node = root.putObject(name);
		node.put("feasible", verdict.feasible());
		verdict.violations().forEach(node.putArray("violations")::add);
		verdict.checks().forEach(node.putArray("checked")::add);
		node.put("edgeWeight", verdict.weight().id());
		node.put("edgeWeightUnit", verdict.weight().unit());
		node.put("routing", verdict.routing().id());
		node.put("crossHostShare", verdict.crossHostShare());
		ObjectNode objective = node.putObject("objective");
		objective.put("value", verdict.objective());
		objective.put("communication", verdict.communication());
		objective.put("imbalance", verdict.imbalance());
		objective.put("movedReplicas", verdict.moved());
		objective.put("replicas", verdict.replicas());
		objective.put("usedHosts", verdict.usedHosts());
		objective.put("hosts", verdict.hosts());
		node.put("unmeasuredEdges", verdict.unmeasuredEdges());
		ModelJson.write(plan, node.putObject("plan"));
	}

}
