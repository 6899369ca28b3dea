package io.github.vicinal.copackage;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Last stage of a Dockerfile.
 *
 * @param baseImage the image it is built from
 * @param user user that runs it; empty for that of the image
 * @param volumes paths
 * @param ports ports that it exposes
 * @param jvmOptions options of {@code java}, in their order
 * @param environment its variables
 * @param arguments what follows the jar or the main class
 * @param java the command that starts Java, such as {@code /opt/jre/bin/java}
 * @param others instructions with an effect that the other components say nothing about
 * @since 0.1.0
 */
public record Container(String baseImage, String user, Set<String> volumes, Set<Integer> ports, List<String> jvmOptions,
		Map<String, String> environment, List<String> arguments, String java, List<String> others) {

	public Container {
		volumes = Set.copyOf(volumes);
		ports = Set.copyOf(ports);
		jvmOptions = List.copyOf(jvmOptions);
		environment = Map.copyOf(environment);
		arguments = List.copyOf(arguments);
		others = List.copyOf(others);
	}

	Container withArguments(List<String> arguments) {
		return new Container(this.baseImage, this.user, this.volumes, this.ports, this.jvmOptions, this.environment,
				arguments, this.java, this.others);
	}

}
