package io.github.vicinal.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/** Figures of a measurement, in rows, and its bars. */
public final class Report {

	private final List<String> columns;

	private final List<Map<String, Object>> rows = new ArrayList<>();

	private final List<Bar> bars = new ArrayList<>();

	private String chartTitle = "";

	private String chartColumn = "";

	private List<String> chartLabels = List.of();

	private Predicate<Map<String, Object>> chartRows = (row) -> true;

	private Predicate<String> chartRivals = (label) -> label.contains("http");

	private final Map<String, Double> figures = new LinkedHashMap<>();

	/**
	 * A figure that must hold.
	 *
	 * @param name what is compared
	 * @param value what was measured
	 * @param limit the largest value that passes
	 */
	public record Bar(String name, double value, double limit) {

		/**
		 * Returns whether the bar holds; a value that could not be computed does not.
		 * @return whether the value is within the limit
		 */
		public boolean passes() {
			return this.value <= this.limit;
		}

	}

	/**
	 * Creates an empty report.
	 * @param columns names of the columns, with units
	 */
	public Report(String... columns) {
		this.columns = List.of(columns);
	}

	/**
	 * Defines the chart of the report.
	 * @param title what is drawn, with the unit
	 * @param column the column that is drawn
	 * @param labels the columns that name a row
	 * @return this report
	 */
	public Report chart(String title, String column, String... labels) {
		this.chartTitle = title;
		this.chartColumn = column;
		this.chartLabels = List.of(labels);
		return this;
	}

	/**
	 * Draws some rows only.
	 * @param rows which
	 * @param rivals the labels of what is compared with
	 * @return this report
	 */
	public Report chartOnly(Predicate<Map<String, Object>> rows, Predicate<String> rivals) {
		this.chartRows = rows;
		this.chartRivals = rivals;
		return this;
	}

	/**
	 * Adds a row.
	 * @param values as many as there are columns
	 */
	public void row(Object... values) {
		if (values.length != this.columns.size()) {
			throw new IllegalArgumentException("%d values for the columns %s".formatted(values.length, this.columns));
		}
		Map<String, Object> row = new LinkedHashMap<>();
		for (int i = 0; i < values.length; i++) {
			row.put(this.columns.get(i), values[i]);
		}
		this.rows.add(row);
	}

	/**
	 * Adds a figure that belongs to no row.
	 * @param name what it is, with the unit
	 * @param value the figure
	 */
	public void figure(String name, double value) {
		this.figures.put(name, value);
	}

	/**
	 * Returns the figures that belong to no row.
	 * @return figures by name
	 */
	public Map<String, Double> figures() {
		return Collections.unmodifiableMap(this.figures);
	}

	/**
	 * Adds a bar.
	 * @param name what is compared
	 * @param value what was measured
	 * @param limit the largest value that passes
	 */
	public void bar(String name, double value, double limit) {
		this.bars.add(new Bar(name, value, limit));
	}

	/**
	 * Returns the rows.
	 * @return values by column
	 */
	public List<Map<String, Object>> rows() {
		return List.copyOf(this.rows);
	}

	/**
	 * Returns the bars.
	 * @return the bars
	 */
	public List<Bar> bars() {
		return List.copyOf(this.bars);
	}

	/**
	 * Draws the chart.
	 * @return an SVG document
	 */
	public String svg() {
		return BarChart.draw(this.chartTitle, this.rows.stream().filter(this.chartRows).toList(), this.chartLabels,
				this.chartColumn, this.chartRivals);
	}

	/**
	 * Lays the rows out as a Markdown table.
	 * @return lines
	 */
	public String table() {
		List<List<String>> cells = new ArrayList<>();
		cells.add(this.columns);
		for (Map<String, Object> row : this.rows) {
			cells.add(row.values().stream().map(Report::text).toList());
		}
		String table = table(cells);
		if (this.figures.isEmpty()) {
			return table;
		}
		List<List<String>> lines = new ArrayList<>(List.of(List.of("figure", "value")));
		this.figures.forEach((name, value) -> lines.add(List.of(name, text(value))));
		return table + "\n" + table(lines);
	}

	private static String table(List<List<String>> cells) {
		int[] widths = new int[cells.get(0).size()];
		for (List<String> line : cells) {
			for (int i = 0; i < widths.length; i++) {
				widths[i] = Math.max(widths[i], line.get(i).length());
			}
		}
		StringBuilder table = new StringBuilder();
		for (int i = 0; i < cells.size(); i++) {
			for (int j = 0; j < widths.length; j++) {
				String format = (j == 0) ? "| %-" + widths[j] + "s " : "| %" + widths[j] + "s ";
				table.append(format.formatted(cells.get(i).get(j)));
			}
			table.append("|\n");
			if (i == 0) {
				for (int j = 0; j < widths.length; j++) {
					table.append("|").append("-".repeat(widths[j] + 1)).append((j == 0) ? "-" : ":");
				}
				table.append("|\n");
			}
		}
		return table.toString();
	}

	static String text(Object value) {
		if (value instanceof Double number) {
			double magnitude = Math.abs(number);
			String format = (magnitude >= 100) ? "%.0f"
					: (magnitude >= 10) ? "%.1f" : (magnitude >= 1) ? "%.2f" : "%.3f";
			return String.format(Locale.ROOT, format, number);
		}
		return String.valueOf(value);
	}

}
