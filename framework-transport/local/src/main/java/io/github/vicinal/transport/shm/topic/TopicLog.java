package io.github.vicinal.transport.shm.topic;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;

import io.github.vicinal.transport.shm.lane.Memory;
import io.github.vicinal.transport.shm.lane.MemoryFiles;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;

/**
 * The messages of one publisher: a ring of records that one process writes and many read.
 * <p>
 * A <em>position</em> counts bytes from the beginning of the topic; where it is in the
 * ring are its lower bits. Records begin at multiples of 8 bytes and are never split: a
 * padding record fills the end of the ring before a message that does not fit there.
 *
 * <pre>
 *   0    magic, version, capacity, epoch
 * 128    published: end of the last record. Written after the record
 * 256    floor: first record that is not overwritten. Written before it is overwritten
 * 384    claim: first record of a stream that no subscriber has taken
 * 512    redeliveries: position + 1 of records whose subscriber has ended, or 0
 * 4096   the ring; each record: length, kind, sequence, time, bytes of headers, bytes of
 *        payload, the headers, the payload
 * </pre>
 *
 * In a topic that drops its oldest messages a reader copies a record first and then looks
 * whether the floor has passed it (a sequence lock whose sequence is the floor).
 * Otherwise the publisher overwrites nothing that a subscriber has yet to handle.
 */
final class TopicLog {

	static final int DATA = 1;

	static final int PADDING = 2;

	/** Length of a record before its headers. */
	static final int RECORD_BYTES = 32;

	static final int REDELIVERIES = 256;

	private static final long MAGIC = 0x564943_4c4f4701L;

	private static final int VERSION = 1;

	/** Bytes that are copied at a time. */
	private static final int COPIED_BYTES = 64 * 1024;

	private static final int MAGIC_OFFSET = 0;

	private static final int VERSION_OFFSET = 8;

	private static final int CAPACITY_OFFSET = 12;

	private static final int EPOCH_OFFSET = 16;

	static final int PUBLISHED_OFFSET = 128;

	static final int FLOOR_OFFSET = 256;

	private static final int CLAIM_OFFSET = 384;

	private static final int REDELIVERIES_OFFSET = 512;

	private static final int RING_OFFSET = 4096;

	/** Offsets within a record. */
	static final int LENGTH = 0;

	static final int KIND = 4;

	static final int SEQUENCE = 8;

	static final int TIME = 16;

	static final int HEADER_BYTES = 24;

	static final int PAYLOAD_BYTES = 28;

	private final Memory memory;

	private final int capacity;

	private final int mask;

	private TopicLog(Memory memory, int capacity) {
		this.memory = memory;
		this.capacity = capacity;
		this.mask = capacity - 1;
	}

	/**
	 * Makes a log.
	 * @param files where its file is
	 * @param name of the file
	 * @param capacity bytes of the ring, a power of two
	 * @param epoch a random number by which subscribers know the log
	 * @throws IOException if there is no room for it; then there is no file
	 */
	static TopicLog create(MemoryFiles files, String name, int capacity, long epoch) throws IOException {
		Memory memory = files.create(name, RING_OFFSET + capacity);
		memory.setInt(VERSION_OFFSET, VERSION);
		memory.setInt(CAPACITY_OFFSET, capacity);
		memory.setLong(EPOCH_OFFSET, epoch);
		memory.setLongRelease(MAGIC_OFFSET, MAGIC);
		return new TopicLog(memory, capacity);
	}

	/**
	 * Makes a log with all that is in this one, at the same positions, and leaves nothing
	 * here that the subscribers of a stream could take. Called while nobody writes.
	 * @param files where its file is
	 * @param name of the file
	 * @param end where the log ends
	 * @throws IOException if there is no room for it; then there is no file
	 */
	TopicLog renewed(MemoryFiles files, String name, long end) throws IOException {
		TopicLog made = create(files, name, this.capacity, this.memory.getLong(EPOCH_OFFSET));
		byte[] some = new byte[Math.min(this.capacity, COPIED_BYTES)];
		for (int at = 0; at < this.capacity; at += some.length) {
			copy(at, some, 0, some.length);
			made.paste(at, some, 0, some.length);
		}
		made.floor(floor());
		long claim = claim();
		while (!claim(claim, end)) {
			claim = claim();
		}
		made.claim(0, claim);
		for (int slot = 0; slot < REDELIVERIES; slot++) {
			long position = redelivery(slot);
			if (position >= 0 && takeRedelivery(slot, position)) {
				made.redeliver(position);
			}
		}
		made.publish(end);
		return made;
	}

	/**
	 * Has the first record begin behind the end of another log.
	 * @param position where that log ends
	 */
	void goOnAt(long position) {
		floor(position);
		claim(0, position);
		publish(position);
	}

	/**
	 * Maps the log of another process.
	 * @param readOnly whether its subscribers only read it
	 */
	static TopicLog map(Path file, int capacity, long epoch, boolean readOnly) throws IOException, WireException {
		Memory memory = Memory.map(file, RING_OFFSET + capacity, readOnly);
		if (memory.getLongAcquire(MAGIC_OFFSET) != MAGIC || memory.getInt(VERSION_OFFSET) != VERSION
				|| memory.getInt(CAPACITY_OFFSET) != capacity || memory.getLong(EPOCH_OFFSET) != epoch) {
			throw new WireException(Refusal.MALFORMED, "the file is not the log that the publisher has announced");
		}
		return new TopicLog(memory, capacity);
	}

	int capacity() {
		return this.capacity;
	}

	long bytes() {
		return this.memory.bytes();
	}

	static int recordBytes(int headerBytes, int payloadBytes) {
		return (RECORD_BYTES + headerBytes + payloadBytes + 7) & ~7;
	}

	/**
	 * Returns where a record of some bytes would end, behind a padding if need be.
	 * @param position where the log ends now
	 */
	long endOf(long position, int recordBytes) {
		int toEnd = toEnd(position);
		return position + ((recordBytes <= toEnd) ? recordBytes : toEnd + recordBytes);
	}

	/**
	 * Writes a record, which nobody sees before {@link #publish}.
	 * @param position where the log ends now
	 * @param end what {@link #endOf} returned; the bytes up to it are free
	 */
	void write(long position, long end, long sequence, byte[] headers, int headerBytes, byte[] payload,
			int payloadBytes) {
		int recordBytes = recordBytes(headerBytes, payloadBytes);
		int at = offset(position);
		if (end - position != recordBytes) {
			this.memory.setInt(at + LENGTH, (int) (end - position) - recordBytes);
			this.memory.setInt(at + KIND, PADDING);
			at = RING_OFFSET;
		}
		this.memory.setInt(at + LENGTH, recordBytes);
		this.memory.setInt(at + KIND, DATA);
		this.memory.setLong(at + SEQUENCE, sequence);
		this.memory.setLong(at + TIME, System.nanoTime());
		this.memory.setInt(at + HEADER_BYTES, headerBytes);
		this.memory.setInt(at + PAYLOAD_BYTES, payloadBytes);
		this.memory.put(at + RECORD_BYTES, headers, 0, headerBytes);
		this.memory.put(at + RECORD_BYTES + headerBytes, payload, 0, payloadBytes);
	}

	/** Shows records. In one order with whatever the caller reads next. */
	void publish(long end) {
		this.memory.setLongVolatile(PUBLISHED_OFFSET, end);
	}

	long published() {
		return this.memory.getLongAcquire(PUBLISHED_OFFSET);
	}

	/** In one order with what the caller has written before. */
	long publishedInOrder() {
		return this.memory.getLongVolatile(PUBLISHED_OFFSET);
	}

	long floor() {
		return this.memory.getLongVolatile(FLOOR_OFFSET);
	}

	/** Gives up records, which are overwritten next. */
	void floor(long position) {
		this.memory.setLongVolatile(FLOOR_OFFSET, position);
		// A volatile write holds back what precedes it only.
		VarHandle.storeStoreFence();
	}

	/** Returns whether what was read of a record before this was that record. */
	boolean isStillThere(long position) {
		VarHandle.loadLoadFence();
		return floor() <= position;
	}

	long claim() {
		return this.memory.getLongVolatile(CLAIM_OFFSET);
	}

	boolean claim(long position, long next) {
		return this.memory.compareAndSetLong(CLAIM_OFFSET, position, next);
	}

	/** Returns the position of a record to be delivered again, or -1. */
	long redelivery(int slot) {
		return this.memory.getLongVolatile(REDELIVERIES_OFFSET + Long.BYTES * slot) - 1;
	}

	boolean takeRedelivery(int slot, long position) {
		return this.memory.compareAndSetLong(REDELIVERIES_OFFSET + Long.BYTES * slot, position + 1, 0);
	}

	/** Puts a record where it is delivered again, and returns whether there was room. */
	boolean redeliver(long position) {
		for (int slot = 0; slot < REDELIVERIES; slot++) {
			if (this.memory.compareAndSetLong(REDELIVERIES_OFFSET + Long.BYTES * slot, 0, position + 1)) {
				return true;
			}
		}
		return false;
	}

	/** Bytes up to the next record. Any number if the record may be overwritten. */
	int length(long position) {
		return this.memory.getInt(offset(position) + LENGTH);
	}

	int kind(long position) {
		return this.memory.getInt(offset(position) + KIND);
	}

	long sequence(long position) {
		return this.memory.getLong(offset(position) + SEQUENCE);
	}

	long time(long position) {
		return this.memory.getLong(offset(position) + TIME);
	}

	/** Copies the headers of a record, whose length is checked. */
	byte[] headers(long position) throws WireException {
		int at = offset(position);
		int bytes = this.memory.getInt(at + HEADER_BYTES);
		requireWithin(at, bytes, 0);
		byte[] headers = new byte[bytes];
		this.memory.get(at + RECORD_BYTES, headers, 0, bytes);
		return headers;
	}

	/** Copies the payload of a record, whose length is checked. */
	byte[] payload(long position) throws WireException {
		int at = offset(position);
		int headerBytes = this.memory.getInt(at + HEADER_BYTES);
		int bytes = this.memory.getInt(at + PAYLOAD_BYTES);
		requireWithin(at, headerBytes, bytes);
		byte[] payload = new byte[bytes];
		this.memory.get(at + RECORD_BYTES + headerBytes, payload, 0, bytes);
		return payload;
	}

	/** Returns the number of bytes up to the end of the ring. */
	int toEnd(long position) {
		return this.capacity - ((int) position & this.mask);
	}

	/** Copies records, which do not go beyond the end of the ring. */
	void copy(long position, byte[] target, int at, int length) {
		this.memory.get(offset(position), target, at, length);
	}

	/**
	 * Writes records that {@link #copy} has read, which nobody sees before
	 * {@link #publish}.
	 */
	void paste(long position, byte[] source, int at, int length) {
		this.memory.put(offset(position), source, at, length);
	}

	/** Fails unless a length can be that of a record. */
	void requireLength(long position, int length) throws WireException {
		int toEnd = toEnd(position);
		if (length < Long.BYTES || (length & 7) != 0 || length > toEnd) {
			throw new WireException(Refusal.MALFORMED,
					"a record of %d bytes at position %d of a log of %d".formatted(length, position, this.capacity));
		}
	}

	private void requireWithin(int at, int headerBytes, int payloadBytes) throws WireException {
		int room = RING_OFFSET + this.capacity - at - RECORD_BYTES;
		if (headerBytes < 0 || payloadBytes < 0 || (long) headerBytes + payloadBytes > room) {
			throw new WireException(Refusal.MALFORMED,
					"a message of %d and %d bytes where %d are left".formatted(headerBytes, payloadBytes, room));
		}
	}

	private int offset(long position) {
		return RING_OFFSET + ((int) position & this.mask);
	}

}
