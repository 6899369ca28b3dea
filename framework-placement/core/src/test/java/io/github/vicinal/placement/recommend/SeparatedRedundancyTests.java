package io.github.vicinal.placement.recommend;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Separation;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.VicinalSolver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A service of a separation keeps two hosts and zones wherever any plan has them, and
 * what no plan has is named. All plans of small models are looked at; what is allowed is
 * computed here, not by what decides.
 */
class SeparatedRedundancyTests {

	private static final int MODELS = 25;

	private static Recommendation recommend(PlacementModel model) {
		return new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none()).recommend(model, -1,
				Budget.ofIterations(2_000_000, 1), Progress.none());
	}

	private static PlacementModel model(List<Service> services, List<Host> hosts, List<Edge> edges,
			List<Separation> separations, @Nullable Plan current) {
		return new PlacementModel(services, hosts, edges, separations, PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.LOCALITY), current);
	}

	private static List<Host> hosts(String... zones) {
		List<Host> hosts = new ArrayList<>();
		for (String zone : zones) {
			hosts.add(host("h" + hosts.size(), zone, 8000));
		}
		return hosts;
	}

	private static Host host(String name, String zone, long cpuMillis) {
		return new Host(name, zone, Resources.of(cpuMillis, 8192), Resources.none(), Integer.MAX_VALUE);
	}

	private static Service service(String name, int replicas) {
		return new Service(name, replicas, Resources.of(500, 512));
	}

	/** One of two hosts is gone; a third is there, and calls draw both to one. */
	@Test
	void aServiceWhoseHostIsGoneGetsTwoAgain() {
		Recommendation found = recommend(model(List.of(service("orders", 2), service("stock", 1)), hosts("", "", ""),
				List.of(Edge.calls("orders", "stock", 100)),
				List.of(new Separation(List.of("orders", "stock"), Separation.Scope.HOST, "", 3)),
				new Plan(Map.of("orders", Map.of("gone", 1, "h0", 1), "stock", Map.of("h1", 1)))));
		assertThat(found.after().on("orders")).hasSize(2);
		assertThat(found.givenUp()).isEmpty();
	}

	@Test
	void aServiceThatDoesNotRunYetGetsTwoHostsAndZones() {
		PlacementModel model = model(List.of(service("orders", 2), service("stock", 1)),
				hosts("west", "west", "east", "east"), List.of(Edge.calls("orders", "stock", 100)),
				List.of(new Separation(List.of("orders", "stock"), Separation.Scope.HOST, "licence")), null);
		Recommendation found = recommend(model);
		assertThat(used(model, found.after().on("orders"), Host::zone)).containsExactlyInAnyOrder("west", "east");
		assertThat(found.givenUp()).isEmpty();
	}

	/**
	 * Of two hosts each service gets one: a plan all the same, and it says what it costs.
	 */
	@Test
	void whatNoPlanKeepsIsNamedFirstWithItsReason() {
		Recommendation found = recommend(model(List.of(service("orders", 2), service("stock", 1)), hosts("", ""),
				List.of(Edge.calls("orders", "stock", 100)),
				List.of(new Separation(List.of("orders", "stock"), Separation.Scope.HOST, "licence")),
				new Plan(Map.of("orders", Map.of("h0", 1, "h1", 1), "stock", Map.of("h1", 1)))));
		assertThat(found.action()).isEqualTo(Recommendation.Action.APPLY);
		assertThat(found.after().on("orders")).isEqualTo(Map.of("h0", 2));
		assertThat(found.givenUp()).containsExactly(
				"'orders' runs on 1 host instead of 2, because no plan was found that keeps that and all rules; it is kept on other hosts than 'stock' (licence)");
		assertThat(found.moves()).allMatch(Move::fits);
		assertThat(new RecommendationJson().write(found).replaceAll("\\s", ""))
			.contains("\"version\":1,\"givenUp\":[\"'orders'");
	}

	/** Where many are separated, one after the other would take all of the budget. */
	@Test
	void manySeparatedServicesGetTwoHostsAndZones() {
		Random random = new Random(1);
		List<Service> services = new ArrayList<>();
		List<Edge> edges = new ArrayList<>();
		List<Separation> separations = new ArrayList<>();
		for (int s = 0; s < 300; s++) {
			services.add(service("s" + s, 1 + random.nextInt(2)));
			if (s > 0) {
				edges.add(Edge.calls("s" + s, "s" + random.nextInt(s), 1 + random.nextInt(1000)));
			}
			if (s % 6 == 5) {
				separations.add(new Separation(List.of("s" + s, "s" + (s - 1), "s" + (s - 2), "s" + (s - 3)),
						Separation.Scope.HOST, "", 1 + s % 3));
			}
		}
		List<Host> hosts = new ArrayList<>();
		for (int h = 0; h < 32; h++) {
			hosts.add(host("h" + h, "z" + h % 3, 8000));
		}
		PlacementModel model = model(services, hosts, edges, separations, null);
		Recommendation found = new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none())
			.recommend(model, -1, Budget.ofIterations(100_000, 1), Progress.none());
		assertThat(found.afterVerdict().violations()).isEmpty();
		assertThat(found.givenUp()).isEmpty();
		assertThat(services).filteredOn((service) -> service.replicas() > 1)
			.allSatisfy((service) -> assertThat(used(model, found.after().on(service.name()), Host::zone))
				.as(service.name())
				.hasSize(2));
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 })
	void noPlanHasMoreOfWhatServicesKeep(long seed) {
		Random random = new Random(seed);
		int lost = 0;
		for (int i = 0; i < MODELS; i++) {
			PlacementModel model = random(random);
			List<Set<String>> possible = new ArrayList<>();
			plans(model, 0, new TreeMap<>(), (plan) -> possible.add(kept(model, plan)));
			Recommendation found = recommend(model);
			String description = "seed %d, model %d: %s, %s, now %s, found %s (%s)".formatted(seed, i, model.services(),
					model.separations(), model.current(), found.after(), found.reason());
			assertThat(found.afterVerdict().feasible()).as(description).isEqualTo(!possible.isEmpty());
			if (possible.isEmpty()) {
				continue;
			}
			Set<String> kept = kept(model, found.after());
			assertThat(possible).as(description)
				.noneMatch((other) -> other.size() > kept.size() && other.containsAll(kept));
			Set<String> given = new HashSet<>(promised(model));
			given.removeAll(kept);
			for (String promise : given) {
				lost++;
				String name = promise.substring(0, promise.indexOf(' '));
				assertThat(found.givenUp()).as(description)
					.anyMatch((line) -> line.startsWith("'" + name + "'") && line.contains("because no plan"));
			}
		}
		assertThat(lost).isLessThan(MODELS * 2);
	}

	private static PlacementModel random(Random random) {
		while (true) {
			try {
				return anyModel(random);
			}
			catch (InvalidModelException ex) {
				// It is refused without a search: another one.
			}
		}
	}

	private static PlacementModel anyModel(Random random) {
		int places = 2 + random.nextInt(3);
		int zones = 1 + random.nextInt(3);
		List<Host> hosts = new ArrayList<>();
		for (int h = 0; h < places; h++) {
			hosts.add(host("h" + h, "z" + random.nextInt(zones), 1000L + 500 * random.nextInt(4)));
		}
		List<Service> services = new ArrayList<>();
		List<Edge> edges = new ArrayList<>();
		Map<String, Map<String, Integer>> current = new TreeMap<>();
		int count = 2 + random.nextInt(2);
		for (int s = 0; s < count; s++) {
			int replicas = 1 + random.nextInt(3);
			services.add(service("s" + s, replicas));
			Map<String, Integer> on = new TreeMap<>();
			for (int i = 0; i < replicas; i++) {
				// One of them may run on a host that is gone.
				on.merge("h" + random.nextInt(places + 1), 1, Integer::sum);
			}
			current.put("s" + s, on);
			for (int t = 0; t < s; t++) {
				edges.add(Edge.calls("s" + s, "s" + t, 1 + random.nextInt(100)));
			}
		}
		List<Separation> separations = new ArrayList<>();
		for (int i = random.nextInt(2); i < 2; i++) {
			int one = random.nextInt(count);
			List<String> apart = List.of("s" + one, "s" + (one + 1) % count);
			separations.add(switch (random.nextInt(4)) {
				case 0 -> new Separation(apart, Separation.Scope.ZONE, "");
				case 1 -> new Separation(apart, Separation.Scope.HOST, "", 2 + random.nextInt(2));
				default -> new Separation(apart, Separation.Scope.HOST, "");
			});
		}
		return model(services, hosts, edges, separations, (random.nextInt(4) == 0) ? null : new Plan(current));
	}

	/** Calls back with every plan that breaks no rule but, perhaps, promises. */
	private static void plans(PlacementModel model, int at, Map<String, Map<String, Integer>> placed,
			Consumer<Plan> each) {
		if (at == model.services().size()) {
			Plan plan = new Plan(placed);
			if (fits(model, plan)) {
				each.accept(plan);
			}
			return;
		}
		Service service = model.services().get(at);
		divide(model.hosts(), 0, service.replicas(), new TreeMap<>(), (on) -> {
			placed.put(service.name(), new TreeMap<>(on));
			plans(model, at + 1, placed, each);
		});
	}

	private static void divide(List<Host> hosts, int at, int left, Map<String, Integer> on,
			Consumer<Map<String, Integer>> each) {
		if (at == hosts.size()) {
			if (left == 0) {
				each.accept(on);
			}
			return;
		}
		for (int here = 0; here <= left; here++) {
			on.put(hosts.get(at).name(), here);
			divide(hosts, at + 1, left - here, on, each);
		}
	}

	private static boolean fits(PlacementModel model, Plan plan) {
		for (Host host : model.hosts()) {
			long used = model.services().stream().mapToLong((one) -> 500L * plan.count(one.name(), host.name())).sum();
			if (used > host.capacity().get(Resources.CPU)) {
				return false;
			}
		}
		for (Separation separation : model.separations()) {
			String one = separation.services().get(0);
			String other = separation.services().get(1);
			for (Host host : model.hosts()) {
				int ofOne = plan.count(one, host.name());
				int ofOther = plan.count(other, host.name());
				if (separation.maximum() > 1 ? ofOne + ofOther > separation.maximum()
						: separation.scope() == Separation.Scope.HOST && ofOne > 0 && ofOther > 0) {
					return false;
				}
			}
			Set<String> shared = used(model, plan.on(one), Host::zone);
			shared.retainAll(used(model, plan.on(other), Host::zone));
			if (separation.scope() == Separation.Scope.ZONE && !shared.isEmpty()) {
				return false;
			}
		}
		Set<String> separated = separated(model);
		for (Service service : model.services()) {
			Map<String, Integer> now = now(model, service);
			if (service.replicas() > 1 && !plan.on(service.name()).equals(now)) {
				for (Function<Host, String> place : List.<Function<Host, String>>of(Host::name, Host::zone)) {
					int least = separated.contains(service.name()) ? 1 : Math.max(2, used(model, now, place).size());
					int all = (int) model.hosts().stream().map(place).distinct().count();
					if (used(model, plan.on(service.name()), place).size() < Math.min(least,
							Math.min(all, service.replicas()))) {
						return false;
					}
				}
			}
		}
		return true;
	}

	private static Set<String> separated(PlacementModel model) {
		Set<String> separated = new HashSet<>();
		model.separations().forEach((separation) -> separated.addAll(separation.services()));
		return separated;
	}

	private static Map<String, Integer> now(PlacementModel model, Service service) {
		Plan current = model.current();
		return (current != null) ? current.on(service.name()) : Map.of();
	}

	/** What separated services have two of today, or are to get as they do not run. */
	private static Set<String> promised(PlacementModel model) {
		Set<String> promised = new HashSet<>();
		Set<String> separated = separated(model);
		for (Service service : model.services()) {
			Map<String, Integer> now = now(model, service);
			boolean gone = now.containsKey("h" + model.hosts().size());
			boolean several = model.hosts().stream().map(Host::zone).distinct().count() > 1;
			if (service.replicas() > 1 && separated.contains(service.name())) {
				if (now.size() != 1) {
					promised.add(service.name() + " hosts");
				}
				if (several && (now.isEmpty() || gone || used(model, now, Host::zone).size() > 1)) {
					promised.add(service.name() + " zones");
				}
			}
		}
		return promised;
	}

	private static Set<String> kept(PlacementModel model, Plan plan) {
		Set<String> kept = new HashSet<>();
		for (String promise : promised(model)) {
			String name = promise.substring(0, promise.indexOf(' '));
			Map<String, Integer> on = plan.on(name);
			Plan current = model.current();
			if ((current != null && on.equals(current.on(name)))
					|| used(model, on, promise.endsWith("zones") ? Host::zone : Host::name).size() > 1) {
				kept.add(promise);
			}
		}
		return kept;
	}

	private static Set<String> used(PlacementModel model, Map<String, Integer> on, Function<Host, String> place) {
		Set<String> used = new HashSet<>();
		model.hosts()
			.stream()
			.filter((host) -> on.getOrDefault(host.name(), 0) > 0)
			.forEach((host) -> used.add(place.apply(host)));
		return used;
	}

}
