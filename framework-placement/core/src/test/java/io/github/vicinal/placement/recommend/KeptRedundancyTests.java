package io.github.vicinal.placement.recommend;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.vicinal.placement.WideModels;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.VicinalSolver;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Redundancy that plans keep. What is allowed is computed here, not by what decides. */
class KeptRedundancyTests {

	private static final int MODELS = 1000;

	private int feasible;

	private int before;

	private int movedServices;

	private int ordered;

	private int named;

	@Test
	void noPlanOfAThousandModelsReducesHostsOrZonesUnasked() {
		for (long seed = 0; seed < MODELS; seed++) {
			PlacementModel model = WideModels.model(seed);
			Recommendation found = new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none())
				.recommend(model, -1, Budget.ofIterations(3_000, seed), Progress.none());
			if (found.afterVerdict().feasible()) {
				this.feasible++;
				this.before += Objects.requireNonNull(found.beforeVerdict()).feasible() ? 1 : 0;
				check(seed, model, found);
			}
		}
		// A fifth of the models has no plan that fits, or none that is found.
		assertThat(this.feasible).isGreaterThan(MODELS * 7 / 10);
		assertThat(this.before).isBetween(MODELS / 5, MODELS * 9 / 10);
		assertThat(this.movedServices).isGreaterThan(MODELS);
		assertThat(this.ordered).isGreaterThan(MODELS);
		assertThat(this.named).isLessThan(MODELS / 20);
	}

	private void check(long seed, PlacementModel model, Recommendation found) {
		Plan now = Objects.requireNonNull(model.current());
		Plan then = found.after();
		Set<String> together = new TreeSet<>();
		model.separations()
			.stream()
			.filter((separation) -> separation.services().size() > 1)
			.forEach((separation) -> together.addAll(separation.services()));
		for (Service service : model.services()) {
			String name = service.name();
			boolean moves = !now.on(name).equals(then.on(name));
			// Replicas that only stop leave the others where they were.
			boolean starts = then.on(name)
				.entrySet()
				.stream()
				.anyMatch((on) -> on.getValue() > now.count(name, on.getKey()));
			this.movedServices += moves ? 1 : 0;
			// A separation may forbid what redundancy demands, and that is named.
			boolean apart = together.contains(name);
			boolean named = apart && named(found, name);
			this.named += named ? 1 : 0;
			for (Function<Host, String> place : List.<Function<Host, String>>of(Host::name, Host::zone)) {
				int used = used(model, now.on(name), place);
				boolean lone = apart && used == 1
						&& model.hosts()
							.stream()
							.map(Host::name)
							.collect(Collectors.toSet())
							.containsAll(now.on(name).keySet());
				int two = (starts && service.replicas() > 1 && !named && !lone) ? 2 : 1;
				int least = named ? 1
						: Math.min(Math.max(two, used), Math.min(possible(model, service, place), service.replicas()));
				int uses = used(model, then.on(name), place);
				assertThat(uses)
					.as("seed %d: '%s' %s -> %s of %s", seed, name, now.on(name), then.on(name), model.hosts())
					.isGreaterThanOrEqualTo(moves ? least : 0);
				if (uses < used) {
					assertThat(found.givenUp()).as("seed %d", seed)
						.anySatisfy((line) -> assertThat(line).startsWith("'" + name + "'"));
				}
			}
		}
		steps(seed, model, found);
	}

	/** Nothing is given up on the way, either, as far as moves are said to fit. */
	private void steps(long seed, PlacementModel model, Recommendation found) {
		Plan now = Objects.requireNonNull(model.current());
		Map<String, Map<String, Integer>> running = new HashMap<>();
		for (Move move : found.moves()) {
			Map<String, Integer> on = running.computeIfAbsent(move.service(), (name) -> new TreeMap<>(now.on(name)));
			Service service = model.services().get(model.serviceIndex().getOrDefault(move.service(), 0));
			int replicas = service.replicas();
			if (!move.to().isEmpty()) {
				on.merge(move.to(), 1, Integer::sum);
			}
			if (!move.from().isEmpty()) {
				on.computeIfPresent(move.from(), (host, count) -> (count > 1) ? count - 1 : null);
			}
			if (move.fits() && !move.to().isEmpty() && replicas > 1) {
				this.ordered++;
				for (Function<Host, String> place : List.<Function<Host, String>>of(Host::name, Host::zone)) {
					int start = used(model, now.on(move.service()), place);
					start = named(found, move.service())
							? Math.min(start, used(model, found.after().on(move.service()), place)) : start;
					assertThat(used(model, on, place)).as("seed %d: %s", seed, move)
						.isGreaterThanOrEqualTo(Math.min(start, Math.min(replicas, possible(model, service, place))));
				}
			}
		}
	}

	private static boolean named(Recommendation found, String service) {
		return found.givenUp()
			.stream()
			.anyMatch((line) -> line.startsWith("'" + service + "'") && line.contains("because no plan"));
	}

	private static int possible(PlacementModel model, Service service, Function<Host, String> place) {
		return (int) model.hosts().stream().filter((host) -> mayTake(host, service)).map(place).distinct().count();
	}

	private static boolean mayTake(Host host, Service service) {
		return service.mayRunOn(host) && host.maxReplicas() > 0
				&& service.demand().get(Resources.CPU) <= host.capacity().get(Resources.CPU);
	}

	private static int used(PlacementModel model, Map<String, Integer> on, Function<Host, String> place) {
		return (int) model.hosts()
			.stream()
			.filter((host) -> on.getOrDefault(host.name(), 0) > 0)
			.map(place)
			.distinct()
			.count();
	}

}
