package io.github.vicinal.boot.client;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.vicinal.channel.Channel;
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

	private final Supplier<@Nullable Rendezvous> rendezvous;

	private final Supplier<@Nullable PeerIdentity> self;

	private final Set<String> dead = ConcurrentHashMap.newKeySet();

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
		String address = HttpLeg.address(uri);
		PeerAnnouncement announced = channel.announcement(address);
		if (announced == null) {
			return null;
		}
		String problem = problem(channel, uri, announced);
		Rendezvous directory = this.rendezvous.get();
		if (problem == null && directory != null) {
			Path socket = directory.httpSocket(announced.peer().instanceId()).orElse(null);
			if (socket != null && Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
				channel.httpTransport(address, OVER_SOCKET);
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
		return this.dead.contains(announced.peer().instanceId()) ? "the peer's socket does not answer" : null;
	}

	/**
	 * Notes that requests go by TCP.
	 * @param channel the channel that they belong to
	 * @param address the peer's HTTP address
	 * @param reason why
	 */
	void tcp(Channel channel, String address, String reason) {
		channel.httpTransport(address, "tcp: " + reason);
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
		String address = HttpLeg.address(uri);
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
