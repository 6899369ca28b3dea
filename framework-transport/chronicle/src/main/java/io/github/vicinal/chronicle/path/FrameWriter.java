package io.github.vicinal.chronicle.path;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;

import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import org.jspecify.annotations.Nullable;

/**
 * Appends frames to a queue that another process reads. A frame is appended as a whole or
 * not at all. The files that the reader has not read take a limited number of bytes.
 * Thread-safe.
 */
final class FrameWriter implements AutoCloseable {

	/** Chronicle's records may take a quarter of what is mapped at a time. */
	private static final int PIECES_PER_FILE = 8;

	/** Header and padding of a record, at most. */
	private static final int RECORD_BYTES = 8;

	/** Header, indexes and end mark of a file, at most. */
	private static final int FILE_BYTES = 48 << 10;

	private final Path directory;

	private final PairQueue queue;

	private final QueueWords words;

	private final Volume volume;

	private final int fileBytes;

	private final long maxQueueBytes;

	private final CycleClock clock = new CycleClock();

	private final SingleChronicleQueue chronicle;

	private final ReentrantLock appending = new ReentrantLock();

	/** Files that the reader has not read, without the newest. Guarded by the lock. */
	private final Deque<Unread> unread = new ArrayDeque<>();

	/** Bytes of those files. Guarded by the lock. */
	private long unreadBytes;

	/** Bytes of the newest file. Guarded by the lock. */
	private long newestBytes = FILE_BYTES;

	/** Guarded by the lock. */
	private @Nullable ExcerptAppender appender;

	/** Guarded by the lock. */
	private boolean closed;

	private FrameWriter(Path directory, PairQueue queue, QueueWords words, Volume volume, ChroniclePathOptions options)
			throws IOException {
		this.directory = directory;
		this.queue = queue;
		this.words = words;
		this.volume = volume;
		this.fileBytes = options.fileBytes();
		this.maxQueueBytes = options.maxQueueBytes();
		this.chronicle = QueueFiles.open(directory, this.fileBytes, this.clock);
	}

	/**
	 * Opens the writing end of a queue.
	 * @param pair directory of the pair
	 * @param queue the queue
	 * @param words of the pair
	 * @param volume of the directory
	 * @param options limits
	 */
	static FrameWriter open(Path pair, PairQueue queue, QueueWords words, Volume volume, ChroniclePathOptions options)
			throws IOException {
		return new FrameWriter(pair.resolve(queue.directory()), queue, words, volume, options);
	}

	/**
	 * Appends a frame.
	 * @param bytes begins with the frame
	 * @param size its length
	 * @return why there is no room, or {@code null} if it was appended
	 * @throws ClosedChannelException if the queue is closed
	 * @throws IOException if it cannot be appended; the reader may see a part of it, so
	 * the pair must end
	 */
	@Nullable String append(byte[] bytes, int size) throws IOException {
		this.appending.lock();
		// Chronicle opens files with channels that an interrupt closes.
		boolean interrupted = Thread.interrupted();
		try {
			if (this.closed) {
				throw new ClosedChannelException();
			}
			String noRoom = noRoom(size);
			if (noRoom == null) {
				appendPieces(bytes, size);
			}
			return noRoom;
		}
		catch (IOException ex) {
			throw ex;
		}
		catch (Exception | AssertionError | InternalError ex) {
			throw QueueFiles.failed(this.directory, "cannot be appended to", ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
			this.appending.unlock();
		}
	}

	private @Nullable String noRoom(int size) throws IOException {
		long read = this.words.hasRead(this.queue);
		if (read < 0 || read >= this.clock.cycle()) {
			throw new IOException("the reader of the queue in %s says that it has read file %d of %d"
				.formatted(this.directory, read, this.clock.cycle()));
		}
		for (Unread oldest = this.unread.peek(); oldest != null
				&& oldest.cycle() <= read; oldest = this.unread.peek()) {
			this.unreadBytes -= oldest.bytes();
			this.unread.remove();
		}
		long files = size / (this.fileBytes - FILE_BYTES) + 1L;
		long pieces = size / piece() + 1L;
		long wanted = size + files * FILE_BYTES + pieces * RECORD_BYTES;
		if (this.unreadBytes + this.newestBytes + wanted > this.maxQueueBytes) {
			return "%d bytes wait to be read, and there may be %d (vicinal.chronicle.max-queue-size)"
				.formatted(this.unreadBytes + this.newestBytes, this.maxQueueBytes);
		}
		return this.volume.noRoom(wanted);
	}

	private int piece() {
		return this.fileBytes / PIECES_PER_FILE;
	}

	private void appendPieces(byte[] bytes, int size) {
		ExcerptAppender open = this.appender;
		if (open == null) {
			open = this.chronicle.createAppender();
			open.singleThreadedCheckDisabled(true);
			this.appender = open;
		}
		for (int from = 0; from < size; from += piece()) {
			int start = from;
			int length = Math.min(size - from, piece());
			if (this.newestBytes + length + RECORD_BYTES > this.fileBytes) {
				this.unread.add(new Unread(this.clock.cycle(), this.newestBytes));
				this.unreadBytes += this.newestBytes;
				this.newestBytes = FILE_BYTES;
				this.clock.next();
			}
			open.writeBytes((out) -> out.write(bytes, start, length));
			this.newestBytes += length + RECORD_BYTES;
		}
	}

	/** Returns the bytes of files that the reader has not read, as far as is known. */
	long unreadBytes() {
		this.appending.lock();
		try {
			return this.unreadBytes + this.newestBytes;
		}
		finally {
			this.appending.unlock();
		}
	}

	@Override
	public void close() {
		this.appending.lock();
		try {
			this.closed = true;
			if (this.appender != null) {
				this.appender.close();
			}
			this.chronicle.close();
		}
		finally {
			this.appending.unlock();
		}
	}

	/**
	 * A file that the reader has not read.
	 *
	 * @param cycle its number
	 * @param bytes that are written
	 */
	private record Unread(int cycle, long bytes) {
	}

}
