package io.github.vicinal.chronicle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.vicinal.topic.TopicException;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.io.BackgroundResourceReleaser;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.queue.impl.single.TableStoreWriteLock;
import net.openhft.chronicle.wire.DocumentContext;
import net.openhft.chronicle.wire.UnrecoverableTimeoutException;
import net.openhft.chronicle.wire.WriteAfterEOFException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue of one topic in one process. Whatever Chronicle throws becomes a
 * {@link DamagedQueueException} that names the directory, checked exceptions included,
 * which Chronicle throws without declaring them.
 */
final class DurableLog implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(DurableLog.class);

	private static final String SUFFIX = ".cq4";

	private static final int NO_FILE = -1;

	private static final Pattern HOLDER = Pattern.compile("held by (\\d+)");

	private final Path directory;

	private final SingleChronicleQueue queue;

	private final FileClock clock;

	/** Size at which a file is full. */
	private final long fileBytes;

	/** Time for which an append waits for other processes. */
	private final Duration patience;

	/** One thread at a time appends. */
	private final ReentrantLock appending = new ReentrantLock();

	/**
	 * One process at a time appends. Chronicle's lock is taken within this one: it names
	 * its owner by a process id, which is not unique between containers.
	 */
	private final ProcessLock publishing;

	/**
	 * Guarded by the lock, and outside the heap: Chronicle copies bytes of the heap word
	 * by word.
	 */
	private final Bytes<?> bytes = Bytes.allocateElasticDirect(1024);

	/** Guarded by the lock. */
	private @Nullable ExcerptAppender appender;

	private volatile boolean closed;

	private DurableLog(Path directory, SingleChronicleQueue queue, FileClock clock, ChronicleOptions options,
			ProcessLock publishing) {
		this.directory = directory;
		this.queue = queue;
		this.clock = clock;
		this.fileBytes = options.fileBytes();
		this.patience = options.patience();
		this.publishing = publishing;
		// It does not see that the lock lets in one thread at a time.
		this.bytes.singleThreadedCheckDisabled(true);
	}

	/**
	 * Opens a queue.
	 * @param publishing lock of those who append to it
	 */
	static DurableLog open(Path directory, ChronicleOptions options, ProcessLock publishing) {
		return open(directory, options, publishing, System::currentTimeMillis);
	}

	/**
	 * Opens a queue.
	 * @param publishing lock of those who append to it
	 * @param clock milliseconds since 1970, by which files begin
	 */
	static DurableLog open(Path directory, ChronicleOptions options, ProcessLock publishing, LongSupplier clock) {
		FileClock files = new FileClock(clock, options.roll().cycle());
		try {
			return new DurableLog(directory,
					SingleChronicleQueueBuilder.single(directory.toFile())
						.rollCycle(options.roll().cycle())
						.timeProvider(files)
						.blockSize(options.blockBytes())
						.timeoutMS(Math.max(1, options.patience().toMillis()))
						.build(),
					files, options, publishing);
		}
		catch (Exception | AssertionError | InternalError ex) {
			throw damaged(directory, "cannot be opened", ex);
		}
	}

	/** Appends a record. */
	void append(byte[] record) {
		this.appending.lock();
		try {
			if (this.closed) {
				throw new TopicException("The durable topic in %s is closed".formatted(this.directory));
			}
			boolean takenOver = lock();
			try {
				if (takenOver) {
					unlockForTheDead();
				}
				write(record);
			}
			finally {
				this.publishing.unlock();
			}
		}
		catch (TopicException ex) {
			throw ex;
		}
		catch (UnrecoverableTimeoutException ex) {
			discardAppender();
			throw new TopicException(locked(holder(ex)), ex);
		}
		catch (Exception | AssertionError | InternalError ex) {
			discardAppender();
			throw damaged(this.directory, "cannot be appended to", ex);
		}
		finally {
			this.appending.unlock();
		}
	}

	/**
	 * Writes a record to the newest file, or to the one behind it if that is full or
	 * ended. Called with the lock.
	 */
	private void write(byte[] record) {
		int ended = NO_FILE;
		while (true) {
			ExcerptAppender open = this.appender;
			if (open == null) {
				open = this.queue.createAppender();
				open.singleThreadedCheckDisabled(true);
				this.appender = open;
			}
			int newest = this.queue.lastCycle();
			this.clock.newest(newest);
			boolean full = open.cycle() == newest && open.wire() != null
					&& open.wire().bytes().writePosition() >= this.fileBytes;
			if (full || newest == ended) {
				this.clock.next(newest);
			}
			this.bytes.clear();
			this.bytes.write(record);
			try {
				open.writeBytes(this.bytes);
				return;
			}
			catch (WriteAfterEOFException ex) {
				// Another publisher has ended the file, and begins the next one or was
				// killed before that. Nothing has been written.
				if (newest == ended) {
					throw ex;
				}
				ended = newest;
				discardAppender();
			}
		}
	}

	/**
	 * Has the next message begin with an appender that has not failed. Called with the
	 * lock.
	 */
	private void discardAppender() {
		try {
			if (this.appender != null) {
				this.appender.close();
			}
		}
		catch (Exception | AssertionError | InternalError ex) {
			logger.debug("An appender in {} cannot be closed: {}", this.directory, ex.toString());
		}
		finally {
			this.appender = null;
		}
	}

	/** Touches the pages that are written next. */
	void preTouch() {
		if (this.appending.tryLock()) {
			try {
				if (!this.closed && this.appender != null) {
					this.appender.pretouch();
				}
			}
			catch (Exception | AssertionError | InternalError ex) {
				throw damaged(this.directory, "cannot be touched", ex);
			}
			finally {
				this.appending.unlock();
			}
		}
	}

	/** Returns the index of the last message, 0 if there is none. */
	long lastIndex() {
		try {
			return Math.max(0, this.queue.lastIndex());
		}
		catch (Exception | AssertionError | InternalError ex) {
			throw damaged(this.directory, "cannot be read", ex);
		}
	}

	/**
	 * Reads the newest file, and fails if there is something in it that cannot be read:
	 * nobody gets what is published behind that.
	 * @throws DamagedQueueException if it is damaged, with its name
	 */
	void requireReadable() {
		long end = lastIndex();
		if (end == 0) {
			return;
		}
		DurableRecord.Reader reader = new DurableRecord.Reader(this.directory);
		try (Tail tail = tail()) {
			tail.toFile(cycle(end));
			while (tail.position() < end) {
				Entry entry = tail.next();
				if (entry == null) {
					throw new DamagedQueueException("its messages end behind index %x, and the last one has %x"
						.formatted(tail.position(), end));
				}
				reader.read(entry);
			}
		}
		catch (DamagedQueueException ex) {
			throw new DamagedQueueException(
					"The file %s is damaged, so nobody could read what is published behind that: %s. End all applications of the topic and move the file away, with which its messages are lost"
						.formatted(newestFile(), ex.getMessage()),
					ex);
		}
	}

	private Path newestFile() {
		// Names begin with the time, from years to seconds.
		try (Stream<Path> files = Files.list(this.directory)) {
			return files.filter((file) -> file.toString().endsWith(SUFFIX))
				.max(Comparator.naturalOrder())
				.orElse(this.directory);
		}
		catch (IOException ex) {
			return this.directory;
		}
	}

	/** Returns the number of the file that has a message. */
	int cycle(long index) {
		return this.queue.rollCycle().toCycle(index);
	}

	/**
	 * Returns the bytes of the newest file that are written, as far as this process
	 * knows.
	 */
	long newestBytes() {
		this.appending.lock();
		try {
			ExcerptAppender open = this.appender;
			return (open == null || open.wire() == null) ? 0 : open.wire().bytes().writePosition();
		}
		finally {
			this.appending.unlock();
		}
	}

	/** Returns what part of the messages of the newest file is behind an index. */
	double newestBehind(long index) {
		if (index == Long.MAX_VALUE) {
			return 0;
		}
		long end = lastIndex();
		if (index >= end) {
			return 0;
		}
		if (cycle(index) != cycle(end)) {
			return 1;
		}
		long count = this.queue.rollCycle().toSequenceNumber(end) + 1;
		return (double) (end - index) / count;
	}

	/**
	 * Returns the number of messages of one file that are behind an index, 0 if it is not
	 * known.
	 */
	long count(int cycle, long index) {
		try (ExcerptTailer tailer = this.queue.createTailer()) {
			long all = tailer.excerptsInCycle(cycle);
			long handled = (cycle(index) == cycle) ? this.queue.rollCycle().toSequenceNumber(index) + 1 : 0;
			return (cycle(index) > cycle) ? 0 : Math.max(0, all - handled);
		}
		catch (Exception | AssertionError | InternalError ex) {
			return 0;
		}
	}

	/** Has files that were deleted forgotten, and their room freed. */
	void refresh() {
		this.queue.refreshDirectoryListing();
		// Chronicle unmaps them some time later.
		BackgroundResourceReleaser.releasePendingResources();
	}

	/**
	 * Returns the number of messages that are there behind one index and up to another,
	 * or -1 if it is not known.
	 */
	long count(long from, long to) {
		try {
			if (from >= to) {
				return 0;
			}
			long first = this.queue.firstIndex();
			return (from < first) ? this.queue.countExcerpts(first, to) + 1 : this.queue.countExcerpts(from, to);
		}
		catch (Exception | AssertionError | InternalError ex) {
			return -1;
		}
	}

	Tail tail() {
		try {
			ExcerptTailer tailer = this.queue.createTailer();
			tailer.singleThreadedCheckDisabled(true);
			return new Tail(this.directory, tailer);
		}
		catch (Exception | AssertionError | InternalError ex) {
			throw damaged(this.directory, "cannot be read", ex);
		}
	}

	/**
	 * Waits until no other process appends.
	 * @return whether the one before was killed while it appended
	 */
	private boolean lock() {
		return switch (this.publishing.lock(this.patience)) {
			case LOCKED -> false;
			case TAKEN_OVER -> true;
			case HELD_BY_ANOTHER -> {
				try (TableStoreWriteLock lock = chronicleLock()) {
					// The lower half of its word is the process id.
					throw new TopicException(locked((int) lock.lockedBy()));
				}
			}
		};
	}

	/**
	 * Takes Chronicle's lock from a process that was killed. Chronicle itself would wait
	 * first, and for ever if another process has the same id, as the first ones of
	 * containers have.
	 */
	private void unlockForTheDead() {
		try (TableStoreWriteLock lock = chronicleLock()) {
			if (lock.locked()) {
				lock.forceUnlock();
			}
		}
	}

	private TableStoreWriteLock chronicleLock() {
		return new TableStoreWriteLock(this.queue.metaStore(),
				SingleChronicleQueueBuilder.single(this.directory.toFile()).pauserSupplier(), this.patience.toMillis());
	}

	private static int holder(UnrecoverableTimeoutException timeout) {
		Matcher holder = HOLDER.matcher(String.valueOf(timeout.getMessage()));
		return holder.find() ? Integer.parseInt(holder.group(1)) : 0;
	}

	/**
	 * Chronicle suggests to take the lock away, which would let two processes write to
	 * the same place.
	 * @param process its id, not positive if it is not known
	 */
	private String locked(int process) {
		return "Another publisher%s keeps the lock of the queue in %s, for longer than vicinal.topics.durable.patience (%d ms) allows. It is slow or stopped, or hangs: let it go on, or end it"
			.formatted((process > 0) ? " (process " + process + ")" : "", this.directory, this.patience.toMillis());
	}

	private static DamagedQueueException damaged(Path directory, String what, Throwable cause) {
		return new DamagedQueueException("The queue in %s %s; it may be damaged, or the volume full or not writable: %s"
			.formatted(directory, what, cause), cause);
	}

	@Override
	public void close() {
		this.appending.lock();
		try {
			if (!this.closed) {
				this.closed = true;
				if (this.appender != null) {
					this.appender.close();
				}
				this.queue.close();
				this.bytes.releaseLast();
			}
		}
		finally {
			this.appending.unlock();
		}
	}

	/** Reads messages, for one thread at a time. */
	static final class Tail implements AutoCloseable {

		private static final int MOST_BYTES = 1 << 30;

		private static final long UNKNOWN = -1;

		private final Path directory;

		private final ExcerptTailer tailer;

		/** The index of the message that was read last, 0 for none. */
		private long last;

		/** Messages up to this index are left out. */
		private long floor;

		Tail(Path directory, ExcerptTailer tailer) {
			this.directory = directory;
			this.tailer = tailer;
		}

		/** Returns an index behind which the next message is. */
		long position() {
			return Math.max(this.last, this.floor);
		}

		/** Returns the next message, or {@code null} if there is none yet. */
		@Nullable Entry next() {
			Entry entry = read();
			while (entry != null && entry.index() <= this.floor) {
				entry = read();
			}
			return entry;
		}

		private @Nullable Entry read() {
			try (DocumentContext document = this.tailer.readingDocument()) {
				if (!document.isPresent()) {
					return null;
				}
				Bytes<?> bytes = Objects.requireNonNull(document.wire()).bytes();
				long length = bytes.readRemaining();
				if (length < 0 || length > MOST_BYTES) {
					throw new DamagedQueueException("a message of %d bytes".formatted(length));
				}
				byte[] copy = new byte[(int) length];
				bytes.read(copy);
				this.last = document.index();
				return new Entry(this.last, copy);
			}
			catch (Exception | AssertionError | InternalError ex) {
				throw damaged(this.directory, "cannot be read behind index %x".formatted(this.last), ex);
			}
		}

		/** Goes to the first message of a file. */
		void toFile(int cycle) {
			try {
				if (!this.tailer.moveToCycle(cycle)) {
					throw new DamagedQueueException("the file %x has no messages".formatted(cycle));
				}
			}
			catch (DamagedQueueException ex) {
				throw ex;
			}
			catch (Exception | AssertionError | InternalError ex) {
				throw damaged(this.directory, "cannot be read in file %x".formatted(cycle), ex);
			}
		}

		/**
		 * Goes to the first message behind an index.
		 * @param index of a message or not, 0 for the start
		 */
		void after(long index) {
			if (index == this.last && index != 0) {
				return;
			}
			this.last = index;
			this.floor = index;
			try {
				if (index == 0 || !this.tailer.moveToIndex(index)) {
					// It may be deleted, or there never was one of this index.
					this.tailer.toStart();
				}
			}
			catch (Exception | AssertionError | InternalError ex) {
				throw damaged(this.directory, "cannot be read at index %x".formatted(index), ex);
			}
		}

		/** Returns one message, or {@code null} if it is not there any more. */
		@Nullable Entry at(long index) {
			this.last = UNKNOWN;
			this.floor = index - 1;
			try {
				if (!this.tailer.moveToIndex(index)) {
					return null;
				}
			}
			catch (Exception | AssertionError | InternalError ex) {
				throw damaged(this.directory, "cannot be read at index %x".formatted(index), ex);
			}
			Entry entry = read();
			return (entry != null && entry.index() == index) ? entry : null;
		}

		@Override
		public void close() {
			this.tailer.close();
		}

	}

	/**
	 * A message as it is in the queue.
	 *
	 * @param index its index
	 * @param bytes its record
	 */
	@SuppressWarnings("ArrayRecordComponent") // never compared
	record Entry(long index, byte[] bytes) {
	}

}
