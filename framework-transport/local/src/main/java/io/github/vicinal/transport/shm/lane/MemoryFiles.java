package io.github.vicinal.transport.shm.lane;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import io.github.vicinal.transport.wire.DaemonThread;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory in which one side makes its segments and arenas, and what this process
 * still maps of pairs that have ended. Thread-safe.
 * <p>
 * The kernel frees memory without a name when nobody maps it any more. A JVM unmaps a
 * buffer only after the garbage collector has found it unused, which in a process with
 * little garbage may take days, while peers that are restarted fill a small file system.
 * So when its space runs short, this collects, at most once in some seconds.
 */
public final class MemoryFiles {

	private static final Logger logger = LoggerFactory.getLogger(MemoryFiles.class);

	/** Fraction of free space below which space is low, as a divisor. */
	private static final int SHORT_SHARE = 4;

	/**
	 * Fraction of the file system that a collection must be able to free, as a divisor.
	 */
	private static final int WORTH_SHARE = 64;

	private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

	/**
	 * Buffers are unmapped by a thread of the JVM, a moment after they were collected.
	 */
	private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private static final long FIRST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final Path directory;

	private final Supplier<Optional<String>> problem;

	/** Bytes of pairs that have ended since the last collection. Guarded by this. */
	private long endedBytes;

	/** Guarded by this. */
	private long nextCollection = System.nanoTime();

	/**
	 * Creates the view of a directory.
	 * @param directory on a file system in memory
	 */
	public MemoryFiles(Path directory) {
		this(directory, Optional::empty);
	}

	/**
	 * Creates the view of a directory that others may replace.
	 * @param directory on a file system in memory
	 * @param problem says why the directory cannot be used at this moment
	 */
	public MemoryFiles(Path directory, Supplier<Optional<String>> problem) {
		this.directory = directory;
		this.problem = problem;
	}

	/**
	 * Fails if the directory cannot be used. To be called before a file is opened by its
	 * name: in a directory that another user has made, the file may be that user's.
	 * @throws IOException if the directory cannot be used, with the reason
	 */
	public void requireUsable() throws IOException {
		String reason = this.problem.get().orElse(null);
		if (reason != null) {
			throw new IOException(reason);
		}
	}

	/**
	 * Returns the directory.
	 * @return where files have their names for a while
	 */
	public Path directory() {
		return this.directory;
	}

	/**
	 * Makes a file of zeros and maps it.
	 * @param name a name that nobody uses
	 * @param bytes its size
	 * @return the memory
	 * @throws IOException if there is no space, or anything else goes wrong; then there
	 * is no file
	 */
	public Memory create(String name, int bytes) throws IOException {
		requireUsable();
		if (!Memory.hasSpace(this.directory, bytes) && collect(1)) {
			awaitSpace(bytes);
		}
		return Memory.create(this.directory.resolve(name), bytes);
	}

	/** A thread that is interrupted cannot sleep, and does not wait. */
	private void awaitSpace(int bytes) throws IOException {
		long end = System.nanoTime() + PATIENCE_NANOS;
		long pause = FIRST_LOOK_NANOS;
		while (!Memory.hasSpace(this.directory, bytes) && System.nanoTime() - end < 0
				&& !Thread.currentThread().isInterrupted()) {
			LockSupport.parkNanos(this, pause);
			pause *= 2;
		}
	}

	/**
	 * Notes that a pair has ended. If space is short, it is collected on a thread of its
	 * own, when the caller has let go of the pair.
	 * @param bytes how much memory of the pair this process has mapped
	 */
	public void ended(long bytes) {
		synchronized (this) {
			this.endedBytes += bytes;
		}
		try {
			long total = Memory.totalSpace(this.directory);
			if (Memory.usableSpace(this.directory) < total / SHORT_SHARE) {
				Thread thread = DaemonThread.create("vicinal-shm-collector", () -> collect(total / WORTH_SHARE));
				thread.start();
			}
		}
		catch (IOException ex) {
			logger.debug("The free space in {} cannot be determined: {}", this.directory, ex.toString());
		}
		catch (OutOfMemoryError ex) {
			// The next end may find a thread for it; this thread must go on.
			logger.warn("Space is low in {}, and no thread can be started to collect garbage: {}", this.directory,
					ex.toString());
		}
	}

	synchronized long endedBytes() {
		return this.endedBytes;
	}

	/** Returns whether the garbage was collected. */
	private boolean collect(long leastBytes) {
		long bytes;
		synchronized (this) {
			long now = System.nanoTime();
			if (this.endedBytes < leastBytes || now - this.nextCollection < 0) {
				return false;
			}
			this.nextCollection = now + PAUSE_NANOS;
			bytes = this.endedBytes;
			this.endedBytes = 0;
		}
		logger.info("Space is low in {}: collecting garbage, which may unmap {} KiB of peers that have gone",
				this.directory, bytes >> 10);
		System.gc();
		return true;
	}

}
