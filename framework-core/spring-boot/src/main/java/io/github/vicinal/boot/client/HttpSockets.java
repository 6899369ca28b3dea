package io.github.vicinal.boot.client;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.Peer;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;

/**
 * Finds the Unix domain sockets on which peers of this host take HTTP requests, and says
 * in the report of the channel why a request goes by TCP. Thread-safe.
 */
public final class HttpSockets {

	private static final Logger logger = LoggerFactory.getLogger(HttpSockets.class);

	private static final String OVER_SOCKET = "unix domain socket";

	/** Instances whose sockets did not answer; each instance id is used once only. */
	private static final int MAX_DEAD = 1000;

	private static final int MAX_ARRIVALS = 1000;

	private final Supplier<@Nullable Rendezvous> rendezvous;

	private final Supplier<@Nullable PeerIdentity> self;

	private final Set<String> dead = ConcurrentHashMap.newKeySet();

	/** Where requests to an address arrived at an instance. */
	private final Map<Route, Arrival> arrivals = new ConcurrentHashMap<>();

	private record Route(String address, String instanceId) {
	}

	/**
	 * What an instance said of a request by TCP.
	 *
	 * @param address the IP address at which it arrived
	 * @param direct whether that is an address of the host that the request was sent to
	 */
	private record Arrival(String address, boolean direct) {
	}

	/**
	 * Creates the finder.
	 * @param rendezvous where sockets are, or {@code null}
	 * @param self this instance, or {@code null}
	 */
	public HttpSockets(Supplier<@Nullable Rendezvous> rendezvous, Supplier<@Nullable PeerIdentity> self) {
		this.rendezvous = rendezvous;
		this.self = self;
	}

	/**
	 * A socket.
	 *
	 * @param path the file
	 * @param instanceId the instance that listens on it
	 */
	record HttpSocket(Path path, String instanceId) {
	}

	/**
	 * Returns the socket for a request.
	 * @param channel the channel that the request belongs to
	 * @param uri where it goes
	 * @return the socket, or {@code null} for TCP
	 */
	@Nullable HttpSocket find(Channel channel, URI uri) {
		String address = HttpAddress.of(uri);
		Peer peer = channel.known(address);
		PeerAnnouncement announced = (peer != null) ? peer.announcement() : null;
		if (peer == null || announced == null) {
			return null;
		}
		String problem = problem(channel, uri, announced);
		Rendezvous directory = this.rendezvous.get();
		if (problem == null && directory != null) {
			Path socket = directory.httpSocket(announced.peer().instanceId()).orElse(null);
			if (socket != null && Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
				peer.httpTransport(OVER_SOCKET);
				return new HttpSocket(socket, announced.peer().instanceId());
			}
			problem = "the peer's socket is gone";
		}
		tcp(channel, address, String.valueOf(problem));
		return null;
	}

	private @Nullable String problem(Channel channel, URI uri, PeerAnnouncement announced) {
		if (!"http".equalsIgnoreCase(uri.getScheme())) {
			return "the address is not http";
		}
		if (!channel.settings().httpSocket()) {
			return "not allowed by configuration";
		}
		if (announced.httpSocketPort() == 0) {
			return "the peer has no socket for HTTP";
		}
		PeerIdentity me = this.self.get();
		if (me == null || !me.sameHost(announced.peer())) {
			return "the peer runs on another host or uses another rendezvous directory";
		}
		int port = (uri.getPort() >= 0) ? uri.getPort() : 80;
		if (port != announced.httpSocketPort()) {
			return "the peer listens on port %d: something between them forwards port %d"
				.formatted(announced.httpSocketPort(), port);
		}
		String forwarded = forwarded(uri, announced);
		if (forwarded != null) {
			return forwarded;
		}
		return this.dead.contains(announced.peer().instanceId()) ? "the peer's socket does not answer" : null;
	}

	/**
	 * Returns why a request cannot be known to arrive at the peer as it is sent. A name
	 * is looked up once for each address at which the peer says that requests arrive;
	 * what the peer answers over its socket does not say that.
	 */
	private @Nullable String forwarded(URI uri, PeerAnnouncement announced) {
		Route route = new Route(HttpAddress.of(uri), announced.peer().instanceId());
		String address = announced.httpSocketAddress();
		Arrival known = this.arrivals.get(route);
		if (known == null || !(address.isEmpty() || address.equals(known.address()))) {
			if (address.isEmpty()) {
				return "the peer does not say at which address requests arrive";
			}
			Set<String> addresses = addresses(uri.getHost());
			if (addresses.isEmpty()) {
				return "the host %s is not known".formatted(uri.getHost());
			}
			known = new Arrival(address, addresses.contains(address));
			if (this.arrivals.size() >= MAX_ARRIVALS) {
				this.arrivals.clear();
			}
			this.arrivals.put(route, known);
		}
		return known.direct() ? null : "requests to %s arrive at the peer's address %s: something between them forwards"
			.formatted(uri.getHost(), known.address());
	}

	private static Set<String> addresses(@Nullable String host) {
		if (host == null) {
			return Set.of();
		}
		try {
			return Arrays.stream(InetAddress.getAllByName(host))
				.map((address) -> address.getHostAddress().split("%", 2)[0])
				.collect(Collectors.toSet());
		}
		catch (UnknownHostException ex) {
			return Set.of();
		}
	}

	/**
	 * Notes that requests go by TCP.
	 * @param channel the channel that they belong to
	 * @param address the peer's HTTP address
	 * @param reason why
	 */
	void tcp(Channel channel, String address, String reason) {
		Peer peer = channel.known(address);
		if (peer != null) {
			peer.httpTransport("tcp: " + reason);
		}
	}

	/**
	 * Notes that a socket refused a connection, so that its instance is not tried again;
	 * by now the peer may have announced another one.
	 * @param channel the channel that the request belongs to
	 * @param uri where it goes
	 * @param socket the socket
	 * @param reason what happened
	 */
	void refused(Channel channel, URI uri, HttpSocket socket, String reason) {
		String address = HttpAddress.of(uri);
		if (this.dead.size() >= MAX_DEAD) {
			this.dead.clear();
		}
		if (this.dead.add(socket.instanceId())) {
			logger.debug("Channel '{}' -> {}: http by TCP, the peer's socket does not answer ({})",
					channel.settings().name(), address, reason);
		}
		tcp(channel, address, reason);
	}

}
