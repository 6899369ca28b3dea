package io.github.vicinal.transport.wire;

import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;

import io.github.vicinal.path.PathKind;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Accepts connections for a server in the rendezvous directory: opens its socket there,
 * opens it anew after it was deleted, and deletes what dead processes have left.
 * Thread-safe.
 */
public final class LocalListener {

	/** Time that closing waits for the sweep at most. */
	private static final long SWEEP_MILLIS = 1000;

	private final PathKind kind;

	private final String instanceId;

	private final String suffix;

	private final Rendezvous rendezvous;

	private final Acceptor acceptor;

	private final ThreadFactory threads;

	private final @Nullable PeerCheck givenPeerCheck;

	private final Logger logger;

	private volatile @Nullable String unavailable = "the server has not been started";

	private volatile boolean stopped;

	/** Written before the first thread starts. */
	private volatile @Nullable ClassLoader loader;

	private volatile PeerCheck peerCheck = (channel) -> {
		throw new WireException(Refusal.STRANGER, "the server has not been started");
	};

	private @Nullable ServerSocketChannel listener;

	private @Nullable Path file;

	/** Deletes what dead processes have left, once. */
	private @Nullable Thread sweeper;

	/**
	 * Creates a listener that has not been started.
	 * @param kind the kind of path
	 * @param identity this instance, by which the socket is named
	 * @param suffix the suffix of the socket's name
	 * @param rendezvous where the socket is
	 * @param acceptor the server
	 * @param threads makes threads, whose names do not matter
	 * @param peerCheck checks clients, {@code null} for processes of the same user
	 * @param logger of the server
	 */
	public LocalListener(PathKind kind, PeerIdentity identity, String suffix, Rendezvous rendezvous, Acceptor acceptor,
			ThreadFactory threads, @Nullable PeerCheck peerCheck, Logger logger) {
		this.kind = kind;
		this.instanceId = identity.instanceId();
		this.suffix = suffix;
		this.rendezvous = rendezvous;
		this.acceptor = acceptor;
		this.threads = threads;
		this.givenPeerCheck = peerCheck;
		this.logger = logger;
	}

	/**
	 * Returns threads as other things than tests want them.
	 * @return a factory
	 */
	public static ThreadFactory plainThreads() {
		return (task) -> new Thread(null, task, "vicinal", 0, false);
	}

	/**
	 * Opens the socket. The context class loader of the calling thread is taken to be the
	 * application's.
	 */
	public synchronized void start() {
		if (this.listener != null || this.stopped) {
			return;
		}
		Path directory = this.rendezvous.directory().orElse(null);
		if (directory == null) {
			this.unavailable = this.rendezvous.unavailable().orElse("there is no rendezvous directory");
			return;
		}
		String problem = problem(directory);
		if (problem != null) {
			this.unavailable = problem;
			return;
		}
		this.loader = Thread.currentThread().getContextClassLoader();
		try {
			this.peerCheck = (this.givenPeerCheck != null) ? this.givenPeerCheck : PeerCheck.sameUser(this.rendezvous);
			this.acceptor.starting(directory);
			listen(directory);
			startSweep(directory);
			this.unavailable = null;
		}
		catch (IOException | RuntimeException | OutOfMemoryError ex) {
			remove();
			this.listener = null;
			this.unavailable = notOpened(directory, ex);
		}
	}

	private @Nullable String problem(Path directory) {
		return this.rendezvous.look().or(() -> this.acceptor.unsuitable(directory)).orElse(null);
	}

	private void listen(Path directory) throws IOException {
		ServerSocketChannel channel = SocketFile.open(directory, this.instanceId, this.suffix);
		this.listener = channel;
		this.file = SocketFile.of(directory, this.instanceId, this.suffix);
		thread("accept", () -> accept(channel)).start();
	}

	private static String notOpened(Path directory, Throwable cause) {
		return "no socket can be opened in %s: %s: %s".formatted(directory, cause.getClass().getSimpleName(),
				cause.getMessage());
	}

	private void startSweep(Path directory) {
		Thread thread = thread("sweep", () -> sweep(directory));
		thread.start();
		this.sweeper = thread;
	}

	/** In the background: the more there is to look at, the longer it takes. */
	private void sweep(Path directory) {
		try {
			int stale = this.acceptor.sweep(directory);
			if (stale > 0) {
				this.logger.info("Deleted {} files of dead processes in {}", stale, directory);
			}
		}
		catch (IOException | RuntimeException ex) {
			this.logger.debug("The files of dead processes could not be deleted: {}", ex.toString());
		}
	}

	/** Waits for the sweep, but not for long. */
	public void awaitSweep() {
		Thread running;
		synchronized (this) {
			running = this.sweeper;
		}
		try {
			if (running != null) {
				running.join(SWEEP_MILLIS);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void accept(ServerSocketChannel channel) {
		AcceptorBackOff backOff = new AcceptorBackOff(this.logger);
		while (true) {
			try {
				this.acceptor.accepted(channel.accept());
				backOff.accepted();
			}
			catch (ClosedChannelException ex) {
				if (!(ex instanceof AsynchronousCloseException) || !this.stopped) {
					this.logger.debug("No longer accepting: {}", ex.toString());
				}
				return;
			}
			catch (IOException | RuntimeException | OutOfMemoryError ex) {
				// No file or no thread is left: those that are there must live on.
				backOff.pauseAfter(ex);
			}
		}
	}

	/**
	 * Returns why the path is not offered. Looks whether the directory and the socket are
	 * still there, which takes a few system calls.
	 * @return the reason, or empty while connections are accepted
	 */
	public Optional<String> unavailable() {
		if (!this.stopped) {
			repair();
		}
		return Optional.ofNullable(this.unavailable);
	}

	/**
	 * Offers nothing while the directory is not this user's, and opens the socket anew if
	 * it went with the directory. Connections that are there go on.
	 */
	private synchronized void repair() {
		ServerSocketChannel known = this.listener;
		Path directory = this.rendezvous.directory().orElse(null);
		if (known == null || this.file == null || directory == null || this.stopped) {
			return;
		}
		String problem = problem(directory);
		if (problem == null && !Files.exists(this.file, LinkOption.NOFOLLOW_LINKS)) {
			try {
				known.close();
				listen(directory);
				this.logger.info("The socket of this server was deleted, and has been opened again in {}", directory);
			}
			catch (IOException | RuntimeException | OutOfMemoryError ex) {
				problem = notOpened(directory, ex);
			}
		}
		if (problem != null && !problem.equals(this.unavailable)) {
			this.logger.warn("Calls over {} are not offered: {}", this.kind.id(), problem);
		}
		this.unavailable = problem;
	}

	/**
	 * Stops offering the path; the socket exists until {@link #remove()}. Waits for a
	 * repair that another thread has begun, which would otherwise offer the path again.
	 */
	public synchronized void stop() {
		this.stopped = true;
		this.unavailable = "the server is closed";
	}

	/** Returns whether the socket was opened. */
	public synchronized boolean isStarted() {
		return this.listener != null;
	}

	/** Removes the socket. */
	public synchronized void remove() {
		try {
			// First the file, then the socket: nobody finds a dead socket.
			if (this.file != null) {
				Files.deleteIfExists(this.file);
			}
			if (this.listener != null) {
				this.listener.close();
			}
		}
		catch (IOException ex) {
			this.logger.debug("The socket could not be removed: {}", ex.toString());
		}
	}

	/** Returns what checks clients; it accepts none before the start. */
	public PeerCheck peerCheck() {
		return this.peerCheck;
	}

	/**
	 * Creates a daemon thread of the server.
	 * @param name what is its own in its name
	 * @param task what it runs
	 */
	public Thread thread(String name, Runnable task) {
		Thread thread = this.threads.newThread(task);
		thread.setName("vicinal-%s-%s-%s".formatted(this.kind.id(), this.instanceId.substring(0, 8), name));
		thread.setDaemon(true);
		// Codecs find classes by name through the thread's loader.
		thread.setContextClassLoader(this.loader);
		return thread;
	}

	/** A server that connections are accepted for. */
	public interface Acceptor {

		/** Returns why a directory cannot be used; empty if it can. */
		default Optional<String> unsuitable(Path directory) {
			return Optional.empty();
		}

		/** Prepares for connections, which follow at once. */
		default void starting(Path directory) {
		}

		/**
		 * Deletes what dead processes have left.
		 * @return number of files that were deleted
		 */
		int sweep(Path directory) throws IOException;

		/** Takes over a connection, on the thread that accepts them: must not block. */
		void accepted(SocketChannel channel) throws IOException;

	}

}
