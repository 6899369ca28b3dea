package io.github.vicinal.transport.direct;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.jvm.Neighbours;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProtection;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.PathServer;
import io.github.vicinal.server.ServiceRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers the services of an application to the others in its JVM. Thread-safe.
 *
 * @since 0.1.0
 */
public final class DirectPathServer implements PathServer {

	private static final int MAX_THREADS = 256;

	private static final long IDLE_SECONDS = 30;

	private static final Logger logger = LoggerFactory.getLogger(DirectPathServer.class);

	private final PeerIdentity identity;

	private final ServiceRegistry services;

	private final @Nullable Executor givenExecutor;

	private final Duration drainTimeout;

	private @Nullable ExecutorService ownExecutor;

	private @Nullable DirectTarget target;

	/** Targets that accept no more calls and have yet to end. */
	private @Nullable DirectTarget leaving;

	private volatile @Nullable String unavailable = "the server has not been started";

	/**
	 * Creates a server.
	 * @param identity this instance
	 * @param services the services that answer
	 * @param executor runs calls whose deadline must be enforceable, or {@code null} for
	 * up to 256 threads that end when they are idle
	 * @param drainTimeout how long {@link #close()} waits for calls in flight
	 */
	public DirectPathServer(PeerIdentity identity, ServiceRegistry services, @Nullable Executor executor,
			Duration drainTimeout) {
		this.identity = identity;
		this.services = services;
		this.givenExecutor = executor;
		this.drainTimeout = drainTimeout;
	}

	@Override
	public PathKind kind() {
		return PathKind.DIRECT;
	}

	@Override
	public PathProtection protection() {
		return PathProtection.SAME_USER;
	}

	/**
	 * {@inheritDoc} The context class loader of the calling thread is taken to be the
	 * application's.
	 */
	@Override
	public synchronized void start() {
		if (this.unavailable == null) {
			return;
		}
		Executor executor = this.givenExecutor;
		if (executor == null) {
			ExecutorService created = threads();
			this.ownExecutor = created;
			executor = created;
		}
		try {
			DirectTarget created = new DirectTarget(this.services, executor,
					Thread.currentThread().getContextClassLoader());
			Neighbours.register(this.identity.instanceId(), created);
			this.target = created;
			this.unavailable = null;
		}
		catch (IllegalStateException ex) {
			this.unavailable = String.valueOf(ex.getMessage());
			stopThreads();
		}
	}

	private ExecutorService threads() {
		AtomicLong number = new AtomicLong();
		ClassLoader loader = Thread.currentThread().getContextClassLoader();
		String prefix = "vicinal-direct-%s-".formatted(this.identity.instanceId().substring(0, 8));
		return new ThreadPoolExecutor(0, MAX_THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(),
				(task) -> {
					Thread thread = new Thread(null, task, prefix + number.getAndIncrement(), 0, false);
					thread.setDaemon(true);
					thread.setContextClassLoader(loader);
					return thread;
				});
	}

	@Override
	public Optional<String> unavailable() {
		return Optional.ofNullable(this.unavailable);
	}

	@Override
	public synchronized void stopAccepting() {
		if (this.unavailable == null) {
			this.unavailable = "the server is closed";
			DirectTarget known = this.target;
			if (known != null) {
				Neighbours.remove(this.identity.instanceId(), known);
				known.close();
			}
			this.target = null;
			this.leaving = known;
		}
	}

	@Override
	public void close() {
		close(this.drainTimeout);
	}

	@Override
	public synchronized void close(Duration timeout) {
		stopAccepting();
		DirectTarget closed = this.leaving;
		if (closed != null) {
			this.leaving = null;
			drain(closed, timeout);
		}
		stopThreads();
	}

	private static void drain(DirectTarget closed, Duration timeout) {
		if (!closed.await(timeout)) {
			logger.info("Calls in flight did not end in time and are cut off");
			closed.cutOff();
			if (!closed.await(CUT_OFF_TIMEOUT)) {
				logger.warn("Calls that were cut off go on: their handlers ignore that they are interrupted");
			}
		}
	}

	private void stopThreads() {
		ExecutorService executor = this.ownExecutor;
		if (executor != null) {
			// Not shutdownNow, because a handler is interrupted only once.
			executor.shutdown();
			this.ownExecutor = null;
		}
	}

}
