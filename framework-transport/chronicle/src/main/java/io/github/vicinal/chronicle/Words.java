package io.github.vicinal.chronicle;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A small file of 64-bit words that several processes map. What one has written is there
 * for the others, and for its successor, even if it is killed.
 */
final class Words {

	private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private final ByteBuffer buffer;

	private Words(ByteBuffer buffer) {
		this.buffer = buffer;
	}

	/**
	 * Opens a file, which is made if it is not there.
	 * @param file the file
	 * @param words number of words
	 * @param magic the first word
	 * @throws DamagedQueueException if it is another file
	 */
	static Words open(Path file, int words, long magic) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			int bytes = Long.BYTES * words;
			long size = channel.size();
			if (size > bytes) {
				throw new DamagedQueueException(
						"%s has %d bytes, not %d: it is damaged, or of another version".formatted(file, size, bytes));
			}
			if (size < bytes) {
				// Written, so that the volume has the room before it is mapped.
				channel.write(ByteBuffer.allocate(bytes - (int) size), size);
			}
			Words made = new Words(channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes));
			if (!made.compareAndSet(0, 0, magic) && made.get(0) != magic) {
				throw new DamagedQueueException("%s begins with %x, not with %x: it is damaged, or of another version"
					.formatted(file, made.get(0), magic));
			}
			return made;
		}
	}

	long get(int word) {
		return (long) LONGS.getVolatile(this.buffer, Long.BYTES * word);
	}

	void set(int word, long value) {
		LONGS.setVolatile(this.buffer, Long.BYTES * word, value);
	}

	boolean compareAndSet(int word, long expected, long value) {
		return LONGS.compareAndSet(this.buffer, Long.BYTES * word, expected, value);
	}

	/**
	 * Makes a process the owner that a word names, if it has none or a dead one.
	 * @return whether the process is the owner now
	 */
	boolean own(int word, Alive alive) {
		long owner = get(word);
		if (owner == alive.id()) {
			return false;
		}
		return (owner == 0 || alive.isDead(owner)) && compareAndSet(word, owner, alive.id());
	}

}
