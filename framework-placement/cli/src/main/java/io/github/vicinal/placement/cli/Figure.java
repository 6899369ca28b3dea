package io.github.vicinal.placement.cli;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.PlacementModel.EdgeCost;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.recommend.Recommendation;
import org.jspecify.annotations.Nullable;

/**
 * Draws services and their traffic: circles by CPU, lines by weight, colours by host.
 * Figures that the two papers show: the service graph, the annotated graph, and the graph
 * coloured by host.
 */
final class Figure {

	private static final String[] COLOURS = { "#2563a8", "#b3541e", "#2e7d4f", "#7b4ba0", "#a3261b", "#0f7c86",
			"#8a6d0b", "#c0438a", "#4c5667", "#5a7d1a" };

	private static final int WIDTH = 1100;

	/** Room for a service: a circle, and a name of three lines. */
	private static final int CELL = 96;

	/** Number of characters of 11 pixels in the line of a cell. */
	private static final int LINE_CHARACTERS = 15;

	private static final int LINE_HEIGHT = 12;

	private final PlacementModel model;

	private final Recommendation found;

	private final Map<Edge, Double> weights = new LinkedHashMap<>();

	/** Weight that two services exchange, by the name of either. */
	private final Map<String, Map<String, Double>> talks = new HashMap<>();

	private final double heaviest;

	private final double mostCpu;

	private final StringBuilder lines = new StringBuilder();

	private final StringBuilder shapes = new StringBuilder();

	private final Map<String, Map<String, Point>> points = new LinkedHashMap<>();

	/** Content of the figure. */
	enum Kind {

		/** Services on the hosts of the plan. */
		HOSTS,

		/** The graph of calls. */
		GRAPH,

		/** The same with weights. */
		ANNOTATED

	}

	private record Point(double x, double y, double radius) {
	}

	private Figure(PlacementModel model, Recommendation found) {
		this.model = model;
		this.found = found;
		for (Edge edge : model.edges()) {
			EdgeCost cost = model.cost(edge);
			double weight = (cost != null) ? cost.apart() : 0;
			this.weights.put(edge, weight);
			talk(edge.from(), edge.to(), weight);
			talk(edge.to(), edge.from(), weight);
		}
		this.heaviest = Math.max(Double.MIN_NORMAL,
				this.weights.values().stream().mapToDouble(Double::doubleValue).max().orElse(1));
		this.mostCpu = Math.max(1,
				model.services().stream().mapToLong((service) -> service.demand().get(Resources.CPU)).max().orElse(1));
	}

	private void talk(String one, String other, double weight) {
		this.talks.computeIfAbsent(one, (name) -> new HashMap<>()).merge(other, weight, Double::sum);
	}

	static String svg(Kind kind, PlacementModel model, Recommendation found) {
		Figure figure = new Figure(model, found);
		return (kind == Kind.HOSTS) ? figure.hosts() : figure.circle(kind == Kind.ANNOTATED);
	}

	@SuppressWarnings("AnnotateFormatMethod")
	private static String format(String format, @Nullable Object... arguments) {
		return String.format(Locale.ROOT, format, arguments);
	}

	private static String escaped(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
	}

	private double radius(Service service) {
		return 7 + 15 * Math.sqrt(service.demand().get(Resources.CPU) / this.mostCpu);
	}

	private String colour(String host) {
		List<String> names = this.model.hosts().stream().map(Host::name).toList();
		return COLOURS[Math.max(0, names.indexOf(host)) % COLOURS.length];
	}

	private String whole(double height) {
		return format(
				"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" font-family=\"system-ui, sans-serif\">"
						+ "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>",
				WIDTH, height) + this.lines + this.shapes + "</svg>\n";
	}

	private String hosts() {
		Map<String, List<Service>> onHost = new LinkedHashMap<>();
		for (Host host : this.model.hosts()) {
			List<Service> there = this.model.services()
				.stream()
				.filter((service) -> this.found.after().count(service.name(), host.name()) > 0)
				.toList();
			if (!there.isEmpty()) {
				onHost.put(host.name(), nextToEachOther(there));
			}
		}
		int columns = Math.max(1, (int) Math.ceil(Math.sqrt(onHost.size() * 1.4)));
		double width = (WIDTH - 20.0) / columns;
		int across = Math.max(1, (int) ((width - 8) / CELL));
		int tallest = onHost.values().stream().mapToInt((list) -> (list.size() + across - 1) / across).max().orElse(1);
		double height = 60 + tallest * CELL;
		int at = 0;
		for (Map.Entry<String, List<Service>> host : onHost.entrySet()) {
			int row = at / columns;
			double left = 10 + (at % columns) * width;
			double top = 10 + row * (height + 14);
			host(host.getKey(), host.getValue(), left, top, width, height, across);
			at++;
		}
		for (Edge edge : byWeight()) {
			Map<String, Point> from = this.points.getOrDefault(edge.from(), Map.of());
			Map<String, Point> to = this.points.getOrDefault(edge.to(), Map.of());
			boolean shared = from.keySet().stream().anyMatch(to::containsKey);
			from.forEach((one, start) -> to.forEach((other, end) -> {
				if (one.equals(other) || !shared) {
					line(edge, start, end, !one.equals(other));
				}
			}));
		}
		int rows = (onHost.size() + columns - 1) / columns;
		return whole(rows * (height + 14) + 20);
	}

	private void host(String name, List<Service> services, double left, double top, double width, double height,
			int across) {
		String colour = colour(name);
		this.lines.append(format(
				"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"8\" fill=\"%s\" fill-opacity=\"0.06\" stroke=\"%s\"/>",
				left + 4, top, width - 8, height, colour, colour));
		this.lines
			.append(format("<text x=\"%.1f\" y=\"%.1f\" font-size=\"14\" font-weight=\"600\" fill=\"%s\">%s</text>",
					left + 16, top + 22, colour, escaped(name)));
		int rows = (services.size() + across - 1) / across;
		for (int i = 0; i < services.size(); i++) {
			int row = i / across;
			int inRow = Math.min(across, services.size() - row * across);
			Point point = new Point(left + 4 + (width - 8) * ((i % across) + 0.5) / inRow,
					top + 44 + (height - 58) * (row + 0.5) / rows, radius(services.get(i)));
			this.points.computeIfAbsent(services.get(i).name(), (key) -> new LinkedHashMap<>()).put(name, point);
			int count = this.found.after().count(services.get(i).name(), name);
			service(services.get(i), (count > 1) ? " x" + count : "", point, colour);
		}
	}

	private void service(Service service, String more, Point at, String colour) {
		this.shapes.append(format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" stroke=\"#ffffff\"/>", at.x(),
				at.y(), at.radius(), colour));
		this.shapes.append(
				"<text font-size=\"11\" text-anchor=\"middle\" fill=\"#1d2430\" stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\">");
		double baseline = at.y() + at.radius();
		for (String line : wrapped(service.name() + more)) {
			baseline += LINE_HEIGHT;
			this.shapes.append(format("<tspan x=\"%.1f\" y=\"%.1f\">%s</tspan>", at.x(), baseline, escaped(line)));
		}
		this.shapes.append("</text>");
	}

	/** Breaks a name after its separators, so that neighbours do not overlap. */
	static List<String> wrapped(String name) {
		List<String> lines = new ArrayList<>();
		StringBuilder line = new StringBuilder();
		for (String part : name.split("(?<=[-._ ])")) {
			if (!line.isEmpty() && line.length() + part.length() > LINE_CHARACTERS) {
				lines.add(line.toString());
				line.setLength(0);
			}
			line.append(part);
		}
		lines.add(line.toString());
		return lines;
	}

	private void line(Edge edge, Point from, Point to, boolean between) {
		double weight = this.weights.getOrDefault(edge, 0.0);
		double mx = (from.x() + to.x()) / 2 - (to.y() - from.y()) * 0.12;
		double my = (from.y() + to.y()) / 2 + (to.x() - from.x()) * 0.12;
		this.lines.append(format(
				"<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" fill=\"none\" stroke=\"%s\" stroke-opacity=\"0.55\" stroke-width=\"%.2f\"><title>%s</title></path>",
				from.x(), from.y(), mx, my, to.x(), to.y(), between ? "#a3261b" : "#7d8899",
				0.6 + 7 * Math.sqrt(weight / this.heaviest), escaped("%s -> %s: %s %s".formatted(edge.from(), edge.to(),
						text(weight), this.model.objective().weight().unit()))));
	}

	private static String text(double weight) {
		double scale = (weight >= 1e6) ? 1e6 : (weight >= 1e4) ? 1e3 : 1;
		BigDecimal digits = new BigDecimal(weight / scale).round(new MathContext((weight / scale >= 100) ? 0 : 3));
		if (digits.scale() < 0 || weight / scale >= 100) {
			digits = digits.setScale(0, RoundingMode.HALF_UP);
		}
		return digits.stripTrailingZeros().toPlainString() + ((scale == 1e6) ? "M" : (scale == 1e3) ? "k" : "");
	}

	private List<Edge> byWeight() {
		List<Edge> edges = new ArrayList<>(this.weights.keySet());
		edges.sort(Comparator.comparingDouble((edge) -> this.weights.getOrDefault(edge, 0.0)));
		return edges;
	}

	/** Orders services so that each one follows those that it exchanges most with. */
	private List<Service> nextToEachOther(List<Service> services) {
		List<Service> left = new ArrayList<>(services);
		List<Service> ordered = new ArrayList<>();
		while (!left.isEmpty()) {
			Set<String> last = Set.copyOf(ordered.subList(Math.max(0, ordered.size() - 3), ordered.size())
				.stream()
				.map(Service::name)
				.toList());
			Service next = left.get(0);
			double most = -1;
			for (Service service : left) {
				Map<String, Double> own = this.talks.getOrDefault(service.name(), Map.of());
				double talk = 0;
				for (String other : last) {
					talk += own.getOrDefault(other, 0.0);
				}
				if (talk > most) {
					most = talk;
					next = service;
				}
			}
			left.remove(next);
			ordered.add(next);
		}
		return ordered;
	}

	private String circle(boolean annotated) {
		List<Service> services = nextToEachOther(this.model.services());
		double radius = Math.min(WIDTH / 2.0 - 90, Math.max(180, services.size() * 11));
		double centre = radius + 50;
		for (int i = 0; i < services.size(); i++) {
			double angle = 2 * Math.PI * i / services.size() - Math.PI / 2;
			Point point = new Point(WIDTH / 2.0 + radius * Math.cos(angle), centre + radius * Math.sin(angle),
					radius(services.get(i)));
			this.points.put(services.get(i).name(), Map.of("", point));
			service(services.get(i), "", point, "#2563a8");
		}
		for (Edge edge : byWeight()) {
			Point from = point(edge.from());
			Point to = point(edge.to());
			line(edge, from, to, false);
			if (annotated) {
				double weight = this.weights.getOrDefault(edge, 0.0);
				this.shapes.append(format(
						"<text x=\"%.1f\" y=\"%.1f\" font-size=\"10\" text-anchor=\"middle\" fill=\"#4c5667\" stroke=\"#ffffff\" stroke-width=\"2.5\" paint-order=\"stroke\">%s</text>",
						(from.x() + to.x()) / 2 - (to.y() - from.y()) * 0.06,
						(from.y() + to.y()) / 2 + (to.x() - from.x()) * 0.06, text(weight)));
			}
		}
		return whole(2 * radius + 110);
	}

	private Point point(String service) {
		return this.points.getOrDefault(service, Map.of()).getOrDefault("", new Point(0, 0, 0));
	}

	static String dot(PlacementModel model, Recommendation found) {
		Figure figure = new Figure(model, found);
		StringBuilder text = new StringBuilder(
				"digraph placement {\n  node [shape=circle, style=filled, fontsize=10];\n");
		int number = 0;
		for (Host host : model.hosts()) {
			text.append("  subgraph cluster_")
				.append(number++)
				.append(" {\n    label=")
				.append(quoted(host.name()))
				.append(";\n    color=\"")
				.append(figure.colour(host.name()))
				.append("\";\n");
			for (Service service : model.services()) {
				int count = found.after().count(service.name(), host.name());
				if (count > 0) {
					text.append("    ")
						.append(quoted(service.name() + '@' + host.name()))
						.append(format(" [label=%s, fillcolor=\"%s33\", width=%.2f];%n",
								quoted(service.name() + ((count > 1) ? " x" + count : "")), figure.colour(host.name()),
								figure.radius(service) / 20));
				}
			}
			text.append("  }\n");
		}
		for (Edge edge : figure.byWeight()) {
			Map<String, Integer> from = found.after().on(edge.from());
			Map<String, Integer> to = found.after().on(edge.to());
			boolean shared = from.keySet().stream().anyMatch(to::containsKey);
			double weight = figure.weights.getOrDefault(edge, 0.0);
			from.keySet().forEach((one) -> to.keySet().forEach((other) -> {
				if (one.equals(other) || !shared) {
					text.append(format("  %s -> %s [label=\"%s\", penwidth=%.2f%s];%n", quoted(edge.from() + '@' + one),
							quoted(edge.to() + '@' + other), text(weight),
							0.5 + 5 * Math.sqrt(weight / figure.heaviest),
							one.equals(other) ? "" : ", color=\"#a3261b\""));
				}
			}));
		}
		return text.append("}\n").toString();
	}

	private static String quoted(String text) {
		return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
	}

}
