package io.github.vicinal.boot.client;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * Looks names of hosts up on a few threads of its own, and waits for a bounded time,
 * because a name server may not answer for long. The threads end when they are idle.
 * Thread-safe.
 */
final class NameLookups {

	/** Names that hang leave a thread for the others, unless many do. */
	static final int MAX_THREADS = 4;

	/** Maximum number of names that wait for a thread. */
	static final int MAX_WAITING = 64;

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final int IDLE_SECONDS = 10;

	private static final Pattern IPV4 = Pattern.compile("[0-9.]+");

	private final Resolver resolver;

	private final Duration timeout;

	private final ThreadPoolExecutor threads;

	/** Names that wait or are being looked up. */
	private final Map<String, CompletableFuture<List<InetAddress>>> underWay = new ConcurrentHashMap<>();

	/** Creates an object without threads, which asks the resolver of the JVM. */
	NameLookups() {
		this(InetAddress::getAllByName, TIMEOUT);
	}

	/**
	 * Creates an object without threads.
	 * @param resolver looks a name up
	 * @param timeout maximum time that a caller waits
	 */
	NameLookups(Resolver resolver, Duration timeout) {
		this.resolver = resolver;
		this.timeout = timeout;
		this.threads = new ThreadPoolExecutor(MAX_THREADS, MAX_THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(MAX_WAITING), (task) -> {
					Thread thread = new Thread(null, task, "vicinal-lookup", 0, false);
					thread.setDaemon(true);
					// Otherwise it would keep the loader of the first caller.
					thread.setContextClassLoader(null);
					return thread;
				});
		this.threads.allowCoreThreadTimeOut(true);
	}

	/**
	 * Returns the addresses of a host. Callers that ask for the same name at the same
	 * time share one look-up.
	 * @param host a name or an IP address
	 * @return its addresses
	 * @throws UnknownHostException if it has none, or that is not known in time
	 */
	List<InetAddress> addresses(String host) throws UnknownHostException {
		if (isNumeric(host)) {
			// Nobody is asked for it.
			return List.of(InetAddress.getAllByName(host));
		}
		CompletableFuture<List<InetAddress>> result = new CompletableFuture<>();
		CompletableFuture<List<InetAddress>> known = this.underWay.putIfAbsent(host, result);
		if (known == null) {
			begin(host, result);
			known = result;
		}
		try {
			return known.get(this.timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			throw new UnknownHostException(
					"the name %s was not looked up within %d ms".formatted(host, this.timeout.toMillis()));
		}
		catch (ExecutionException ex) {
			throw new UnknownHostException((ex.getCause() instanceof UnknownHostException unknown)
					? String.valueOf(unknown.getMessage()) : String.valueOf(ex.getCause()));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new UnknownHostException("the thread that waited for the name %s was interrupted".formatted(host));
		}
	}

	/** Returns whether something is an IP address, and no name. */
	static boolean isNumeric(String host) {
		return host.indexOf(':') >= 0 || IPV4.matcher(host).matches();
	}

	private void begin(String host, CompletableFuture<List<InetAddress>> result) {
		try {
			this.threads.execute(() -> {
				try {
					result.complete(List.of(this.resolver.addresses(host)));
				}
				catch (UnknownHostException | RuntimeException | Error ex) {
					result.completeExceptionally(ex);
				}
				finally {
					this.underWay.remove(host, result);
				}
			});
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			this.underWay.remove(host, result);
			result.completeExceptionally(new UnknownHostException("the name %s is not looked up: %s".formatted(host,
					(ex instanceof OutOfMemoryError) ? ex.getMessage() : "many others hang")));
		}
	}

	/** Looks names up. */
	@FunctionalInterface
	interface Resolver {

		/** Returns the addresses of a host; may block for long. */
		InetAddress[] addresses(String host) throws UnknownHostException;

	}

}
