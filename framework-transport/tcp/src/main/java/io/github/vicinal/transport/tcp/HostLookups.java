package io.github.vicinal.transport.tcp;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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

	/** Maximum number of names that wait for a thread. */
	static final int MAX_WAITING = 64;

	private static final int IDLE_SECONDS = 10;

	private final Resolver resolver;

	private final long maxAgeNanos;

	private final ThreadPoolExecutor threads;

	/** Names that wait or are being looked up. */
	private final Set<String> underWay = ConcurrentHashMap.newKeySet();

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
	 * looked up already, or too many others are.
	 * @param host a name or an IP address
	 * @param found receives the addresses if they are found soon: on this thread for an
	 * IP address, else on one of this object's
	 */
	void find(String host, Consumer<Set<InetAddress>> found) {
		InetAddress literal = NetUtil.createInetAddressFromIpAddressString(host);
		if (literal != null) {
			found.accept(Set.of(literal));
			return;
		}
		if (!this.underWay.add(host)) {
			return;
		}
		long asked = System.nanoTime();
		boolean accepted = false;
		try {
			this.threads.execute(() -> lookUp(host, asked, found));
			accepted = true;
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			logger.debug("The name {} is not looked up: {}", host, ex.toString());
		}
		finally {
			if (!accepted) {
				this.underWay.remove(host);
			}
		}
	}

	private void lookUp(String host, long asked, Consumer<Set<InetAddress>> found) {
		try {
			Set<InetAddress> addresses = isLate(asked) ? Set.of()
					: new HashSet<>(Arrays.asList(this.resolver.addresses(host)));
			// A name that waited for a hanging one is of no use, either.
			if (!isLate(asked)) {
				found.accept(addresses);
			}
		}
		catch (UnknownHostException | RuntimeException ex) {
			logger.debug("The name {} leads nowhere: {}", host, ex.toString());
		}
		finally {
			this.underWay.remove(host);
		}
	}

	private boolean isLate(long asked) {
		return System.nanoTime() - asked >= this.maxAgeNanos;
	}

	/** Begins no further look-up. Those that hang end by themselves. */
	void close() {
		this.threads.shutdownNow();
	}

	/** Looks names up. */
	@FunctionalInterface
	interface Resolver {

		/** Returns the addresses of a host; may block for long. */
		InetAddress[] addresses(String host) throws UnknownHostException;

	}

}
