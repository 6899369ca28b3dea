package io.github.vicinal.copackage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Options of all commands: the applications, and accepted rules. */
final class Selection {

	@Parameters(arity = "1..*", paramLabel = "[NAME=]FILE",
			description = "jar, pom.xml, bill of materials (.json or a URL), Dockerfile, or a directory with some of them; files of one NAME describe one application")
	private List<String> files = List.of();

	@Option(names = "--port", paramLabel = "NAME=PORT", description = "the port that an application gets")
	private Map<String, Integer> ports = new LinkedHashMap<>();

	@Option(names = "--argument", paramLabel = "NAME=ARGUMENT",
			description = "given to main of an application, such as shop=--stock.url=http://localhost:8701")
	private List<String> arguments = List.of();

	@Option(names = "--memory", paramLabel = "NAME=SIZE",
			description = "the memory that an application needs, such as shop=512m; otherwise -Xmx of its Dockerfile")
	private Map<String, String> memory = new LinkedHashMap<>();

	@Option(names = "--memory-limit", paramLabel = "SIZE", description = "the memory that there is for all, such as 2g")
	private String memoryLimit = "";

	@Option(names = "--accept", paramLabel = "RULE", split = ",",
			description = "findings of this rule do not stand in the way: ${COMPLETION-CANDIDATES}",
			completionCandidates = RuleNames.class)
	private List<String> accepted = List.of();

	List<Inventory> inventories() throws IOException {
		List<Inventory> inventories = new ArrayList<>();
		Set<String> names = new java.util.HashSet<>();
		Map<String, List<String>> given = arguments();
		for (Inventory each : Inventories.read(this.files)) {
			names.add(each.name());
			inventories.add(each.withArguments(given.getOrDefault(each.name(), List.of())));
		}
		for (String name : given.keySet()) {
			if (!names.contains(name) && !this.ports.containsKey(name)) {
				throw new InvalidInputException(
						"--argument names '%s', which is none of %s".formatted(name, names.stream().sorted().toList()));
			}
		}
		for (Map.Entry<String, Integer> port : this.ports.entrySet()) {
			if (!names.contains(port.getKey())) {
				throw new InvalidInputException("--port names '%s', which is none of %s".formatted(port.getKey(),
						names.stream().sorted().toList()));
			}
			if (port.getValue() < 0 || port.getValue() > 65_535) {
				throw new InvalidInputException(
						"--port %s=%d: a port is from 0 to 65535".formatted(port.getKey(), port.getValue()));
			}
		}
		return inventories;
	}

	ConflictChecker checker() {
		Map<String, Long> needs = new LinkedHashMap<>();
		this.memory.forEach((name, size) -> needs.put(name, Memory.bytes(size)));
		long limit = this.memoryLimit.isEmpty() ? 0 : Memory.bytes(this.memoryLimit);
		return ConflictChecker.accepting(this.accepted).with(new Memory(limit, needs));
	}

	/** Arguments that the launcher gives to main, by application. */
	Map<String, List<String>> arguments() {
		Map<String, List<String>> given = new LinkedHashMap<>();
		this.ports.forEach(
				(name, port) -> given.computeIfAbsent(name, (key) -> new ArrayList<>()).add("--server.port=" + port));
		for (String argument : this.arguments) {
			int equals = argument.indexOf('=');
			if (equals < 1) {
				throw new InvalidInputException(
						"--argument '%s' names no application; write NAME=ARGUMENT".formatted(argument));
			}
			given.computeIfAbsent(argument.substring(0, equals), (key) -> new ArrayList<>())
				.add(argument.substring(equals + 1));
		}
		return given;
	}

	/** The names of rules. */
	static final class RuleNames extends ArrayList<String> {

		private static final long serialVersionUID = 1;

		RuleNames() {
			super(ConflictChecker.acceptable());
		}

	}

}
