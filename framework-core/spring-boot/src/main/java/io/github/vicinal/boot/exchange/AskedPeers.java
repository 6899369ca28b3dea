package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Decides which servers are asked for their paths: those at an address of this machine,
 * and those that the configuration names. Thread-safe.
 */
final class AskedPeers {

	private static final int MAX_HOSTS = 1024;

	/** Time after which a name may lead elsewhere. */
	private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(30);

	private final Set<String> named;

	private final Supplier<@Nullable Integer> ownPort;

	private final Map<String, Known> hosts = new ConcurrentHashMap<>();

	private record Known(boolean isHere, long nanos) {
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

	/** Returns whether the server of an address may be asked. */
	boolean mayAsk(String host, int port) {
		String name = host.toLowerCase(Locale.ROOT);
		if (isHere(name)) {
			Integer own = this.ownPort.get();
			return own == null || own != port;
		}
		return isNamed(name) || isNamed(name + ":" + port);
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
	private boolean isHere(String name) {
		long now = System.nanoTime();
		Known known = this.hosts.get(name);
		if (known != null && now - known.nanos() < KNOWN_NANOS) {
			return known.isHere();
		}
		boolean here;
		try {
			InetAddress address = InetAddress.getByName(name);
			here = address.isLoopbackAddress() || address.isAnyLocalAddress()
					|| NetworkInterface.getByInetAddress(address) != null;
		}
		catch (IOException ex) {
			here = false;
		}
		if (this.hosts.size() >= MAX_HOSTS) {
			this.hosts.clear();
		}
		this.hosts.put(name, new Known(here, now));
		return here;
	}

}
