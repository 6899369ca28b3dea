package io.github.vicinal.transport.shm.lane;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

import io.github.vicinal.transport.wire.FileStores;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;

/**
 * Memory that two processes map: a file without a name.
 * <p>
 * A file has its name only until both sides have mapped it. From then on the kernel frees
 * the memory when both are gone, however they end. The bytes are allocated by writing
 * them: a sparse file in a full file system would kill a process that touches it.
 * <p>
 * Accesses to words are thread-safe. Threads that share payload bytes order their
 * accesses by words.
 */
public final class Memory {

	/** The suffix of the files' names. */
	static final String SUFFIX = ".seg";

	/** The names of the files. */
	static final Pattern NAME = Pattern.compile("[0-9a-f]{32}\\.seg");

	/** Fraction of the file system that is left to others, as a divisor. */
	private static final int RESERVE_SHARE = 16;

	private static final int CHUNK_BYTES = 64 * 1024;

	private static final int ARRAYS_FOR_RUNTIME = 8;

	private static final int CACHE_LINE_BYTES = 64;

	/**
	 * Size above which memory leaves the processor's own cache before it is written
	 * again.
	 */
	private static final int MAX_CLAIMED_BYTES = 512 * 1024;

	private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

	private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private final ByteBuffer buffer;

	private final int bytes;

	private Memory(MappedByteBuffer buffer, int bytes) {
		this.buffer = buffer;
		this.bytes = bytes;
	}

	/**
	 * Makes a file of zeros and maps it.
	 * @param file a name that nobody uses
	 * @param bytes its size
	 * @return the memory
	 * @throws IOException if there is no space, or anything else goes wrong; then there
	 * is no file
	 */
	static Memory create(Path file, int bytes) throws IOException {
		requireSpace(file, bytes);
		boolean done = false;
		try (FileChannel channel = FileChannel.open(file,
				Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
				PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
			ByteBuffer zeros = ByteBuffer.allocateDirect(Math.min(bytes, CHUNK_BYTES));
			for (int written = 0; written < bytes;) {
				zeros.clear().limit(Math.min(zeros.capacity(), bytes - written));
				written += channel.write(zeros);
			}
			// Others may have seen the same free space, and taken it at the same time.
			requireSpace(file, 0);
			Memory memory = new Memory(channel.map(MapMode.READ_WRITE, 0, bytes), bytes);
			done = true;
			return memory;
		}
		finally {
			if (!done) {
				Files.deleteIfExists(file);
			}
		}
	}

	/** Returns whether a file of that size may be made, with enough left to others. */
	static boolean hasSpace(Path directory, int bytes) throws IOException {
		return usableSpace(directory) - bytes >= totalSpace(directory) / RESERVE_SHARE;
	}

	static long usableSpace(Path directory) throws IOException {
		return FileStores.of(directory).getUsableSpace();
	}

	static long totalSpace(Path directory) throws IOException {
		return FileStores.of(directory).getTotalSpace();
	}

	private static void requireSpace(Path file, int bytes) throws IOException {
		FileStore store = FileStores.of(Objects.requireNonNull(file.toAbsolutePath().getParent()));
		long usable = store.getUsableSpace();
		if (usable - bytes < store.getTotalSpace() / RESERVE_SHARE) {
			throw new IOException(
					"%s has %d KiB left, of which %d KiB stay reserved; %d KiB are needed: enlarge it (in Kubernetes an emptyDir with medium Memory), or set vicinal.shm or the capacity of topics to need less"
						.formatted(file.getParent(), usable >> 10, (store.getTotalSpace() / RESERVE_SHARE) >> 10,
								(bytes + 1023) >> 10));
		}
	}

	/**
	 * Maps a file that the other side has made, and takes its name away.
	 * @param directory where it is
	 * @param name what the other side calls it
	 * @param bytes how large it must be at least
	 * @return the memory
	 * @throws IOException if there is no such file, or this process cannot map it
	 * @throws WireException if it is another kind of file than the other side says
	 */
	public static Memory adopt(Path directory, String name, int bytes) throws IOException, WireException {
		if (!NAME.matcher(name).matches()) {
			throw new WireException(Refusal.MALFORMED, "the file name is not that of a segment");
		}
		Path file = directory.resolve(name);
		requireRegular(file);
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE,
				LinkOption.NOFOLLOW_LINKS)) {
			requireSize(channel, bytes);
			return new Memory(channel.map(MapMode.READ_WRITE, 0, bytes), bytes);
		}
		finally {
			Files.deleteIfExists(file);
		}
	}

	/**
	 * Maps a file that keeps its name.
	 * @param file made by {@link MemoryFiles#create}
	 * @param bytes how large it must be at least
	 * @param readOnly whether this process only reads it
	 * @return the memory
	 * @throws IOException if there is no such file, or this process cannot map it
	 * @throws WireException if it is another kind of file than the other side says
	 */
	public static Memory map(Path file, int bytes, boolean readOnly) throws IOException, WireException {
		requireRegular(file);
		Set<OpenOption> options = readOnly ? Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)
				: Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
		try (FileChannel channel = FileChannel.open(file, options)) {
			requireSize(channel, bytes);
			return new Memory(channel.map(readOnly ? MapMode.READ_ONLY : MapMode.READ_WRITE, 0, bytes), bytes);
		}
	}

	private static void requireRegular(Path file) throws IOException, WireException {
		if (!Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).isRegularFile()) {
			throw new WireException(Refusal.MALFORMED, "the file of that name is not a segment");
		}
	}

	private static void requireSize(FileChannel channel, int bytes) throws IOException, WireException {
		if (channel.size() < bytes) {
			throw new WireException(Refusal.MALFORMED,
					"the segment has %d bytes, but must have %d for its layout".formatted(channel.size(), bytes));
		}
	}

	/**
	 * Throws a pending error of this thread. If memory is gone because the other side has
	 * truncated its file, an access is an {@link InternalError}. But compiled code goes
	 * on with any value, and Java 17 throws only when the thread next returns from the
	 * JVM's own runtime, wherever that is. A thread that leaves a pair that may be broken
	 * calls this method first.
	 */
	public static void settle() {
		// Compilers leave arrays of more than some arrays to the runtime.
		byte[][] ignored = new byte[ARRAYS_FOR_RUNTIME][0];
	}

	/**
	 * Drops a pending error of this thread, which may come in the middle of what follows
	 * otherwise. A thread that ends something because of a failure calls this method
	 * first: the failure is known, and the end must be complete.
	 */
	public static void discardPending() {
		try {
			settle();
		}
		catch (InternalError ex) {
			// The pair ends for that or another reason.
		}
	}

	/**
	 * Returns the mapped bytes, for callers that need their address.
	 * @return the buffer
	 */
	public ByteBuffer buffer() {
		return this.buffer;
	}

	public int bytes() {
		return this.bytes;
	}

	public int getInt(int offset) {
		return (int) INT.getOpaque(this.buffer, offset);
	}

	public void setInt(int offset, int value) {
		INT.setOpaque(this.buffer, offset, value);
	}

	public int getIntAcquire(int offset) {
		return (int) INT.getAcquire(this.buffer, offset);
	}

	void setIntRelease(int offset, int value) {
		INT.setRelease(this.buffer, offset, value);
	}

	/** Reads a word that orders what follows. */
	public int getIntVolatile(int offset) {
		return (int) INT.getVolatile(this.buffer, offset);
	}

	/** Writes a word that orders what precedes and what follows. */
	public void setIntVolatile(int offset, int value) {
		INT.setVolatile(this.buffer, offset, value);
	}

	/** Changes a word if it has the expected value. */
	public boolean compareAndSetInt(int offset, int expected, int value) {
		return INT.compareAndSet(this.buffer, offset, expected, value);
	}

	public long getLong(int offset) {
		return (long) LONG.getOpaque(this.buffer, offset);
	}

	public void setLong(int offset, long value) {
		LONG.setOpaque(this.buffer, offset, value);
	}

	public long getLongAcquire(int offset) {
		return (long) LONG.getAcquire(this.buffer, offset);
	}

	public void setLongRelease(int offset, long value) {
		LONG.setRelease(this.buffer, offset, value);
	}

	public long getLongVolatile(int offset) {
		return (long) LONG.getVolatile(this.buffer, offset);
	}

	public void setLongVolatile(int offset, long value) {
		LONG.setVolatile(this.buffer, offset, value);
	}

	public boolean compareAndSetLong(int offset, long expected, long value) {
		return LONG.compareAndSet(this.buffer, offset, expected, value);
	}

	void setBit(int word, int bit) {
		LONG.getAndBitwiseOr(this.buffer, word, 1L << bit);
	}

	long takeBits(int word) {
		return (long) LONG.getAndSet(this.buffer, word, 0L);
	}

	public void put(int offset, byte[] source, int from, int length) {
		this.buffer.put(offset, source, from, length);
	}

	public void put(int offset, ByteBuffer source) {
		this.buffer.put(offset, source, source.position(), source.remaining());
	}

	public void get(int offset, byte[] target, int to, int length) {
		this.buffer.get(offset, target, to, length);
	}

	/**
	 * Writes to each cache line of bytes that were read and are not needed any more.
	 * Reading leaves lines that another processor has written in a shared state, in which
	 * each later write there needs another request for ownership. Lines that the reader
	 * has written are handed over as a whole.
	 */
	void claim(int offset, int length) {
		if (length <= MAX_CLAIMED_BYTES) {
			for (int i = 0; i < length; i += CACHE_LINE_BYTES) {
				this.buffer.put(offset + i, (byte) 0);
			}
		}
	}

}
