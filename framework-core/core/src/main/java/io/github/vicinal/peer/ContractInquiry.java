package io.github.vicinal.peer;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import io.github.vicinal.contract.Contract;
import org.jspecify.annotations.Nullable;

/**
 * A client's question in the {@value PeerAnnouncement#REQUEST_HEADER} header of an HTTP
 * request.
 *
 * <pre>
 * Vicinal-Contract: shop.Orders
 * Vicinal-Contract: shop.Orders; confirm
 * Vicinal-Contract: shop.Orders; reactive
 * Vicinal-Contract: shop.Orders; call=1; at=/api; methods=&lt;hash&gt;,-,&lt;hash&gt;
 * </pre>
 *
 * Anybody can write a header: the name may be anything.
 *
 * @param contract the name of the contract
 * @param confirms whether the client has paths to the peer, and wants to know whether the
 * address still leads there; the server then ends the connection after its answer, so
 * that the next question needs a new one, which may lead elsewhere
 * @param reactive whether the client is a {@code WebClient}, which sets other headers for
 * bodies than blocking clients of the same HTTP library
 * @param structure describes the methods of the contract to servers that do not have its
 * interface, or {@code null}
 * @since 0.1.0
 */
public record ContractInquiry(String contract, boolean confirms, boolean reactive, @Nullable Structure structure) {

	private static final String CONFIRM = "confirm";

	private static final String REACTIVE = "reactive";

	/**
	 * Creates a question for a contract that both sides have.
	 * @param contract the name of the contract
	 * @param confirms whether the client wants to know where the address leads
	 * @param reactive whether the client is a {@code WebClient}
	 */
	public ContractInquiry(String contract, boolean confirms, boolean reactive) {
		this(contract, confirms, reactive, null);
	}

	/**
	 * The methods of a client's interface, by hashes of their structure.
	 *
	 * @param call the index of the method whose call the request is, or
	 * {@link #OTHER_CALL}
	 * @param base the path of the client's base URL, empty if there is none
	 * @param methods a hash for each method, by index; {@link #NONE} for methods without
	 * a structure
	 * @since 0.1.0
	 */
	public record Structure(int call, String base, List<String> methods) {

		/** Stands for the hash of a method that has no structure. */
		public static final String NONE = "-";

		/** Index of a request that says nothing of a method. */
		public static final int OTHER_CALL = -1;

		/** Maximum number of methods. */
		public static final int MAX_METHODS = 64;

		private static final Pattern HASH = Pattern.compile("[0-9a-f]{16}|" + NONE);

		private static final Pattern BASE = Pattern.compile("(/[0-9A-Za-z._~-]+)*");

		private static final String CALL = "call=";

		private static final String AT = "at=";

		private static final String METHODS = "methods=";

		public Structure {
			methods = List.copyOf(methods);
			if (methods.isEmpty() || methods.size() > MAX_METHODS
					|| !methods.stream().allMatch((hash) -> HASH.matcher(hash).matches())) {
				throw new IllegalArgumentException("A structure is that of 1 to %d methods".formatted(MAX_METHODS));
			}
			if (call < OTHER_CALL || call >= methods.size()) {
				throw new IllegalArgumentException("There is no method %d".formatted(call));
			}
			if (!isBase(base)) {
				throw new IllegalArgumentException("The base of paths is plain segments: '%s'".formatted(base));
			}
		}

		/**
		 * Returns whether a path can be sent as that of a base URL.
		 * @param path a path, possibly empty
		 * @return whether it consists of plain segments
		 */
		public static boolean isBase(String path) {
			return BASE.matcher(path).matches();
		}

		/**
		 * Returns the hash of the contract that these methods make.
		 * @return 16 hexadecimal digits, which depend on all but the {@link #call()}
		 */
		public String hash() {
			return Contract.hash(this.base + "\n" + String.join("\n", this.methods));
		}

		/**
		 * Returns the name of the contract that these methods make.
		 * @return its name
		 */
		public String name() {
			return Contract.structuralName(hash());
		}

		private String format() {
			return "; " + CALL + this.call + "; " + AT + this.base + "; " + METHODS + String.join(",", this.methods);
		}

		/** Returns {@code null} for what is no structure. */
		private static @Nullable Structure parse(List<String> parameters) {
			String call = value(parameters, CALL);
			String base = value(parameters, AT);
			String methods = value(parameters, METHODS);
			if (call == null || base == null || methods == null) {
				return null;
			}
			try {
				return new Structure(Integer.parseInt(call), base, List.of(methods.split(",", -1)));
			}
			catch (IllegalArgumentException ex) {
				return null;
			}
		}

		private static @Nullable String value(List<String> parameters, String name) {
			for (String parameter : parameters) {
				if (parameter.startsWith(name)) {
					return parameter.substring(name.length());
				}
			}
			return null;
		}

	}

	/**
	 * Writes the header value.
	 * @return the value
	 */
	public String format() {
		return this.contract + (this.confirms ? "; " + CONFIRM : "") + (this.reactive ? "; " + REACTIVE : "")
				+ ((this.structure != null) ? this.structure.format() : "");
	}

	/**
	 * Reads a header value. Parameters that are not known are skipped, and so is a
	 * structure that is none.
	 * @param value the value
	 * @return what is asked for
	 */
	public static ContractInquiry parse(String value) {
		int end = value.indexOf(';');
		if (end < 0) {
			return new ContractInquiry(value, false, false);
		}
		List<String> parameters = new ArrayList<>();
		for (String parameter : value.substring(end + 1).split(";", -1)) {
			parameters.add(parameter.strip());
		}
		return new ContractInquiry(value.substring(0, end).strip(), parameters.contains(CONFIRM),
				parameters.contains(REACTIVE), Structure.parse(parameters));
	}

}
