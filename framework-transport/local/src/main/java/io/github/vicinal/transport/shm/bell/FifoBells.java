package io.github.vicinal.transport.shm.bell;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.vicinal.transport.wire.Watchdog;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bells that are FIFOs in a directory: a byte in one wakes its reader. They need no
 * native code, only the command {@code mkfifo}, once per pair of peers; without it on the
 * server, {@link SocketBells} are used. Each FIFO is opened for both reading and writing,
 * so that opening never waits for the other side, and only when it is needed.
 * <p>
 * FIFOs that were not used for a while are closed again, and all threads but one that
 * sleep at the server's bell are woken to end. So an idle pair holds one file descriptor
 * at the server and none at the client. The kernel drops the bytes of a FIFO that no
 * process has open. Therefore a sleeper looks at its word once more when its end is open:
 * either there was no ring yet, and later rings are kept, or the word shows the ring.
 * <p>
 * A write waits while a FIFO is full. It is looked at often enough that ringing does not
 * fill it; a peer that fills it on purpose can hold up the threads that ring. So only
 * threads ring that do so for a call of their pair: the end of a sleep, and the end of
 * the pair, close what sleepers hear with instead, which needs no room in a FIFO. Closing
 * also ends a write that waits.
 * <p>
 * A FIFO may fail. If no file descriptor is left, sleepers look at times instead of
 * sleeping, and the other side is asked over the connection to wake its own. If somebody
 * has deleted it, the first failure ends the pair: a thread that could not ring has lost
 * a wake-up that nobody repeats, and a thread that cannot sleep would look in a loop.
 */
public final class FifoBells implements Bells {

	/** The name of this kind. */
	public static final String KIND = "fifo";

	private static final Logger logger = LoggerFactory.getLogger(FifoBells.class);

	private static final String SUFFIX = ".bells";

	private static final Pattern NAME = Pattern.compile("([0-9a-f]{32})-[0-9a-f]{16}\\.bells");

	private static final long MKFIFO_SECONDS = 10;

	/** Time between two looks of a thread that cannot sleep at a FIFO. */
	private static final long POOR_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	/** Maximum number of rings that a sleeper reads at a time. */
	private static final int DRAIN_BYTES = 64;

	private final Path directory;

	private final BellWords words;

	private final Watchdog watchdog;

	private final Sweep sweep;

	private final Messenger messenger;

	private final Consumer<Throwable> onFailure;

	/** Lock that a failing thread waits for while another ends the pair. */
	private final Object ending = new Object();

	private final FifoBell server;

	private final FifoBell poller;

	private final FifoBell[] lanes;

	private volatile boolean closed;

	/**
	 * Opens the bells of a directory.
	 * @param directory with the FIFOs
	 * @param words the words that sleepers check before they sleep
	 * @param watchdog ends sleeps that have a limit, and closes unused FIFOs
	 * @param idleNanos time after which an unused FIFO is closed
	 * @param messenger rings when no file descriptor is left
	 * @param onFailure notified why a FIFO cannot be used, by a thread that rings or
	 * sleeps; ends the pair and with it these bells
	 */
	public FifoBells(Path directory, BellWords words, Watchdog watchdog, long idleNanos, Messenger messenger,
			Consumer<Throwable> onFailure) {
		this.messenger = messenger;
		this.directory = directory;
		this.words = words;
		this.watchdog = watchdog;
		this.sweep = new Sweep(idleNanos);
		this.onFailure = onFailure;
		this.server = new FifoBell("server", SERVER, words.server());
		this.poller = new FifoBell("poller", POLLER, words.poller());
		this.lanes = new FifoBell[words.lanes()];
		for (int i = 0; i < this.lanes.length; i++) {
			this.lanes[i] = new FifoBell(Integer.toString(i), i, words.lane().applyAsInt(i));
		}
		watchdog.add(this.sweep);
	}

	/**
	 * Makes the FIFOs of a pair of peers.
	 * @param rendezvous where their directory will be
	 * @param server the server's instance id
	 * @param unique 16 hexadecimal digits that nobody uses
	 * @param lanes number of lanes
	 * @return the directory
	 * @throws IOException if they cannot be made; then there is no directory
	 */
	public static Path create(Path rendezvous, String server, String unique, int lanes) throws IOException {
		Path directory = rendezvous.resolve(server + "-" + unique + SUFFIX);
		Files.createDirectory(directory,
				PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
		List<String> command = new ArrayList<>(List.of("mkfifo", "-m", "600", "server", "poller"));
		for (int i = 0; i < lanes; i++) {
			command.add(Integer.toString(i));
		}
		boolean made = false;
		try {
			Process process = new ProcessBuilder(command).directory(directory.toFile())
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start();
			made = process.waitFor(MKFIFO_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
			if (!made) {
				process.destroyForcibly();
				throw new IOException("mkfifo failed in " + directory);
			}
			return directory;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("interrupted while mkfifo ran", ex);
		}
		finally {
			if (!made) {
				delete(directory);
			}
		}
	}

	/**
	 * Finds the directory that a server has announced.
	 * @param rendezvous where it must be
	 * @param name its name
	 * @return the directory
	 * @throws IOException if that is not the name of one
	 */
	public static Path resolve(Path rendezvous, String name) throws IOException {
		Path directory = NAME.matcher(name).matches() ? rendezvous.resolve(name) : null;
		if (directory == null || !Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
			throw new IOException("there are no bells of that name");
		}
		return directory;
	}

	/**
	 * Deletes the FIFOs of servers that are gone.
	 * @param rendezvous where to look
	 * @param gone whether the server of an instance id is gone
	 * @return number of directories that were deleted
	 * @throws IOException if the directory cannot be read
	 */
	public static int deleteOrphans(Path rendezvous, Predicate<String> gone) throws IOException {
		int deleted = 0;
		try (DirectoryStream<Path> directories = Files.newDirectoryStream(rendezvous, "*" + SUFFIX)) {
			for (Path directory : directories) {
				Matcher matcher = NAME.matcher(String.valueOf(directory.getFileName()));
				if (matcher.matches() && gone.test(matcher.group(1))) {
					delete(directory);
					deleted++;
				}
			}
		}
		return deleted;
	}

	/**
	 * Deletes a directory of FIFOs. Never throws.
	 * @param directory the directory
	 */
	public static void delete(Path directory) {
		try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
			for (Path file : files) {
				Files.deleteIfExists(file);
			}
			Files.deleteIfExists(directory);
		}
		catch (IOException ex) {
			logger.debug("Bells could not be deleted: {}", ex.toString());
		}
	}

	@Override
	public String kind() {
		return KIND;
	}

	@Override
	public Bell server() {
		return this.server;
	}

	@Override
	public Bell poller() {
		return this.poller;
	}

	@Override
	public Bell lane(int lane) {
		return this.lanes[lane];
	}

	@Override
	public void close() {
		this.closed = true;
		this.watchdog.remove(this.sweep);
		this.server.close();
		this.poller.close();
		for (FifoBell lane : this.lanes) {
			lane.close();
		}
	}

	@Override
	public int lanes() {
		return this.lanes.length;
	}

	@Override
	public void ringHere(int number) throws WireException {
		((FifoBell) bell(number)).closeReaders();
	}

	private void failed(Throwable cause) {
		if (this.closed) {
			return;
		}
		synchronized (this.ending) {
			if (!this.closed) {
				this.onFailure.accept(cause);
			}
		}
	}

	/** Closes what nobody has used since it looked last. */
	private final class Sweep implements Watchdog.Watched {

		private final long idleNanos;

		private volatile long next = Watchdog.NEVER;

		Sweep(long idleNanos) {
			this.idleNanos = idleNanos;
		}

		/** Makes sure that there is a look. Called after something was opened. */
		void arm() {
			if (this.next == Watchdog.NEVER) {
				long time = FifoBells.this.watchdog.now() + this.idleNanos;
				this.next = time;
				try {
					FifoBells.this.watchdog.lookAt(time);
				}
				catch (OutOfMemoryError ex) {
					// No thread is available: nothing is closed until somebody asks
					// again.
					this.next = Watchdog.NEVER;
				}
			}
		}

		@Override
		public long look(long now) {
			long time = this.next;
			if (time > now) {
				return time;
			}
			// First, so that whatever is opened behind this look asks for another one.
			this.next = Watchdog.NEVER;
			boolean more = FifoBells.this.server.sweep();
			more |= FifoBells.this.poller.sweep();
			for (FifoBell lane : FifoBells.this.lanes) {
				more |= lane.sweep();
			}
			if (more) {
				this.next = now + this.idleNanos;
			}
			return this.next;
		}

	}

	/** One FIFO. */
	private final class FifoBell implements Bell, Watchdog.Watched {

		private static final int MAX_TRIES = 3;

		/** Also the lock of threads that ring: a write moves its position. */
		private final ByteBuffer one = ByteBuffer.allocate(1);

		private final String name;

		private final int number;

		/** Offset of the word that sleepers here have set before. */
		private final int word;

		/** Whether a thread has rung or slept here since the last sweep. */
		private volatile boolean used;

		/** Readers of threads that are awake. Guarded by this. */
		private final Deque<Reader> idle = new ArrayDeque<>(1);

		/** All that are open. Guarded by this. */
		private final List<Reader> all = new ArrayList<>(1);

		private volatile @Nullable Writer writer;

		private volatile long deadline = Watchdog.NEVER;

		/** Guarded by this. */
		private boolean watched;

		FifoBell(String name, int number, int word) {
			this.name = name;
			this.number = number;
			this.word = word;
		}

		private void use() {
			if (!this.used) {
				this.used = true;
			}
		}

		/**
		 * Closes ends that were not used, and ends all sleeps here but one. Never waits.
		 * @return whether there may be something to close the next time
		 */
		synchronized boolean sweep() {
			if (this.used) {
				this.used = false;
				return true;
			}
			Writer open = this.writer;
			if (open != null) {
				// A concurrent ring opens another one, and rings again.
				this.writer = null;
				open.close();
			}
			for (Reader reader : this.idle) {
				reader.close();
			}
			this.all.removeAll(this.idle);
			this.idle.clear();
			while (this.all.size() > 1) {
				this.all.remove(this.all.size() - 1).close();
			}
			return false;
		}

		@Override
		public void await(long nanos) {
			Reader reader = null;
			use();
			try {
				reader = take(nanos != FOREVER);
				if (reader == null) {
					return;
				}
				if (nanos != FOREVER) {
					arm(nanos);
				}
				if (FifoBells.this.words.sayAsleep(this.word)) {
					reader.awaitRing();
				}
			}
			catch (ClosedChannelException ex) {
				// An interrupt has closed it, too; the sleeper finds out why.
			}
			catch (NoSuchFileException ex) {
				failed(ex);
			}
			catch (IOException ex) {
				if (reader != null) {
					failed(ex);
				}
				else {
					// No file descriptor is left, so the sleeper looks again soon.
					LockSupport.parkNanos(this, Math.min(nanos, POOR_SLEEP_NANOS));
				}
			}
			finally {
				if (reader != null) {
					putBack(reader);
					FifoBells.this.sweep.arm();
				}
				if (nanos != FOREVER) {
					this.deadline = Watchdog.NEVER;
				}
			}
		}

		private void arm(long nanos) {
			long time = FifoBells.this.watchdog.now() + nanos;
			this.deadline = time;
			FifoBells.this.watchdog.lookAt(time);
		}

		@Override
		public long look(long now) {
			long time = this.deadline;
			if (time > now) {
				return time;
			}
			this.deadline = Watchdog.NEVER;
			closeReaders();
			return Watchdog.NEVER;
		}

		/**
		 * Ends sleeps. The reader is registered before the deadline is published, so a
		 * thread that sees the deadline can always close the reader.
		 */
		synchronized void closeReaders() {
			for (Reader reader : this.all) {
				reader.close();
			}
			this.all.clear();
			this.idle.clear();
		}

		/**
		 * An interrupt of the ringing thread would close the channel, and must not cost
		 * anybody a wake-up: it is put aside, and one that comes meanwhile makes the bell
		 * ring twice.
		 */
		@Override
		public void ring() {
			boolean interrupted = Thread.interrupted();
			use();
			for (int i = 0; i < MAX_TRIES && !rang(); i++) {
				interrupted |= Thread.interrupted();
			}
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}

		private boolean rang() {
			Writer open = null;
			try {
				open = writer();
				if (open != null) {
					synchronized (this.one) {
						if (!open.rings()) {
							open.channel.write(this.one.clear());
						}
					}
				}
				return true;
			}
			catch (IOException | Error ex) {
				if (open != null && !open.channel.isOpen()) {
					discard(open);
					return false;
				}
				if (open != null || ex instanceof NoSuchFileException || !sent()) {
					failed(ex);
				}
				return true;
			}
		}

		/** Returns whether the other side was notified over the connection. */
		private boolean sent() {
			try {
				FifoBells.this.messenger.ring(this.number);
				return true;
			}
			catch (IOException ex) {
				return false;
			}
		}

		/**
		 * An interrupt of a thread that rang has closed it, or it was closed with the
		 * pair.
		 */
		private synchronized void discard(Writer closed) {
			if (this.writer == closed) {
				this.writer = null;
			}
			closed.close();
		}

		/**
		 * Also has the watchdog look at this bell: under the monitor, as {@link #close()}
		 * must find what it has to take back.
		 */
		private synchronized @Nullable Reader take(boolean limited) throws IOException {
			if (FifoBells.this.closed) {
				return null;
			}
			if (limited && !this.watched) {
				this.watched = true;
				FifoBells.this.watchdog.add(this);
			}
			Reader reader = this.idle.poll();
			if (reader != null) {
				return reader;
			}
			if (!this.all.isEmpty()) {
				// If nothing else happens, the sweep wakes all but one.
				FifoBells.this.sweep.arm();
			}
			reader = new Reader(FileChannel.open(FifoBells.this.directory.resolve(this.name), StandardOpenOption.READ,
					StandardOpenOption.WRITE));
			this.all.add(reader);
			return reader;
		}

		private synchronized void putBack(Reader reader) {
			if (reader.channel.isOpen()) {
				this.idle.push(reader);
			}
			else {
				this.all.remove(reader);
			}
		}

		private @Nullable Writer writer() throws IOException {
			Writer open = this.writer;
			if (open != null) {
				return open;
			}
			synchronized (this) {
				if (this.writer == null && !FifoBells.this.closed) {
					this.writer = Writer.open(FifoBells.this.directory.resolve(this.name));
					FifoBells.this.sweep.arm();
				}
				return this.writer;
			}
		}

		synchronized void close() {
			if (this.watched) {
				FifoBells.this.watchdog.remove(this);
			}
			Writer open = this.writer;
			if (open != null) {
				open.close();
			}
			closeReaders();
		}

	}

	/** Rings where this side cannot. */
	@FunctionalInterface
	public interface Messenger {

		/**
		 * Lets the other side wake the threads that sleep there.
		 * @param number of the bell, see {@link Bells#ringHere}
		 * @throws IOException if the other side is gone
		 */
		void ring(int number) throws IOException;

	}

	/** The end of a FIFO that all threads ring with. */
	private static final class Writer implements AutoCloseable {

		private static final int CHECK_INTERVAL = 64;

		final FileChannel channel;

		/** Stream on the same FIFO: a channel cannot report how much is in it. */
		private final FileInputStream unread;

		/** Number of rings until the next look whether they are read. */
		private int unchecked;

		private Writer(FileChannel channel, FileInputStream unread) {
			this.channel = channel;
			this.unread = unread;
		}

		/** Never creates the file: the other side may have deleted it. */
		@SuppressWarnings("resource") // closed with what is returned
		static Writer open(Path fifo) throws IOException {
			FileChannel channel = FileChannel.open(fifo, StandardOpenOption.READ, StandardOpenOption.WRITE);
			boolean opened = false;
			try {
				// Does not wait for a writer, as this process is one now.
				Writer writer = new Writer(channel, new FileInputStream(fifo.toFile()));
				opened = true;
				return writer;
			}
			finally {
				if (!opened) {
					channel.close();
				}
			}
		}

		/**
		 * Returns whether enough rings are unread for another one to be superfluous.
		 * Without this check, a FIFO without a reader would fill up, and a thread that
		 * rings would wait for a reader. The check takes two system calls, so it is done
		 * once for {@value #CHECK_INTERVAL} rings; a FIFO holds a thousand times as many.
		 * Only this user can fill it otherwise. A process that does so between two checks
		 * delays the threads that ring until the FIFO is read or closed.
		 */
		boolean rings() throws IOException {
			if (--this.unchecked > 0) {
				return false;
			}
			boolean full = this.unread.available() >= DRAIN_BYTES;
			this.unchecked = full ? 0 : CHECK_INTERVAL;
			return full;
		}

		@Override
		public void close() {
			try (this.unread) {
				this.channel.close();
			}
			catch (IOException ex) {
				logger.debug("A bell could not be closed: {}", ex.toString());
			}
		}

	}

	/**
	 * The end of a FIFO from which one thread reads: threads that read from one channel
	 * would wait for one another.
	 */
	private static final class Reader implements AutoCloseable {

		final FileChannel channel;

		private final ByteBuffer unread = ByteBuffer.allocateDirect(DRAIN_BYTES);

		Reader(FileChannel channel) {
			this.channel = channel;
		}

		void awaitRing() throws IOException {
			// Rings that nobody waited for are taken, too.
			this.channel.read(this.unread.clear());
		}

		/** Stops a listening thread at once. */
		@Override
		public void close() {
			try {
				this.channel.close();
			}
			catch (IOException ex) {
				logger.debug("A bell could not be closed: {}", ex.toString());
			}
		}

	}

}
