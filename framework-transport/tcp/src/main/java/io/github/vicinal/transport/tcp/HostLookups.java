package io.github.vicinal.transport.tcp;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.vicinal.transport.wire.DaemonThread;
import io.netty.util.NetUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up names of hosts on a few threads of its own, because a name server may not
 * answer for long. Nobody waits for a look-up: what cannot be looked up soon is left out.
 * Thread-safe.
 */
final class HostLookups {

	private static final Logger logger = LoggerFactory.getLogger(HostLookups.class);

	/** One name that hangs leaves a thread for the others. */
	static final int MAX_THREADS = 2;

	/** Maximum number of names that wait for a thread, and of purposes of each name. */
	static final int MAX_WAITING = 64;

	private static final int IDLE_SECONDS = 10;

	private final Resolver resolver;

	private final long maxAgeNanos;

	private final ThreadPoolExecutor threads;

	/**
	 * Names that wait or are being looked up, and what for. Several instances of a
	 * service may have one name. Guarded by this.
	 */
	private final Map<String, Map<Object, Asked>> underWay = new HashMap<>();

	/**
	 * Creates an object without threads.
	 * @param resolver looks a name up
	 * @param maxAgeNanos time after which nobody needs the result any more
	 */
	HostLookups(Resolver resolver, long maxAgeNanos) {
		this.resolver = resolver;
		this.maxAgeNanos = maxAgeNanos;
		this.threads = new ThreadPoolExecutor(MAX_THREADS, MAX_THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(MAX_WAITING), (task) -> DaemonThread.create("vicinal-tcp-lookup", task));
		this.threads.allowCoreThreadTimeOut(true);
	}

	/**
	 * Finds the addresses of a host. Never blocks. Does nothing if its name is being
	 * looked up already for the same purpose, or too many others are.
	 * @param host a name or an IP address
	 * @param purpose what the addresses are for
	 * @param found receives the addresses if they are found soon: on this thread for an
	 * IP address, else on one of this object's
	 */
	void find(String host, Object purpose, Consumer<Set<InetAddress>> found) {
		InetAddress literal = NetUtil.createInetAddressFromIpAddressString(host);
		if (literal != null) {
			found.accept(Set.of(literal));
			return;
		}
		if (!begins(host, purpose, new Asked(System.nanoTime(), found))) {
			return;
		}
		boolean accepted = false;
		try {
			this.threads.execute(() -> lookUp(host));
			accepted = true;
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			logger.debug("The name {} is not looked up: {}", host, ex.toString());
		}
		finally {
			if (!accepted) {
				end(host);
			}
		}
	}

	/** Returns whether a name must be looked up; otherwise that is under way. */
	private synchronized boolean begins(String host, Object purpose, Asked asked) {
		Map<Object, Asked> known = this.underWay.get(host);
		if (known == null) {
			this.underWay.put(host, new HashMap<>(Map.of(purpose, asked)));
			return true;
		}
		if (known.size() < MAX_WAITING) {
			known.putIfAbsent(purpose, asked);
		}
		return false;
	}

	private synchronized Collection<Asked> end(String host) {
		Map<Object, Asked> known = this.underWay.remove(host);
		return (known != null) ? known.values() : List.of();
	}

	private synchronized boolean isWanted(String host) {
		Map<Object, Asked> known = this.underWay.get(host);
		return known != null && known.values().stream().anyMatch((asked) -> !isLate(asked));
	}

	private void lookUp(String host) {
		Set<InetAddress> addresses = Set.of();
		Collection<Asked> all = new ArrayList<>();
		try {
			// A name that waited for a hanging one is of no use, either.
			if (isWanted(host)) {
				addresses = new HashSet<>(Arrays.asList(this.resolver.addresses(host)));
			}
		}
		catch (UnknownHostException | RuntimeException ex) {
			logger.debug("The name {} leads nowhere: {}", host, ex.toString());
		}
		finally {
			all.addAll(end(host));
		}
		for (Asked asked : all) {
			if (!addresses.isEmpty() && !isLate(asked)) {
				notify(asked, host, addresses);
			}
		}
	}

	/** One that fails does not keep the others waiting. */
	private static void notify(Asked asked, String host, Set<InetAddress> addresses) {
		try {
			asked.found().accept(addresses);
		}
		catch (RuntimeException ex) {
			logger.warn("The addresses of {} cannot be used: {}", host, ex.toString());
		}
	}

	private boolean isLate(Asked asked) {
		return System.nanoTime() - asked.nanos() >= this.maxAgeNanos;
	}

	/** Begins no further look-up. Those that hang end by themselves. */
	void close() {
		this.threads.shutdownNow();
	}

	/**
	 * Somebody who waits for a name.
	 *
	 * @param nanos when the name was asked for
	 * @param found receives its addresses
	 */
	private record Asked(long nanos, Consumer<Set<InetAddress>> found) {
	}

	/** Looks names up. */
	@FunctionalInterface
	interface Resolver {

		/** Returns the addresses of a host; may block for long. */
		InetAddress[] addresses(String host) throws UnknownHostException;

	}

}
