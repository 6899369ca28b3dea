package io.github.vicinal.transport.shm.lane;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;

import io.github.vicinal.transport.shm.waiting.SharedState;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;

/**
 * The memory of one pair of peers, and the state that both sides share in it. See
 * {@link SegmentLayout}.
 */
public final class Segment {

	/** A file keeps its name for less than the time that a handshake may take. */
	private static final Duration ORPHAN_AGE = Duration.ofMinutes(1);

	private static final int NAME_BYTES = 16;

	private final SegmentLayout layout;

	private final Memory memory;

	private final long epoch;

	private final SharedState shared;

	private Segment(SegmentLayout layout, Memory memory, long epoch) {
		this.layout = layout;
		this.memory = memory;
		this.epoch = epoch;
		this.shared = new SegmentState(memory);
	}

	/**
	 * Makes a segment.
	 * @param files where its file is for a while
	 * @param name see {@link #newName()}
	 * @param layout where the words are
	 * @return the segment
	 * @throws IOException if there is no space for it
	 */
	public static Segment create(MemoryFiles files, String name, SegmentLayout layout) throws IOException {
		Memory memory = files.create(name, layout.bytes());
		long epoch = new SecureRandom().nextLong();
		memory.setInt(SegmentLayout.VERSION_OFFSET, SegmentLayout.VERSION);
		memory.setInt(SegmentLayout.HASH_OFFSET, layout.hash());
		memory.setLong(SegmentLayout.EPOCH_OFFSET, epoch);
		memory.setLongRelease(SegmentLayout.MAGIC_OFFSET, SegmentLayout.MAGIC);
		return new Segment(layout, memory, epoch);
	}

	/**
	 * Maps a segment that another process has made, and takes its name away.
	 * @param directory where its file is
	 * @param name the file's name
	 * @param layout where the words must be
	 * @param epoch the epoch that it must have
	 * @return the segment
	 * @throws IOException if there is no such file, or this process cannot map it
	 * @throws WireException if the file is not that segment
	 */
	public static Segment attach(Path directory, String name, SegmentLayout layout, long epoch)
			throws IOException, WireException {
		Memory memory = Memory.adopt(directory, name, layout.bytes());
		boolean matches = memory.getLongAcquire(SegmentLayout.MAGIC_OFFSET) == SegmentLayout.MAGIC
				&& memory.getInt(SegmentLayout.VERSION_OFFSET) == SegmentLayout.VERSION
				&& memory.getInt(SegmentLayout.HASH_OFFSET) == layout.hash()
				&& memory.getLong(SegmentLayout.EPOCH_OFFSET) == epoch;
		Memory.settle();
		if (!matches) {
			throw new WireException(Refusal.MALFORMED, "the file is not the segment that was announced");
		}
		return new Segment(layout, memory, epoch);
	}

	/**
	 * Returns a name that nobody uses.
	 * @return the name of a file
	 */
	public static String newName() {
		byte[] random = new byte[NAME_BYTES];
		new SecureRandom().nextBytes(random);
		return HexFormat.of().formatHex(random) + Memory.SUFFIX;
	}

	/**
	 * Deletes the files of processes that ended during a handshake.
	 * @param directory where to look
	 * @return the number of files that were deleted
	 * @throws IOException if the directory cannot be read
	 */
	public static int deleteOrphans(Path directory) throws IOException {
		return deleteOrphans(directory, ORPHAN_AGE);
	}

	/**
	 * Deletes the files of processes that ended during a handshake.
	 * @param directory where to look
	 * @param age how old a file must be, so that nobody uses its name any more
	 * @return the number of files that were deleted
	 * @throws IOException if the directory cannot be read
	 */
	public static int deleteOrphans(Path directory, Duration age) throws IOException {
		int deleted = 0;
		Instant limit = Instant.now().minus(age);
		try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + Memory.SUFFIX)) {
			for (Path file : files) {
				if (Memory.NAME.matcher(String.valueOf(file.getFileName())).matches() && isOlder(file, limit)
						&& Files.deleteIfExists(file)) {
					deleted++;
				}
			}
		}
		return deleted;
	}

	private static boolean isOlder(Path file, Instant limit) {
		try {
			return Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant().isBefore(limit);
		}
		catch (IOException ex) {
			return false;
		}
	}

	public SegmentLayout layout() {
		return this.layout;
	}

	public Memory memory() {
		return this.memory;
	}

	public long epoch() {
		return this.epoch;
	}

	public SharedState shared() {
		return this.shared;
	}

	/** Returns how both sides wait, an encoded {@code WaitMode}. */
	public long mode() {
		return this.memory.getLong(SegmentLayout.MODE_OFFSET);
	}

	/** Sets how both sides wait from now on. */
	public void mode(long mode) {
		this.memory.setLong(SegmentLayout.MODE_OFFSET, mode);
	}

}
