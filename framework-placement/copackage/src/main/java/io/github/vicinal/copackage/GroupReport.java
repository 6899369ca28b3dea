package io.github.vicinal.copackage;

import java.util.List;

/**
 * Verdict for several applications together.
 *
 * @param applications their names
 * @param verdict how close
 * @param findings what stands in the way of all together, besides what pairs have
 * @since 0.1.0
 */
record GroupReport(List<String> applications, Verdict verdict, List<Finding> findings) {

	GroupReport {
		applications = List.copyOf(applications);
		findings = List.copyOf(findings);
	}

}
