package io.github.vicinal.transport.shm.lane;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;

/** The arenas of the other side, as it announces them. Thread-safe. */
public final class PeerArenas {

	private final Path directory;

	private final long maxBytes;

	private final long patienceNanos;

	private final List<Memory> arenas = new ArrayList<>();

	private long bytes;

	private boolean closed;

	/**
	 * Creates the view of the other side's arenas.
	 * @param directory where its files are
	 * @param maxBytes how much of its memory this side maps
	 * @param patience how long a payload, which may be seen before the announcement of
	 * its arena is read, waits for that: as long as the thread that reads announcements
	 * may be busy with other frames, such as contracts to bind
	 */
	public PeerArenas(Path directory, long maxBytes, Duration patience) {
		this.directory = directory;
		this.maxBytes = maxBytes;
		this.patienceNanos = patience.toNanos();
	}

	/**
	 * Maps an arena.
	 * @param number its number
	 * @param name the name of its file
	 * @param size how large it is
	 * @throws WireException if the announcement is not acceptable
	 * @throws IOException if this process cannot map the file
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
		catch (NoSuchFileException ex) {
			throw new WireException(Refusal.MALFORMED, "an arena without a file: " + ex.getMessage());
		}
		catch (IOException ex) {
			throw new IOException("an arena cannot be mapped: " + ex.getMessage(), ex);
		}
		this.bytes += size;
		notifyAll();
	}

	/** Returns how much of the other side's memory is mapped. */
	synchronized long bytes() {
		return this.bytes;
	}

	/** The pair has ended: nobody waits for an announcement any more. */
	synchronized void close() {
		this.closed = true;
		notifyAll();
	}

	/**
	 * Finds the memory of a payload.
	 * @param place the number of its arena
	 * @param offset where it begins
	 * @param length how long it is, not negative
	 * @return memory that has these bytes
	 * @throws WireException if there are no such bytes, or the pair has ended before they
	 * were announced
	 */
	Memory find(int place, int offset, int length) throws WireException {
		Memory memory = find(place);
		if (memory == null || offset < 0 || offset > memory.bytes() - length) {
			throw new WireException(Refusal.MALFORMED,
					"a payload of %d bytes at %d of arena %d is out of bounds".formatted(length, offset, place));
		}
		return memory;
	}

	private synchronized @Nullable Memory find(int place) throws WireException {
		if (place < 0 || place >= SlabArena.MAX_ARENAS) {
			return null;
		}
		long end = System.nanoTime() + this.patienceNanos;
		boolean interrupted = false;
		try {
			while (place >= this.arenas.size()) {
				long left = end - System.nanoTime();
				if (this.closed) {
					throw new WireException(Refusal.SHUTTING_DOWN, "the pair has ended");
				}
				if (left <= 0) {
					return null;
				}
				try {
					TimeUnit.NANOSECONDS.timedWait(this, left);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
			return this.arenas.get(place);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
