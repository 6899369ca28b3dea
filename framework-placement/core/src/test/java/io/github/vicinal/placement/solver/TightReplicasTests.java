package io.github.vicinal.placement.solver;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.recommend.CompiledModel;
import io.github.vicinal.placement.verify.PlacementVerifier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Hosts that services with replicas fill to 98 %: a placement is hidden in each model.
 */
class TightReplicasTests {

	private final Map<String, Map<String, Integer>> hidden = new TreeMap<>();

	private PlacementModel model(long seed) {
		Random random = new Random(seed);
		int services = 10 + random.nextInt(21);
		int hosts = Math.max(3, services / 5 + random.nextInt(3));
		long[][] used = new long[hosts][2];
		List<Service> all = new ArrayList<>();
		for (int s = 0; s < services; s++) {
			int replicas = (random.nextInt(2) == 0) ? 2 + random.nextInt(2) : 1;
			long cpu = 250L * (1 + random.nextInt(8));
			long memory = 250L * (1 + random.nextInt(12));
			List<Integer> order = new ArrayList<>();
			for (int h = 0; h < hosts; h++) {
				order.add(h);
			}
			Collections.shuffle(order, random);
			Set<Integer> zones = new TreeSet<>();
			Map<String, Integer> on = new TreeMap<>();
			for (int h : order) {
				if (on.size() < replicas && (replicas == 1 || zones.add(h % 3))) {
					on.put("h" + h, 1);
					used[h][0] += cpu;
					used[h][1] += memory;
				}
			}
			this.hidden.put("s" + s, on);
			all.add(new Service("s" + s, on.size(), Resources.of(cpu, memory)));
		}
		List<Host> places = new ArrayList<>();
		for (int h = 0; h < hosts; h++) {
			places.add(new Host("h" + h, "z" + h % 3, Resources.of(room(used[h][0]), room(used[h][1])),
					Resources.none(), Integer.MAX_VALUE));
		}
		List<Edge> edges = new ArrayList<>();
		for (int s = 1; s < services; s++) {
			edges.add(Edge.calls("s" + s, "s" + random.nextInt(s), Math.pow(1 - random.nextDouble(), -1 / 1.3)));
		}
		return new PlacementModel(all, places, edges, List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.LOCALITY), null);
	}

	private static long room(long used) {
		return Math.max(1, (long) Math.ceil(used / 0.98));
	}

	@ParameterizedTest
	@ValueSource(longs = { 39596, 47515 })
	void aPlacementThatFitsIsFound(long seed) {
		PlacementModel model = model(seed);
		assertThat(new PlacementVerifier().verify(model, new Plan(this.hidden)).violations()).isEmpty();
		Solution found = new VicinalSolver().solve(new CompiledModel(model, -1).problem(),
				Budget.ofIterations(300_000, 1), Progress.none());
		assertThat(found.value().feasible()).isTrue();
	}

}
