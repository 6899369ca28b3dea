package io.github.vicinal.placement.model;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The plain text format of placement instances.
 *
 * <pre>
 * services hosts edges
 * cpuMillis memoryMiB          one line per service: what it needs
 * cpuMillis memoryMiB          one line per host: what it has
 * service service weight       one line per edge, services numbered from 0
 * </pre>
 *
 * Edges have no direction; weights are positive. Services are named {@code s0},
 * {@code s1}, ..., hosts {@code h0}, {@code h1}, ... Empty lines are skipped.
 *
 * @since 0.1.0
 */
public final class InstanceFormat {

	/** The most services, hosts or edges that are read. */
	public static final int MAX_COUNT = 2_000_000;

	private static final int MAX_LINE_CHARS = 1000;

	private final BufferedReader reader;

	private final String name;

	private int line;

	private InstanceFormat(Reader reader, String name) {
		this.reader = new BufferedReader(reader);
		this.name = name;
	}

	/**
	 * Reads an instance.
	 * @param file the file
	 * @return the model; its objective counts traffic alone
	 * @throws IOException if the file cannot be read
	 * @throws InvalidModelException if it is no instance; the message names the line
	 */
	public static PlacementModel read(Path file) throws IOException {
		try (Reader reader = Files.newBufferedReader(file)) {
			return read(reader, file.getFileName().toString());
		}
		catch (CharacterCodingException ex) {
			throw new InvalidModelException("'%s' is no text in UTF-8".formatted(file));
		}
	}

	/**
	 * Reads an instance.
	 * @param reader the text; not closed
	 * @param name what to call it in errors
	 * @return the model; its objective counts traffic alone
	 * @throws IOException if it cannot be read
	 * @throws InvalidModelException if it is no instance; the message names the line
	 */
	public static PlacementModel read(Reader reader, String name) throws IOException {
		return new InstanceFormat(reader, name).read();
	}

	private PlacementModel read() throws IOException {
		String[] counts = next(3, "services hosts edges");
		int serviceCount = (int) amount(counts[0], MAX_COUNT);
		int hostCount = (int) amount(counts[1], MAX_COUNT);
		int edgeCount = (int) amount(counts[2], MAX_COUNT);
		List<Service> services = new ArrayList<>();
		for (int i = 0; i < serviceCount; i++) {
			services.add(new Service("s" + i, 1, resources("service %d of %d".formatted(i + 1, serviceCount))));
		}
		List<Host> hosts = new ArrayList<>();
		for (int i = 0; i < hostCount; i++) {
			hosts.add(new Host("h" + i, resources("host %d of %d".formatted(i + 1, hostCount))));
		}
		List<Edge> edges = new ArrayList<>();
		for (int i = 0; i < edgeCount; i++) {
			String[] words = next(3, "edge %d of %d: service service weight".formatted(i + 1, edgeCount));
			String from = service(words[0], serviceCount);
			String to = service(words[1], serviceCount);
			if (from.equals(to)) {
				throw wrong("an edge leads from service %s to itself; leave it out".formatted(words[0]));
			}
			edges.add(Edge.calls(from, to, weight(words[2])));
		}
		String rest = nextLine();
		if (rest != null) {
			throw wrong("there is more than the first line announces: '%s'".formatted(rest));
		}
		try {
			return new PlacementModel(services, hosts, edges, List.of(), PathCosts.defaults(),
					Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), null);
		}
		catch (InvalidModelException ex) {
			throw new InvalidModelException(this.name + ": " + ex.getMessage(), ex.culprits());
		}
	}

	private Resources resources(String what) throws IOException {
		String[] words = next(2, what + ": cpuMillis memoryMiB");
		return Resources.of(amount(words[0], Resources.MAX_AMOUNT), amount(words[1], Resources.MAX_AMOUNT));
	}

	private long amount(String word, long max) {
		try {
			long amount = Long.parseLong(word);
			if (amount >= 0 && amount <= max) {
				return amount;
			}
		}
		catch (NumberFormatException ex) {
			// Said below.
		}
		throw wrong("'%s' is not a whole number between 0 and %d".formatted(word, max));
	}

	private String service(String word, int count) {
		long index = amount(word, Integer.MAX_VALUE);
		if (index >= count) {
			throw wrong("service %s does not exist; there are %d, numbered from 0".formatted(word, count));
		}
		return "s" + index;
	}

	private double weight(String word) {
		double weight;
		try {
			weight = Double.parseDouble(word);
		}
		catch (NumberFormatException ex) {
			throw wrong("the weight '%s' is not a number".formatted(word));
		}
		if (!(weight > 0 && weight < Double.POSITIVE_INFINITY)) {
			throw wrong("the weight %s is not positive and finite; leave an edge without traffic out".formatted(word));
		}
		return weight;
	}

	private String[] next(int words, String what) throws IOException {
		String text = nextLine();
		if (text == null) {
			throw wrong("the file ends where there should be %s; is it truncated?".formatted(what));
		}
		String[] found = text.split("\\s+");
		if (found.length != words) {
			throw wrong("'%s' should be %s".formatted(text, what));
		}
		return found;
	}

	private @Nullable String nextLine() throws IOException {
		StringBuilder text = new StringBuilder();
		while (true) {
			int next = this.reader.read();
			if (next < 0 || next == '\n') {
				this.line++;
				String stripped = text.toString().strip();
				if (!stripped.isEmpty() || next < 0) {
					return stripped.isEmpty() ? null : stripped;
				}
				text.setLength(0);
			}
			else if (text.length() < MAX_LINE_CHARS) {
				text.append((char) next);
			}
			else {
				this.line++;
				throw wrong("the line has more than %d characters".formatted(MAX_LINE_CHARS));
			}
		}
	}

	private InvalidModelException wrong(String what) {
		return new InvalidModelException("%s, line %d: %s".formatted(this.name, this.line, what));
	}

}
