package io.github.vicinal.transport.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * Address of a process of another host that publishes topics.
 *
 * @param host name or address that was configured, for which its certificate must be
 * @param address where it is
 * @since 0.1.0
 */
public record PublisherAddress(String host, InetSocketAddress address) {

	/**
	 * Returns the addresses that a configured one stands for at this moment. A name
	 * stands for all its addresses.
	 * @param configured such as {@code orders.example.org:7400}
	 * @return one address or more
	 * @throws IOException if the text is no address, or the name has none
	 */
	public static List<PublisherAddress> resolve(String configured) throws IOException {
		int colon = configured.lastIndexOf(':');
		String host = (colon > 0) ? configured.substring(0, colon).replaceAll("^\\[|\\]$", "") : "";
		int port = port(configured.substring(colon + 1));
		if (host.isEmpty() || port <= 0) {
			throw new IOException(
					"'%s' is not the address of a publisher, such as 10.0.0.7:7400 or orders.example.org:7400"
						.formatted(configured));
		}
		try {
			List<PublisherAddress> all = new ArrayList<>();
			for (InetAddress each : InetAddress.getAllByName(host)) {
				all.add(new PublisherAddress(host, new InetSocketAddress(each, port)));
			}
			return all;
		}
		catch (UnknownHostException ex) {
			throw new IOException("the name '%s' has no address".formatted(host), ex);
		}
	}

	/**
	 * Returns the address that a text is.
	 * @param text what {@link #toString} has returned
	 * @return the address
	 * @throws IOException if the text is none
	 */
	public static PublisherAddress parse(String text) throws IOException {
		int slash = text.indexOf('/');
		int colon = text.lastIndexOf(':');
		if (slash < 0 || colon < slash) {
			throw new IOException("'%s' is not the address of a publisher".formatted(text));
		}
		InetAddress address = InetAddress.getByName(text.substring(slash + 1, colon));
		return new PublisherAddress(text.substring(0, slash),
				new InetSocketAddress(address, port(text.substring(colon + 1))));
	}

	private static int port(String text) {
		try {
			int port = Integer.parseInt(text);
			return (port <= 0xFFFF) ? port : -1;
		}
		catch (NumberFormatException ex) {
			return -1;
		}
	}

	/** Returns the host, a slash, and where it is. */
	@Override
	public String toString() {
		return "%s/%s:%d".formatted(this.host, this.address.getAddress().getHostAddress(), this.address.getPort());
	}

}
