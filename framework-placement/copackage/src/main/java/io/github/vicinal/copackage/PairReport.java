package io.github.vicinal.copackage;

import java.util.List;

/**
 * Verdict on two applications, and why they may come no closer.
 *
 * @param one name of an application
 * @param other name of another one
 * @param verdict how close
 * @param findings what was found, the gravest first
 * @param hoisted files of libraries that can be loaded once for both
 * @param paperRefusal why the paper's rule would not merge them; empty if it would
 * @since 0.1.0
 */
public record PairReport(String one, String other, Verdict verdict, List<Finding> findings, List<String> hoisted,
		String paperRefusal) {

	public PairReport {
		findings = List.copyOf(findings);
		hoisted = List.copyOf(hoisted);
	}

	/**
	 * Returns what the paper's rule says.
	 * @return whether it would merge them
	 */
	public boolean mergeableByPaper() {
		return this.paperRefusal.isEmpty();
	}

	/**
	 * Shows reports to people.
	 * @param reports reports
	 * @return lines of text: a table, and the findings of each pair
	 */
	public static String table(List<PairReport> reports) {
		return ReportText.table(reports);
	}

	/**
	 * Shows reports to programs.
	 * @param reports reports
	 * @return JSON
	 */
	public static String json(List<PairReport> reports) {
		return ReportText.json(reports);
	}

}
