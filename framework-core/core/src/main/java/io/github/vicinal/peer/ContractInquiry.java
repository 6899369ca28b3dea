package io.github.vicinal.peer;

/**
 * A client's question in the {@value PeerAnnouncement#REQUEST_HEADER} header of an HTTP
 * request.
 *
 * <pre>
 * Vicinal-Contract: shop.Orders
 * Vicinal-Contract: shop.Orders; confirm
 * Vicinal-Contract: shop.Orders; reactive
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
 * @since 0.1.0
 */
public record ContractInquiry(String contract, boolean confirms, boolean reactive) {

	private static final String CONFIRM = "confirm";

	private static final String REACTIVE = "reactive";

	/**
	 * Writes the header value.
	 * @return the value
	 */
	public String format() {
		return this.contract + (this.confirms ? "; " + CONFIRM : "") + (this.reactive ? "; " + REACTIVE : "");
	}

	/**
	 * Reads a header value. Parameters that are not known are skipped.
	 * @param value the value
	 * @return what is asked for
	 */
	public static ContractInquiry parse(String value) {
		int end = value.indexOf(';');
		if (end < 0) {
			return new ContractInquiry(value, false, false);
		}
		boolean confirms = false;
		boolean reactive = false;
		for (String parameter : value.substring(end + 1).split(";", -1)) {
			confirms |= CONFIRM.equals(parameter.strip());
			reactive |= REACTIVE.equals(parameter.strip());
		}
		return new ContractInquiry(value.substring(0, end).strip(), confirms, reactive);
	}

}
