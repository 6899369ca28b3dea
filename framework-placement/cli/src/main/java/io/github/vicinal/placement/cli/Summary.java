package io.github.vicinal.placement.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.recommend.Gain;
import io.github.vicinal.placement.recommend.Merge;
import io.github.vicinal.placement.recommend.Move;
import io.github.vicinal.placement.recommend.Recommendation;
import io.github.vicinal.placement.recommend.RouteGain;
import io.github.vicinal.placement.recommend.Savings;
import io.github.vicinal.placement.solver.BoundMethod;
import io.github.vicinal.placement.verify.Verdict;
import org.jspecify.annotations.Nullable;

/** A recommendation for people. */
final class Summary {

	private static final int MAX_MOVES = 40;

	private static final int MAX_MERGES = 5;

	private static final int MAX_ROUTES = 10;

	/** Gap above which the bound says nothing. */
	private static final double UNBOUNDED = 0.995;

	private Summary() {
	}

	/** Redundancy that is given up comes first; assumptions stand beside the verdict. */
	static void verdict(Recommendation found, PrintWriter out) {
		found.givenUp().forEach((loss) -> out.println("Gives up: " + loss));
		out.printf("Recommendation: %s, %s%n", found.action().name().toLowerCase(Locale.ROOT), found.reason());
		found.assumed().forEach((assumption) -> out.println("Assumed: " + assumption));
		out.println();
	}

	static void assignment(PlacementModel model, Recommendation found, PrintWriter out) {
		for (Host host : model.hosts()) {
			List<String> there = new ArrayList<>();
			Map<String, Long> used = new TreeMap<>();
			for (Service service : model.services()) {
				int count = found.after().count(service.name(), host.name());
				if (count > 0) {
					there.add((count == 1) ? service.name() : service.name() + " x" + count);
					service.demand()
						.amounts()
						.forEach((resource, amount) -> used.merge(resource, amount * count, Long::sum));
				}
			}
			StringBuilder line = new StringBuilder(host.name()).append(": ");
			line.append(there.isEmpty() ? "-" : String.join(", ", there)).append("  (");
			List<String> amounts = new ArrayList<>();
			for (String resource : model.resources()) {
				amounts.add("%s %d/%d".formatted(resource, used.getOrDefault(resource, 0L), host.available(resource)));
			}
			out.println(line.append(String.join(", ", amounts)).append(')'));
		}
		out.println();
	}

	/** A part of no traffic is not 0 %, and says nothing about how good a plan is. */
	static void print(PlacementModel model, Recommendation found, PrintWriter out) {
		Verdict after = found.afterVerdict();
		boolean measured = model.edges().stream().map(model::cost).anyMatch((cost) -> cost != null && cost.apart() > 0);
		if (measured) {
			out.printf(Locale.ROOT, "Traffic between hosts: %.3f %% of %s (routing: %s)%n",
					100 * after.crossHostShare(), after.weight().id(), after.routing().id());
		}
		else {
			out.printf("Traffic between hosts: not known, no %s were measured (routing: %s)%n", after.weight().id(),
					after.routing().id());
		}
		Verdict before = found.beforeVerdict();
		if (before != null && measured) {
			out.printf(Locale.ROOT, "               before: %.3f %%%n", 100 * before.crossHostShare());
		}
		out.printf(Locale.ROOT,
				"Objective: %.6f (communication %.6f, imbalance %.6f, moved %d of %d replicas, hosts %d of %d%s)%n",
				after.objective(), after.communication(), after.imbalance(), after.moved(), after.replicas(),
				after.usedHosts(), after.hosts(),
				((after.memory() < 1) ? String.format(Locale.ROOT, ", memory %.6f", after.memory()) : "")
						+ ((after.preferences() > 0)
								? String.format(Locale.ROOT, ", preferences %.6f", after.preferences()) : ""));
		Double relativeGap = found.relativeGap();
		if (!measured && model.objective().communication() > 0) {
			out.printf("Not known: how far from the best plan this is, as no %s were measured%n", after.weight().id());
		}
		else if (relativeGap != null) {
			out.println(optimality(relativeGap, Objects.requireNonNullElse(found.lowerBound(), 0.0),
					Objects.requireNonNullElse(found.boundMethod(), BoundMethod.UNAVOIDABLE)));
		}
		if (after.feasible()) {
			out.printf("Verified: feasible (%s)%n", String.join(", ", after.checks()));
		}
		else {
			out.printf("Verified: NOT feasible%n");
			after.violations().stream().limit(MAX_MOVES).forEach((violation) -> out.println("  " + violation));
		}
		Gain gain = found.gain();
		if (gain != null) {
			out.printf(Locale.ROOT,
					"Expected gain: %.4g +- %.2g ms of waiting and %.4g +- %.2g ms of CPU per second, %.4g calls/s%n",
					gain.latencyMicrosPerSecond() / 1000, gain.latencyErrorMicrosPerSecond() / 1000,
					gain.cpuMicrosPerSecond() / 1000, gain.cpuErrorMicrosPerSecond() / 1000, gain.callsPerSecond());
		}
		savings(found.savings(), out);
		routes(found.routes(), out);
		for (Move move : found.moves().subList(0, Math.min(MAX_MOVES, found.moves().size()))) {
			out.printf(Locale.ROOT, "Move: %s %s -> %s%s%s%s%n", move.service(),
					move.from().isEmpty() ? "(new)" : move.from(), move.to().isEmpty() ? "(gone)" : move.to(),
					(move.latencyMicrosPerSecond() != 0)
							? String.format(Locale.ROOT, ", saves %.4g ms/s", move.latencyMicrosPerSecond() / 1000)
							: "",
					move.temporary() ? ", for the time being" : "",
					move.fits() ? "" : ", does not fit until later moves are made");
		}
		if (found.worthwhileMoves() > 0 && found.worthwhileMoves() < found.moves().size()) {
			out.printf("Worth making: the first %d of %d moves; the others cost more than they save%n",
					found.worthwhileMoves(), found.moves().size());
		}
		if (found.moves().size() > MAX_MOVES) {
			out.printf("... and %s; --json writes all%n", more(found.moves().size() - MAX_MOVES, "move"));
		}
		merges(found.merges(), out);
		found.notSeen().stream().limit(MAX_MOVES).forEach((missing) -> out.println("Not seen: " + missing));
		out.printf(Locale.ROOT, "Solver: %s, seed %d, %d iterations in %.3f s%s%n", found.solver(), found.seed(),
				found.iterations(), found.time().toNanos() / 1e9, found.stopped() ? ", stopped early" : "");
	}

	private static String optimality(double gap, double bound, BoundMethod method) {
		if (gap == 0) {
			return "Proven: no plan is better (lower bound: %s)".formatted(method.words());
		}
		if (gap > UNBOUNDED) {
			return "Not known: how far from the best plan this is (lower bound: %s)".formatted(method.words());
		}
		return String.format(Locale.ROOT,
				(gap < 0.01) ? "Optimal within %.2g %%: no plan is below %.6f (lower bound: %s)"
						: "Optimal within %.1f %%: no plan is below %.6f (lower bound: %s)",
				100 * gap, bound, method.words());
	}

	private static void savings(@Nullable Savings savings, PrintWriter out) {
		if (savings == null) {
			return;
		}
		int hosts = savings.freedHosts();
		String freed = (hosts == 0) ? "" : String.format(Locale.ROOT, ", %d host%s %s", Math.abs(hosts),
				(Math.abs(hosts) == 1) ? "" : "s", (hosts > 0) ? "freed" : "more in use");
		out.printf(Locale.ROOT, "Saves: %.3g +- %.2g cores%s%n", savings.cores(), savings.coresError(), freed);
		Double cores = savings.coresPerMonth();
		if (cores != null && savings.currency() != null) {
			out.printf(Locale.ROOT,
					"       %.4g +- %.2g %s a month for cores and %.4g for hosts, if they are given back%n", cores,
					Objects.requireNonNullElse(savings.coresErrorPerMonth(), 0.0), savings.currency(),
					Objects.requireNonNullElse(savings.hostsPerMonth(), 0.0));
		}
	}

	/** Gains of requests, those first that gain or lose most. */
	private static void routes(List<RouteGain> all, PrintWriter out) {
		List<RouteGain> routes = new ArrayList<>(all);
		routes.sort(Comparator.comparingDouble((RouteGain route) -> -Math.abs(change(route))));
		for (RouteGain route : routes.subList(0, Math.min(MAX_ROUTES, routes.size()))) {
			Double p99 = route.p99Micros();
			Double expected = route.expectedP99Micros();
			Double slo = route.sloMicros();
			out.printf(Locale.ROOT, "Route: %s waits %.4g -> %.4g ms for paths on its critical path%s%s%n",
					route.route(), route.beforeMicros() / 1000, route.afterMicros() / 1000,
					(p99 != null && expected != null)
							? String.format(Locale.ROOT, ", p99 %.4g -> %.4g ms", p99 / 1000, expected / 1000) : "",
					(slo != null) ? String.format(Locale.ROOT, ", limit %.4g ms: %s", slo / 1000,
							route.limit().name().toLowerCase(Locale.ROOT)) : "");
		}
		if (routes.size() > MAX_ROUTES) {
			out.printf("... and %s; --json writes all%n", more(routes.size() - MAX_ROUTES, "route"));
		}
	}

	private static String more(int count, String what) {
		return "%d more %s%s".formatted(count, what, (count == 1) ? "" : "s");
	}

	private static double change(RouteGain route) {
		return Objects.requireNonNullElse(route.callsPerSecond(), 1.0) * (route.beforeMicros() - route.afterMicros());
	}

	private static void merges(List<Merge> all, PrintWriter out) {
		List<Merge> merges = all.stream().filter(Merge::known).toList();
		if (merges.size() < all.size()) {
			out.println("Not known: which services may share a JVM; no checker has looked at their dependencies");
		}
		for (Merge merge : merges.subList(0, Math.min(MAX_MERGES, merges.size()))) {
			boolean allowed = merge.allowed();
			out.printf(Locale.ROOT, "%s share a JVM: %s, %.2f %% of traffic%s%n", allowed ? "May" : "May not",
					String.join(", ", merge.services()), 100 * merge.trafficShare(),
					allowed ? String.format(Locale.ROOT, ", would save about %d MiB and %.3g cores", merge.savedMib(),
							merge.savedCores()) : ": " + String.join("; ", merge.obstacles()));
		}
		if (merges.size() > MAX_MERGES) {
			out.printf("... and %d more that may or may not share a JVM; --json writes all of them%n",
					merges.size() - MAX_MERGES);
		}
	}

}
