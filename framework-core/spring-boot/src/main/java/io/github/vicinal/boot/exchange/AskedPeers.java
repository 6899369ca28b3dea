package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.vicinal.boot.autoconfigure.InvalidChannelException;
import org.jspecify.annotations.Nullable;

/**
 * Decides which servers are asked for their paths: those at an address of this machine,
 * and those that the configuration names. Thread-safe.
 */
final class AskedPeers {

	private static final int MAX_HOSTS = 1024;

	/** Maximum number of addresses of services that are remembered. */
	private static final int MAX_SERVICES = 4096;

	/** Time after which a name may lead elsewhere. */
	private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(30);

	private static final Pattern PORT = Pattern.compile("\\d{1,5}");

	private final Set<String> named;

	private final Supplier<@Nullable Integer> ownPort;

	private final Map<String, Known> hosts = new ConcurrentHashMap<>();

	/** Addresses of services, {@code host:port}. */
	private final Set<String> services = ConcurrentHashMap.newKeySet();

	/**
	 * Result of the look-up of a name.
	 *
	 * @param isHere whether that is this machine
	 * @param isPrivate whether all addresses are those of private networks
	 * @param addresses IP addresses
	 * @param nanos when it was looked up
	 */
	private record Known(boolean isHere, boolean isPrivate, Set<String> addresses, long nanos) {
	}

	/**
	 * Creates the rule.
	 * @param named names of hosts, with or without a port; {@code *.} stands for any
	 * number of labels in front
	 * @param ownPort the port of the application's own server, {@code null} if it has
	 * none: an application does not ask itself, as its tests would
	 */
	AskedPeers(Collection<String> named, Supplier<@Nullable Integer> ownPort) {
		this.ownPort = ownPort;
		this.named = named.stream().map((name) -> name.strip().toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
	}

	/**
	 * Verifies names of hosts that are asked, since one that is no host would never
	 * match.
	 * @param named names of hosts, with or without a port
	 * @throws InvalidChannelException if one is a URL, a block of addresses, or has a
	 * port that is no number
	 */
	static void verify(Collection<String> named) {
		for (String peer : named) {
			String name = peer.strip();
			int colon = name.indexOf(':');
			boolean hasPort = colon >= 0 && colon == name.lastIndexOf(':');
			if (name.indexOf('/') >= 0 || (hasPort && !PORT.matcher(name.substring(colon + 1)).matches())) {
				throw new InvalidChannelException(
						"The value '%s' of vicinal.http-exchanges.peers is not a host".formatted(name),
						"Write names or addresses of hosts, with or without a port, such as orders, *.shop.svc.cluster.local or 10.0.0.7:8080");
			}
		}
	}

	/**
	 * Returns whether the server of an address may be asked.
	 * @param host its name
	 * @param port its port
	 * @param isService whether the client is one of a service of the application's own,
	 * which may be asked at each address of a private network
	 */
	boolean mayAsk(String host, int port, boolean isService) {
		String name = host.toLowerCase(Locale.ROOT);
		Known known = lookUp(name);
		if (known.isHere()) {
			Integer own = this.ownPort.get();
			return own == null || own != port;
		}
		if (known.isPrivate() && (isService || isService(name, port))) {
			return true;
		}
		return isNamed(name) || isNamed(name + ":" + port);
	}

	/** Notes that an address is that of a service of the application's own. */
	void service(String host, int port) {
		String address = host.toLowerCase(Locale.ROOT) + ":" + port;
		if (!this.services.contains(address) && this.services.size() < MAX_SERVICES) {
			this.services.add(address);
		}
	}

	private boolean isService(String name, int port) {
		return !this.services.isEmpty() && this.services.contains(name + ":" + port);
	}

	/** Returns whether it is known where a name leads, so that no thread waits for it. */
	boolean isKnown(String host) {
		Known known = this.hosts.get(host.toLowerCase(Locale.ROOT));
		return known != null && System.nanoTime() - known.nanos() < KNOWN_NANOS;
	}

	/**
	 * Returns why a server may not be reached by another way than its address: something
	 * at that address sends requests on, and may change or refuse them. Servers that are
	 * named are known to be behind a name of the network, as those in Kubernetes are.
	 * @param address where requests are sent, {@code host:port}
	 * @param arrival the IP address, a colon and the port at which the server says that
	 * they arrive
	 * @return the reason, or {@code null}
	 */
	@Nullable String detour(String address, String arrival) {
		if (isNamedAddress(address)) {
			return null;
		}
		int colon = address.lastIndexOf(':');
		String host = address.substring(0, colon).toLowerCase(Locale.ROOT);
		if (arrival.isEmpty()) {
			return "the server does not announce the address at which requests arrive";
		}
		int end = arrival.lastIndexOf(':');
		boolean samePort = address.substring(colon).equals(arrival.substring(end));
		return (samePort && lookUp(host).addresses().contains(arrival.substring(0, end))) ? null
				: "requests to %s arrive at %s: something between them sends them on".formatted(address, arrival);
	}

	/** Returns whether the configuration names the server at {@code host:port}. */
	private boolean isNamedAddress(String address) {
		String name = address.toLowerCase(Locale.ROOT);
		return isNamed(name) || isNamed(name.substring(0, name.lastIndexOf(':')));
	}

	private boolean isNamed(String name) {
		if (this.named.isEmpty()) {
			return false;
		}
		if (this.named.contains(name)) {
			return true;
		}
		for (int dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
			if (this.named.contains("*" + name.substring(dot))) {
				return true;
			}
		}
		return false;
	}

	/** The client looks the name up, too, and the JVM remembers what it finds. */
	private Known lookUp(String name) {
		long now = System.nanoTime();
		Known known = this.hosts.get(name);
		if (known != null && now - known.nanos() < KNOWN_NANOS) {
			return known;
		}
		boolean here;
		boolean inside;
		Set<String> found;
		try {
			InetAddress[] addresses = InetAddress.getAllByName(name);
			here = isOfThisMachine(addresses[0]);
			inside = Arrays.stream(addresses).allMatch(AskedPeers::isPrivate);
			found = Arrays.stream(addresses).map(AskedPeers::withoutScope).collect(Collectors.toSet());
		}
		catch (IOException ex) {
			here = false;
			inside = false;
			found = Set.of();
		}
		if (this.hosts.size() >= MAX_HOSTS) {
			this.hosts.clear();
		}
		known = new Known(here, inside, found, now);
		this.hosts.put(name, known);
		return known;
	}

	private static boolean isOfThisMachine(InetAddress address) throws SocketException {
		return address.isLoopbackAddress() || address.isAnyLocalAddress()
				|| NetworkInterface.getByInetAddress(address) != null;
	}

	/** Returns whether no third party on the internet has an address. */
	private static boolean isPrivate(InetAddress address) {
		byte[] bytes = address.getAddress();
		int first = bytes[0] & 0xFF;
		// Unique local addresses of IPv6; the shared ones of IPv4, which some clouds use.
		boolean unique = (bytes.length == 4) ? first == 100 && (bytes[1] & 0xC0) == 64 : (first & 0xFE) == 0xFC;
		return unique || address.isSiteLocalAddress() || address.isLinkLocalAddress() || address.isLoopbackAddress();
	}

	/** The name of a network interface says nothing to others. */
	private static String withoutScope(InetAddress address) {
		return address.getHostAddress().split("%", 2)[0];
	}

}
