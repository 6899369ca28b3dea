package io.github.vicinal.copackage;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Reads the last stage of a Dockerfile. */
final class DockerfileReader {

	private static final Pattern VARIABLE = Pattern.compile("\\$\\{?(\\w+)(?::-([^}]*))?\\}?");

	private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");

	private static final Set<String> WITH_VALUE = Set.of("-cp", "-classpath", "--class-path", "-p", "--module-path",
			"--add-modules");

	private static final Set<String> OPTION_VARIABLES = Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_OPTS",
			"_JAVA_OPTIONS");

	private final Map<String, String> arguments = new HashMap<>();

	private final Map<String, String> stages = new HashMap<>();

	private String image = "";

	private String user = "";

	private final Set<String> volumes = new LinkedHashSet<>();

	private final Set<Integer> ports = new LinkedHashSet<>();

	private final Map<String, String> environment = new LinkedHashMap<>();

	private List<String> entryPoint = List.of();

	private List<String> command = List.of();

	private final String file;

	private DockerfileReader(String file) {
		this.file = file;
	}

	static Container read(String file, String text) {
		DockerfileReader reader = new DockerfileReader(file);
		String joined = text.replaceAll("(?m)^\\s*#.*\\R?", "").replaceAll("\\\\[ \\t]*\\R", " ");
		joined.lines().map(String::strip).filter((line) -> !line.isEmpty()).forEach(reader::instruction);
		if (reader.image.isEmpty()) {
			throw new InvalidInputException("'%s' is no Dockerfile: it has no FROM".formatted(file));
		}
		return reader.container();
	}

	private void instruction(String line) {
		int space = line.indexOf(' ');
		if (space < 0) {
			return;
		}
		String rest = line.substring(space + 1).strip();
		switch (line.substring(0, space).toUpperCase(Locale.ROOT)) {
			case "ARG" -> {
				String[] parts = rest.split("=", 2);
				if (parts.length == 2) {
					this.arguments.putIfAbsent(parts[0], unquoted(parts[1]));
				}
			}
			case "FROM" -> from(rest);
			case "USER" -> this.user = expand(rest);
			case "VOLUME" -> this.volumes.addAll(list(rest));
			case "EXPOSE" -> words(rest).forEach(this::expose);
			case "ENV" -> environment(rest);
			case "ENTRYPOINT" -> this.entryPoint = list(rest);
			case "CMD" -> this.command = list(rest);
			default -> {
			}
		}
	}

	private void from(String rest) {
		List<String> words = words(rest).stream().filter((word) -> !word.startsWith("--")).toList();
		String name = expand(words.get(0));
		this.image = this.stages.getOrDefault(name.toLowerCase(Locale.ROOT), name);
		if (words.size() == 3 && words.get(1).equalsIgnoreCase("as")) {
			this.stages.put(words.get(2).toLowerCase(Locale.ROOT), this.image);
		}
		this.user = "";
		this.volumes.clear();
		this.ports.clear();
		this.environment.clear();
		this.entryPoint = List.of();
		this.command = List.of();
	}

	private void expose(String word) {
		String number = expand(word).replaceAll("/(tcp|udp)$", "");
		try {
			this.ports.add(Integer.parseInt(number));
		}
		catch (NumberFormatException ex) {
			throw new InvalidInputException(
					"'%s' exposes '%s', which is no port; write a number".formatted(this.file, word));
		}
	}

	private void environment(String rest) {
		if (!rest.contains("=") || (rest.indexOf(' ') >= 0 && rest.indexOf(' ') < rest.indexOf('='))) {
			String[] parts = rest.split("\\s+", 2);
			this.environment.put(parts[0], (parts.length == 2) ? expand(unquoted(parts[1])) : "");
			return;
		}
		Matcher matcher = Pattern.compile("(\\w+)=(\"[^\"]*\"|'[^']*'|\\S*)").matcher(rest);
		while (matcher.find()) {
			this.environment.put(matcher.group(1), expand(unquoted(matcher.group(2))));
		}
	}

	private String expand(String text) {
		Matcher matcher = VARIABLE.matcher(text);
		StringBuilder expanded = new StringBuilder();
		while (matcher.find()) {
			String name = matcher.group(1);
			String value = this.environment.getOrDefault(name, this.arguments.get(name));
			if (value == null) {
				value = (matcher.group(2) != null) ? matcher.group(2) : matcher.group();
			}
			matcher.appendReplacement(expanded, Matcher.quoteReplacement(value));
		}
		return matcher.appendTail(expanded).toString();
	}

	private static String unquoted(String text) {
		String trimmed = text.strip();
		boolean quoted = trimmed.length() >= 2 && ((trimmed.startsWith("\"") && trimmed.endsWith("\""))
				|| (trimmed.startsWith("'") && trimmed.endsWith("'")));
		return quoted ? trimmed.substring(1, trimmed.length() - 1) : trimmed;
	}

	private List<String> list(String text) {
		if (text.startsWith("[")) {
			try {
				List<String> list = new ArrayList<>();
				for (String each : JsonMapper.builder().build().readValue(text, String[].class)) {
					list.add(expand(each));
				}
				return list;
			}
			catch (JacksonException ex) {
				// A shell form that begins with a bracket.
			}
		}
		return words(text).stream().map(this::expand).toList();
	}

	private static List<String> words(String text) {
		List<String> words = new ArrayList<>();
		Matcher matcher = WORD.matcher(text);
		while (matcher.find()) {
			String word = (matcher.group(1) != null) ? matcher.group(1)
					: (matcher.group(2) != null) ? matcher.group(2) : matcher.group(3);
			words.add(word);
		}
		return words;
	}

	private Container container() {
		List<String> options = new ArrayList<>();
		OPTION_VARIABLES.stream()
			.sorted()
			.map(this.environment::get)
			.filter((value) -> value != null)
			.forEach((value) -> options.addAll(words(value)));
		options.addAll(javaOptions());
		return new Container(this.image, this.user, this.volumes, this.ports,
				options.stream().distinct().filter((option) -> option.startsWith("-")).toList(), this.environment);
	}

	/** Options between java and -jar or the main class. */
	private List<String> javaOptions() {
		List<String> words = new ArrayList<>(this.entryPoint);
		words.addAll(this.command);
		List<String> flat = new ArrayList<>();
		// sh -c "java ..."
		words.forEach((word) -> flat.addAll(word.contains(" ") ? words(word) : List.of(word)));
		List<String> options = new ArrayList<>();
		boolean java = false;
		for (int i = 0; i < flat.size(); i++) {
			String word = flat.get(i);
			if (!java) {
				java = word.equals("java") || word.endsWith("/java");
			}
			else if (WITH_VALUE.contains(word)) {
				i++;
			}
			else if ((!word.startsWith("-") && !word.startsWith("$")) || word.equals("-jar")) {
				break;
			}
			else if (!word.startsWith("$")) {
				options.add(word);
			}
		}
		return options;
	}

}
