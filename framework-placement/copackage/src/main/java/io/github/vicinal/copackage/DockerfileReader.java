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

	private static final Pattern VARIABLE = Pattern
		.compile("\\$(?:([A-Za-z_]\\w*)|\\{([A-Za-z_]\\w*)(?::-([^}]*))?\\})");

	/** Options whose value is the next word, and which a layout has no use for. */
	private static final Set<String> WITH_VALUE = Set.of("-cp", "-classpath", "--class-path", "-p", "--module-path",
			"--upgrade-module-path");

	/** Options whose value may be the next word, or follow an equals sign. */
	private static final Set<String> WITH_WORD = Set.of("--add-modules", "--add-opens", "--add-exports", "--add-reads",
			"--limit-modules", "--patch-module", "--enable-native-access");

	private static final Set<String> OPTION_VARIABLES = Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_OPTS",
			"_JAVA_OPTIONS");

	private static final Pattern ASSIGNMENT = Pattern.compile("([\\w.-]+)=(\"(?:\\\\.|[^\"\\\\])*\"|'[^']*'|\\S*)");

	private static final String ESCAPED_IN_QUOTES = "\\\\([\"\\\\])";

	private static final Pattern ESCAPE = Pattern.compile("(?i)\\A(?:#.*\\R)*?#\\s*escape\\s*=\\s*`");

	/** The beginning of a text within RUN, COPY or ADD; its last word ends it. */
	private static final Pattern TEXT = Pattern.compile("(?<!<)<<(?!<)-?([\"']?)([A-Za-z_]\\w*)\\1");

	private static final Pattern PORTS = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?(?:/(?:tcp|udp))?");

	private static final int MAX_PORT = 65_535;

	/** Stands for what ends a command of a shell. No line of a Dockerfile has it. */
	private static final String END = "\0";

	private final Map<String, String> arguments = new HashMap<>();

	private final Map<String, Stage> stages = new HashMap<>();

	private Stage stage = new Stage("");

	private final String file;

	private DockerfileReader(String file) {
		this.file = file;
	}

	static Container read(String file, String text) {
		DockerfileReader reader = new DockerfileReader(file);
		String escape = ESCAPE.matcher(text).find() ? "`" : "\\\\";
		String joined = text.replaceFirst("\\A\uFEFF", "")
			.replace(END, "")
			.replaceAll("(?m)^\\s*#.*\\R?", "")
			.replaceAll(escape + "[ \\t]*\\R", " ");
		List<String> lines = joined.lines().map(String::strip).toList();
		for (int i = 0; i < lines.size(); i++) {
			if (!lines.get(i).isEmpty()) {
				reader.instruction(lines.get(i));
				i = afterTexts(lines, i);
			}
		}
		if (reader.stage.image.isEmpty()) {
			throw new InvalidInputException("'%s' is no Dockerfile: it has no FROM".formatted(file));
		}
		return reader.container();
	}

	/** Returns the last line of the texts that an instruction begins. */
	private static int afterTexts(List<String> lines, int at) {
		String line = lines.get(at);
		int last = at;
		if (line.matches("(?i)(ONBUILD\\s+)?(RUN|COPY|ADD)\\s.*")) {
			Matcher text = TEXT.matcher(line);
			while (text.find()) {
				int end = lines.subList(last + 1, lines.size()).indexOf(text.group(2));
				last += end + 1;
			}
		}
		return last;
	}

	private void instruction(String line) {
		String[] parts = line.split("[ \\t]+", 2);
		if (parts.length < 2) {
			return;
		}
		String rest = parts[1].strip();
		switch (parts[0].toUpperCase(Locale.ROOT)) {
			case "ARG" -> {
				Matcher matcher = ASSIGNMENT.matcher(rest);
				while (matcher.find()) {
					this.arguments.put(matcher.group(1), expand(unquoted(matcher.group(2))));
				}
			}
			case "FROM" -> from(rest);
			case "USER" -> this.stage.user = expand(rest);
			case "VOLUME" -> list(rest, expand(rest))
				.forEach((volume) -> this.stage.volumes.add(volume.replaceFirst("(?<=.)/+$", "")));
			case "EXPOSE" -> words(rest).forEach(this::expose);
			case "ENV" -> environment(rest);
			case "ENTRYPOINT" -> {
				this.stage.entryPoint = command(rest);
				if (!this.stage.commandGiven) {
					this.stage.command = List.of();
				}
				// A shell gets the command, but java does not.
				this.stage.takesCommand = rest.startsWith("[");
			}
			case "CMD" -> {
				this.stage.command = command(rest);
				this.stage.commandGiven = true;
			}
			default -> other(line);
		}
	}

	/** The jar of the application is known, and labels change nothing. */
	private void other(String line) {
		if (!line.matches("(?i)(ONBUILD|LABEL|MAINTAINER|SHELL)\\s.*|(COPY|ADD)\\s.*\\.jar\\b.*")) {
			this.stage.others.add(line.replaceAll("[\\s\\p{Cntrl}]+", " "));
		}
	}

	private void from(String rest) {
		List<String> words = words(rest).stream().filter((word) -> !word.startsWith("--")).toList();
		String name = words.isEmpty() ? "" : expand(words.get(0));
		if (name.isEmpty()) {
			throw new InvalidInputException(
					"'%s' is no Dockerfile: it has no FROM with an image, but 'FROM %s'".formatted(this.file, rest));
		}
		Stage below = this.stages.get(name.toLowerCase(Locale.ROOT));
		this.stage = (below != null) ? new Stage(below) : new Stage(name);
		if (words.size() == 3 && words.get(1).equalsIgnoreCase("as")) {
			this.stages.put(words.get(2).toLowerCase(Locale.ROOT), this.stage);
		}
	}

	private void expose(String word) {
		Matcher ports = PORTS.matcher(expand(word));
		int first = ports.matches() ? Integer.parseInt(ports.group(1)) : 0;
		int last = (first > 0 && ports.group(2) != null) ? Integer.parseInt(ports.group(2)) : first;
		if (first < 1 || last < first || last > MAX_PORT) {
			throw new InvalidInputException(
					"'%s' exposes '%s', which is no port; write a number".formatted(this.file, word));
		}
		for (int port = first; port <= last; port++) {
			this.stage.ports.add(port);
		}
	}

	private void environment(String rest) {
		if (!rest.contains("=") || (rest.indexOf(' ') >= 0 && rest.indexOf(' ') < rest.indexOf('='))) {
			String[] parts = rest.split("\\s+", 2);
			this.stage.environment.put(parts[0], (parts.length == 2) ? expand(unquoted(parts[1])) : "");
			return;
		}
		Matcher matcher = ASSIGNMENT.matcher(rest);
		while (matcher.find()) {
			this.stage.environment.put(matcher.group(1), expand(unquoted(matcher.group(2))));
		}
	}

	/** A variable whose value is not known stays, with braces. */
	private String expand(String text) {
		return expand(text, "${%s}");
	}

	private String expand(String text, String unknown) {
		Matcher matcher = VARIABLE.matcher(text);
		StringBuilder expanded = new StringBuilder();
		while (matcher.find()) {
			String name = (matcher.group(1) != null) ? matcher.group(1) : matcher.group(2);
			String value = this.stage.environment.getOrDefault(name, this.arguments.get(name));
			if (value == null) {
				value = (matcher.group(3) != null) ? matcher.group(3)
						: unknown.isEmpty() ? matcher.group() : unknown.formatted(name);
			}
			matcher.appendReplacement(expanded, Matcher.quoteReplacement(value));
		}
		return matcher.appendTail(expanded).toString();
	}

	private static String unquoted(String text) {
		String trimmed = text.strip();
		if (trimmed.length() >= 2 && trimmed.startsWith("\"") && trimmed.endsWith("\"")) {
			return trimmed.substring(1, trimmed.length() - 1).replaceAll(ESCAPED_IN_QUOTES, "$1");
		}
		boolean quoted = trimmed.length() >= 2 && trimmed.startsWith("'") && trimmed.endsWith("'");
		return quoted ? trimmed.substring(1, trimmed.length() - 1) : trimmed;
	}

	private List<String> command(String text) {
		return list(text, expand(withEnds(text)));
	}

	/**
	 * Reads a list of JSON, or splits a text.
	 * @param text it
	 * @param expanded the text with the values of its variables, for a shell
	 */
	private List<String> list(String text, String expanded) {
		if (text.startsWith("[")) {
			try {
				List<String> list = new ArrayList<>();
				for (String each : JsonMapper.builder().build().readValue(text, String[].class)) {
					// Without a shell, nobody replaces the others.
					list.add(expand(each, ""));
				}
				return list;
			}
			catch (JacksonException ex) {
				// A shell form that begins with a bracket.
			}
		}
		// A variable may have several words.
		return words(expanded);
	}

	/**
	 * Marks where a command of a shell ends, before variables get their values: these may
	 * have such signs in them. Leaves out what other commands are to print.
	 */
	private static String withEnds(String text) {
		StringBuilder marked = new StringBuilder();
		for (int i = 0; i < text.length(); i++) {
			char each = text.charAt(i);
			int end = switch (each) {
				case '\\' -> i + 1;
				case '\'' -> text.indexOf('\'', i + 1);
				case '"' -> closing(text, i + 1);
				case '`' -> text.indexOf('`', i + 1);
				case '$' -> text.startsWith("${", i) ? text.indexOf('}', i)
						: text.startsWith("$(", i) ? text.indexOf(')', i) : -1;
				default -> -1;
			};
			if (end > 0) {
				boolean printed = each == '`' || text.startsWith("$(", i);
				marked.append(printed ? "" : text.substring(i, Math.min(end + 1, text.length())));
				i = end;
			}
			else if (";&|<>".indexOf(each) >= 0) {
				// The number of a stream belongs to its redirection.
				String before = (each == '<' || each == '>') ? marked.toString().replaceFirst("(?<=\\s)\\d+\\z", "")
						: marked.toString();
				marked = new StringBuilder(before).append(' ').append(END).append(' ');
			}
			else {
				marked.append(each);
			}
		}
		return marked.toString();
	}

	/** Splits a text as a shell does. A quote that does not end is what it is. */
	private static List<String> words(String text) {
		List<String> words = new ArrayList<>();
		StringBuilder word = new StringBuilder();
		boolean begun = false;
		for (int i = 0; i < text.length(); i++) {
			char each = text.charAt(i);
			int end = (each == '\'') ? text.indexOf('\'', i + 1) : (each == '"') ? closing(text, i + 1) : -1;
			if (end > 0) {
				String quoted = text.substring(i + 1, end);
				word.append((each == '"') ? quoted.replaceAll(ESCAPED_IN_QUOTES, "$1") : quoted);
				begun = true;
				i = end;
			}
			else if (Character.isWhitespace(each)) {
				if (begun) {
					words.add(word.toString());
				}
				word.setLength(0);
				begun = false;
			}
			else {
				boolean escapes = each == '\\' && i + 1 < text.length() && "\\\"' ".indexOf(text.charAt(i + 1)) >= 0;
				i += escapes ? 1 : 0;
				word.append(text.charAt(i));
				begun = true;
			}
		}
		if (begun) {
			words.add(word.toString());
		}
		return words;
	}

	/** Returns where quotes end, or -1. */
	private static int closing(String text, int from) {
		for (int i = from; i < text.length(); i++) {
			if (text.charAt(i) == '"') {
				return i;
			}
			i += (text.charAt(i) == '\\') ? 1 : 0;
		}
		return -1;
	}

	private Container container() {
		List<String> options = new ArrayList<>();
		OPTION_VARIABLES.stream()
			.sorted()
			.map(this.stage.environment::get)
			.filter((value) -> value != null)
			.forEach((value) -> options.addAll(joined(words(value))));
		List<String> arguments = new ArrayList<>();
		String java = java(options, arguments);
		return new Container(this.stage.image, this.stage.user, this.stage.volumes, this.stage.ports,
				options.stream().distinct().filter((option) -> option.startsWith("-")).toList(), this.stage.environment,
				arguments, java, this.stage.others);
	}

	/** Joins options with their values. */
	private static List<String> joined(List<String> words) {
		List<String> joined = new ArrayList<>();
		for (int i = 0; i < words.size(); i++) {
			boolean takes = WITH_WORD.contains(words.get(i)) && i + 1 < words.size();
			joined.add(takes ? words.get(i) + "=" + words.get(i + 1) : words.get(i));
			i += takes ? 1 : 0;
		}
		return joined;
	}

	/**
	 * Reads the line of {@code java}.
	 * @param options gets those between java and -jar or the main class
	 * @param program gets what follows these
	 * @return the command
	 */
	private String java(List<String> options, List<String> program) {
		List<String> words = new ArrayList<>(this.stage.entryPoint);
		if (this.stage.takesCommand) {
			words.addAll(this.stage.command);
		}
		List<String> flat = new ArrayList<>();
		boolean shell = false;
		for (String word : words) {
			// sh -c "java ..."
			flat.addAll((shell && word.contains(" ")) ? words(expand(withEnds(word))) : List.of(word));
			shell |= word.matches("(.*/)?(ba|da|a)?sh");
		}
		flat.add(END);
		int at = 0;
		while (at < flat.size() && !isCommand(flat, at)) {
			at++;
		}
		String command = (at < flat.size()) ? flat.get(at) : "java";
		flat = (at < flat.size()) ? flat.subList(0, at + flat.subList(at, flat.size()).indexOf(END)) : List.of();
		for (at++; at < flat.size(); at++) {
			String word = flat.get(at);
			if (word.equals("-jar")) {
				at++;
				break;
			}
			if (WITH_VALUE.contains(word)) {
				at++;
			}
			else if (WITH_WORD.contains(word) && at + 1 < flat.size()) {
				at++;
				options.add(word + "=" + flat.get(at));
			}
			else if (word.startsWith("-")) {
				options.add(word);
			}
			else if (!word.startsWith("$") && !word.startsWith("@")) {
				break;
			}
		}
		for (at++; at < flat.size(); at++) {
			if (!flat.get(at).startsWith("$")) {
				program.add(flat.get(at));
			}
		}
		return command;
	}

	/** Whether a word starts Java, and is not the last one of another command. */
	private static boolean isCommand(List<String> words, int at) {
		String word = words.get(at);
		return (word.equals("java") || word.endsWith("/java")) && !words.get(at + 1).equals(END);
	}

	/** Instructions from one FROM to the next. */
	private static final class Stage {

		private final String image;

		private String user = "";

		private final Set<String> volumes = new LinkedHashSet<>();

		private final Set<Integer> ports = new LinkedHashSet<>();

		private final Map<String, String> environment = new LinkedHashMap<>();

		private final List<String> others = new ArrayList<>();

		private List<String> entryPoint = List.of();

		private List<String> command = List.of();

		/** Whether the command is this stage's own, and not that of the one below. */
		private boolean commandGiven;

		private boolean takesCommand = true;

		Stage(String image) {
			this.image = image;
		}

		/** A stage begins as the one that it is built from ended. */
		Stage(Stage below) {
			this.image = below.image;
			this.user = below.user;
			this.volumes.addAll(below.volumes);
			this.ports.addAll(below.ports);
			this.environment.putAll(below.environment);
			this.others.addAll(below.others);
			this.entryPoint = below.entryPoint;
			this.command = below.command;
			this.takesCommand = below.takesCommand;
		}

	}

}
