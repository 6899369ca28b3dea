package io.github.vicinal.placement.sources;

import java.io.StringReader;
import java.util.Map;

import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.PrintableText;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/** The text of one compose file, and errors that name its lines. */
final class ComposeYaml {

	/** Maximum number of members and elements, those behind aliases counted each time. */
	private static final int MAX_MEMBERS = 1_000_000;

	/** Maximum depth, that behind aliases included. */
	private static final int MAX_DEPTH = 200;

	private static final int MAX_SENTENCE = 500;

	private final String text;

	private final String name;

	ComposeYaml(String text, String name) {
		this.text = text;
		this.name = name;
	}

	/**
	 * Leaves scalars as they are written: by the rules of YAML 1.1 a service named "off"
	 * would be called "false", and the ports 22:22 would be a number.
	 */
	private static final class Texts extends Resolver {

		@Override
		protected void addImplicitResolvers() {
			addImplicitResolver(Tag.NULL, NULL, "~nN\0");
			addImplicitResolver(Tag.NULL, EMPTY, null);
			addImplicitResolver(Tag.MERGE, MERGE, "<");
		}

	}

	private static LoaderOptions options() {
		LoaderOptions options = new LoaderOptions();
		options.setAllowDuplicateKeys(false);
		options.setCodePointLimit(ComposeFile.MAX_CHARS);
		options.setMaxAliasesForCollections(200);
		options.setNestingDepthLimit(50);
		return options;
	}

	private static Yaml yaml() {
		LoaderOptions options = options();
		DumperOptions dumper = new DumperOptions();
		return new Yaml(new SafeConstructor(options), new Representer(dumper), dumper, options, new Texts());
	}

	/**
	 * Makes an exception that names the line of a member.
	 * @param what is wrong
	 * @param path names of members that lead to it
	 * @return the exception
	 */
	InvalidModelException wrong(String what, String... path) {
		int line = line(path);
		String sentence = PrintableText
			.escaped((what.length() <= MAX_SENTENCE) ? what : what.substring(0, MAX_SENTENCE) + "...");
		return new InvalidModelException((line > 0) ? "%s, line %d: %s".formatted(this.name, line, sentence)
				: "%s: %s".formatted(this.name, sentence));
	}

	/** The line of a member, for errors only: finding it means to read again. */
	private int line(String... path) {
		try {
			Node node = new Yaml(options()).compose(new StringReader(this.text));
			int line = (node != null) ? node.getStartMark().getLine() + 1 : 0;
			for (String key : path) {
				Node next = null;
				if (node instanceof MappingNode mapping) {
					for (NodeTuple tuple : mapping.getValue()) {
						if (tuple.getKeyNode() instanceof ScalarNode scalar && scalar.getValue().equals(key)) {
							next = tuple.getValueNode();
							line = tuple.getKeyNode().getStartMark().getLine() + 1;
						}
					}
				}
				if (next == null) {
					return line;
				}
				node = next;
			}
			return line;
		}
		catch (YAMLException ex) {
			return 0;
		}
	}

	/**
	 * Reads the file.
	 * @return its members
	 * @throws InvalidModelException if it is no YAML with members
	 */
	Map<?, ?> load() {
		try {
			unfold(yaml().compose(new StringReader(this.text)), 0, 0);
			Object root = yaml().load(this.text);
			if (root != null) {
				return map(root, "the file");
			}
		}
		catch (MarkedYAMLException ex) {
			int line = (ex.getProblemMark() != null) ? ex.getProblemMark().getLine() + 1 : 0;
			String problem = String.valueOf(ex.getProblem());
			if (problem.contains(" tag !")) {
				throw new InvalidModelException(
						"%s, line %d: tags such as %s change how files are merged, which is left to compose; run 'docker compose config' first"
							.formatted(this.name, line, PrintableText
								.escaped(shortened(problem.substring(problem.indexOf(" tag !") + 5)))));
			}
			throw new InvalidModelException("%s, line %d: %s. Is the file truncated, or the indentation wrong?"
				.formatted(this.name, line, problem));
		}
		catch (YAMLException ex) {
			throw new InvalidModelException("%s is no YAML that can be read: %s".formatted(this.name,
					String.valueOf(ex.getMessage()).lines().findFirst().orElse("")));
		}
		throw new InvalidModelException("%s is empty; a compose file has 'services'".formatted(this.name));
	}

	/**
	 * Counts what a node stands for. An alias costs a few characters, and whoever walks
	 * through the file meets all that is behind it, which may be itself.
	 * @param node the node, {@code null} for none
	 * @param depth number of nodes around it
	 * @param before number of nodes before it
	 * @return number of nodes up to its last one
	 * @throws InvalidModelException if there are too many
	 */
	private int unfold(@Nullable Node node, int depth, int before) {
		int count = before + 1;
		if (depth > MAX_DEPTH || count > MAX_MEMBERS) {
			throw new InvalidModelException(
					"%s: aliases (*) contain themselves, or stand for more than %d members; run 'docker compose config' first"
						.formatted(this.name, MAX_MEMBERS));
		}
		if (node instanceof MappingNode mapping) {
			for (NodeTuple tuple : mapping.getValue()) {
				count = unfold(tuple.getValueNode(), depth + 1, unfold(tuple.getKeyNode(), depth + 1, count));
			}
		}
		else if (node instanceof SequenceNode sequence) {
			for (Node element : sequence.getValue()) {
				count = unfold(element, depth + 1, count);
			}
		}
		return count;
	}

	/**
	 * Returns a value that has members.
	 * @param value the value
	 * @param what errors call it
	 * @param path names of members that lead to it
	 * @return its members
	 */
	Map<?, ?> map(@Nullable Object value, String what, String... path) {
		if (value instanceof Map<?, ?> map) {
			return map;
		}
		throw wrong("%s should have members, not %s; is the file truncated?".formatted(what, shortened(value)), path);
	}

	/**
	 * Returns a value as an error shows it.
	 * @param value the value
	 * @return a short text
	 */
	static String shortened(@Nullable Object value) {
		String text = (value instanceof Map) ? "members"
				: (value instanceof Iterable) ? "a list" : "'" + String.valueOf(value) + "'";
		return (text.length() <= 80) ? text : text.substring(0, 80) + "...'";
	}

}
