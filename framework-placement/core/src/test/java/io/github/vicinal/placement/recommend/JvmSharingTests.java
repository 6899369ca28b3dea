package io.github.vicinal.placement.recommend;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

import io.github.vicinal.placement.RandomModels;
import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Evidence;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.JvmSharing;
import io.github.vicinal.placement.model.ModelJson;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCost;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.VicinalSolver;
import io.github.vicinal.placement.verify.PlacementVerifier;
import io.github.vicinal.placement.verify.Verdict;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.LongRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

/** The memory that services save by sharing a JVM enters the objective. */
class JvmSharingTests {

	private static final PathCosts COSTS = new PathCosts(new PathCost("uds", 50, 0, 40, 0, 0),
			new PathCost("http", 150, 0, 140, 0, 0), null, new PathCost("direct", 2, 0, 1, 0, 0));

	private static final MergeChecker ANY = (one, other) -> List.of();

	/** May share a JVM: two names of the same length. */
	private static final MergeChecker SAME_LENGTH = (one, other) -> (one.length() == other.length()) ? List.of()
			: List.of("they differ");

	private static Edge edge(String from, String to, double calls) {
		return new Edge(from, to, calls, 0.0, null, null, null, Evidence.given());
	}

	/** Host x takes two of shop, mail and billing, of 512 MiB each; y takes one. */
	private static PlacementModel shop(EdgeWeight weight, double mail, double billing) {
		Resources need = Resources.of(500, 512);
		return new PlacementModel(
				List.of(new Service("shop", 1, need), new Service("mail", 1, need), new Service("billing", 1, need)),
				List.of(new Host("x", Resources.of(1000, 2048)), new Host("y", Resources.of(500, 2048))),
				List.of(edge("shop", "mail", mail), edge("shop", "billing", billing)), List.of(), COSTS,
				Objective.traffic(weight, Routing.UNIFORM),
				new Plan(Map.of("shop", Map.of("x", 1), "billing", Map.of("x", 1), "mail", Map.of("y", 1))));
	}

	private static Recommendation recommend(PlacementModel model, MergeChecker checker) {
		return new Recommender(new VicinalSolver(), MovePolicy.defaults(), checker).recommend(model, -1,
				Budget.ofIterations(20_000, 1), Progress.none());
	}

	/** 100 calls that become direct save more than 110 that stay on a host. */
	@Test
	void callsThatBecomeDirectDrawServicesTogether() {
		PlacementModel model = shop(EdgeWeight.PATH_CPU, 100, 110)
			.with(new Objective(EdgeWeight.PATH_CPU, Routing.UNIFORM, 1, 0, 0, 0, 0));
		assertThat(recommend(model, MergeChecker.none()).after().on("billing")).containsKey("x");
		Recommendation found = recommend(model, SAME_LENGTH);
		assertThat(found.after().on("mail")).containsKey("x");
		assertThat(found.after().on("billing")).containsKey("y");
		assertThat(found.afterVerdict().communication()).isCloseTo((100 * 1 + 110 * 140) / (210 * 140.0),
				within(1e-12));
		assertThat(found.merges()).first()
			.isEqualTo(new Merge(List.of("mail", "shop"), 100 / 210.0, 100 * 39 / 1e6, 160, List.of()));
		assertThat(Objects.requireNonNull(found.savings()).mergedCores()).isCloseTo(100 * 39 / 1e6, within(1e-12));
	}

	/** Calls within a host are all alike by weight, but the JVM that is saved is not. */
	@Test
	void memoryThatIsSavedDrawsServicesTogether() {
		PlacementModel model = shop(EdgeWeight.CALLS, 100, 101);
		assertThat(recommend(model, MergeChecker.none()).after().on("billing")).containsKey("x");
		Recommendation found = recommend(model, SAME_LENGTH);
		assertThat(found.after().on("mail")).containsKey("x");
		Verdict verdict = found.afterVerdict();
		assertThat(verdict.memory()).isCloseTo(1 - 160 / 1536.0, within(1e-12));
		assertThat(verdict.objective()).isCloseTo((101 / 201.0 + 0.1 * (1 - 160 / 1536.0)) / 1.1, within(1e-12));
		assertThat(Objects.requireNonNull(found.savings()).mergedMib()).isEqualTo(160);
		Objective without = new Objective(EdgeWeight.CALLS, Routing.UNIFORM, 1, 0, 0, 0, 0);
		Recommendation traffic = recommend(model.with(without), SAME_LENGTH);
		assertThat(traffic.after().on("billing")).containsKey("x");
		assertThat(traffic.afterVerdict().objective()).isCloseTo(100 / 201.0, within(1e-12));
	}

	@Test
	void noServiceSavesMoreThanItNeedsAndTheLargestSavesNothing() {
		PlacementModel model = new PlacementModel(
				List.of(new Service("a", 1, Resources.of(1, 100)), new Service("b", 1, Resources.of(1, 400)),
						new Service("c", 1, Resources.of(1, 300))),
				List.of(new Host("x", Resources.of(3, 1000))), List.of(edge("a", "b", 1), edge("b", "c", 1)), List.of(),
				COSTS, Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), null);
		Recommendation found = recommend(model, ANY);
		assertThat(found.merges()).singleElement().satisfies((merge) -> {
			assertThat(merge.services()).containsExactly("a", "b", "c");
			assertThat(merge.savedMib()).isEqualTo(100 + 160);
		});
		assertThat(found.afterVerdict().memory()).isCloseTo(1 - 260 / 800.0, within(1e-12));
	}

	/** A pair that may not share a JVM stands in the way of a group of three. */
	@Test
	void aGroupNeedsAllOfItsPairs() {
		PlacementModel model = shop(EdgeWeight.CALLS, 100, 101);
		MergeChecker checker = (one, other) -> Set.of(one, other).equals(Set.of("mail", "billing")) ? List.of("ports")
				: List.of();
		assertThat(new MergePlanner(model, checker).groups()).containsExactly(Set.of("billing", "shop"));
		assertThat(new MergePlanner(model, ANY).groups()).containsExactly(Set.of("billing", "shop", "mail"));
		assertThat(new MergePlanner(model, MergeChecker.none()).groups()).isEmpty();
	}

	/** The groups of the model count, and no checker is asked. */
	@Test
	void aModelMaySayWhatMayShareAJvm() {
		PlacementModel model = shop(EdgeWeight.CALLS, 100, 101)
			.with(new JvmSharing(List.of(Set.of("shop", "mail")), 200));
		Recommendation found = recommend(model, MergeChecker.none());
		assertThat(found.after().on("mail")).containsKey("x");
		assertThat(found.merges()).first().satisfies((merge) -> {
			assertThat(merge.allowed()).isTrue();
			assertThat(merge.savedMib()).isEqualTo(200);
		});
		assertThat(new ModelJson().read(new ModelJson().write(model))).isEqualTo(model);
		PlacementModel roomy = model.with(model.services(), List.of(new Host("x", Resources.of(9000, 9000))));
		assertThat(recommend(roomy, MergeChecker.none()).merges()).filteredOn((merge) -> !merge.allowed())
			.isNotEmpty()
			.noneMatch(Merge::known);
	}

	/** With uniform routing and several replicas on a host, calls meet other JVMs. */
	@Test
	void replicasCountWhereEachHasItsNeighbour() {
		assertThat(replicas(2, 2, 1, Routing.UNIFORM).mayShareJvm("a", "b")).isTrue();
		assertThat(replicas(2, 2, 2, Routing.UNIFORM).mayShareJvm("a", "b")).isFalse();
		assertThat(replicas(2, 2, 2, Routing.LOCALITY).mayShareJvm("a", "b")).isTrue();
		assertThat(replicas(2, 3, 1, Routing.LOCALITY).mayShareJvm("a", "b")).isFalse();
		PlacementModel model = replicas(2, 2, 1, Routing.UNIFORM);
		Plan same = new Plan(Map.of("a", Map.of("x", 1, "y", 1), "b", Map.of("x", 1, "y", 1)));
		Plan half = new Plan(Map.of("a", Map.of("x", 1, "y", 1), "b", Map.of("x", 1, "z", 1)));
		PlacementVerifier verifier = new PlacementVerifier();
		assertThat(verifier.verify(model, same).memory()).isCloseTo(1 - 2 * 160 / 2000.0, within(1e-12));
		assertThat(verifier.verify(model, half).memory()).isCloseTo(1 - 160 / 2000.0, within(1e-12));
	}

	private static PlacementModel replicas(int ofA, int ofB, int perHost, Routing routing) {
		List<Host> hosts = new ArrayList<>();
		List.of("x", "y", "z").forEach((name) -> hosts.add(new Host(name, Resources.of(99, 4000))));
		return new PlacementModel(
				List.of(new Service("a", ofA, Resources.of(1, 500), Set.of(), perHost, Set.of(), Set.of()),
						new Service("b", ofB, Resources.of(1, 500), Set.of(), perHost, Set.of(), Set.of())),
				hosts, List.of(edge("a", "b", 1)), List.of(), COSTS, Objective.traffic(EdgeWeight.CALLS, routing), null)
			.with(new JvmSharing(List.of(Set.of("a", "b")), 160));
	}

	/** A solver minimises the value that the verifier reports. */
	@Property(tries = 300)
	void solverAndVerifierAgree(@ForAll @LongRange(min = 0, max = 1_000_000) long seed, @ForAll boolean several,
			@ForAll boolean locality, @ForAll boolean cpu) {
		PlacementModel model = new RandomModels(seed, several, false).model(9, 5)
			.with(COSTS)
			.with((Plan) null)
			.with(new Objective(cpu ? EdgeWeight.PATH_CPU : EdgeWeight.CALLS,
					locality ? Routing.LOCALITY : Routing.UNIFORM, 1, 0.5, 0, 0.25, 0.5))
			.with(new JvmSharing(List.of(Set.of("s0", "s1", "s2", "s3", "s4"), Set.of("s6", "s7", "s8")), 100));
		CompiledModel compiled = new CompiledModel(model, -1);
		Random random = new Random(seed);
		int[] placement = random.ints(compiled.problem().replicas(), 0, 5).toArray();
		Verdict verdict = new PlacementVerifier().verify(model, compiled.plan(placement));
		assertThat(verdict.objective()).isCloseTo(compiled.problem().value(placement).objective(), within(1e-9));
		assertThat(verdict.memory()).isBetween(0.0, 1.0);
	}

	@Test
	void savingsOnTopAreAddedUpOverGroups() {
		Map<String, Map<String, Integer>> on = new LinkedHashMap<>();
		List<Service> services = new ArrayList<>();
		for (String name : List.of("a", "b", "c", "d")) {
			services.add(new Service(name, 1, Resources.of(1, 512)));
			on.put(name, new TreeMap<>(Map.of("x", 1)));
		}
		PlacementModel model = new PlacementModel(services, List.of(new Host("x", Resources.of(9, 4096))),
				List.of(edge("a", "b", 1000), edge("c", "d", 500)), List.of(), COSTS,
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), new Plan(on));
		Savings savings = Objects.requireNonNull(recommend(model, ANY).savings());
		assertThat(savings.mergedMib()).isEqualTo(2 * 160);
		assertThat(savings.mergedCores()).isCloseTo(1500 * 39 / 1e6, within(1e-12));
		assertThat(Objects.requireNonNull(recommend(model, MergeChecker.none()).savings()).mergedMib()).isZero();
	}

	/** Where sums of weights are infinite, every plan would be worth the same. */
	@Test
	void weightsThatCannotBeAddedAreRefused() {
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(
					() -> new Objective(EdgeWeight.CALLS, Routing.UNIFORM, Double.MAX_VALUE, 0, 0, 0, Double.MAX_VALUE))
			.withMessageContaining("their sum must be finite");
		PlacementModel model = shop(EdgeWeight.CALLS, 100, 101)
			.with(new JvmSharing(List.of(Set.of("shop", "mail")), 200));
		for (double weight : new double[] { 1e-300, Double.MAX_VALUE / 4 }) {
			Objective objective = new Objective(EdgeWeight.CALLS, Routing.UNIFORM, weight, 0, 0, 0, weight);
			Recommendation found = recommend(model.with(objective), MergeChecker.none());
			assertThat(found.after().on("mail")).containsKey("x");
			assertThat(found.afterVerdict().objective()).isBetween(0.0, 1.0);
		}
	}

	@Test
	void impossibleRequestsAreRefusedByName() {
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> new JvmSharing(List.of(Set.of("a", "b"), Set.of("b", "c")), 1))
			.withMessageContaining("'b'");
		assertThatExceptionOfType(InvalidModelException.class).isThrownBy(() -> new JvmSharing(List.of(), -1))
			.withMessageContaining("-1");
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(
					() -> shop(EdgeWeight.CALLS, 100, 101).with(new JvmSharing(List.of(Set.of("shop", "ghost")), 1)))
			.withMessageContaining("'ghost'");
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> new PathCosts(COSTS.sameHost(), COSTS.otherHost(), null, COSTS.otherHost()))
			.withMessageContaining("within a JVM");
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> new Objective(EdgeWeight.CALLS, Routing.UNIFORM, 0, 0, 0, 0, 1))
			.withMessageContaining("memory");
		String json = new ModelJson()
			.write(shop(EdgeWeight.CALLS, 100, 101).with(new JvmSharing(List.of(Set.of("shop", "mail")), 1)));
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> new ModelJson().read(json.replaceFirst("\"groups\" : \\[ \\[", "\"groups\" : [ 7, [")))
			.withMessageContaining("groups[0]");
		assertThatExceptionOfType(InvalidModelException.class).isThrownBy(
				() -> new ModelJson().read(json.replaceFirst("(?s)\"groups\" : \\[ \\[.*?\\] \\]", "\"groups\" : [ ]")))
			.withMessageContaining("'groups' is missing");
	}

}
