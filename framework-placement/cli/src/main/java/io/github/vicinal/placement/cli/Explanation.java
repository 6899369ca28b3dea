package io.github.vicinal.placement.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.PlacementModel.EdgeCost;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Separation;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.recommend.Recommendation;

/** Says why a plan is as it is: what keeps the heaviest traffic between hosts there. */
final class Explanation {

	private static final int EDGES = 10;

	private static final int SERVICES = 100;

	private final PlacementModel model;

	private final Plan plan;

	private Explanation(PlacementModel model, Plan plan) {
		this.model = model;
		this.plan = plan;
	}

	static void print(PlacementModel model, Recommendation found, PrintWriter out) {
		new Explanation(model, found.after()).print(out);
		needs(model, out);
	}

	/** Says where each figure comes from. */
	private static void needs(PlacementModel model, PrintWriter out) {
		out.println();
		out.println("What a replica needs:");
		List<Service> services = model.services();
		for (Service service : services.subList(0, Math.min(SERVICES, services.size()))) {
			List<String> figures = new ArrayList<>();
			service.demand()
				.amounts()
				.forEach((resource, amount) -> figures.add("%s %d (%s)".formatted(resource, amount,
						service.demandFrom().getOrDefault(resource, "as the model states"))));
			out.printf("  %s: %s%n", service.name(),
					figures.isEmpty() ? "nobody says what" : String.join(", ", figures));
		}
		if (services.size() > SERVICES) {
			out.printf("  and %d more services; --model-out writes all of them%n", services.size() - SERVICES);
		}
	}

	private record Remote(Edge edge, double weight) {
	}

	private void print(PrintWriter out) {
		List<Remote> remote = new ArrayList<>();
		double all = 0;
		for (Edge edge : this.model.edges()) {
			EdgeCost cost = this.model.cost(edge);
			if (cost != null) {
				all += cost.apart();
				double away = cost.apart()
						* (1 - this.plan.localShare(edge.from(), edge.to(), this.model.objective().routing()));
				if (away > 0) {
					remote.add(new Remote(edge, away));
				}
			}
		}
		remote.sort(Comparator.comparingDouble((Remote one) -> -one.weight()));
		out.println();
		if (remote.isEmpty()) {
			out.println((all > 0) ? "No traffic goes between hosts."
					: "No %s were measured, between hosts or within.".formatted(this.model.objective().weight().id()));
			return;
		}
		out.printf("Edges that stay between hosts, the heaviest %d of %d edges:%n", Math.min(EDGES, remote.size()),
				remote.size());
		for (Remote one : remote.subList(0, Math.min(EDGES, remote.size()))) {
			Edge edge = one.edge();
			out.printf(Locale.ROOT, "  %s -> %s: %.4g %s, %.2f %% of all%n", edge.from(), edge.to(), one.weight(),
					this.model.objective().weight().unit(), 100 * one.weight() / all);
			if (this.plan.total(edge.from()) == 1 && this.plan.total(edge.to()) == 1) {
				out.println("    " + move(edge.from(), edge.to()));
				out.println("    " + move(edge.to(), edge.from()));
			}
			else {
				out.printf("    %s runs on %s, %s on %s%n", edge.from(), this.plan.on(edge.from()), edge.to(),
						this.plan.on(edge.to()));
			}
		}
	}

	private String move(String name, String other) {
		String target = this.plan.on(other).keySet().iterator().next();
		String prefix = "%s does not go to %s: ".formatted(name, target);
		Service service = this.model.services().get(this.model.serviceIndex().getOrDefault(name, 0));
		Host host = this.model.hosts().get(this.model.hostIndex().getOrDefault(target, 0));
		if (!service.mayRunOn(host)) {
			return prefix + "its zones or pins forbid it";
		}
		for (Separation separation : this.model.separations()) {
			if (separation.services().contains(name) && separation.maximum() > 1) {
				int there = separation.services().stream().mapToInt((one) -> this.plan.count(one, target)).sum();
				if (there >= separation.maximum()) {
					return prefix + "%d replicas of %s are there, and %d may be".formatted(there, separation.services(),
							separation.maximum());
				}
			}
			else if (separation.services().contains(name)) {
				for (String apart : separation.services()) {
					if (!apart.equals(name) && this.plan.count(apart, target) > 0) {
						return prefix + "it must not share a %s with %s"
							.formatted(separation.scope().name().toLowerCase(Locale.ROOT), apart);
					}
				}
			}
		}
		for (Map.Entry<String, Long> demand : service.demand().amounts().entrySet()) {
			long used = this.model.services()
				.stream()
				.mapToLong((one) -> one.demand().get(demand.getKey()) * this.plan.count(one.name(), target))
				.sum();
			long left = host.available(demand.getKey()) - used;
			if (demand.getValue() > left) {
				return prefix
						+ "it needs %d of %s, and %d are left".formatted(demand.getValue(), demand.getKey(), left);
			}
		}
		double gain = traffic(name, target);
		double loss = traffic(name, this.plan.on(name).keySet().iterator().next());
		return prefix + String.format(Locale.ROOT, "it would fit, and win %.4g, but lose %.4g %s with where it is",
				gain, loss, this.model.objective().weight().unit());
	}

	/** The traffic of a service with all that run on a host. */
	private double traffic(String service, String host) {
		double sum = 0;
		for (Edge edge : this.model.edges()) {
			EdgeCost cost = this.model.cost(edge);
			boolean between = (edge.from().equals(service) && this.plan.count(edge.to(), host) > 0)
					|| (edge.to().equals(service) && this.plan.count(edge.from(), host) > 0);
			sum += (cost != null && between) ? cost.apart() - cost.together() : 0;
		}
		return sum;
	}

}
