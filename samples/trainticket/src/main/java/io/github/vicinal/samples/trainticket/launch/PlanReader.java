package io.github.vicinal.samples.trainticket.launch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * Reads plans: those that are shipped by their name, all others from files.
 */
public final class PlanReader {

	/**
	 * Names of the plans that are shipped.
	 */
	public static final List<String> SHIPPED = List.of("spread", "five", "two", "merged");

	/**
	 * Name of the plan that the command {@code loop} has written to
	 * {@value #RECOMMENDED_FILE}.
	 */
	public static final String RECOMMENDED = "recommended";

	/**
	 * File of that plan, in the working directory.
	 */
	public static final String RECOMMENDED_FILE = "recommended.yml";

	private static final String SHAPE = "a plan looks like 'groups: { NAME: { host: HOST, services: [SERVICE, ...] } }'";

	private static final String COMPARE = "compare it with the shipped plans in src/main/resources/plans";

	private PlanReader() {
	}

	/**
	 * Reads a plan.
	 * @param nameOrFile name of a shipped plan, or a file
	 * @return the plan
	 */
	public static Plan read(String nameOrFile) {
		if (nameOrFile.equals(RECOMMENDED)) {
			return parse(nameOrFile, file(RECOMMENDED_FILE));
		}
		return parse(nameOrFile, SHIPPED.contains(nameOrFile) ? shipped(nameOrFile) : file(nameOrFile));
	}

	/**
	 * Parses a plan.
	 * @param name what messages call the plan
	 * @param yaml the text
	 * @return the plan
	 */
	static Plan parse(String name, String yaml) {
		Map<?, ?> groups = map(name, "groups",
				member(name, "the plan", map(name, "the plan", load(name, yaml)), "groups"));
		List<Plan.Group> parsed = new ArrayList<>();
		groups.forEach((groupName, group) -> parsed.add(group(name, String.valueOf(groupName), group)));
		return new Plan(name, parsed);
	}

	private static Plan.Group group(String plan, String name, @Nullable Object value) {
		String where = "group '" + name + "'";
		Map<?, ?> group = map(plan, where, value);
		for (Object key : group.keySet()) {
			if (!Set.of("host", "services").contains(String.valueOf(key))) {
				throw malformed(plan, where + " has an unknown entry '" + key + "'");
			}
		}
		if (!(member(plan, where, group, "services") instanceof List<?> names) || names.isEmpty()) {
			throw malformed(plan, where + " has no list of services");
		}
		String host = String.valueOf(member(plan, where, group, "host"));
		return new Plan.Group(name, host,
				names.stream().map((service) -> Service.named(String.valueOf(service))).toList());
	}

	private static Object member(String plan, String where, Map<?, ?> map, String key) {
		@Nullable Object value = map.get(key);
		if (value == null) {
			throw malformed(plan, where + " has no entry '" + key + "'");
		}
		return value;
	}

	private static Map<?, ?> map(String plan, String where, @Nullable Object value) {
		if (value instanceof Map<?, ?> map) {
			return map;
		}
		throw malformed(plan, where + " is '" + value + "' where entries are expected");
	}

	private static @Nullable Object load(String name, String yaml) {
		LoaderOptions options = new LoaderOptions();
		options.setAllowDuplicateKeys(false);
		try {
			return new Yaml(new SafeConstructor(options)).load(yaml);
		}
		catch (YAMLException ex) {
			throw malformed(name, String.valueOf(ex.getMessage()));
		}
	}

	private static UsageException malformed(String plan, String detail) {
		return new UsageException("Plan '" + plan + "' cannot be read: " + detail, SHAPE, COMPARE);
	}

	private static String file(String file) {
		try {
			return Files.readString(Path.of(file));
		}
		catch (IOException ex) {
			throw new UsageException("Plan '" + file + "' cannot be read (" + ex.getClass().getSimpleName() + ")",
					"a plan is one of " + String.join(", ", SHIPPED) + ", 'recommended' (" + RECOMMENDED_FILE
							+ ", which the command 'loop' writes), or a YAML file",
					"correct --plan, or create the file");
		}
	}

	private static String shipped(String name) {
		try (@Nullable
		InputStream in = PlanReader.class.getResourceAsStream("/plans/" + name + ".yml")) {
			if (in == null) {
				throw new IllegalStateException("Plan " + name + " is missing from the jar");
			}
			return new String(in.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new IllegalStateException("Plan " + name + " cannot be read from the jar", ex);
		}
	}

}
