package io.github.vicinal.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/** Horizontal bars of one column of a report, as an SVG without outside assets. */
final class BarChart {

	private static final int WIDTH = 780;

	private static final int LABEL_WIDTH = 290;

	private static final int VALUE_WIDTH = 90;

	private static final int ROW_HEIGHT = 30;

	private static final int BAR_HEIGHT = 18;

	private static final int TITLE_HEIGHT = 40;

	private BarChart() {
	}

	/**
	 * Draws the chart.
	 * @param title what is shown, with the unit
	 * @param all the report's rows; those without a number are left out
	 * @param labels the columns that name a row
	 * @param column the column that is drawn
	 * @param rivals the labels that are drawn in grey
	 * @return an SVG document
	 */
	static String draw(String title, List<Map<String, Object>> all, List<String> labels, String column,
			Predicate<String> rivals) {
		List<Map<String, Object>> rows = all.stream().filter((row) -> row.get(column) instanceof Number).toList();
		double largest = rows.stream().mapToDouble((row) -> number(row.get(column))).max().orElse(1);
		int height = TITLE_HEIGHT + rows.size() * ROW_HEIGHT + 10;
		StringBuilder svg = new StringBuilder();
		svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
			.formatted(WIDTH, height, WIDTH, height));
		svg.append("font-family=\"sans-serif\" font-size=\"13\">\n");
		svg.append("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
		svg.append("<text x=\"10\" y=\"24\" font-size=\"15\" fill=\"#222222\">%s</text>\n".formatted(escape(title)));
		for (int i = 0; i < rows.size(); i++) {
			Map<String, Object> row = rows.get(i);
			int top = TITLE_HEIGHT + i * ROW_HEIGHT;
			double value = number(row.get(column));
			double length = Math.max(1, value / largest * (WIDTH - LABEL_WIDTH - VALUE_WIDTH));
			String label = String.join(", ", labels.stream().map((name) -> String.valueOf(row.get(name))).toList());
			svg.append("<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#222222\">%s</text>\n"
				.formatted(LABEL_WIDTH - 8, top + BAR_HEIGHT - 4, escape(label)));
			svg.append(
					String.format(Locale.ROOT, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
							LABEL_WIDTH, top, length, BAR_HEIGHT, rivals.test(label) ? "#9aa5b1" : "#2f7d5b"));
			svg.append(String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%d\" fill=\"#222222\">%s</text>%n",
					LABEL_WIDTH + length + 6, top + BAR_HEIGHT - 4, Report.text(value)));
		}
		return svg.append("</svg>\n").toString();
	}

	private static double number(@Nullable Object value) {
		return (value instanceof Number number) ? number.doubleValue() : 0;
	}

	private static String escape(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
	}

}
