package io.github.vicinal.chronicle;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * A small file of 64-bit words that several processes map. What one has written is there
 * for the others, and for its successor, even if it is killed. Thread-safe.
 *
 * @since 0.1.0
 */
public final class Words {

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
	 * @param drafts directory on the same volume in which the file is made
	 * @return the words
	 * @throws IOException if the file cannot be made, opened or mapped
	 * @throws DamagedQueueException if it is another file
	 */
	public static Words open(Path file, int words, long magic, Path drafts) throws IOException {
		return open(file, words, magic, drafts, (made) -> {
		});
	}

	/**
	 * Opens a file, which is made if it is not there: others see it with all its words or
	 * not at all.
	 * @param first sets the words of a file that is made
	 */
	static Words open(Path file, int words, long magic, Path drafts, Consumer<Words> first) throws IOException {
		Words known = find(file, words, magic);
		while (known == null) {
			make(file, words, magic, drafts, first);
			known = find(file, words, magic);
		}
		return known;
	}

	/** Opens a file, {@code null} if there is none. */
	static @Nullable Words find(Path file, int words, long magic) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			int bytes = Long.BYTES * words;
			long size = channel.size();
			if (size > bytes) {
				throw new DamagedQueueException(
						"%s has %d bytes, not %d: it is damaged, or of another version".formatted(file, size, bytes));
			}
			if (size < bytes) {
				// The host crashed before it had written all of it.
				channel.write(ByteBuffer.allocate(bytes - (int) size), size);
			}
			Words found = new Words(channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes));
			if (!found.compareAndSet(0, 0, magic) && found.get(0) != magic) {
				throw new DamagedQueueException("%s begins with %x, not with %x: it is damaged, or of another version"
					.formatted(file, found.get(0), magic));
			}
			return found;
		}
		catch (NoSuchFileException ex) {
			return null;
		}
	}

	private static void make(Path file, int words, long magic, Path drafts, Consumer<Words> first) throws IOException {
		Path draft = Files.createTempFile(drafts, "words", ".new");
		try (FileChannel channel = FileChannel.open(draft, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			int bytes = Long.BYTES * words;
			// Written, so that the volume has the room before it is mapped.
			channel.write(ByteBuffer.allocate(bytes));
			Words made = new Words(channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes));
			made.set(0, magic);
			first.accept(made);
			Files.createLink(file, draft);
		}
		catch (FileAlreadyExistsException ex) {
			// Somebody else was first.
		}
		finally {
			Files.delete(draft);
		}
	}

	/**
	 * Returns a word.
	 * @param word its number
	 * @return what it is now
	 */
	public long get(int word) {
		return (long) LONGS.getVolatile(this.buffer, Long.BYTES * word);
	}

	/**
	 * Sets a word.
	 * @param word its number
	 * @param value what it becomes
	 */
	public void set(int word, long value) {
		LONGS.setVolatile(this.buffer, Long.BYTES * word, value);
	}

	/**
	 * Sets a word after all that was written before, without waiting until others see it.
	 * A successor of this process sees it even if the process is killed right after.
	 */
	void setInOrder(int word, long value) {
		LONGS.setRelease(this.buffer, Long.BYTES * word, value);
	}

	/**
	 * Sets a word that has a certain value.
	 * @param word its number
	 * @param expected what it must be
	 * @param value what it becomes
	 * @return whether it was as expected
	 */
	public boolean compareAndSet(int word, long expected, long value) {
		// Where the file has been cut off, a read fails with an error, but a swap may end
		// the JVM.
		return get(word) == expected && LONGS.compareAndSet(this.buffer, Long.BYTES * word, expected, value);
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
