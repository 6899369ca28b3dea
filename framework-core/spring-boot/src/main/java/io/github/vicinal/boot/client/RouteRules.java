package io.github.vicinal.boot.client;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.net.UnknownHostException;

import io.github.vicinal.boot.autoconfigure.VicinalProperties;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProtection;
import io.github.vicinal.path.PathRule;
import io.github.vicinal.peer.PeerAnnouncement;
import org.jspecify.annotations.Nullable;

/**
 * Decides which paths may stand in for HTTP requests, by the way that the requests take.
 * Paths must not be less protected than https, and paths over the network must not go
 * around a gateway, a proxy or a sidecar that the requests pass. Immutable; rules that
 * allow the same are equal.
 *
 * @since 0.1.0
 */
public final class RouteRules {

	/** Property that lets local paths stand in for https. */
	public static final String HTTPS_LOCAL_PATHS = "vicinal.https.local-paths";

	/** Property that lets paths over the network go around intermediaries. */
	public static final String PAST_INTERMEDIARIES = "vicinal.network.past-intermediaries";

	private static final String GO_AROUND = "; set " + PAST_INTERMEDIARIES
			+ "=true at the client to go around it, if what it does to requests may be left out";

	private final boolean httpsLocalPaths;

	private final boolean pastIntermediaries;

	private final NameLookups lookups;

	/**
	 * Creates rules.
	 * @param httpsLocalPaths whether paths between processes of one user may stand in for
	 * https
	 * @param pastIntermediaries whether paths over the network may go around what is
	 * between client and server
	 */
	public RouteRules(boolean httpsLocalPaths, boolean pastIntermediaries) {
		this(httpsLocalPaths, pastIntermediaries, new NameLookups());
	}

	RouteRules(boolean httpsLocalPaths, boolean pastIntermediaries, NameLookups lookups) {
		this.httpsLocalPaths = httpsLocalPaths;
		this.pastIntermediaries = pastIntermediaries;
		this.lookups = lookups;
	}

	/**
	 * Returns the rules if nothing is configured.
	 * @return the strictest rules
	 */
	public static RouteRules defaults() {
		return new RouteRules(false, false);
	}

	/**
	 * Returns the rules that are configured.
	 * @param properties the properties of the application
	 * @return the rules
	 */
	public static RouteRules from(VicinalProperties properties) {
		return new RouteRules(properties.https().localPaths(), properties.network().pastIntermediaries());
	}

	/**
	 * Returns the rule for requests to an address.
	 * @param target where requests are sent
	 * @return the rule, which equals that of other requests to the same address
	 */
	public PathRule of(URI target) {
		String address = HttpAddress.of(target);
		int colon = address.lastIndexOf(':');
		return new Route("https".equalsIgnoreCase(target.getScheme()), address.substring(0, colon),
				address.substring(colon + 1), this);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof RouteRules rules && this.httpsLocalPaths == rules.httpsLocalPaths
				&& this.pastIntermediaries == rules.pastIntermediaries;
	}

	@Override
	public int hashCode() {
		return (this.httpsLocalPaths ? 1 : 0) + (this.pastIntermediaries ? 2 : 0);
	}

	/**
	 * The way of requests to one address.
	 *
	 * @param encrypted whether they go by https
	 * @param host the host that they are sent to
	 * @param port the port that they are sent to
	 * @param rules what is allowed
	 */
	private record Route(boolean encrypted, String host, String port, RouteRules rules) implements PathRule {

		@Override
		public @Nullable String forbids(PathKind kind, PathProtection protection, PeerAnnouncement peer) {
			String unprotected = this.encrypted ? unprotected(protection) : null;
			if (unprotected != null) {
				return unprotected;
			}
			return (kind.reach() == PathKind.Reach.NETWORK && !this.rules.pastIntermediaries) ? intermediary(peer)
					: null;
		}

		private @Nullable String unprotected(PathProtection protection) {
			return switch (protection) {
				case NONE -> "requests go by https, which only a path with TLS may stand in for whose "
						+ "certificates are verified on both sides";
				case SAME_USER -> this.rules.httpsLocalPaths ? null : "requests go by https; set " + HTTPS_LOCAL_PATHS
						+ "=true at client and server to let paths between processes of one user stand in for it";
				case MUTUAL_TLS -> null;
			};
		}

		/** Returns what shows that something between takes requests and sends them on. */
		private @Nullable String intermediary(PeerAnnouncement peer) {
			String arrival = peer.arrival();
			if (arrival.isEmpty() || peer.origin().isEmpty()) {
				return "the peer does not say from where to where requests come, so something between may send them on"
						+ GO_AROUND;
			}
			try {
				InetAddress to = numeric(arrival.substring(0, arrival.lastIndexOf(':')));
				if (!arrival.endsWith(":" + this.port) || !this.rules.lookups.addresses(this.host).contains(to)) {
					return "requests to %s:%s arrive at %s: something between sends them on".formatted(this.host,
							this.port, arrival) + GO_AROUND;
				}
				InetAddress from = numeric(peer.origin());
				if (from.isLoopbackAddress() ? !to.isLoopbackAddress()
						: NetworkInterface.getByInetAddress(from) == null) {
					return "requests arrive from %s, which is no address of this client: something between sends them on"
						.formatted(peer.origin()) + GO_AROUND;
				}
				return null;
			}
			catch (UnknownHostException | SocketException ex) {
				return "it cannot be found out whether something between sends requests on: %s".formatted(ex)
						+ GO_AROUND;
			}
		}

		/** Anybody can announce a name, which must not be looked up. */
		private static InetAddress numeric(String address) throws UnknownHostException {
			if (!NameLookups.isNumeric(address)) {
				throw new UnknownHostException("%s is no IP address".formatted(address));
			}
			return InetAddress.getByName(address);
		}

		@Override
		public String toString() {
			return (this.encrypted ? "https://" : "http://") + this.host + ":" + this.port;
		}

	}

}
