package io.github.vicinal.samples.trainticket.bench;

import java.util.List;
import java.util.Map;

import io.github.vicinal.samples.trainticket.launch.Plan;
import io.github.vicinal.samples.trainticket.launch.PlanReader;
import io.github.vicinal.samples.trainticket.launch.UsageException;

/**
 * One way to run the services: a plan, and with or without Vicinal.
 *
 * @param name the name, such as "spread-http"
 * @param plan services of each JVM
 * @param planName name or file of the plan, for the children
 * @param properties properties of Vicinal for the children
 */
record Mode(String name, Plan plan, String planName, List<String> properties) {

	/** Suffix of a mode's name after the plan, and its meaning. */
	private static final Map<String, List<String>> PATHS = Map.of("http", List.of("vicinal.enabled=false"), "vicinal",
			List.of("vicinal.enabled=true"), "uds", List.of("vicinal.enabled=true", "vicinal.server.paths=direct,uds"));

	static Mode parse(String name) {
		int dash = name.lastIndexOf('-');
		List<String> properties = PATHS.get(name.substring(dash + 1));
		if (dash < 0 || properties == null) {
			throw new UsageException("Unknown mode '" + name + "'",
					"a mode is a plan (" + String.join(", ", PlanReader.SHIPPED)
							+ ", or a YAML file) followed by -http, -vicinal, or -uds (Vicinal without shared memory)",
					"for instance --modes=spread-http,merged-vicinal");
		}
		String planName = name.substring(0, dash);
		Plan plan = PlanReader.read(planName);
		for (Plan.Group group : plan.groups()) {
			if (!group.host().equals("localhost")) {
				throw new UsageException(
						"Plan '" + planName + "' runs group '" + group.name() + "' on host '" + group.host() + "'",
						"the bench starts processes on this machine only",
						"set the host of all groups to localhost, or start the groups with the launcher by hand");
			}
		}
		return new Mode(name, plan, planName, properties);
	}

}
