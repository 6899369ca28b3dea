package io.github.vicinal.placement;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;

/**
 * Models in which hosts are exactly as large as the services of a hidden placement, which
 * has a tenth of the traffic between hosts. Names of services say nothing of it.
 */
public final class PlantedModels {

	private static final int[] CPU_MILLIS = { 250, 500, 500, 1000, 1000, 2000, 4000 };

	private static final int[] MEMORY_FACTORS = { 1, 2, 2, 4 };

	private final Random random;

	private final Map<Long, Double> weights = new TreeMap<>();

	public PlantedModels(long seed) {
		this.random = new Random(seed);
	}

	public PlacementModel model(int services, int hosts) {
		int per = services / hosts;
		int[] label = permutation(services);
		List<Service> all = new ArrayList<>();
		for (int s = 0; s < services; s++) {
			int cpu = CPU_MILLIS[this.random.nextInt(CPU_MILLIS.length)];
			all.add(new Service("s" + s, 1,
					Resources.of(cpu, cpu * MEMORY_FACTORS[this.random.nextInt(MEMORY_FACTORS.length)])));
		}
		List<Host> places = new ArrayList<>();
		double inside = 0;
		for (int h = 0; h < hosts; h++) {
			long cpu = 0;
			long memory = 0;
			int first = h * per;
			for (int i = 0; i < per; i++) {
				Resources demand = all.get(label[first + i]).demand();
				cpu += demand.get(Resources.CPU);
				memory += demand.get(Resources.MEMORY);
				if (i > 0) {
					inside += add(label[first + i], label[first + this.random.nextInt(i)], pareto());
				}
				if (i % 2 == 1) {
					inside += add(label[first + i], label[first + this.random.nextInt(i)], pareto());
				}
			}
			places.add(new Host("h" + h, Resources.of(cpu, memory)));
		}
		double[] across = new double[services / 4];
		double sum = 0;
		for (int i = 0; i < across.length; i++) {
			across[i] = pareto();
			sum += across[i];
		}
		for (double weight : across) {
			int one = this.random.nextInt(services);
			int other = (one + per + this.random.nextInt(services - 2 * per)) % services;
			add(label[one], label[other], weight / sum * inside / 9);
		}
		List<Edge> edges = new ArrayList<>();
		this.weights
			.forEach((pair, weight) -> edges.add(Edge.calls("s" + (pair >> 32), "s" + pair.intValue(), weight)));
		return new PlacementModel(all, places, edges, List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), null);
	}

	private double add(int one, int other, double weight) {
		this.weights.merge((long) Math.min(one, other) << 32 | Math.max(one, other), weight, Double::sum);
		return weight;
	}

	private double pareto() {
		return Math.pow(1 - this.random.nextDouble(), -1 / 1.3);
	}

	private int[] permutation(int n) {
		int[] order = new int[n];
		for (int i = 0; i < n; i++) {
			int j = this.random.nextInt(i + 1);
			order[i] = order[j];
			order[j] = i;
		}
		return order;
	}

}
