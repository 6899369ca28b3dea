package io.github.vicinal.copackage;

import java.util.List;
import java.util.Locale;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Shows reports to people, and to programs. */
final class ReportText {

	private ReportText() {
	}

	static String table(List<PairReport> reports) {
		StringBuilder text = new StringBuilder();
		int width = reports.stream().mapToInt((each) -> names(each).length()).max().orElse(0);
		text.append(row(width, "applications", "verdict", "paper", "because"));
		for (PairReport report : reports) {
			List<Finding> findings = report.findings();
			text.append(row(width, names(report), id(report.verdict()), report.mergeableByPaper() ? "merge" : "no",
					findings.isEmpty() ? "nothing differs" : findings.get(0).reason()));
		}
		for (PairReport report : reports) {
			text.append("\n%s: %s%n".formatted(names(report), id(report.verdict())));
			for (Finding finding : report.findings()) {
				text.append("  %-17s %-14s %s%n".formatted(finding.rule().id(), id(finding.limit()), finding.reason()))
					.append("  %-32s -> %s%n".formatted("", finding.remedy()));
			}
			if (!report.hoisted().isEmpty()) {
				text.append("  loaded once for both: %s%n".formatted(String.join(", ", report.hoisted())));
			}
			if (!report.mergeableByPaper()) {
				text.append("  the paper's rule: %s%n".formatted(report.paperRefusal()));
			}
		}
		return text.toString();
	}

	static String table(List<PairReport> reports, GroupReport group) {
		StringBuilder text = new StringBuilder(table(reports));
		if (reports.size() > 1 || !group.findings().isEmpty()) {
			text.append("\nall %d together: %s%n".formatted(group.applications().size(), id(group.verdict())));
			group.findings()
				.forEach((finding) -> text.append(
						"  %-17s %-14s %s%n".formatted(finding.rule().id(), id(finding.limit()), finding.reason())));
		}
		return text.toString();
	}

	private static String row(int width, String names, String verdict, String paper, String because) {
		return String.format(Locale.ROOT, "%-" + Math.max(width, 12) + "s  %-14s  %-5s  %s%n", names, verdict, paper,
				because);
	}

	private static String names(PairReport report) {
		return report.one() + " + " + report.other();
	}

	static String id(Verdict verdict) {
		return verdict.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	static String json(List<PairReport> reports, GroupReport group) {
		ObjectNode root = pairs(reports);
		ObjectNode together = root.putObject("group");
		ArrayNode names = together.putArray("applications");
		group.applications().forEach(names::add);
		together.put("verdict", id(group.verdict()));
		findings(group.findings(), together.putArray("findings"));
		return text(root);
	}

	static String json(List<PairReport> reports) {
		return text(pairs(reports));
	}

	private static String text(ObjectNode root) {
		return JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n";
	}

	private static ObjectNode pairs(List<PairReport> reports) {
		ObjectNode root = JsonMapper.builder().build().createObjectNode();
		ArrayNode pairs = root.putArray("pairs");
		for (PairReport report : reports) {
			ObjectNode pair = pairs.addObject();
			pair.putArray("applications").add(report.one()).add(report.other());
			pair.put("verdict", id(report.verdict()));
			pair.put("mergeableByPaper", report.mergeableByPaper());
			pair.put("paperRefusal", report.paperRefusal());
			ArrayNode hoisted = pair.putArray("hoisted");
			report.hoisted().forEach(hoisted::add);
			findings(report.findings(), pair.putArray("findings"));
		}
		return root;
	}

	private static void findings(List<Finding> findings, ArrayNode array) {
		findings.forEach((finding) -> {
			ObjectNode each = array.addObject();
			each.put("rule", finding.rule().id());
			each.put("limit", id(finding.limit()));
			each.put("reason", finding.reason());
			each.put("remedy", finding.remedy());
		});
	}

}
