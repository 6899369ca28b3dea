package io.github.vicinal.placement.solver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Tests for {@link DecisionOrder}. */
class DecisionOrderTests {

	private static final Clock ENDLESS = (steps) -> false;

	@Test
	void aPathLeavesOneServiceOpen() {
		int[][] path = { { 1 }, { 0, 2 }, { 1, 3 }, { 2 } };
		DecisionOrder order = new DecisionOrder(new int[] { 2, 2, 2, 2 }, path);
		assertThat(order.widest()).isEqualTo(4);
		// The first one alone, then each beside the one before it.
		assertThat(order.states()).isEqualTo(2 + 4 + 4 + 4);
	}

	@Test
	void noOrderOfFewServicesIsBetter() {
		for (long seed = 0; seed < 40; seed++) {
			Random random = new Random(seed);
			int services = 2 + random.nextInt(6);
			int[] levels = random.ints(services, 1, 5).toArray();
			int[][] neighbour = graph(services, 2 * services, random);
			DecisionOrder order = new DecisionOrder(levels, neighbour);
			order.improve(1e6, ENDLESS);
			double[] least = { Double.POSITIVE_INFINITY };
			permutations(IntStream.range(0, services).toArray(), 0, levels, neighbour, least);
			assertThat(order.states()).as("seed %d", seed).isCloseTo(least[0], within(1e-9));
		}
	}

	@Test
	void annealingFindsFarFewerStatesThanTheGreedyRuleInRandomGraphs() {
		double gained = 0;
		for (long seed = 0; seed < 10; seed++) {
			int services = 60;
			int[] levels = new int[services];
			Arrays.fill(levels, 2);
			DecisionOrder order = new DecisionOrder(levels, graph(services, 2 * services, new Random(seed)));
			double greedy = order.states();
			order.improve(1e7, ENDLESS);
			assertThat(order.states()).isLessThanOrEqualTo(greedy);
			assertThat(Arrays.stream(order.order()).sorted().toArray())
				.isEqualTo(IntStream.range(0, services).toArray());
			assertThat(order.states()).isCloseTo(
					states(order.order(), levels, graph(services, 2 * services, new Random(seed))),
					within(1e-6 * greedy));
			gained += Math.log(greedy / order.states()) / Math.log(2) / 10;
		}
		assertThat(gained).as("binary digits of the number of states, on average").isGreaterThan(2);
	}

	@Test
	void oneServiceOrNoneHasAnOrder() {
		DecisionOrder none = new DecisionOrder(new int[0], new int[0][]);
		none.improve(1000, ENDLESS);
		assertThat(none.order()).isEmpty();
		DecisionOrder one = new DecisionOrder(new int[] { 3 }, new int[1][0]);
		one.improve(1000, ENDLESS);
		assertThat(one.order()).containsExactly(0);
		assertThat(one.states()).isEqualTo(3);
	}

	private static int[][] graph(int services, int edges, Random random) {
		List<List<Integer>> neighbours = new ArrayList<>();
		IntStream.range(0, services).forEach((service) -> neighbours.add(new ArrayList<>()));
		for (int i = 0; i < edges; i++) {
			int one = random.nextInt(services);
			int other = random.nextInt(services);
			if (one != other && !neighbours.get(one).contains(other)) {
				neighbours.get(one).add(other);
				neighbours.get(other).add(one);
			}
		}
		return neighbours.stream()
			.map((some) -> some.stream().mapToInt(Integer::intValue).toArray())
			.toArray(int[][]::new);
	}

	private static void permutations(int[] order, int at, int[] levels, int[][] neighbour, double[] least) {
		if (at == order.length) {
			least[0] = Math.min(least[0], states(order, levels, neighbour));
			return;
		}
		for (int i = at; i < order.length; i++) {
			swap(order, at, i);
			permutations(order, at + 1, levels, neighbour, least);
			swap(order, at, i);
		}
	}

	private static void swap(int[] order, int one, int other) {
		int moved = order[one];
		order[one] = order[other];
		order[other] = moved;
	}

	/**
	 * By definition: the levels of the service itself, and of those before it that have a
	 * neighbour which is not decided before it.
	 */
	private static double states(int[] order, int[] levels, int[][] neighbour) {
		int[] place = new int[order.length];
		for (int i = 0; i < order.length; i++) {
			place[order[i]] = i;
		}
		double states = 0;
		for (int i = 0; i < order.length; i++) {
			double size = levels[order[i]];
			for (int j = 0; j < i; j++) {
				int from = i;
				boolean open = Arrays.stream(neighbour[order[j]]).anyMatch((other) -> place[other] >= from);
				size *= open ? levels[order[j]] : 1;
			}
			states += size;
		}
		return states;
	}

}
