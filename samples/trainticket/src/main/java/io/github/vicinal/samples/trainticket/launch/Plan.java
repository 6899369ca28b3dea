package io.github.vicinal.samples.trainticket.launch;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Assignment of services to JVMs: service, group, host. Each service is in exactly one
 * group.
 */
public final class Plan {

	private final String name;

	private final List<Group> groups;

	private final Map<Service, Group> groupOf = new EnumMap<>(Service.class);

	/**
	 * Creates a plan.
	 * @param name what messages call the plan
	 * @param groups the groups
	 */
	public Plan(String name, List<Group> groups) {
		this.name = name;
		this.groups = List.copyOf(groups);
		for (Group group : groups) {
			group.services().forEach((service) -> place(service, group));
		}
		for (Service service : Service.values()) {
			if (!this.groupOf.containsKey(service)) {
				throw new UsageException("Plan '" + name + "' places service '" + service.serviceName() + "' nowhere",
						"a plan places each service in exactly one group",
						"add '" + service.serviceName() + "' to the services of a group");
			}
		}
	}

	private void place(Service service, Group group) {
		@Nullable Group other = this.groupOf.putIfAbsent(service, group);
		if (other != null) {
			throw new UsageException(
					"Plan '" + this.name + "' places service '" + service.serviceName() + "' in group '" + other.name()
							+ "' and in group '" + group.name() + "'",
					"a plan places each service in exactly one group", "remove it from one of the two");
		}
	}

	/**
	 * All groups.
	 * @return the groups in the order of the plan
	 */
	public List<Group> groups() {
		return this.groups;
	}

	/**
	 * Finds a group by name.
	 * @param groupName the name
	 * @return the group
	 */
	public Group group(String groupName) {
		return this.groups.stream()
			.filter((group) -> group.name().equals(groupName))
			.findFirst()
			.orElseThrow(() -> new UsageException("Plan '" + this.name + "' has no group '" + groupName + "'",
					"the group is one of " + String.join(", ", this.groups.stream().map(Group::name).toList()),
					"correct --group, or add the group to the plan"));
	}

	/**
	 * Returns the host on which a service runs.
	 * @param service the service
	 * @return the host
	 */
	public String host(Service service) {
		@Nullable Group group = this.groupOf.get(service);
		if (group == null) {
			throw new IllegalStateException("No group for " + service);
		}
		return group.host();
	}

	/**
	 * One JVM.
	 *
	 * @param name the name
	 * @param host where it runs
	 * @param services the services in it
	 */
	public record Group(String name, String host, List<Service> services) {
	}

}
