package io.github.vicinal.benchmarks.topic;

import java.util.List;
import java.util.Locale;

/**
 * Groups of columns over a logarithmic axis, in panels side by side, as an SVG without
 * outside assets.
 */
final class ColumnChart {

	private static final int PANEL_WIDTH = 470;

	private static final int PLOT_LEFT = 64;

	private static final int PLOT_TOP = 74;

	private static final int PLOT_HEIGHT = 260;

	private static final int HEIGHT = 400;

	private static final int COLUMN_GAP = 1;

	private static final int SMALL = 11;

	/** Width of a character of the small font, about. */
	private static final double CHARACTER = 6.4;

	private static final List<String> COLOURS = List.of("#2f7d5b", "#7fb59b", "#b9d8c8");

	private ColumnChart() {
	}

	/**
	 * Columns with one unit.
	 *
	 * @param title what is drawn, with the unit
	 * @param series names of the columns of each group
	 * @param groups the groups
	 */
	record Panel(String title, List<String> series, List<Group> groups) {
	}

	/**
	 * Columns that stand together.
	 *
	 * @param name the name below
	 * @param values a value for each series; what is not positive is left out
	 */
	record Group(String name, List<Double> values) {
	}

	/**
	 * Draws panels.
	 * @param title of all
	 * @param panels from left to right
	 * @return an SVG document
	 */
	static String draw(String title, List<Panel> panels) {
		StringBuilder svg = new StringBuilder();
		int width = panels.size() * PANEL_WIDTH;
		svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
			.formatted(width, HEIGHT, width, HEIGHT));
		svg.append("font-family=\"sans-serif\">\n");
		svg.append("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
		text(svg, 10, 22, 15, "start", title);
		for (int i = 0; i < panels.size(); i++) {
			panel(svg, i * PANEL_WIDTH, panels.get(i));
		}
		return svg.append("</svg>\n").toString();
	}

	private static void panel(StringBuilder svg, int left, Panel panel) {
		double[] positive = panel.groups()
			.stream()
			.flatMap((group) -> group.values().stream())
			.mapToDouble(Double::doubleValue)
			.filter((value) -> value > 0 && value < Double.POSITIVE_INFINITY)
			.sorted()
			.toArray();
		if (positive.length == 0) {
			text(svg, left + PLOT_LEFT, PLOT_TOP, SMALL, "start", panel.title() + ": nothing was measured");
			return;
		}
		int lowest = (int) Math.floor(Math.log10(positive[0]) - 1e-9);
		int highest = Math.max(lowest + 1, (int) Math.ceil(Math.log10(positive[positive.length - 1])));
		int right = left + PANEL_WIDTH - 10;
		text(svg, left + 10, 44, 13, "start", panel.title());
		legend(svg, left + PLOT_LEFT, panel.series());
		for (int power = lowest; power <= highest; power++) {
			double y = y(Math.pow(10, power), lowest, highest);
			svg.append(String.format(Locale.ROOT,
					"<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>%n", left + PLOT_LEFT, y,
					right, y));
			text(svg, left + PLOT_LEFT - 6, y + 4, SMALL, "end", label(power));
		}
		double groupWidth = (double) (right - left - PLOT_LEFT) / panel.groups().size();
		double columnWidth = groupWidth * 0.8 / panel.series().size();
		for (int g = 0; g < panel.groups().size(); g++) {
			Group group = panel.groups().get(g);
			double start = left + PLOT_LEFT + g * groupWidth + groupWidth * 0.1;
			for (int s = 0; s < group.values().size(); s++) {
				double value = group.values().get(s);
				if (value > 0 && value < Double.POSITIVE_INFINITY) {
					double y = y(value, lowest, highest);
					svg.append(String.format(Locale.ROOT,
							"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%s, %s: %.4g</title></rect>%n",
							start + s * columnWidth, y, columnWidth - COLUMN_GAP, PLOT_TOP + PLOT_HEIGHT - y,
							COLOURS.get(s % COLOURS.size()), escape(group.name()), escape(panel.series().get(s)),
							value));
				}
			}
			names(svg, start + groupWidth * 0.4, group.name());
		}
		svg.append(String.format(Locale.ROOT, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#222222\"/>%n",
				left + PLOT_LEFT, PLOT_TOP + PLOT_HEIGHT, right, PLOT_TOP + PLOT_HEIGHT));
	}

	private static void legend(StringBuilder svg, double left, List<String> series) {
		double x = left;
		for (int s = 0; s < series.size(); s++) {
			svg.append(
					String.format(Locale.ROOT, "<rect x=\"%.1f\" y=\"54\" width=\"10\" height=\"10\" fill=\"%s\"/>%n",
							x, COLOURS.get(s % COLOURS.size())));
			text(svg, x + 14, 63, SMALL, "start", series.get(s));
			x += 26 + CHARACTER * series.get(s).length();
		}
	}

	/** One line for each part of a name, so that neighbours do not overlap. */
	private static void names(StringBuilder svg, double x, String name) {
		String[] parts = name.split(", ");
		for (int i = 0; i < parts.length; i++) {
			text(svg, x, PLOT_TOP + PLOT_HEIGHT + 16 + 14 * i, SMALL, "middle", parts[i]);
		}
	}

	private static double y(double value, int lowest, int highest) {
		double part = (Math.log10(value) - lowest) / (highest - lowest);
		return PLOT_TOP + PLOT_HEIGHT * (1 - part);
	}

	private static String label(int power) {
		return (power >= 0 && power <= 3) ? String.valueOf(Math.round(Math.pow(10, power))) : "1e" + power;
	}

	private static void text(StringBuilder svg, double x, double y, int size, String anchor, String text) {
		svg.append(String.format(Locale.ROOT,
				"<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\" fill=\"#222222\">%s</text>%n", x, y,
				size, anchor, escape(text)));
	}

	private static String escape(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
	}

}
