package io.github.vicinal.placement.sources;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.Evidence;
import io.github.vicinal.placement.source.Traffic;
import io.github.vicinal.placement.source.TrafficSource;
import io.github.vicinal.placement.sources.PcapReader.Segment;
import org.jspecify.annotations.Nullable;

/**
 * Reads a capture that tcpdump wrote. Bytes on the wire count as they were captured,
 * application bytes are what TCP and UDP carried, and hop bytes count a packet once for
 * each interface that it was seen on ({@code tcpdump -i any}). Calls are not visible in
 * packets.
 * <p>
 * An address stands for a service by a table of names, of addresses or of addresses with
 * ports. The caller is who opened the connection, else who has the higher port.
 *
 * @since 0.1.0
 */
public final class PcapSource implements TrafficSource {

	/** A packet seen again within this time is on another interface. */
	private static final long SAME_PACKET_NANOS = 100_000_000;

	/** Time that no two packets of a capture lie apart, unless the clock was set. */
	private static final long JUMP_FORWARD_NANOS = 86_400_000_000_000L;

	/** Time that packets may be out of order, as those of several queues. */
	private static final long JUMP_BACK_NANOS = 10_000_000_000L;

	private static final int REMEMBERED = 1 << 16;

	private static final int MAX_PAIRS = 1 << 20;

	/** A literal, so that no name server is asked. */
	private static final Pattern IPV6 = Pattern
		.compile("\\[?([0-9a-fA-F]*:[0-9a-fA-F:.]*:[0-9a-fA-F.]*)(?:](:[0-9]+)?)?");

	/** Maximum number of addresses without a name that have a sentence of their own. */
	private static final int MAX_NAMELESS = 20;

	private static final Pattern IPV4 = Pattern.compile("([0-9]{1,3}\\.){3}[0-9]{1,3}(:[0-9]{1,5})?");

	private final Path file;

	private final Map<String, String> names;

	/**
	 * Creates a source.
	 * @param file the capture
	 * @param names service by address, {@code 10.0.0.7}, {@code 10.0.0.7:8080} or
	 * {@code [::1]:8080}
	 */
	public PcapSource(Path file, Map<String, String> names) {
		this.file = file;
		Map<String, String> normal = new LinkedHashMap<>();
		names.forEach((address, name) -> normal.put(normal(address), name));
		this.names = Map.copyOf(normal);
	}

	/** IPv6 addresses can be written in many ways; packets have one. */
	private static String normal(String address) {
		Matcher matcher = IPV6.matcher(address);
		if (!matcher.matches()) {
			return address;
		}
		try {
			String plain = InetAddress.getByName(matcher.group(1)).getHostAddress();
			return (matcher.group(2) != null) ? "[" + plain + "]" + matcher.group(2) : plain;
		}
		catch (UnknownHostException ex) {
			return address;
		}
	}

	/**
	 * Reads a table of names: an address and a name on each line, as in a hosts file.
	 * @param file the file
	 * @return names by address
	 * @throws IOException if it cannot be read; the message names the line
	 */
	public static Map<String, String> names(Path file) throws IOException {
		Map<String, String> names = new LinkedHashMap<>();
		Map<String, String> lines = new HashMap<>();
		int number = 0;
		for (String line : lines(file)) {
			number++;
			String text = line.replaceFirst("#.*", "").strip();
			if (text.isEmpty()) {
				continue;
			}
			String[] words = text.split("\\s+");
			if (words.length != 2) {
				throw new IOException("%s, line %d: '%s' should be an address and a name, such as '10.0.0.7 orders'"
					.formatted(file, number, text));
			}
			String address = words[0].toLowerCase(Locale.ROOT);
			if (!isAddress(address)) {
				throw new IOException(
						"%s, line %d: '%s' is no address of IPv4 or IPv6, with a port or without; packets have no names of hosts"
							.formatted(file, number, words[0]));
			}
			String before = lines.putIfAbsent(normal(address), words[1] + "' in line " + number);
			if (before != null && !before.startsWith(words[1] + "' ")) {
				throw new IOException("%s, line %d: '%s' is '%s, and '%s' here; give each address one name"
					.formatted(file, number, words[0], before, words[1]));
			}
			names.put(address, words[1]);
		}
		return names;
	}

	private static boolean isAddress(String address) {
		if (IPV4.matcher(address).matches()) {
			String[] parts = address.split("[.:]");
			return Arrays.stream(parts).limit(4).allMatch((part) -> Integer.parseInt(part) <= 255)
					&& (parts.length == 4 || Integer.parseInt(parts[4]) <= 65_535);
		}
		Matcher matcher = IPV6.matcher(address);
		try {
			return matcher.matches() && InetAddress.getByName(matcher.group(1)) != null
					&& (matcher.group(2) == null || Integer.parseInt(matcher.group(2).substring(1)) <= 65_535);
		}
		catch (UnknownHostException | NumberFormatException ex) {
			return false;
		}
	}

	private static List<String> lines(Path file) throws IOException {
		try {
			return Files.readAllLines(file);
		}
		catch (CharacterCodingException ex) {
			throw new IOException("'%s' is no text in UTF-8".formatted(file), ex);
		}
	}

	@Override
	public String name() {
		return "pcap";
	}

	private record Ends(String from, String to) {
	}

	private static final class Bytes {

		private double application;

		private double wire;

		private double hops;

		private long packets;

		private boolean guessed;

	}

	@Override
	public Traffic observe() throws IOException {
		Counter counter = new Counter();
		String truncated;
		try (InputStream in = new BufferedInputStream(Files.newInputStream(this.file), 1 << 16)) {
			PcapReader reader = new PcapReader(in, this.file.toString());
			Segment segment;
			while ((segment = reader.next()) != null) {
				counter.add(segment);
			}
			truncated = reader.truncation();
			counter.skipped = reader.skipped();
		}
		return counter.traffic(truncated);
	}

	private final class Counter {

		private final Map<Ends, Bytes> edges = new LinkedHashMap<>();

		private final Map<String, Long> nameless = new TreeMap<>();

		/** Whether the first end opened a connection, by its two ends. */
		private final Map<Ends, Boolean> openedByFirst = new LinkedHashMap<>();

		private final Map<Long, Long> seen = new LinkedHashMap<>() {

			private static final long serialVersionUID = 1L;

			@Override
			protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
				return size() > REMEMBERED;
			}

		};

		private long first = Long.MAX_VALUE;

		private long last = Long.MIN_VALUE;

		private long skipped;

		private long before;

		/** Time until the clock was set last. */
		private long elapsed;

		private int jumps;

		private void time(long nanos) {
			if (this.last != Long.MIN_VALUE
					&& (nanos - this.before > JUMP_FORWARD_NANOS || this.before - nanos > JUMP_BACK_NANOS)) {
				this.jumps++;
				this.elapsed += this.last - this.first;
				this.first = nanos;
				this.last = nanos;
			}
			this.before = nanos;
			this.first = Math.min(this.first, nanos);
			this.last = Math.max(this.last, nanos);
		}

		void add(Segment segment) {
			time(segment.nanos());
			String source = segment.source() + ":" + segment.sourcePort();
			String target = segment.target() + ":" + segment.targetPort();
			boolean forward = source.compareTo(target) < 0;
			Ends connection = forward ? new Ends(source, target) : new Ends(target, source);
			if (segment.opens() && this.openedByFirst.size() < MAX_PAIRS) {
				this.openedByFirst.put(connection, forward);
			}
			Boolean opened = this.openedByFirst.get(connection);
			String from = name(segment.source(), segment.sourcePort());
			String to = name(segment.target(), segment.targetPort());
			if (from.isEmpty() || to.isEmpty()) {
				String stranger = from.isEmpty() ? segment.source() : segment.target();
				if (this.nameless.size() < MAX_PAIRS || this.nameless.containsKey(stranger)) {
					this.nameless.merge(stranger, (long) segment.wireBytes(), Long::sum);
				}
				return;
			}
			if (from.equals(to)) {
				return;
			}
			boolean calling = (opened != null) ? opened == forward : segment.sourcePort() > segment.targetPort();
			Ends ends = calling ? new Ends(from, to) : new Ends(to, from);
			Bytes bytes = this.edges.computeIfAbsent(ends, (key) -> new Bytes());
			bytes.guessed |= opened == null;
			bytes.hops += segment.wireBytes();
			Long before = this.seen.put(segment.identity(), segment.nanos());
			if (before != null && Math.abs(segment.nanos() - before) < SAME_PACKET_NANOS) {
				return;
			}
			bytes.packets++;
			bytes.wire += segment.wireBytes();
			bytes.application += segment.payloadBytes();
		}

		private String name(String address, int port) {
			String withPort = (address.indexOf(':') >= 0) ? "[" + address + "]:" + port : address + ":" + port;
			String name = PcapSource.this.names.get(withPort);
			return (name != null) ? name : PcapSource.this.names.getOrDefault(address, "");
		}

		Traffic traffic(String truncated) throws IOException {
			if (this.edges.isEmpty()) {
				throw new IOException(
						"%s has no packets between two services with names%s%s. Give a table that names the addresses, %s"
							.formatted(PcapSource.this.file, truncated
								.isEmpty() ? "" : " (" + truncated + ")", (this.skipped == 0)
										? ""
										: "; of %d nothing can be read, as they are neither TCP nor UDP over IP, or too little of them was captured"
											.formatted(this.skipped),
									this.nameless.isEmpty() ? "such as '10.0.0.7 orders'"
											: "for instance of " + this.nameless.keySet().iterator().next()));
			}
			List<String> notSeen = new ArrayList<>();
			this.nameless.entrySet()
				.stream()
				.sorted((one, other) -> Long.compare(other.getValue(), one.getValue()))
				.limit(MAX_NAMELESS)
				.forEach((entry) -> notSeen
					.add("%s has no name; %d bytes with it are left out".formatted(entry.getKey(), entry.getValue())));
			if (this.nameless.size() > MAX_NAMELESS) {
				notSeen.add("%d more addresses have no name; what goes to and from them is left out"
					.formatted(this.nameless.size() - MAX_NAMELESS));
			}
			if (this.nameless.size() >= MAX_PAIRS) {
				notSeen.add("at most %d addresses without a name are counted; there may be more".formatted(MAX_PAIRS));
			}
			if (this.skipped > 0) {
				notSeen.add(
						"%d packets are neither TCP nor UDP over IP, later fragments of others, or too little of them was captured"
							.formatted(this.skipped));
			}
			if (!truncated.isEmpty()) {
				notSeen.add(PcapSource.this.file + ": " + truncated);
			}
			if (this.jumps > 0) {
				notSeen.add(
						"%s: the clock jumps between packets, %d time%s; its rates are those of the time without the jumps"
							.formatted(PcapSource.this.file, this.jumps, (this.jumps == 1) ? "" : "s"));
			}
			double seconds = Math.max(1e-3, (this.elapsed + this.last - this.first) / 1e9);
			Duration window = Duration.ofMillis(Math.max(1, Math.round(1000 * seconds)));
			List<Edge> found = new ArrayList<>();
			this.edges.forEach((ends, bytes) -> {
				List<String> notes = new ArrayList<>();
				if (!truncated.isEmpty()) {
					notes.add("the capture is truncated");
				}
				if (this.jumps > 0) {
					notes.add("the clock jumped during the capture");
				}
				if (bytes.guessed) {
					notes.add("began before the capture; the lower port is taken for the called");
				}
				found.add(edge(ends, bytes, seconds, window, notes));
			});
			return new Traffic(found, notSeen);
		}

		private static Edge edge(Ends ends, Bytes bytes, double seconds, Duration window, List<String> notes) {
			@Nullable Double calls = null;
			return new Edge(ends.from(), ends.to(), calls, bytes.application / seconds, bytes.wire / seconds,
					bytes.hops / seconds, null,
					new Evidence("pcap", bytes.packets, window, !notes.isEmpty(), String.join("; ", notes)));
		}

	}

}
