package io.github.vicinal.peer;

import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Statement of a peer about itself and one contract, in the {@value #HEADER} header of an
 * HTTP response. The client asked for it with the {@value #REQUEST_HEADER} header, whose
 * value is the name of the contract.
 *
 * <pre>
 * Vicinal-Peer: v=1; i=&lt;instance id&gt;; h=&lt;host id&gt;; p=direct,uds; c=&lt;contract hash&gt;
 * Vicinal-Peer: v=1; i=&lt;instance id&gt;; h=&lt;host id&gt;; p=uds; c=&lt;hash&gt;; m=0x84; t=&lt;ticket&gt;; r="why these only http"
 * Vicinal-Peer: v=1; i=&lt;instance id&gt;; h=&lt;host id&gt;; p=uds; c=&lt;hash&gt;; n=shm:no-tmpfs
 * Vicinal-Peer: v=1; i=&lt;instance id&gt;; h=&lt;host id&gt;; p=uds; c=&lt;hash&gt;; a=10.0.0.7:8080; f=10.0.0.4
 * Vicinal-Peer: v=1; i=&lt;instance id&gt;; h=&lt;host id&gt;; p=; r="why only http"
 * </pre>
 *
 * The methods that must come by HTTP are a number: bit {@code n} stands for the method
 * with index {@code n}, so that {@code 0x84} names the methods 2 and 7.
 * <p>
 * Anybody can write a header: everything in it is a claim, which the path verifies when
 * it connects.
 *
 * @param peer the instance
 * @param paths the ids of the paths that it offers for the contract
 * @param contractHash the contract's hash as the peer knows it, empty if it offers none
 * @param refusal why no path is offered, or why the {@code httpOnlyMethods} are not;
 * empty if all is offered
 * @param httpOnlyMethods indexes of the contract's methods that must come by HTTP
 * although the contract is offered
 * @param arrival the IP address, as {@link java.net.InetAddress#getHostAddress()} writes
 * it, a colon and the port at which the request that is answered arrived; empty if it is
 * not announced
 * @param origin the IP address from which that request came, as the peer saw it; empty if
 * it is not announced
 * @param ticket names, in the {@value #TICKET_HEADER} header of calls over other paths,
 * what the peer saw of the client's connection: addresses, and the headers that HTTP
 * clients add by themselves; empty if the peer does not need it
 * @param missing why the peer cannot offer kinds of path, by their ids, each as a word of
 * {@link MissingPath} or of a later version
 * @param addresses where the peer listens for kinds of path that have an address, by
 * their ids, each as an IP address, a colon and a port
 * @since 0.1.0
 */
public record PeerAnnouncement(PeerIdentity peer, Set<String> paths, String contractHash, String refusal,
		Set<Integer> httpOnlyMethods, String arrival, String origin, String ticket, Map<String, String> missing,
		Map<String, String> addresses) {

	/** The header of a response. */
	public static final String HEADER = "Vicinal-Peer";

	/** The header of a request; its value is a {@link ContractInquiry}. */
	public static final String REQUEST_HEADER = "Vicinal-Contract";

	/**
	 * The header of a request that lists, separated by commas, the names of the headers
	 * that the client knows of. Any other was added on the way, and typed calls would
	 * lack it.
	 */
	public static final String SENT_HEADERS_HEADER = "Vicinal-Headers";

	/** The header of calls over other paths that holds the {@link #ticket()}. */
	public static final String TICKET_HEADER = "vicinal-ticket";

	/**
	 * Prefix of entries in the metadata of an instance in a service registry. The id of a
	 * path follows; the value is where the instance listens for it, as in
	 * {@link #addresses()}. Such an entry is a hint: only an announcement opens a path.
	 */
	public static final String METADATA_PREFIX = "vicinal-";

	/** The longest header value that is read. */
	public static final int MAX_CHARS = 1024;

	private static final String VERSION = "1";

	private static final int MAX_REFUSAL_CHARS = 300;

	/** Begins the number whose bits are methods. */
	private static final String METHODS_PREFIX = "0x";

	private static final Pattern METHODS = Pattern.compile(METHODS_PREFIX + "[0-9a-f]+");

	private static final int BITS_PER_DIGIT = 4;

	/** Characters around the text of a refusal. */
	private static final int REFUSAL_FRAME_CHARS = "; r=\"\"".length();

	private static final String TOO_MANY_METHODS = "an announcement cannot name so many methods that must come by HTTP";

	private static final String TOO_LONG = "the announcement would be too long";

	private static final Pattern HASH = Pattern.compile("[0-9a-f]{16}");

	private static final Pattern TICKET = Pattern.compile("[0-9a-f]{16,32}");

	/** Words, so that nothing of the server's file system or its users can get there. */
	private static final Pattern WORD = Pattern.compile("[a-z][a-z-]{0,23}");

	private static final int MAX_MISSING = 8;

	/** Maximum number of paths that are read. */
	private static final int MAX_PATHS = 16;

	/** The path that is always there, so that it is never announced. */
	private static final String HTTP = "http";

	/** Ids of paths. */
	private static final Pattern PATH = Pattern.compile("[a-z][a-z0-9-]{0,23}");

	/** Stands between a path and its address, which holds colons itself. */
	private static final char ADDRESS_SIGN = '@';

	/** An IP address and a port. */
	private static final Pattern ARRIVAL = Pattern.compile("[0-9a-f.:]{2,39}:[0-9]{1,5}");

	/** An IP address. */
	private static final Pattern ORIGIN = Pattern.compile("[0-9a-f.:]{2,39}");

	public PeerAnnouncement {
		paths = Set.copyOf(paths);
		httpOnlyMethods = Set.copyOf(httpOnlyMethods);
		if (!contractHash.isEmpty() && !HASH.matcher(contractHash).matches()) {
			throw new IllegalArgumentException(
					"A contract hash has 16 hexadecimal digits: '%s'".formatted(contractHash));
		}
		if (!arrival.isEmpty() && !ARRIVAL.matcher(arrival).matches()) {
			throw new IllegalArgumentException(
					"The address at which a request arrived must be an IP address, a colon and a port: '%s'"
						.formatted(arrival));
		}
		if (!origin.isEmpty() && !ORIGIN.matcher(origin).matches()) {
			throw new IllegalArgumentException("Where a request came from is an IP address: '%s'".formatted(origin));
		}
		if (!ticket.isEmpty() && !TICKET.matcher(ticket).matches()) {
			throw new IllegalArgumentException("A ticket has 16 to 32 hexadecimal digits: '%s'".formatted(ticket));
		}
		for (String path : paths) {
			if (!PATH.matcher(path).matches()) {
				throw new IllegalArgumentException("The id of a path is a word in lower case: '%s'".formatted(path));
			}
		}
		missing = Map.copyOf(missing);
		for (String word : missing.values()) {
			if (!WORD.matcher(word).matches()) {
				throw new IllegalArgumentException(
						"The reason why a path is missing must be one word: '%s'".formatted(word));
			}
		}
		addresses = Map.copyOf(addresses);
		for (String address : addresses.values()) {
			if (!ARRIVAL.matcher(address).matches()) {
				throw new IllegalArgumentException(
						"The address at which a peer listens must be an IP address, a colon and a port: '%s'"
							.formatted(address));
			}
		}
	}

	/**
	 * Creates an announcement.
	 * @param peer the instance
	 * @param paths the ids of the paths that it offers for the contract
	 * @param contractHash the contract's hash as the peer knows it, empty if it offers
	 * none
	 * @param refusal why no path is offered, or why the {@code httpOnlyMethods} are not;
	 * empty if all is offered
	 * @param httpOnlyMethods indexes of the contract's methods that must come by HTTP
	 */
	public PeerAnnouncement(PeerIdentity peer, Set<String> paths, String contractHash, String refusal,
			Set<Integer> httpOnlyMethods) {
		this(peer, paths, contractHash, refusal, httpOnlyMethods, "", "", "", Map.of(), Map.of());
	}

	/**
	 * Creates an announcement that makes no difference between methods.
	 * @param peer the instance
	 * @param paths the ids of the paths that it offers for the contract
	 * @param contractHash the contract's hash as the peer knows it, empty if it offers
	 * none
	 * @param refusal why no path is offered, empty if some are
	 */
	public PeerAnnouncement(PeerIdentity peer, Set<String> paths, String contractHash, String refusal) {
		this(peer, paths, contractHash, refusal, Set.of());
	}

	/**
	 * Returns this announcement with the address at which the request arrived. A client
	 * sees from it whether an intermediary forwards requests.
	 * @param newArrival an IP address, a colon and a port; empty to leave it out
	 * @return the announcement
	 */
	public PeerAnnouncement withArrival(String newArrival) {
		return new PeerAnnouncement(this.peer, this.paths, this.contractHash, this.refusal, this.httpOnlyMethods,
				newArrival, this.origin, this.ticket, this.missing, this.addresses);
	}

	/**
	 * Returns this announcement with where the request came from. A client that does not
	 * have that address knows that something between them takes requests and sends them
	 * on.
	 * @param newOrigin an IP address; empty to announce none
	 * @return the announcement
	 */
	public PeerAnnouncement withOrigin(String newOrigin) {
		return new PeerAnnouncement(this.peer, this.paths, this.contractHash, this.refusal, this.httpOnlyMethods,
				this.arrival, newOrigin, this.ticket, this.missing, this.addresses);
	}

	/**
	 * Returns this announcement with a ticket.
	 * @param newTicket the ticket, empty for none
	 * @return the announcement
	 */
	public PeerAnnouncement withTicket(String newTicket) {
		return new PeerAnnouncement(this.peer, this.paths, this.contractHash, this.refusal, this.httpOnlyMethods,
				this.arrival, this.origin, newTicket, this.missing, this.addresses);
	}

	/**
	 * Returns this announcement with reasons.
	 * @param newMissing why kinds of path are not offered, by their ids, each in one word
	 * @return the announcement
	 */
	public PeerAnnouncement withMissing(Map<String, String> newMissing) {
		return new PeerAnnouncement(this.peer, this.paths, this.contractHash, this.refusal, this.httpOnlyMethods,
				this.arrival, this.origin, this.ticket, newMissing, this.addresses);
	}

	/**
	 * Returns this announcement with addresses. The process that answers there must prove
	 * that it is the {@link #peer()}.
	 * @param newAddresses where the peer listens, by ids of paths, each an IP address, a
	 * colon and a port
	 * @return the announcement
	 */
	public PeerAnnouncement withAddresses(Map<String, String> newAddresses) {
		return new PeerAnnouncement(this.peer, this.paths, this.contractHash, this.refusal, this.httpOnlyMethods,
				this.arrival, this.origin, this.ticket, this.missing, newAddresses);
	}

	/**
	 * Writes the header value. To fit the limit it leaves out first the words for missing
	 * paths, then the end of the refusal. If the methods or the paths themselves do not
	 * fit, no path is offered, and the refusal says so.
	 * @return printable ASCII of at most {@link #MAX_CHARS} characters
	 */
	public String format() {
		StringBuilder value = new StringBuilder(MAX_CHARS / 2);
		writeIdentity(value, this.paths);
		if (!this.httpOnlyMethods.isEmpty()) {
			value.append("; m=").append(bits(this.httpOnlyMethods));
		}
		writeConnection(value);
		if (value.length() + REFUSAL_FRAME_CHARS + TOO_MANY_METHODS.length() > MAX_CHARS) {
			value.setLength(0);
			writeIdentity(value, Set.of());
			writeConnection(value);
			writeRefusal(value, this.httpOnlyMethods.isEmpty() ? TOO_LONG : TOO_MANY_METHODS);
			return value.toString();
		}
		String text = printable(this.refusal);
		writeMissing(value, MAX_CHARS - (text.isEmpty() ? 0 : REFUSAL_FRAME_CHARS + text.length()));
		writeRefusal(value, text);
		return value.toString();
	}

	private void writeIdentity(StringBuilder value, Set<String> offered) {
		value.append("v=")
			.append(VERSION)
			.append("; i=")
			.append(this.peer.instanceId())
			.append("; h=")
			.append(this.peer.hostId())
			.append("; p=")
			.append(offered.stream().sorted().collect(Collectors.joining(",")));
		if (!this.contractHash.isEmpty()) {
			value.append("; c=").append(this.contractHash);
		}
	}

	private void writeConnection(StringBuilder value) {
		if (!this.arrival.isEmpty()) {
			value.append("; a=").append(this.arrival);
		}
		if (!this.origin.isEmpty()) {
			value.append("; f=").append(this.origin);
		}
		if (!this.ticket.isEmpty()) {
			value.append("; t=").append(this.ticket);
		}
		if (!this.addresses.isEmpty()) {
			value.append("; e=")
				.append(new TreeMap<>(this.addresses).entrySet()
					.stream()
					.map((entry) -> entry.getKey() + ADDRESS_SIGN + entry.getValue())
					.collect(Collectors.joining(",")));
		}
	}

	private void writeMissing(StringBuilder value, int maxChars) {
		String separator = "; n=";
		int written = 0;
		for (Map.Entry<String, String> entry : new TreeMap<>(this.missing).entrySet()) {
			int chars = separator.length() + entry.getKey().length() + 1 + entry.getValue().length();
			if (written < MAX_MISSING && value.length() + chars <= maxChars) {
				value.append(separator).append(entry.getKey()).append(':').append(entry.getValue());
				separator = ",";
				written++;
			}
		}
	}

	private static void writeRefusal(StringBuilder value, String text) {
		int chars = Math.min(text.length(), MAX_CHARS - value.length() - REFUSAL_FRAME_CHARS);
		if (chars > 0) {
			value.append("; r=\"").append(text, 0, chars).append('"');
		}
	}

	/** A bit for each method takes less room than its index. */
	private static String bits(Set<Integer> methods) {
		BigInteger bits = BigInteger.ZERO;
		for (Integer method : methods) {
			bits = bits.setBit(method);
		}
		return METHODS_PREFIX + bits.toString(1 << BITS_PER_DIGIT);
	}

	private static String printable(String text) {
		StringBuilder printable = new StringBuilder();
		text.chars()
			.limit(MAX_REFUSAL_CHARS)
			.map((c) -> (c == ';') ? ',' : (c < ' ' || c > '~' || c == '"') ? '\'' : c)
			.forEach((c) -> printable.append((char) c));
		return printable.toString();
	}

	/**
	 * Reads a header value that anybody may have written.
	 * @param value the value
	 * @return the announcement
	 * @throws MalformedAnnouncementException if it is not one
	 */
	public static PeerAnnouncement parse(String value) throws MalformedAnnouncementException {
		if (value.length() > MAX_CHARS) {
			throw new MalformedAnnouncementException("longer than %d characters".formatted(MAX_CHARS), "");
		}
		Map<String, String> fields = new LinkedHashMap<>();
		for (String field : value.split(";", -1)) {
			int equals = field.indexOf('=');
			if (equals < 0) {
				throw new MalformedAnnouncementException("a field without '='", value);
			}
			if (fields.put(field.substring(0, equals).strip(), field.substring(equals + 1).strip()) != null) {
				throw new MalformedAnnouncementException("a field that stands twice", value);
			}
		}
		if (!VERSION.equals(fields.get("v"))) {
			throw new MalformedAnnouncementException("version is not " + VERSION, value);
		}
		try {
			PeerIdentity identity = new PeerIdentity(required(fields, "i", value), required(fields, "h", value));
			return new PeerAnnouncement(identity, paths(required(fields, "p", value)), fields.getOrDefault("c", ""),
					unquote(fields.get("r")), methods(fields.get("m")), fields.getOrDefault("a", ""),
					fields.getOrDefault("f", ""), fields.getOrDefault("t", ""), missing(fields.get("n")),
					addresses(fields.get("e")));
		}
		catch (IllegalArgumentException ex) {
			throw new MalformedAnnouncementException(String.valueOf(ex.getMessage()), value);
		}
	}

	private static Set<Integer> methods(@Nullable String bits) {
		Set<Integer> methods = new TreeSet<>();
		if (bits == null) {
			return methods;
		}
		if (!METHODS.matcher(bits).matches()) {
			throw new IllegalArgumentException("'m' must be a hexadecimal number with one bit per method");
		}
		int digits = bits.length() - METHODS_PREFIX.length();
		for (int i = 0; i < digits * BITS_PER_DIGIT; i++) {
			int digit = Character.digit(bits.charAt(bits.length() - 1 - i / BITS_PER_DIGIT), 1 << BITS_PER_DIGIT);
			if ((digit >> (i % BITS_PER_DIGIT) & 1) != 0) {
				methods.add(i);
			}
		}
		return methods;
	}

	/** Words that cannot be the id of a path are skipped; unknown ids are kept. */
	private static Map<String, String> missing(@Nullable String reasons) {
		Map<String, String> missing = new TreeMap<>();
		if (reasons == null) {
			return missing;
		}
		String[] parts = reasons.split(",", -1);
		if (parts.length > MAX_MISSING) {
			throw new IllegalArgumentException("'n' holds more than %d paths".formatted(MAX_MISSING));
		}
		for (String part : parts) {
			int colon = part.indexOf(':');
			if (colon < 0) {
				throw new IllegalArgumentException("'n' holds a path without a reason");
			}
			String word = part.substring(colon + 1).strip();
			if (!WORD.matcher(word).matches()) {
				throw new IllegalArgumentException("'n' must hold words only");
			}
			paths(part.substring(0, colon)).forEach((kind) -> missing.put(kind, word));
		}
		return missing;
	}

	private static Map<String, String> addresses(@Nullable String list) {
		Map<String, String> addresses = new TreeMap<>();
		if (list == null) {
			return addresses;
		}
		String[] parts = list.split(",", -1);
		if (parts.length > MAX_PATHS) {
			throw new IllegalArgumentException("'e' holds more than %d addresses".formatted(MAX_PATHS));
		}
		for (String part : parts) {
			int sign = part.indexOf(ADDRESS_SIGN);
			if (sign < 0) {
				throw new IllegalArgumentException("'e' holds a path without an address");
			}
			String address = part.substring(sign + 1).strip();
			paths(part.substring(0, sign)).forEach((kind) -> addresses.put(kind, address));
		}
		return addresses;
	}

	private static String required(Map<String, String> fields, String name, String value)
			throws MalformedAnnouncementException {
		String field = fields.get(name);
		if (field == null) {
			throw new MalformedAnnouncementException("no field '%s'".formatted(name), value);
		}
		return field;
	}

	/**
	 * Reads ids of paths. Words that cannot be one are skipped; ids that no provider of
	 * the client has are kept, and the channel ignores them.
	 */
	private static Set<String> paths(String names) {
		Set<String> paths = new TreeSet<>();
		for (String name : names.split(",", -1)) {
			String id = name.strip().toLowerCase(Locale.ROOT);
			if (!id.equals(HTTP) && PATH.matcher(id).matches() && paths.size() < MAX_PATHS) {
				paths.add(id);
			}
		}
		return paths;
	}

	private static String unquote(@Nullable String text) {
		if (text == null) {
			return "";
		}
		boolean quoted = text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"");
		return printable(quoted ? text.substring(1, text.length() - 1) : text);
	}

	/**
	 * A header value is not an announcement.
	 *
	 * @since 0.1.0
	 */
	@SuppressWarnings("serial")
	public static final class MalformedAnnouncementException extends Exception {

		private static final int SHOWN_CHARS = 80;

		MalformedAnnouncementException(String rule, String value) {
			super("The %s header is ignored: %s: '%s'".formatted(HEADER, printable(rule),
					printable(value.substring(0, Math.min(value.length(), SHOWN_CHARS)))));
		}

	}

}
