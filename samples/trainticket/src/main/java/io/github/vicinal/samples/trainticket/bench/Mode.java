package io.github.vicinal.samples.trainticket.bench;

import io.github.vicinal.samples.trainticket.launch.Plan;
import io.github.vicinal.samples.trainticket.launch.PlanReader;
import io.github.vicinal.samples.trainticket.launch.UsageException;

/**
 * One way to run the services: a plan, and with or without Vicinal.
 *
 * @param name the name, such as "spread-http"
 * @param plan who shares a JVM with whom
 * @param planName name or file of the plan, for the children
 * @param vicinal whether Vicinal is switched on
 */
record Mode(String name, Plan plan, String planName, boolean vicinal) {

	private static final String HTTP = "-http";

	private static final String VICINAL = "-vicinal";

	static Mode parse(String name) {
		boolean vicinal = name.endsWith(VICINAL);
		if (!vicinal && !name.endsWith(HTTP)) {
			throw new UsageException(
					"Unknown mode '" + name + "'", "a mode is a plan (" + String.join(", ", PlanReader.SHIPPED)
							+ ", or a YAML file) followed by " + HTTP + " or " + VICINAL,
					"for instance --modes=spread-http,merged-vicinal");
		}
		String planName = name.substring(0, name.length() - (vicinal ? VICINAL : HTTP).length());
		Plan plan = PlanReader.read(planName);
		for (Plan.Group group : plan.groups()) {
			if (!group.host().equals("localhost")) {
				throw new UsageException(
						"Plan '" + planName + "' runs group '" + group.name() + "' on host '" + group.host() + "'",
						"the bench starts processes on this machine only",
						"set the host of all groups to localhost, or start the groups with the launcher by hand");
			}
		}
		return new Mode(name, plan, planName, vicinal);
	}

}
