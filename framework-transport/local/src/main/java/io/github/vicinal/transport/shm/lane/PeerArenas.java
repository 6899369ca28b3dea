package io.github.vicinal.transport.shm.lane;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;

/**
 * The arenas of the other side, as it announces them. It uses an arena only after it was
 * notified that the arena is mapped here. Thread-safe.
 */
public final class PeerArenas {

	private final Path directory;

	private final long maxBytes;

	private final List<Memory> arenas = new CopyOnWriteArrayList<>();

	/** Guarded by this. */
	private long bytes;

	/**
	 * Creates the view of the other side's arenas.
	 * @param directory where its files are
	 * @param maxBytes how much of its memory this side maps
	 */
	public PeerArenas(Path directory, long maxBytes) {
		this.directory = directory;
		this.maxBytes = maxBytes;
	}

	/**
	 * Maps an arena.
	 * @param number its number
	 * @param name the name of its file
	 * @param size how large it is
	 * @throws WireException if the announcement is not acceptable
	 * @throws IOException if the file is gone, or this process cannot map it: no fault of
	 * the other side, as a cleaner may have been there, or no file descriptor is left
	 */
	public synchronized void add(int number, String name, int size) throws IOException, WireException {
		if (number != this.arenas.size() || number >= SlabArena.MAX_ARENAS) {
			throw new WireException(Refusal.MALFORMED,
					"an arena with number %d after %d arenas".formatted(number, this.arenas.size()));
		}
		if (size <= 0 || this.bytes + size > this.maxBytes) {
			throw new WireException(Refusal.TOO_LARGE,
					"an arena of %d bytes, after %d, is more than the limit of %d bytes"
						.formatted(Integer.toUnsignedLong(size), this.bytes, this.maxBytes));
		}
		try {
			this.arenas.add(Memory.adopt(this.directory, name, size));
		}
		catch (IOException ex) {
			throw new IOException("an arena cannot be mapped: " + ex, ex);
		}
		this.bytes += size;
	}

	/** Returns how much of the other side's memory is mapped. */
	synchronized long bytes() {
		return this.bytes;
	}

	/**
	 * Finds the memory of a payload.
	 * @param place the number of its arena
	 * @param offset where it begins
	 * @param length how long it is, not negative
	 * @return memory that has these bytes
	 * @throws WireException if there are no such bytes
	 */
	Memory find(int place, int offset, int length) throws WireException {
		Memory memory = (place >= 0 && place < this.arenas.size()) ? this.arenas.get(place) : null;
		if (memory == null || offset < 0 || offset > memory.bytes() - length) {
			throw new WireException(Refusal.MALFORMED,
					"a payload of %d bytes at %d of arena %d is out of bounds".formatted(length, offset, place));
		}
		return memory;
	}

}
