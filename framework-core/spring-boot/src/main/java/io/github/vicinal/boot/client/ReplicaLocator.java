package io.github.vicinal.boot.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.Peer;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.replica.Locality;
import io.github.vicinal.replica.ReplicaChoice.Located;
import io.github.vicinal.replica.ReplicaChoice.Locator;
import org.jspecify.annotations.Nullable;

/**
 * Finds out how near a replica is: by what it announced; until it has, by its zone and by
 * its address. Thread-safe. Names are looked up in the background.
 */
final class ReplicaLocator implements Locator {

	/** Time after which a host that does not answer is taken to be gone. */
	private static final int PROBE_MILLIS = 1000;

	/** Hosts of instances that were replaced are not worth remembering. */
	private static final int MAX_HOSTS = 1024;

	private final Channel channel;

	private final Supplier<@Nullable PeerIdentity> self;

	private final @Nullable String zone;

	private final Executor background;

	/** Whether a host is this machine; missing while that is not known. */
	private final Map<String, Boolean> local = new ConcurrentHashMap<>();

	private volatile Map<String, String> zones = Map.of();

	/**
	 * Creates a locator.
	 * @param channel knows announcements and paths
	 * @param self this instance, or {@code null}
	 * @param zone the zone of this instance, or {@code null}
	 * @param background looks names up
	 */
	ReplicaLocator(Channel channel, Supplier<@Nullable PeerIdentity> self, @Nullable String zone, Executor background) {
		this.channel = channel;
		this.self = self;
		this.zone = zone;
		this.background = background;
	}

	/** Says which zones replicas are in. */
	void zones(Map<String, String> byAddress) {
		this.zones = Map.copyOf(byAddress);
	}

	@Override
	public Located locate(String address) {
		Peer peer = this.channel.known(address);
		if (peer != null && peer.isDirect()) {
			return new Located(Locality.JVM, "its path is direct");
		}
		PeerAnnouncement announced = (peer != null) ? peer.announcement() : null;
		if (announced != null && !announced.peer().hostId().equals(PeerIdentity.NO_HOST)) {
			PeerIdentity me = this.self.get();
			if (me != null && me.sameHost(announced.peer())) {
				return new Located(Locality.HOST, "it announced this host's id");
			}
			return elsewhere(address, "it announced the id of another host");
		}
		String host = address.substring(0, address.lastIndexOf(':'));
		if (isThisMachine(host)) {
			return new Located(Locality.HOST, "its address is one of this machine");
		}
		return elsewhere(address, "its address is not one of this machine");
	}

	/**
	 * Finds out in the background whether a process listens at an address.
	 * @param address the address
	 * @param result notified of the result
	 */
	void probe(String address, Consumer<Boolean> result) {
		try {
			this.background.execute(() -> result.accept(isReachable(address)));
		}
		catch (RejectedExecutionException ex) {
			// The application is shutting down.
		}
	}

	/** A connection that is refused is an answer, too: a call finds that out at once. */
	private static boolean isReachable(String address) {
		int colon = address.lastIndexOf(':');
		String host = address.substring(0, colon).replace("[", "").replace("]", "");
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress(host, Integer.parseInt(address.substring(colon + 1))), PROBE_MILLIS);
			return true;
		}
		catch (ConnectException ex) {
			return !String.valueOf(ex.getMessage()).contains("timed out");
		}
		catch (IOException | IllegalArgumentException ex) {
			return false;
		}
	}

	private Located elsewhere(String address, String reason) {
		String theirs = this.zones.get(address);
		if (theirs == null || this.zone == null) {
			return new Located(Locality.ANY, reason + ", its zone or ours is not known");
		}
		return theirs.equalsIgnoreCase(this.zone) ? new Located(Locality.ZONE, reason + ", its zone is ours: " + theirs)
				: new Located(Locality.ANY, reason + ", its zone is " + theirs + ", ours is " + this.zone);
	}

	private boolean isThisMachine(String host) {
		Boolean known = this.local.get(host);
		if (known != null) {
			return known;
		}
		if (this.local.size() >= MAX_HOSTS) {
			this.local.clear();
		}
		if (isLiteral(host)) {
			return this.local.computeIfAbsent(host, ReplicaLocator::lookUp);
		}
		this.local.put(host, false);
		try {
			this.background.execute(() -> this.local.put(host, lookUp(host)));
		}
		catch (RejectedExecutionException ex) {
			// The application is shutting down.
		}
		return false;
	}

	private static boolean isLiteral(String host) {
		return host.equals("localhost") || host.indexOf(':') >= 0 || host.matches("[0-9.]+");
	}

	private static boolean lookUp(String host) {
		try {
			InetAddress address = InetAddress.getByName(host);
			return address.isLoopbackAddress() || address.isAnyLocalAddress()
					|| NetworkInterface.getByInetAddress(address) != null;
		}
		catch (UnknownHostException | SocketException ex) {
			return false;
		}
	}

}
